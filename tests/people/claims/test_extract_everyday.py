"""Everyday sentences that were once read wrongly: each stands for a class of them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engramma.people.claims.event_times import when_of
from engramma.people.claims.extract import extract
from engramma.people.grammar.tense import times_of
from engramma.people.grammar.words import read_words
from engramma.records import Turn
from engramma.records.people import Claim

SAID_AT = datetime(2026, 5, 20, 10, tzinfo=UTC)  # a Wednesday


def said(text: str, speaker: str = "Nora", other: str = "Ben") -> list[Claim]:
    return extract([Turn(speaker, text, SAID_AT, "t1")], "talk", "one", (speaker, other))


def told(text: str, modality: str = "fact") -> set[tuple[str, str, str]]:
    return {
        (claim.subject, claim.relation, claim.value)
        for claim in said(text)
        if claim.modality == modality and not claim.negated
    }


def denied(text: str) -> set[tuple[str, str, str]]:
    return {(claim.subject, claim.relation, claim.value) for claim in said(text) if claim.negated}


# Founding.


@pytest.mark.parametrize(
    ("text", "founded"),
    [
        ("My daughter Mia starts school in September.", False),
        ("My daughter Mia started her new school last week.", False),
        ("I started the gym in January.", False),
        ("My cousin Felix started a company that sells used books.", True),
        ("My cousin Felix started his own restaurant.", True),
        ("My cousin Felix opened a school for blind children.", True),
        ("My cousin Felix founded the chess club.", True),
    ],
)
def test_who_starts_school_founds_nothing(text: str, founded: bool):
    relations = {claim.relation for claim in said(text)}
    assert ("founded" in relations) == founded
    assert founded or "works_as" not in relations


def test_only_a_business_makes_a_founder_of_somebody():
    assert ("Nora", "works_as", "founder") in told("I founded a company in 2020.")
    assert told("I founded a chess club in college.") == {("Nora", "founded", "chess club")}


# Times.


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("My daughter Mia starts school in September.", (2026, 9, 1)),
        ("My sister Ada flies to Rome on 12 July.", (2026, 7, 12)),
        ("I have an interview on Friday.", (2026, 5, 22)),
        ("I'm on vacation from 3 to 17 August.", (2026, 8, 3)),
        ("I visited Rome on 12 July.", (2025, 7, 12)),
        ("I bought a bike on Friday.", (2026, 5, 15)),
        ("My sister Ada started school in September.", (2025, 9, 1)),
    ],
)
def test_the_present_looks_ahead_and_the_past_looks_back(text: str, start: tuple[int, int, int]):
    assert datetime(*start, tzinfo=UTC) in {claim.valid_from for claim in said(text)}


def test_what_is_still_to_come_is_planned():
    claims = said("My sister Ada starts her new job at Bosch on Monday.")
    (claim,) = [claim for claim in claims if claim.value == "Bosch"]
    assert (claim.relation, claim.modality) == ("works_at", "plan")


@pytest.mark.parametrize("text", ["We usually watch films on Thanksgiving.", "I love hiking in October."])
def test_a_habit_has_no_day(text: str):
    assert {(claim.modality, claim.valid_from) for claim in said(text)} == {("fact", None)}


@pytest.mark.parametrize(
    ("sentence", "day"),
    [
        ("The wedding is in August.", "August 2026"),
        ("The wedding was in August.", "August 2025"),
        ("The concert is coming up on 5 June.", "5 June 2026"),
        ("The concert on 5 June was wonderful.", "5 June 2025"),
        ("The school fair's on 12 July.", "12 July 2026"),
        ("They will paint the house on 12 July.", "12 July 2026"),
        ("They painted the house on 12 July.", "12 July 2025"),
        ("On 12 July we're going to paint the house.", "12 July 2026"),
        ("The course starts on 12 July.", "12 July 2026"),
        ("Mum has an operation on 12 July.", "12 July 2026"),
        ("Here's a photo from 12 July.", "12 July 2025"),
        ("The API key expires on 1 July.", "1 July 2026"),
        ("Let's push the demo to 12 July.", "12 July 2026"),
        ("Let us meet on 12 July.", "12 July 2026"),
        ("Please come on 12 July.", "12 July 2026"),
        ("We moved the demo to 12 July.", "12 July 2026"),
        ("We moved to Ghent on 12 July.", "12 July 2025"),
        ("Please postpone it until Thursday.", "until Thursday"),  # open on one side: no day begins it
        ("The shop has been closed since Monday.", "since Monday"),
    ],
)
def test_when_something_is_follows_the_verb_beside_the_time(sentence: str, day: str):
    assert when_of("When is it?", sentence, sentence, SAID_AT) == (day, 1.0)


def test_each_time_of_a_text_looks_its_own_way():
    text = "We met in June. The wedding is in June."
    assert [time.start.year for time in times_of(text, SAID_AT)] == [2025, 2026]
    assert [time.start.year for time in times_of("It was on 3 May 2021.", SAID_AT)] == [2021]


# Numbers.


# What is not so, or not so yet.


def test_an_offer_is_no_job():
    for text in ("I was offered senior engineer at Siemens.", "I was offered a job as senior engineer at Siemens."):
        ((subject, relation, value),) = told(text)
        assert (subject, relation) == ("Nora", "was_offered") and "senior engineer at Siemens" in value
    assert "works_as" not in {claim.relation for claim in said("I was shortlisted as senior engineer.")}


def test_what_somebody_was_is_over():
    (claim,) = said("I was a waitress.")
    assert (claim.relation, claim.value, claim.valid_to) == ("works_as", "waitress", SAID_AT)
    assert {claim.valid_to for claim in said("I worked at the museum.")} == {SAID_AT}
    assert {claim.valid_to for claim in said("I've worked at the museum.")} == {None}
    assert told("When I was a kid I had a rabbit.") == {("Nora", "has_pet", "rabbit")}
    assert told("My dad is a retired teacher.") == {
        ("Nora's dad", "is_a", "retired teacher"),
        ("Nora", "has_parent", "dad"),
    }


def test_almost_and_hardly_are_no():
    assert denied("We almost bought a boat last summer.") == {("Nora", "bought", "boat")}
    assert denied("I hardly drink coffee.") == {("Nora", "eats", "coffee")}
    assert denied("No, my name isn't Laura.") == {("Nora", "is_called", "Laura")}
    assert told("I can't stand my neighbour.") == {("Nora", "dislikes", "neighbour")}


@pytest.mark.parametrize(
    "text",
    [
        "Suppose I had two servers.",
        "Imagine I lived in Rome.",
        "My therapist suggested that I keep a journal.",
        "The doctor recommended I drink green tea.",
        "Can you write a function that parses dates?",
        "What a lovely photo! Is that your son?",
    ],
)
def test_what_is_supposed_advised_or_requested_is_no_fact(text: str):
    assert [claim for claim in said(text) if claim.modality == "fact" and claim.relation != "recommended"] == []


# States, kinds and values.


def test_a_state_is_no_kind():
    assert told("Lena is pregnant!") == {("Lena", "is", "pregnant")}
    assert told("My sister Ada is in hospital.") >= {("Ada", "is", "in hospital")}
    assert told("I'm on parental leave.") == {("Nora", "is", "on parental leave")}
    assert told("I'm vegan.") == {("Nora", "is_a", "vegan")}


def test_a_year_is_no_place():
    assert told("My mother was born in 1951 in Krakow.") >= {
        ("Nora's mother", "birthday", "1951"),
        ("Nora's mother", "born_in", "Krakow"),
    }
    assert told("I was born on 3 March 1988.") == {("Nora", "birthday", "3 March 1988")}


def test_another_persons_clause_is_not_part_of_a_value():
    claims = told("My niece plays the cello and her brother plays the drums.")
    assert ("Nora's niece", "plays", "cello") in claims
    assert not any("brother" in value for _, _, value in claims)


def test_values_are_what_was_meant():
    assert told("We have each other's backs.") == set()
    assert told("You are doing a great job Ben.") == {("Ben", "does", "doing a great job")}
    assert ("Nora", "read", "The Name of the Wind") in told('I read a novel called "The Name of the Wind" by Rothfuss.')
    assert told("I'm learning how to play the violin.") == {("Nora", "learns", "play the violin")}
    assert told("We work as a team.") == {("Nora", "does", "work as a team")}
    assert told("I've had some tough times with my business.") == {
        ("Nora", "did", "had some tough times with my business")
    }
    assert told("I have to pick up the kids.", "plan") == {("Nora", "plans", "pick up the kids")}
    assert ("Nora", "works_at", "St. Mary's") in told("I work as a nurse at St. Mary's.")
    assert told("I work at a small startup called Pinecrest.") == {("Nora", "works_at", "Pinecrest")}
    assert told("We use GitLab and deploy to Azure.") >= {("Nora", "uses", "GitLab")}
    assert ("Nora", "uses", "deploy") not in told("We use GitLab and deploy to Azure.")


def test_mum_is_the_speakers():
    assert told("Mum is allergic to penicillin.") == {("Nora's mum", "allergic_to", "penicillin")}
    assert told("Dad, you won the race.") == {("Ben", "won", "race")}


def test_a_relative_who_is_visited_is_no_place():
    claims = {claim.value: claim for claim in said("My sister Ada called. I visited Ada in May.")}
    assert claims["Ada"].value_type == "person"


@pytest.mark.parametrize("text", ["Never saw this coming.", "Being organised helps me.", "Mine got a new collar."])
def test_a_common_word_with_a_capital_is_nobody(text: str):
    assert {claim.subject for claim in said(text)} <= {"Nora"}


def test_a_name_does_not_begin_with_an_adverb():
    assert ("Kim", "bought", "house") in told("Apparently Kim bought the house on Elm Road.")


# Things.


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("The Atlas project uses Python.", ("Atlas", "uses", "Python")),
        ("Atlas is written in Rust.", ("Atlas", "uses", "Rust")),
        ("The Heron service runs on Kubernetes.", ("Heron service", "runs_on", "Kubernetes")),
        ("Our backend is written in Go and runs on AWS.", ("Nora's backend", "runs_on", "AWS")),
        ("My project lantern uses SQLite.", ("lantern", "uses", "SQLite")),
        ("Issue 42 blocks the 2.1 release.", ("Issue 42", "blocks", "2.1 release")),
        ("PAY-77 is blocked by issue 12.", ("PAY-77", "depends_on", "issue 12")),
        ("Bug 77 is related to bug 81.", ("Bug 77", "related_to", "bug 81")),
        ("Ticket 311 depends on ticket 298.", ("Ticket 311", "depends_on", "ticket 298")),
        ("I run Ubuntu 22.04 on my laptop.", ("Nora", "uses", "Ubuntu 22.04")),
    ],
)
def test_things_relate_to_things(text: str, claim: tuple[str, str, str]):
    assert claim in told(text)


def test_people_do_not_run_on_anything():
    assert not {claim.relation for claim in said("I run on the beach.")} & {"runs_on", "uses"}


def test_a_thousands_comma_does_not_end_a_number():
    assert read_words("sold for 14,200 dollars, 3 times").low == ("sold", "for", "14,200", "dollars", ",", "3", "times")
    assert read_words("1,234,567.50 or 12,5").low == ("1,234,567.50", "or", "12", ",", "5")
    assert told("We paid 23,500 pounds for the kitchen.") == {("Nora", "did", "paid 23,500 pounds for the kitchen")}


# People whom a noun introduces by name.


@pytest.mark.parametrize(
    ("text", "name", "noun"),
    [
        ("Called Pembroke Heating, a man named Duncan Ashworth can come on Thursday.", "Duncan Ashworth", "man"),
        ("My physio is called Bettina Kunz, at the clinic by the river.", "Bettina Kunz", "physio"),
        ("The car is sold, to a man from Olten called Krasniqi.", "Krasniqi", "man"),
        ("A colleague of Tim's, Ilse Maurer, takes our old flat.", "Ilse Maurer", "colleague"),
        ("A friend of mine, Anna Schmidt, came by.", "Anna Schmidt", "friend"),
    ],
)
def test_who_is_introduced_by_name_is_a_person(text: str, name: str, noun: str) -> None:
    (claim,) = [claim for claim in said(text) if claim.subject == name]
    assert (claim.subject_type, claim.relation, claim.value) == ("person", "is_a", noun)


@pytest.mark.parametrize(
    "text",
    [
        "My boss called Peter yesterday.",
        "The doctor called Monday.",
        "A woman called Thursday to ask.",
        "I like a song called Ashworth Park.",
        "The plumber is called Smith & Sons.",
        "A colleague of Tim's, Ilse, and Peter came.",
        "A friend of Ana, Ben Smith and Tom came.",
    ],
)
def test_who_is_called_on_the_phone_or_stands_in_a_list_is_not_introduced(text: str) -> None:
    assert not [claim for claim in said(text) if claim.relation == "is_a"]
