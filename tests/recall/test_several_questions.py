"""A query that asks two things brings what answers each, the best of both first."""

from __future__ import annotations

import pytest

from engramma import Memory, Turn
from engramma.recall.fuse import Ranked, taken_in_turn
from tests.conftest import START

SAID = [
    "My aunt Greta works as a baker in Lyon.",
    "The spring concert is on the second of May.",
    *(f"Greta also likes walking tour number {n} in Lyon and the work of bakers." for n in range(8)),
    *(f"Nothing special on day {n}, only rain and soup again." for n in range(30)),
]


@pytest.mark.parametrize("recipe", ["default", "bm25", "vector"])
def test_both_questions_are_answered_among_the_first(tmp_path, recipe):
    with Memory.open(tmp_path) as memory:
        for number, text in enumerate(SAID):
            memory.remember_session(f"c{number}", f"s{number}", [Turn("Ann", text, START)])
        found = memory.recall("Where does aunt Greta work as a baker? When is the spring concert?", k=4, recipe=recipe)
    entries = [one for one in found.candidates if one.role == "entry"]
    assert {SAID[0], SAID[1]} <= {one.text.split(": ", 1)[-1] for one in entries}
    assert [one.score for one in entries] == sorted((one.score for one in entries), reverse=True)


def test_each_segment_comes_once_and_scores_do_not_rise():
    one, two, three = (Ranked(key, score, {}) for key, score in ((1, 0.5), (2, 0.4), (3, 0.9)))
    assert [(r.key, r.score) for r in taken_in_turn([[one, two], [three, one]])] == [(1, 0.5), (3, 0.5), (2, 0.4)]
