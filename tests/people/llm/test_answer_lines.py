"""A model's reply is read sentence by sentence, however it cites and wherever its pieces are cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.people.llm.answer_lines import ReplyParser


def parsed(*pieces: str, turns: int = 9) -> list[tuple[str, tuple[int, ...]]]:
    parser = ReplyParser(turns)
    found = [one for piece in pieces for one in parser.feed(piece)]
    return [(one.text, one.cited) for one in [*found, *parser.end()]]


BOOKED, BAKED = "Ana booked a train.", "Ben baked a cake."


@pytest.mark.parametrize(
    ("reply", "cited"),
    [
        ("Ana booked a train. [1]", (1,)),
        ("Ana booked a train [1].", (1,)),
        ("Ana booked a train [1]", (1,)),
        ("- Ana booked a train. [1]", (1,)),
        ("1. Ana booked a train. [1]", (1,)),
        ("**Ana booked a train.** [1]", (1,)),
        ("Answer: Ana booked a train. [1]", (1,)),
        ("[1] Ana booked a train.", (1,)),
        ("[turn 1]: Ana booked a train.", None),
        ("Ana booked a train. [1][2]", (1, 2)),
        ("Ana booked a train. [1, 2]", (1, 2)),
        ("Ana booked a train. [1] [2]", (1, 2)),
        ("Ana booked a train. [1-3]", (1, 3, 2)),
        ("Ana booked a train. (turn 1)", (1,)),
        ("Ana booked a train. (1)", (1,)),
        ("Ana booked a train. [turn 1, turn 2]", (1, 2)),
        ("Ana booked a train. 【1】", (1,)),
        ("Ana booked a train. [#1]", (1,)),
        ("Ana booked a train. [^1]", (1,)),
        ("Ana booked a train. [2026-02-03 18:00 UTC | turn 4 | Trip]", (4,)),
        ("Ana booked a train. [99]", (99,)),
        ("Ana booked a train.", ()),
        ("<think>Is it [2]? Hmm.\n</think>\nAna booked a train. [1]", (1,)),
    ],
)
def test_a_citation_is_read_in_many_forms(reply, cited):
    found = parsed(reply)
    if cited is None:
        assert found[0][1] == (1,) and BOOKED in found[0][0]
    else:
        assert found == [(BOOKED, cited)]


@pytest.mark.parametrize(
    "reply",
    [
        "Ana booked a train. [1]\nBen baked a cake. [2]",
        "Ana booked a train [1]. Ben baked a cake [2].",
        "Based on the turns:\n\n1. Ana booked a train. [1]\n2. Ben baked a cake. [2]\n```",
        "[1] Ana booked a train. [2] Ben baked a cake.",
    ],
)
def test_each_sentence_has_its_own_citation(reply):
    assert parsed(reply) == [(BOOKED, (1,)), (BAKED, (2,))]


def test_sentences_before_one_citation_share_it():
    assert parsed("Ana booked a train. Ben baked a cake. [3]") == [(BOOKED, (3,)), (BAKED, (3,))]


def test_a_number_in_round_brackets_that_is_no_turn_is_a_number():
    assert parsed("Ana (42) booked a train. [1]") == [("Ana (42) booked a train.", (1,))]
    assert parsed("Ana booked [a train]. [1]") == [("Ana booked [a train].", (1,))]


def test_a_bare_date_with_its_turn_is_a_sentence_and_a_torn_citation_is_none():
    assert parsed("2026-04-12 [1]") == [("2026-04-12.", (1,))]
    assert parsed("Ana booked a train. [1]\n[15") == [(BOOKED, (1,))]


def test_a_sentence_is_complete_as_soon_as_its_citation_is():
    parser = ReplyParser(2)
    assert parser.feed("Ana booked a train. [1]") == []
    assert [one.text for one in parser.feed(" B")] == [BOOKED]
    assert parser.feed("en baked a cake [2]") == []
    assert [one.cited for one in parser.feed(".\n")] == [(2,)]
    assert parser.end() == []


def test_halves_of_a_character_become_one_again():
    assert parsed("Ana has an \ud83e", "\udd89. [1]") == [("Ana has an 🦉.", (1,))]
    assert parsed("Ana has an \ud83e. [1]")[0][0].isprintable()


@pytest.mark.parametrize(
    "text",
    [
        "NOT KNOWN",
        "Not known.",
        "I don't know.",
        "I’m sorry, but the turns do not say.",
        "The turns do not mention it. [1]",
        "The provided context does not say who booked it.",
        "There is no information about a boat. [2]",
        "It is not mentioned.",
        "Unknown",
    ],
)
def test_a_refusal_is_known_by_its_words(text):
    parser = ReplyParser(2)
    assert [one.refuses for one in [*parser.feed(text), *parser.end()]] == [True]


@pytest.mark.parametrize("text", ["Ana does not know the date. [1]", "Nobody told Ben. [1]", "Notknown is a band. [1]"])
def test_a_sentence_that_denies_something_is_no_refusal(text):
    parser = ReplyParser(2)
    assert [one.refuses for one in [*parser.feed(text), *parser.end()]] == [False]


PARTS = st.sampled_from(
    ["Ana booked a train.", " [1]", "[2]", "\n", " ", "“x”", "é", "🦉", "- ", "(1)", "[turn 2]", "."]
)


@given(st.lists(PARTS, max_size=14), st.data())
def test_where_the_pieces_are_cut_changes_nothing(parts, data):
    reply = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(reply)), max_size=8)))
    pieces = [reply[a:b] for a, b in zip([0, *cuts], [*cuts, len(reply)], strict=True)]
    assert parsed(*pieces) == parsed(*reply)


@given(st.text(max_size=200))
def test_any_reply_can_be_read(reply):
    for text, cited in parsed(*reply):
        assert text.strip() and all(number >= 0 for number in cited)
