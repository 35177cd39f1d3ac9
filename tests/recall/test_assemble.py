from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.language.handles import handle_of
from engramma.language.text import estimate_tokens
from engramma.recall import parse_context
from engramma.recall.assemble import NOTHING, assemble
from engramma.records import Candidate, Path
from engramma.records.talk import Spoken

START = datetime(2026, 1, 1, tzinfo=UTC)


def candidate(number: int, role: str = "entry", text: str = "", **fields) -> Candidate:
    path = None if role == "entry" else Path("vertical", "chain", "seg_c/s_0", 1.0)
    return Candidate(
        f"seg_c/s_{number}",
        "s",
        "c",
        (f"t{number}",),
        ("Ana",),
        START + timedelta(hours=number),
        text or f"{number} words were said by Ana, " * 4,
        0.5,
        role,
        path,
        **fields,
    )


def labels(block: str) -> list[str]:
    return [line for line in block.splitlines() if line.startswith("[2")]


def test_the_best_stands_first_and_what_was_said_in_a_row_stands_under_one_label():
    found = assemble([candidate(5), candidate(2, title="Trip to Vienna"), candidate(1, "expanded")], None)
    handles = {n: handle_of(f"seg_c/s_{n}") for n in range(6)}
    assert labels(found.text) == [
        f"[2026-01-01 05:00 UTC | api | c | {handles[5]}]",
        f"[2026-01-01 01:00 UTC | api | Trip to Vienna | {handles[2]}]",  # since its first words
    ]
    first, second = parse_context(found.text)
    assert [one.said_at.hour for one in first.said] == [5] and [one.said_at.hour for one in second.said] == [1, 2]


def test_a_budget_cuts_expanded_neighbours_before_entries():
    given_candidates = [candidate(0), candidate(4), candidate(1, "expanded"), candidate(5, "expanded")]
    both = [one for one in given_candidates if one.role == "entry"]
    found = assemble(given_candidates, assemble(both, None).tokens + 8)
    assert found.left_out == 2 and found.shown == ("seg_c/s_0", "seg_c/s_4")
    found = assemble(given_candidates, assemble(both[:1], None).tokens + 8)
    assert found.left_out == 3 and found.shown == ("seg_c/s_0",), "the best entry stays"


def test_one_entry_larger_than_the_budget_is_cut_and_says_so():
    found = assemble([candidate(0, text="x" * 40_000)], 100)
    assert found.tokens <= 101 and "\n[…]\n" in found.text and handle_of("seg_c/s_0") in found.text


def test_a_long_text_is_cut_to_the_whole_sentences_that_matched():
    text = " ".join(f"Sentence {n} is about nothing at all." for n in range(100))
    text = text.replace("Sentence 60 is about nothing at all.", "The heron nests behind the weir.")
    at = text.index("The heron")
    found = assemble([candidate(0, text=text, matched=((at, at + 32),))], 200)
    ((only,),) = (entry.said for entry in parse_context(found.text))
    assert "The heron nests behind the weir." in only.text and only.text in text
    assert only.cut_before and only.cut_after and only.text.startswith("Sentence") and only.text.endswith(".")
    assert found.tokens <= 200


def test_the_message_stands_before_the_answer_and_both_are_shown():
    question, answer = "Where do herons nest, and when?", "They nest in trees near water. " * 60
    text = f"user: {question}\nassistant: {answer}"
    parts = (
        Spoken("user", START, 6, 6 + len(question)),
        Spoken("assistant", START, len(text) - len(answer), len(text)),
    )
    found = assemble([candidate(0, text=text, spoken=parts, matched=((len(text) - 31, len(text) - 1),))], 150)
    (entry,) = parse_context(found.text)
    assert [one.speaker for one in entry.said] == ["user", "assistant"]
    assert entry.said[0].text == question and not entry.said[0].is_cut and entry.said[1].cut_before


def test_what_was_said_twice_is_shown_once_with_the_other_date():
    again = candidate(60, text=candidate(0).text)
    found = assemble([candidate(0), again], None)
    assert len(labels(found.text)) == 1 and "[also said 2026-01-03]" in found.text
    other = candidate(60, text=candidate(0).text.replace("0 words", "7 words"))
    assert len(labels(assemble([candidate(0), other], None).text)) == 2, "other numbers are another thing said"
    assert parse_context(found.text)[0].said[0].text == candidate(0).text


@pytest.mark.parametrize("nod", ["ok", "Yes!", "B", "sure, thanks", "42", "好"])
def test_a_nod_is_shown_with_what_it_answers_or_not_at_all(nod):
    alone = assemble([candidate(0), candidate(9, text=nod)], None)
    assert nod not in [one.text for entry in parse_context(alone.text) for one in entry.said]
    asked = candidate(8, "expanded", text="Shall we take the train at nine?")
    found = assemble([candidate(9, text=nod), candidate(0), asked], 130)
    said = [[one.text for one in entry.said] for entry in parse_context(found.text)]
    assert [asked.text, nod] in said
    assert nod in assemble([candidate(9, text=nod)], None).text, "where there is nothing else"


@given(st.lists(st.text("ab \n.¶\t", min_size=1).filter(str.strip), min_size=1, max_size=6), st.integers(100, 900))
def test_no_quoted_line_is_empty(texts, budget):
    made = [candidate(2 * n, text=text) for n, text in enumerate(texts)]
    for block in (assemble(made, None).text, assemble(made, budget).text):
        assert all(line[1:].strip() for line in block.splitlines() if line.startswith(">"))


def test_nothing_found_says_so():
    assert assemble([], 100).text == NOTHING


@given(st.lists(st.sampled_from(["entry", "expanded"]), min_size=1, max_size=20), st.integers(110, 2000))
def test_the_block_keeps_to_its_budget(given_roles, budget):
    ordered = sorted(given_roles)
    found = assemble([candidate(n, role) for n, role in enumerate(ordered)], budget)
    assert found.tokens == estimate_tokens(found.text) <= budget


def test_a_label_tells_the_second_and_nothing_between_two():
    said_at = START + timedelta(hours=10, seconds=5, microseconds=123_456)
    spoken = (
        Spoken("Ana", said_at, 0, 5),
        Spoken("Ben", said_at + timedelta(microseconds=7), 6, 11),
        Spoken("Ana", said_at + timedelta(minutes=2, microseconds=9), 12, 17),
    )
    shown = replace(candidate(1, text="Hello there again"), said_at=said_at, spoken=spoken)
    block = assemble([shown], None).text
    assert "[2026-01-01 10:00:05 UTC | " in block and "Ana [10:02:05]:" in block and "\nBen:\n" in block
    (entry,) = parse_context(block)
    assert entry.said_at == said_at.replace(microsecond=0)
