"""Terse chat: whose a sentence without a subject is, and what only looks like a verb, an age, a job or a relative."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engramma.people.claims.extract import extract
from engramma.people.claims.values import same_value
from engramma.people.entities.name_forms import fold_name
from engramma.records import Turn
from engramma.records.people import Claim, Modality

SAID_AT = datetime(2026, 5, 6, 16, 48, tzinfo=UTC)
BOTH = ("Rhona", "Isla")


def chat(*messages: str, apart: timedelta = timedelta(seconds=40)) -> list[Claim]:
    """The claims of the last message of a chat between Rhona ("R: ...") and Isla ("I: ...")."""
    names = {"R": "Rhona", "I": "Isla"}
    turns = [Turn(names[message[0]], message[3:], SAID_AT + n * apart, str(n)) for n, message in enumerate(messages)]
    return [claim for claim in extract(turns, "c", "s", BOTH) if claim.turn_ids == (str(len(turns) - 1),)]


def told(claims: list[Claim], mood: Modality | None = None) -> set[tuple[str, str, str]]:
    return {(one.subject, one.relation, one.value) for one in claims if mood is None or one.modality == mood}


def said(text: str) -> set[tuple[str, str, str]]:
    return told(chat(f"R: {text}"))


def with_assistant(asked: str, answered: str) -> set[tuple[str, str, str]]:
    turns = [Turn("user", asked, SAID_AT, "0", "user"), Turn("assistant", answered, SAID_AT, "1", "assistant")]
    return told([claim for claim in extract(turns, "c", "s") if claim.turn_ids == ("1",)])


# Whose a sentence without a subject is.


@pytest.mark.parametrize(
    "messages",
    [
        ("I: whats he done", "R: ate a sock"),
        ("R: granny had a fall. shes ok", "I: omg what happened", "R: broke a window"),
        ("R: man from largs came to see caravan. offered 3200",),
        ("R: shes perfect. got ravis hair",),
        ("I: hows your dad", "R: bought a flat"),
        ("I: Did your sister like it?", "R: Bought a kettle."),
        ("R: Hannah rang", "R: sold her car"),
        ("R: new neighbour is nice. brought us a cake",),
        ("I: how was her exam", "R: got a B"),
    ],
)
def test_right_after_talk_of_somebody_a_sentence_without_a_subject_is_not_its_authors(messages: tuple[str, ...]):
    assert not [claim for claim in chat(*messages) if claim.subject == "Rhona"]


@pytest.mark.parametrize(
    ("messages", "claim"),
    [
        (("R: bought a bike",), ("Rhona", "bought", "bike")),
        (("I: what did you do today", "R: bought a bike"), ("Rhona", "bought", "bike")),
        (("I: i met him yesterday", "R: bought a bike"), ("Rhona", "bought", "bike")),
        (("R: he left. i was tired", "R: bought a bike"), ("Rhona", "bought", "bike")),
        (("I: is he ok", "R: got my old hohner"), ("Rhona", "got", "old hohner")),
        (("R: the dog is ill. took him to the vet",), ("Rhona", "did", "took him to the vet")),
        (("R: my friends truck got stuck", "R: bought a bike"), ("Rhona", "bought", "bike")),
        (("I: Isla, is it late?", "R: bought a bike"), ("Rhona", "bought", "bike")),
    ],
)
def test_otherwise_it_is_its_authors(messages: tuple[str, ...], claim: tuple[str, str, str]):
    assert claim in told(chat(*messages))


def test_what_was_said_hours_ago_is_not_what_the_talk_is_of():
    hours = timedelta(hours=2)
    assert ("Rhona", "bought", "bike") in told(chat("I: whats he done", "R: bought a bike", apart=hours))


def test_nobody_breaks_her_own_wrist_who_says_his_or_her():
    assert said("reaching for a towel. broke her wrist") == set()
    assert ("Rhona", "injured", "wrist") in said("reaching for a towel. broke my wrist")


@pytest.mark.parametrize(
    "text", ["left knee cartilage", "sat 23 may", "Packed with protein", "Roasted cherry tomatoes sound great"]
)
def test_what_looks_like_a_verb_at_the_beginning_and_is_none(text: str):
    assert said(text) == set()


def test_who_leaves_or_sits_still_does():
    assert ("Rhona", "did", "left early") in said("left early")
    assert ("Rhona", "did", "sat in the sun") in said("sat in the sun")


# Ages, states, jobs.


def test_a_number_of_a_house_is_no_age():
    assert said("shes my neighbour 22 years, number 9. im 47") == set()
    assert said("im 7") == set()
    assert said("im 47") == {("Rhona", "age", "47")}
    assert ("Rhona", "age", "7") in said("I am 7 years old")
    assert ("Rhona's son", "age", "7") in said("My son is 7 now")


def test_homeless_for_a_week_is_no_state():
    assert said("means im homeless a week") == set()
    assert said("im homeless") == {("Rhona", "is", "homeless")}


def test_nobody_is_a_chicken():
    assert said("i told the teacher i was a chicken") == set()


@pytest.mark.parametrize("text", ["i am the captain", "I'm a great cook"])
def test_who_heads_a_team_or_does_it_well_need_not_live_on_it(text: str):
    assert "works_as" not in {relation for _, relation, _ in said(text)}


def test_a_job_is_still_one():
    assert ("Rhona", "works_as", "school cook") in said("I'm a school cook")
    assert ("Rhona", "works_as", "driver") in said("I'm the driver at Brown's")


# Relatives.


@pytest.mark.parametrize(
    "text",
    [
        "shona at my works niece",
        "oh my darling girl",
        "I like making my fish in tinfoil",
        "your experiences with pets are so interesting",
        "I was missing my cat Id be super sad",
    ],
)
def test_what_is_no_relative_and_no_pet(text: str):
    named = {value for _, relation, value in said(text) if relation.startswith("has_")}
    assert named <= {"cat"}


def test_a_niece_and_a_fish_are_still_somebodys():
    assert ("Rhona", "has_relative", "niece") in said("my niece is nice")
    assert ("Rhona", "has_pet", "Bubbles") in said("do you think my fish Bubbles would eat it")


@pytest.mark.parametrize("text", ["The girl had doctors. She was a minor.", "Her sister came. She has a van."])
def test_somebody_elses_relative_is_not_the_speakers(text: str):
    assert not [subject for subject, _, _ in said(text) if subject.startswith("Rhona's")]


def test_a_father_is_a_dad():
    assert same_value("father", "dad")
    assert fold_name("mother", "person") == fold_name("mum", "person")
    assert fold_name("Mother", "person") != fold_name("Mum", "person")


def test_a_given_name_that_begins_the_message_is_whom_she_means():
    assert ("Rachel", "has", "van") in said("Rachel called. She has a van.")


# What is said in other words than it means.


def test_nobody_is_unable_to_give_it_to_a_stranger():
    assert said("i cant give them to a stranger") == set()
    assert ("Rhona", "can", "do the step") in said("i cant do the step")


@pytest.mark.parametrize("text", ["Hope you have a good night", "I hope you have a good semester"])
def test_what_somebody_wishes_another_is_not_the_others(text: str):
    assert said(text) == set()


def test_a_clause_that_may_be_is_no_part_of_a_day():
    assert ("Isla", "birthday", "9th") in said("your birthday is the 9th you might have to share")


@pytest.mark.parametrize(("text", "verb"), [("she wont say", "say"), ("I shouldnt charge them", "charge")])
def test_a_denial_without_its_mark_is_one(text: str, verb: str):
    assert all(claim.negated for claim in chat(f"R: {text}"))
    assert not any("nt " in claim.value for claim in chat(f"R: {text}"))


def test_a_short_form_without_its_mark_is_nobodys_name():
    assert said("Ill be dead before I share it") == set()
    assert said("Might have to give it a try") == set()
    assert ("Rhona", "feels", "tired") in said("Im tired")


# What an assistant says.


def test_what_an_assistant_drafted_is_no_fact():
    speech = "Here is a speech:\n\nMorag taught half of Oban to climb a rope."
    assert with_assistant("speech for morags 60th. 2 mins", speech) == set()
    assert with_assistant("Can you write a short toast for Morag?", speech) == set()
    assert ("Morag", "teaches", "half of Oban") in with_assistant("who taught PE here", speech)


def test_what_an_assistant_supposes_of_the_users_people_is_no_fact():
    assert with_assistant("a present for my sister?", "Your sister can try different oils.") == set()
    assert with_assistant("a present for Emma?", "I'm sure Emma will appreciate the thought.") == set()


# What somebody is called at the end of a sentence is no part of what is said.


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("I'm a nurse dad I can make toast", ("Rhona", "is_a", "nurse")),
        ("Marcus is from Leicester dad", ("Marcus", "from", "Leicester")),
        ("I work at Tesco love", ("Rhona", "works_at", "Tesco")),
        ("I love Leeds", ("Rhona", "likes", "Leeds")),
    ],
)
def test_who_is_called_is_no_part_of_it(text, claim):
    assert claim in said(text)
