"""Words out of a long answer: those that ask what was said do not count, and nearly all of them together do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from engramma import Memory, Turn
from engramma.language.lexical import telling_terms
from engramma.recall.passages import question_stems, shares_together
from engramma.recall.text_evidence import FEWEST_QUOTED, by_passage
from tests.fakes import HashEmbedder

START = datetime(2024, 3, 1, 12, tzinfo=UTC)
FILLER = "Plan the week. Review the budget. Adjust the schedule. Check the list again and keep notes of it. " * 12
WANTED = "Start with a weekly review, adjust the plan, and check the budget."


def quoted(texts, question):
    wanted = question_stems(question)
    return by_passage(np.array(shares_together(texts, wanted)), wanted)["quoted"]


def test_words_that_ask_what_was_said_are_not_asked_for_beside_others():
    assert telling_terms("What was said about the budget review?") == ("budget", "review")
    assert telling_terms("Who said it?") == ("said",)


def test_nearly_all_words_of_a_question_together_count_the_more_the_fewer_texts_have_them():
    others = ["We plan the week and the garden.", "The budget is fine."]
    question = "What was said about weekly review adjust plan check budget?"
    alone = quoted([FILLER + WANTED, *others], question)
    assert alone.tolist() == [1.0, 0.0, 0.0]
    twice = quoted([FILLER + WANTED, WANTED, *others], question)
    assert np.allclose(twice, [2**-0.5, 2**-0.5, 0.0, 0.0])


def test_few_words_stand_together_by_chance():
    question = "What was said about weekly review?"
    assert len(telling_terms(question)) < FEWEST_QUOTED
    assert quoted([WANTED, "Nothing."], question).tolist() == [0.0, 0.0]


@pytest.mark.on("postgres", "encrypted")
def test_a_sentence_of_ordinary_words_is_found_in_a_store_that_has_each_of_them_everywhere(tmp_path):
    """The only rare word of the question is "said", and whoever says it says nothing of the question."""
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        for day in range(70):
            at = START + timedelta(days=day)
            answer = FILLER + (WANTED if day == 33 else "") + FILLER
            turns = [Turn("user", f"Topic {day}", at), Turn("assistant", answer, at + timedelta(minutes=1))]
            memory.remember_session("chat", f"day {day}", turns)
        said = [Turn("user", "Ana said hello.", START), Turn("assistant", "Nice.", START)]
        memory.remember_session("other", "hello", said)
        found = memory.recall("What was said about weekly review adjust plan check budget?", k=3)
        assert found.entries[0].session_id == "day 33"
        assert found.entries[0].evidence["quoted"] > 0
