"""The written talks: how they are read, and what the reader learns of them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from train.talks import TALKS, read_talks

from train import reader_talks

TALK = """
=== friends | Ingrid, Tomasz
@ 2024-03-02 09:14
1 Ingrid: Guess who adopted a ferret. She has eaten my left slipper
2 Tomasz: no way!! my two rats send their regards
@ 2024-03-19 18:40
3 Tomasz: Also, I quit the bakery. I drive a tram now\\nin Gdynia of all places
4 Ingrid: Tomasz the tram driver, who would have thought it
5 Ingrid: Somebody rang about the flat again, it is still free I think
? What pet did Ingrid adopt? | 1 | a ferret
? What does Tomasz do for a living? | 3, 4 | drive a tram | ~ 2
x What pet did Tomasz adopt? | 1
c Which cat did Ingrid adopt? | 1
n What does Ingrid study?
"""


def examples(tellings: int = 1):
    talks, wrong = read_talks(TALK)
    assert wrong == []
    return list(reader_talks.examples(talks, random.Random(3), tellings))


def test_a_talk_is_read_with_its_turns_sessions_and_questions():
    (talk,), _ = read_talks(TALK)
    assert talk.people == ("Ingrid", "Tomasz")
    assert talk.turns[2].text == "Also, I quit the bakery. I drive a tram now\nin Gdynia of all places"
    assert f"{talk.turns[2].said_at:%d %B}" == "19 March"
    assert [one.kind for one in talk.asked] == ["?", "?", "x", "c", "n"]
    assert talk.asked[1].turns == (3, 4)
    assert talk.asked[1].unclear == (2,)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("? What? | 9 | a ferret", "no such turn"),
        ("? What? | 1 | a cat", "does not say"),
        ("? What?", "has turns and words"),
        ("x What?", "names the turn"),
        ("7 Ingrid: Hello", "turn 6 is next"),
        ("6 Olga: Hello", "takes no part"),
        ("Hello", "neither a talk"),
        ("@ yesterday", "does not match"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(line, told):
    _, wrong = read_talks(f"{TALK}{line}\n")
    assert len(wrong) == 1
    assert wrong[0].startswith(f"line {len(TALK.splitlines()) + 1}: ")
    assert told in wrong[0]


def test_an_answered_question_has_its_turn_first_and_what_is_unclear_nowhere():
    asked = examples()[1]
    right = [one for one in asked.passages if one.label]
    assert [one.speaker for one in right] == ["Tomasz", "Ingrid"]
    start, end = right[0].span
    assert right[0].text[start:end] == "drive a tram"
    assert not any("rats" in one.text for one in asked.passages)


def test_what_only_seems_to_answer_comes_first_and_is_no_answer():
    other, changed = examples()[2:4]
    for example in (other, changed):
        assert not any(one.label for one in example.passages)
        assert "ferret" in example.passages[0].text


def test_told_again_the_people_have_other_names_in_texts_and_questions():
    again = examples(tellings=2)[5:]
    everything = " ".join(
        f"{e.question} " + " ".join(f"{p.speaker} {p.text} {p.before}" for p in e.passages) for e in again
    )
    assert "Ingrid" not in everything
    assert "Tomasz" not in everything
    assert all(e.speakers[0] in everything for e in again)


def test_of_what_does_not_answer_the_nearest_are_kept_and_never_what_answers():
    found = examples()
    for example in found:
        example.passages += example.passages[-1:] * 30

    def embed(texts):
        return np.ones((len(texts), 4), np.float32)

    reader_talks.keep_nearest(found, embed, random.Random(1))
    assert all(
        len(e.passages) <= reader_talks.KEPT + max(reader_talks.MOST_RIGHT, reader_talks.MOST_NEAR) for e in found
    )
    assert sum(p.label for p in found[1].passages) == 2


def test_every_written_talk_can_be_read():
    for path in sorted(TALKS.glob("*.txt")):
        talks, wrong = read_talks(path.read_text("utf-8"))
        assert wrong == [], path.name
        assert all(talk.turns and talk.asked for talk in talks)
