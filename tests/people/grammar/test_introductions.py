"""People whom a noun introduces by a name beside it.

The sentences were written before the rules, in two sets: the second was read once, with the rules for the first. Of the
47 people 7 were found before (docs/log/people-and-things.md).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engramma import Turn
from engramma.people.claims.extract import extract
from engramma.people.grammar.introductions import is_persons_name
from engramma.records.people import Claim

START = datetime(2026, 5, 1, 9, tzinfo=UTC)
INTRODUCED = [
    ("A man from my choir, Gwilym Parry, fixed the boiler.", "Gwilym Parry"),
    ("I talked to my neighbour Agnieszka Nowak about the fence.", "Agnieszka Nowak"),
    ("We saw our vet, Dr. Priya Raman, on Tuesday.", "Priya Raman"),
    ("The plumber – Tomos Reed – will come back on Friday.", "Tomos Reed"),
    ("My old teacher, Ottoline Vance, sent me a card.", "Ottoline Vance"),
    ("A friend from university, Kwabena Osei, is staying with us.", "Kwabena Osei"),
    ("The woman next door, Hilde Brandvold, feeds the cat.", "Hilde Brandvold"),
    ("I met a guy from the climbing gym, Tadeo Ruiz, for coffee.", "Tadeo Ruiz"),
    ("Our electrician Siobhan Kearney found the fault.", "Siobhan Kearney"),
    ("My colleague at the library, Yusuf Demirel, covers my shift.", "Yusuf Demirel"),
    ("The new doctor, Dr. Mbali Khumalo, wants another test.", "Mbali Khumalo"),
    ("My landlord, Piet Hoekstra, raised the rent.", "Piet Hoekstra"),
    ("The midwife (Annika Sjöberg) called this morning.", "Annika Sjöberg"),
    ("I asked the builder, Cormac Dunne, for a quote.", "Cormac Dunne"),
    ("My piano teacher Wilhelmina Oakes retired.", "Wilhelmina Oakes"),
    ("A colleague of mine, Ravindra Iyer, knows the route.", "Ravindra Iyer"),
    ("A lady from the parish, Mrs. Edith Hollins, brought soup.", "Edith Hollins"),
    ("My cousin in Leeds, Bronwen Pugh, got married.", "Bronwen Pugh"),
    ("The accountant - Farrukh Aliyev - filed it late.", "Farrukh Aliyev"),
    ("One of my students, Leocadia Marsh, won a prize.", "Leocadia Marsh"),
    ("Our GP, Dr Ines Caldeira, referred me.", "Ines Caldeira"),
    ("I had lunch with my boss, Gerrit van Dijk, yesterday.", "Gerrit van Dijk"),
    ("My best friend, Oluchi Eze, moved to Porto.", "Oluchi Eze"),
    ("The guy who painted the hall, Benedek Toth, left his ladder.", "Benedek Toth"),
    ("My sister-in-law, Marguerite Lowell, is a nurse.", "Marguerite Lowell"),
    ("The kids' swimming coach, Ngaire Tamati, was great.", "Ngaire Tamati"),
    ("An old man from the village, Iolo Prosser, told me the story.", "Iolo Prosser"),
    ("My hairdresser Zuleika Brandt is on holiday.", "Zuleika Brandt"),
    ("Our childminder, Perpetua Adeyemi, has the flu.", "Perpetua Adeyemi"),
    ("The man at the garage, Stelios Markou, says the clutch is gone.", "Stelios Markou"),
    ("I rang my solicitor (Fenella Crowe) about the lease.", "Fenella Crowe"),
    ("My uncle – Evaristo Pinto – was a fisherman.", "Evaristo Pinto"),
    ("A girl in my class, Tuuli Saarinen, lent me her notes.", "Tuuli Saarinen"),
    ("A retired judge, Sir Alastair Keogh, gave the talk.", "Alastair Keogh"),
    ("My tutor Miriam Feldstein liked the essay.", "Miriam Feldstein"),
    ("One of the nurses, Adaeze Obi, stayed with me.", "Adaeze Obi"),
    ("The neighbour across the street, Mr. Lindqvist, waters them.", "Lindqvist"),
    ("Her boyfriend, Callum Rennie, drove us.", "Callum Rennie"),
    ("The woman who runs the bakery, Solveig Aas, gave me starter.", "Solveig Aas"),
    ("My old flatmate from Bristol, Jolyon Pike, rang.", "Jolyon Pike"),
    ("We hired a carpenter, Emeka Nwosu.", "Emeka Nwosu"),
    ("My dentist Katarzyna said it can wait.", "Katarzyna"),
    ("I sent it to the editor, Rosalind Achterberg.", "Rosalind Achterberg"),
    ("Talk to my brother-in-law, Matthias Kroll, he knows boilers.", "Matthias Kroll"),
    ("The vicar, Rev. Hugh Pomfret, was there.", "Hugh Pomfret"),
    ("My client in Basel, Herr Zumstein, cancelled.", "Zumstein"),
    ("The author Ursula K. Le Guin is my favourite.", "Le Guin"),
]
NOT_INTRODUCED = [
    ("My bank, Lloyds Barclay, closed the branch.", "Lloyds Barclay"),
    ("Our dog, Biscuit, ate the cake.", "Biscuit"),
    ("We stayed in a town in Wales, Harlech, for a week.", "Harlech"),
    ("My car, Herbie, broke down again.", "Herbie"),
    ("We watched a film, Paddington Brown, with the kids.", "Paddington Brown"),
    ("The doctor's surgery, Elm House, is closed on Fridays.", "Elm House"),
    ("My favourite author's book, Bleak Orchard, is out.", "Bleak Orchard"),
    ("A friend from Cardiff, Wales, came by.", "Wales"),
    ("My sister lives in Kent, Ohio, now.", "Ohio"),
    ("The man from Delta Airlines, who was rude, hung up.", "Delta Airlines"),
    ("Our teacher, Monday to Friday, starts at nine.", "Monday"),
    ("The plumber, British Gas Homecare, cancelled.", "British Gas Homecare"),
    ("I told my doctor, Thank God, about it.", "Thank God"),
    ("My boss, Christmas or not, works on Sundays.", "Christmas"),
    ("The singer Taylor's album, Red Velvet, is great.", "Red Velvet"),
    ("We hired a builder, Hartley & Sons, for the roof.", "Hartley"),
    ("My son's school, Saint Aldate, has a new gym.", "Saint Aldate"),
    ("A woman in Lisbon, Portugal, makes these.", "Portugal"),
    ("The guard at the museum, National Gallery, was kind.", "National Gallery"),
    ("My client, Acme Widgets Ltd, pays late.", "Acme Widgets Ltd"),
    ("Our driver took the A5, Watling Street, to Chester.", "Watling Street"),
    ("The chef at my favourite place, Casa Morena, left.", "Casa Morena"),
    ("My neighbour's boat, Lady Gwen, sank.", "Lady Gwen"),
    ("My friend, New Year is a bad time to move.", "New Year"),
    ("A student at my university, Queen Margaret, told me.", "Queen Margaret"),
    ("The doctor, Friday afternoon, had no time.", "Friday"),
    ("My manager, Project Falcon in mind, said no.", "Project Falcon"),
    ("My accountant uses a program, Ledger Pro, for it.", "Ledger Pro"),
    ("The horse, Silver Birch, won the race.", "Silver Birch"),
    ("Our cat Mabel Lucy sleeps all day.", "Mabel Lucy"),
    ("My agent, Savills Estates, lists it on Monday.", "Savills Estates"),
    ("Our courier, Royal Mail, lost it.", "Royal Mail"),
    ("My assistant, Amazon Alexa, woke me.", "Amazon Alexa"),
    ("My editor, Visual Studio, crashes.", "Visual Studio"),
    ("A woman from Paris, Texas, wrote.", "Texas"),
    ("The driver, Nvidia Studio, is outdated.", "Nvidia Studio"),
    ("The doctor at the clinic, Green Lane Surgery, is new.", "Green Lane Surgery"),
    ("A student in our town, Milton Keynes, wrote it.", "Milton Keynes"),
    ("The teacher told us about a poem, Dulce Decorum, today.", "Dulce Decorum"),
    ("My coach, Crossfit Leeds on Sundays, is strict.", "Crossfit Leeds"),
    ("The contractor, Balfour Beatty, is late.", "Balfour Beatty"),
    ("My manager in the game, Football Manager, got sacked.", "Football Manager"),
    ("Our tenant, Costa Coffee, pays on time.", "Costa Coffee"),
    ("I told the doctor, Happy Monday, and left.", "Happy Monday"),
    ("The guide to the city, Lonely Planet, is old.", "Lonely Planet"),
    ("My trainer, Nike Pegasus, has a hole.", "Nike Pegasus"),
    ("The player, Spotify Connect, stopped.", "Spotify Connect"),
    ("The operator, Deutsche Bahn, cancelled the train.", "Deutsche Bahn"),
    ("My printer, Epson Ecotank, jams.", "Epson Ecotank"),
    ("The founder sold the firm, Kestrel Robotics, in May.", "Kestrel Robotics"),
]


def said(text: str) -> list[Claim]:
    return extract([Turn("Nora", text, START, "t1", role="user")], "c", "s")


def people_in(text: str) -> set[str]:
    found = [claim for claim in said(text) if claim.subject != "Nora" or claim.value_type == "person"]
    subjects = {claim.subject for claim in found if claim.subject_type == "person"}
    return subjects | {claim.value for claim in found if claim.value_type == "person"}


@pytest.mark.parametrize(("text", "name"), INTRODUCED)
def test_who_stands_beside_a_noun_for_somebody_is_a_person(text: str, name: str):
    assert any(one.endswith(name) for one in people_in(text)), people_in(text)


@pytest.mark.parametrize(("text", "name"), NOT_INTRODUCED)
def test_firms_places_animals_and_things_beside_somebody_are_no_people(text: str, name: str):
    assert name not in people_in(text)


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("A man from my choir, Gwilym Parry, fixed it.", ("Gwilym Parry", "is_a", "man")),
        ("One of my students, Leocadia Marsh, won.", ("Leocadia Marsh", "is_a", "student")),
        ("My cousin in Leeds, Bronwen Pugh, got married.", ("Nora", "has_relative", "Bronwen Pugh")),
        ("My brother-in-law, Matthias Kroll, knows.", ("Nora", "has_relative", "Matthias Kroll")),
    ],
)
def test_what_the_noun_says_is_known_of_them(text: str, claim: tuple[str, str, str]):
    assert claim in {(one.subject, one.relation, one.value) for one in said(text)}


@pytest.mark.parametrize(
    "text",
    [
        "I saw my teacher, Ana Lopez, Ben King and Tom Hall.",
        "We met the builder, Ana Lopez, and Ben King.",
        "I told my doctor about the trip, Ana Maria came along.",
    ],
)
def test_a_list_of_names_introduces_nobody(text: str):
    assert not [claim for claim in said(text) if claim.relation == "is_a"]


@pytest.mark.parametrize(
    "name", ["Gwilym Parry", "Yusuf Demirel", "Gerrit van Dijk", "Grace Okafor", "Ursula K. Le Guin"]
)
def test_names_that_people_have(name: str):
    assert is_persons_name(name.split())


@pytest.mark.parametrize("name", ["Gwilym", "Casa Morena", "Elm House", "Pimlico Plumbers", "Las Vegas", "BBC Wales"])
def test_names_that_firms_and_places_have(name: str):
    assert not is_persons_name(name.split())


def test_they_are_listed_among_the_people_of_a_memory(memory):
    for number, (text, _) in enumerate((*INTRODUCED[:4], *NOT_INTRODUCED[:5])):
        said_at = START + timedelta(hours=number)
        memory.remember_session(f"c{number}", "s", [Turn("user", text, said_at, f"t{number}", role="user")])
    names = {person.name for person in memory.people.all()}
    assert names == {"user", "Gwilym Parry", "Agnieszka Nowak", "Priya Raman", "Tomos Reed"}
