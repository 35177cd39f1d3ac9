"""What the rules make of talk: the examples of the design, then each kind of claim and each trap."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engramma.people.claims.extract import CONFIDENCE, extract
from engramma.people.claims.relations import EXCLUSIVE, RELATIONS, relation
from engramma.records import Turn
from engramma.records.people import UNKNOWN, Claim

SAID_AT = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def talk(*lines: tuple[str, str], at: datetime = SAID_AT, people: tuple[str, ...] = ()) -> list[Claim]:
    turns = [Turn(speaker, text, at, f"D1:{n}") for n, (speaker, text) in enumerate(lines, start=1)]
    return extract(turns, "conv-26", "session_1", people)


def said(text: str, speaker: str = "John", other: str = "Maria") -> list[Claim]:
    return talk((speaker, text), people=(speaker, other))


def told(claims: list[Claim], modality: str = "fact") -> set[tuple[str, str, str]]:
    return {(claim.subject, claim.relation, claim.value) for claim in claims if claim.modality == modality}


# The design's own examples.


def test_careers_that_are_considered_are_claims_with_their_turns():
    first = talk(
        ("Caroline", "I'm keen on counseling or working in mental health"),
        ("Caroline", "I'd need psychology courses and counseling certification"),
        people=("Caroline", "Melanie"),
    )
    later = extract(
        [
            Turn(
                "Caroline", "I'm thinking of working with trans people, helping them accept themselves", SAID_AT, "D4:7"
            )
        ],
        "conv-26",
        "session_4",
        ("Caroline", "Melanie"),
    )
    careers = [claim for claim in first + later if claim.relation == "aspires_to"]
    assert {claim.turn_ids[0] for claim in careers} == {"D1:1", "D1:2", "D4:7"}
    assert {"counseling", "working in mental health", "working with trans people"} <= {claim.value for claim in careers}
    assert {claim.subject for claim in careers} == {"Caroline"}
    assert ("What career path is Caroline considering?", "counseling") in careers[0].questions


def test_a_career_that_was_asked_for_is_one_without_being_called_so():
    claims = talk(
        ("Melanie", "What kinda jobs are you thinkin' of?"),
        ("Caroline", "I'm keen on counseling."),
    )
    assert told(claims) == {("Caroline", "aspires_to", "counseling")}


def test_a_job_with_its_company():
    claims = said("I'm a software engineer at TechCorp")
    assert told(claims) == {("John", "works_as", "software engineer"), ("John", "works_at", "TechCorp")}
    assert ("Where does John work?", "TechCorp") in claims[1].questions


def test_a_promotion_and_a_startup():
    assert told(said("I just became team lead at my company")) == {("John", "works_as", "team lead")}
    assert told(said("I left my job to start a startup")) == {
        ("John", "left_job", "job"),
        ("John", "founded", "startup"),
        ("John", "works_as", "founder"),
    }


def test_a_move():
    assert told(said("I live in Seattle.")) == {("John", "lives_in", "Seattle")}
    assert told(said("I moved to Austin for the startup")) == {("John", "moved_to", "Austin")}
    assert relation("moved_to").fills == "lives_in"
    assert "lives_in" in EXCLUSIVE


def test_two_relationships():
    assert told(said("I'm dating Sarah.")) == {("John", "dating", "Sarah")}
    assert told(said("I'm married to Lisa now.")) == {("John", "married_to", "Lisa")}


def test_the_charity_race_is_melanies():
    claims = talk(
        ("Melanie", "I ran a charity race for mental health last Saturday. I realized that self-care is important."),
        ("Caroline", "That charity race sounds great, Mel! Making a difference is so rewarding."),
    )
    assert told(claims) == {
        ("Melanie", "ran", "charity race for mental health"),
        ("Melanie", "realised", "self-care is important"),
    }
    assert all(claim.speaker == "Melanie" for claim in claims)


def test_yesterday_is_the_day_before_it_was_said():
    claim = talk(("Caroline", "I went to a LGBTQ support group yesterday and it was so powerful."))[0]
    assert (claim.valid_from, claim.valid_to) == (datetime(2023, 5, 7, tzinfo=UTC), datetime(2023, 5, 8, tzinfo=UTC))
    assert (claim.relation, claim.value) == ("went_to", "LGBTQ support group")
    assert dict(claim.questions)["When did Caroline go to a LGBTQ support group yesterday?"] == "7 May 2023"


# Kinds of claims.


@pytest.mark.parametrize(
    ("text", "relation_name", "value"),
    [
        ("I work at TechCorp as a nurse.", "works_as", "nurse"),
        ("My job is customer support.", "works_as", "customer support"),
        ("My job is a nurse.", "works_as", "nurse"),
        ("I'm a sophomore at Stanford.", "studies_at", "Stanford"),
        ("I'm studying marine biology.", "studies", "marine biology"),
        ("I'm from Sweden.", "from", "Sweden"),
        ("I have two sons.", "has_child", "two sons"),
        ("My wife Anna is great.", "has_partner", "Anna"),
        ("We have a dog named Max.", "has_pet", "Max"),
        ("My cat is called Luna.", "has_pet", "Luna"),
        ("Our rabbit is named Thumper.", "has_pet", "Thumper"),
        ("My sister's called Ines.", "has_sibling", "Ines"),
        ("I'm allergic to cashews.", "allergic_to", "cashews"),
        ("I twisted my ankle.", "injured", "ankle"),
        ("I love jazz.", "likes", "jazz"),
        ("I hate dark beer.", "dislikes", "dark beer"),
        ("My favourite book is The Peregrine.", "favourite", "Peregrine"),
        ("I bought a kayak last week.", "bought", "kayak"),
        ("I've been to Porto.", "visited", "Porto"),
        ("I attended a pottery workshop.", "attended", "pottery workshop"),
        ("I painted a lake sunrise last year!", "painted", "lake sunrise"),
        ("Just joined a travel club!", "joined", "travel club"),
        ("I finished A Month in the Country last night.", "finished", "A Month in the Country"),
        ("I just finished \"Dune\".", "finished", "Dune"),
        ("I speak Swedish.", "speaks", "Swedish"),
        ("My birthday is on 3 May.", "birthday", "3 May"),
        ("I started my own business.", "founded", "business"),
        ("I was diagnosed with asthma.", "has_condition", "asthma"),
        ("I've been volunteering at a homeless shelter.", "volunteers_at", "homeless shelter"),
        ("I'm good at chess.", "good_at", "chess"),
        ("I felt relieved.", "feels", "relieved"),
    ],
)  # fmt: skip
def test_what_one_says_of_oneself(text: str, relation_name: str, value: str):
    found = {(claim.relation, claim.value): claim for claim in said(text)}
    assert (relation_name, value) in found
    claim = found[relation_name, value]
    assert (claim.subject, claim.speaker, claim.modality, claim.negated) == ("John", "John", "fact", False)
    assert claim.confidence >= 0.8


def test_a_title_tells_who_he_or_she_is():
    found = told(said("I met Mrs Gilmartin today. He lives in Leeds."))
    assert not any(relation == "lives_in" and subject != UNKNOWN for subject, relation, _ in found)
    assert ("Gilmartin", "lives_in", "Leeds") in told(said("I met Mrs Gilmartin today. She lives in Leeds."))


def test_in_a_document_she_is_nobody_of_the_part_before():
    parts = [
        Turn("diary › Monday", "Tea with Ruth Adler.", SAID_AT, "1"),
        Turn("diary › Friday", "She lives in Leeds.", SAID_AT, "2"),
    ]
    talk = [claim for claim in extract(parts, "c", "s") if claim.relation == "lives_in"]
    document = [claim for claim in extract(parts, "c", "s", is_document=True) if claim.relation == "lives_in"]
    assert [claim.subject for claim in talk] == ["Ruth Adler"]
    assert all(claim.subject == UNKNOWN for claim in document)


@pytest.mark.parametrize("text", ["My job is physical.", "My job is a bummer.", "My job was a real pain."])
def test_how_a_job_is_is_no_job(text: str):
    assert "works_as" not in {claim.relation for claim in said(text)}


def test_projects_and_tools_are_subjects_too():
    claims = said("Project X uses React. internal-api-v2 depends on Auth. Project X is related to issue #42.")
    assert told(claims) == {
        ("Project X", "uses", "React"),
        ("internal-api-v2", "depends_on", "Auth"),
        ("Project X", "related_to", "issue #42"),
    }
    assert {claim.subject_type for claim in claims} == {"project", "thing"}


def test_a_verb_without_subject_goes_on_with_the_one_before():
    claims = said("We explored nature, roasted marshmallows around the campfire and even went on a hike.")
    assert [claim.value for claim in claims] == [
        "explored nature",
        "roasted marshmallows around the campfire",
        "went on a hike",
    ]
    assert {claim.subject for claim in claims} == {"John"}


# Who is meant.


def test_you_is_the_other_of_two():
    claim = said("You won the chess tournament.")[0]
    assert (claim.subject, claim.speaker, claim.relation) == ("Maria", "John", "won")
    assert claim.confidence == CONFIDENCE["addressee"] < CONFIDENCE["self"]


def test_you_among_more_is_who_is_named_or_answered():
    crowd = ("Ann", "Ben", "Cleo")
    assert {claim.subject for claim in talk(("Ann", "You won the race."), people=crowd)} == {UNKNOWN}
    assert {claim.subject for claim in talk(("Ann", "Ben, you won the race."), people=crowd)} == {"Ben"}
    answer = talk(("Cleo", "What did I do?"), ("Ann", "You won the race."), people=crowd)
    assert {claim.subject for claim in answer if claim.relation == "won"} == {"Cleo"}


def test_she_is_the_only_one_mentioned_and_else_unknown():
    one = said("My sister Ines called. She hates rain.")
    assert ("Ines", "dislikes", "rain") in told(one)
    two = said("My sister Ines met my aunt Vera. She hates rain.")
    assert (UNKNOWN, "dislikes", "rain") in told(two)
    assert min(claim.confidence for claim in two) == CONFIDENCE["unknown"]


def test_a_short_name_is_the_participant():
    claims = talk(("Caroline", "Mel ran a charity race."), ("Melanie", "I did!"))
    assert ("Melanie", "ran", "charity race") in told(claims)


def test_relatives_without_a_name_are_named_by_whose_they_are():
    assert ("John's sister", "lives_in", "Boston") in told(said("My sister lives in Boston."))
    assert ("Maria's sister", "lives_in", "Boston") in told(said("Your sister lives in Boston."))


def test_quoted_words_are_not_the_speakers():
    assert told(said('She looked up and said "I hate jazz and I live in Rome".')) == set()


def test_what_somebody_says_is_reported():
    claim = next(claim for claim in said("My sister Ines says she hates rain.") if claim.relation == "dislikes")
    assert (claim.subject, claim.speaker) == ("Ines", "John")
    assert claim.confidence < CONFIDENCE["pronoun"]


# Reactions say nothing about who reacts.


@pytest.mark.parametrize(
    "text",
    [
        "That charity race sounds great!",
        "Wow, love that painting!",
        "Sounds like a blast!",
        "I love your new kitchen!",
        "I'm so happy for you!",
        "Thanks, that means a lot to me.",
        "Keep it up!",
        "I know, right?",
        "I agree, I think so too.",
        "Can't wait to hear about it!",
    ],
)
def test_a_reaction_is_no_claim(text: str):
    assert [claim for claim in said(text) if claim.modality == "fact"] == []


def test_congratulations_are_about_the_other_and_less_sure():
    claim = said("Congrats on your new job!")[0]
    assert (claim.subject, claim.relation, claim.value) == ("Maria", "has", "new job")
    assert claim.confidence < CONFIDENCE["addressee"]


# How it is meant.


@pytest.mark.parametrize(
    ("text", "modality", "negated"),
    [
        ("I don't like dark beer.", "fact", True),
        ("I've never been to Porto.", "fact", True),
        ("I'm not going to sell the house.", "plan", True),
        ("I'm going to visit Japan.", "plan", False),
        ("I'll buy the cashews on Friday.", "plan", False),
        ("I want to visit Japan.", "wish", False),
        ("I'd love to visit Japan.", "wish", False),
        ("I hope to visit Japan.", "wish", False),
        ("I wish I had a boat.", "wish", False),
        ("If I had a boat I'd sail to Greece.", "hypothetical", False),
        ("I would sell the house.", "hypothetical", False),
        ("I might move to Berlin.", "hypothetical", False),
        ("Do you like jazz?", "question", False),
        ("Have you visited Japan?", "question", False),
    ],
)
def test_moods(text: str, modality: str, negated: bool):
    claims = said(text)
    assert claims
    assert {(claim.modality, claim.negated) for claim in claims} == {(modality, negated)}


def test_no_denies_as_not_does():
    assert [(claim.value, claim.negated) for claim in said("I have no siblings.")] == [("siblings", True)]
    assert dict(said("I have no siblings.")[0].questions)["Who are John's siblings?"] == "not siblings"


def test_what_is_doubted_is_less_sure():
    sure, doubted = said("I moved to Berlin.")[0], said("I think I moved to Berlin.")[0]
    assert doubted.confidence < sure.confidence


def test_questions_answer_nothing():
    assert all(claim.questions == () for claim in said("Do you like jazz? If I had a boat I'd sail to Greece."))


# Time.


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("I bought a kayak last Saturday.", (2023, 5, 6), (2023, 5, 7)),
        ("Two years ago I bought a kayak.", (2021, 1, 1), (2022, 1, 1)),
        ("I bought a kayak in April.", (2023, 4, 1), (2023, 5, 1)),
        ("I'll buy a kayak on Friday.", (2023, 5, 12), (2023, 5, 13)),
        ("I'm moving to Ghent on 23 May.", (2023, 5, 23), (2023, 5, 24)),
    ],
)
def test_times_are_resolved(text: str, start: tuple[int, int, int], end: tuple[int, int, int]):
    claim = said(text)[0]
    assert (claim.valid_from, claim.valid_to) == (datetime(*start, tzinfo=UTC), datetime(*end, tzinfo=UTC))


def test_what_has_lasted_has_a_beginning_and_what_was_has_an_end():
    since = said("I've been playing guitar for five years.")[0]
    assert (since.value, since.valid_from, since.valid_to) == ("guitar", datetime(2018, 1, 1, tzinfo=UTC), None)
    over = said("I used to live in Boston.")[0]
    assert (over.relation, over.valid_to) == ("lives_in", SAID_AT)


def test_every_relation_asks_with_its_subject():
    assert all("{s}" in ask for known in RELATIONS.values() for ask in known.asks)
    assert {known.fills for known in RELATIONS.values()} - {""} <= EXCLUSIVE
    assert {ended for known in RELATIONS.values() for ended in known.ends} <= set(RELATIONS)


# Nobody is joined with himself.


@pytest.mark.parametrize(
    "lines",
    [
        [("Göran", "Göran likes Göran.")],
        [("Ana", "Göran likes Göran, I think."), ("Göran", "Well.")],
        [("Göran", "I like Göran.")],
        [("Göran Berg", "I like Göran.")],
        [("Ben", "I live with Ben.")],
        [("Ana", "Ana works at Ana.")],
        [("Ana", "Ana does not like ANA.")],
    ],
)
def test_nobody_is_the_object_of_what_is_said_of_him(lines):
    assert told(talk(*lines)) == set()


def test_somebody_else_of_another_name_stays_and_so_does_a_name():
    assert ("Göran", "likes", "Göte") in told(talk(("Göran", "I like Göte.")))
    assert ("Göran", "is_called", "Göran") in told(talk(("Göran", "My name is Göran.")))
    assert ("Ana", "likes", "Göran") in told(talk(("Ana", "I like Göran."), ("Göran", "Thanks.")))


@pytest.mark.parametrize(
    "text",
    [
        "Lieber am 7. März, da kann ich auch kommen.",
        "Bin wieder da. Lieber am 7. März!",
        "Hola, ya estoy aquí. Mamá has 3 perros en la casa.",
        "He ido a Madrid",
        "He perdido 3 kilos.",
    ],
)
def test_sentences_of_other_languages_are_not_read_by_english_rules(text: str):
    assert said(text) == []


def test_he_of_english_is_still_somebody():
    told_of_marco = told(talk(("Ana", "My brother Marco is a nurse. He lives in Leeds."), people=("Ana",)))
    assert ("Marco", "lives_in", "Leeds") in told_of_marco


def test_an_english_sentence_in_other_talk_is_read():
    found = said("Das war heute so schön mit euch. I have a dog and she is called Fiete. Bis morgen, ihr Lieben!")
    assert ("John", "has_pet", "dog") in {(claim.subject, claim.relation, claim.value) for claim in found}
