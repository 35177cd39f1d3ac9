"""The recipe `best`: the packaged reader reads the first hits beside the question."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engramma import Memory
from engramma.models.reader import PassageReading
from engramma.recall.fuse import Ranked
from engramma.recall.read_again import choose_part_windows, part_windows, reorder_by_reading
from engramma.recall.recipes import RECIPES
from tests.conftest import talk

SAID = (
    "Ann: My cat Okra was asleep again when I came home.",
    "Ben: What is your new dog called?",
    "Ann: Pickle, after the jar that he fell over on his first day.",
    "Ann: The vet asked for the cat's name as well.",
)
LONG = " ".join(f"Sentence number {n} is about the weather in the harbour." for n in range(60))


class Scripted:
    """Says how well a passage answers by a word in it, and notes what it was given."""

    def __init__(self, word):
        self.word, self.given = word, []

    def read(self, question, passages):
        self.given = list(passages)
        return [PassageReading(5.0 if self.word in one.text else -5.0, 0.0, 0, 1) for one in passages]


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "store") as opened:
        opened.remember_session("c", "s", talk(*SAID))
        opened.remember_session("c", "long", talk("user: Tell me of the harbour.", f"assistant: {LONG}"))
        yield opened


def ranked_by(memory, recipe="default"):
    found = memory.recall("What is Ann's dog called?", recipe=recipe)
    return [(c.text, c.channels.get("rerank")) for c in found.entries]


def test_the_answer_comes_before_what_only_has_the_words(memory):
    found = ranked_by(memory, "best")
    assert found[0][0].startswith("Pickle")
    assert all(standing is not None for _, standing in found)
    assert [standing.rank for _, standing in found] == list(range(1, len(found) + 1))


def test_it_finds_what_default_finds(memory):
    assert sorted(text for text, _ in ranked_by(memory, "best")) == sorted(text for text, _ in ranked_by(memory))


def test_best_is_default_with_a_reader():
    same = replace(RECIPES["best"], name="default", purpose=RECIPES["default"].purpose, rerank=0)
    assert same == RECIPES["default"]


def test_the_reader_and_recall_both_count(memory):
    store = memory._core.store
    keys = store.keys("segment_states").tolist()
    ranked = [Ranked(key, score) for key, score in zip(keys, (0.9, 0.05, 0.04, 0.006, 0.004), strict=True)]
    said = store.hydrate(keys)
    reader = Scripted("Pickle")
    found = reorder_by_reading(store, reader, "What is the dog called?", ranked, 4, {})
    assert said[found[0].key].text.startswith("Pickle")
    assert found[-1].key == keys[-1], "what is not among the first stays behind"
    assert [one.score for one in found] == [0.9, 0.05, 0.04, 0.006, 0.004], "scores change hands"
    sure = [replace(one, score=score) for one, score in zip(ranked, (0.999999, 1e-6, 1e-6, 1e-6, 1e-6), strict=True)]
    assert reorder_by_reading(store, reader, "What is the dog called?", sure, 4, {})[0].key == keys[0]


def many_ranked(tmp_path, answers, more=""):
    """Forty turns, some of which answer: their order once they are read, and how many were."""
    with Memory.open(tmp_path / "many") as opened:
        turns = [f"Ann: {'Pickle' if n in answers else 'Nothing'} in turn {n}.{more}" for n in range(40)]
        opened.remember_session("c", "s", talk(*turns))
        store, counting = opened._core.store, Counting("Pickle")
        said = store.hydrate(store.keys("segment_states").tolist())
        keys = sorted(said, key=lambda key: int(said[key].text.split()[3].rstrip(".")))
        ranked = [Ranked(key, 0.1 * 0.9**n) for n, key in enumerate(keys)]
        found = reorder_by_reading(store, counting, "What is the dog called?", ranked, 12, {})
    assert {one.key for one in found} == set(keys) and len(found) == len(keys)
    return [keys.index(one.key) for one in found], counting.count


class Counting(Scripted):
    count = 0

    def read(self, question, passages):
        self.count += len(passages)
        return super().read(question, passages)


def test_it_reads_on_as_long_as_what_was_read_last_comes_up(tmp_path):
    order, read = many_ranked(tmp_path / "none", ())
    assert (order, read) == (list(range(40)), 12), "nothing came up"
    order, read = many_ranked(tmp_path / "eleventh", (10,))
    assert (order[0], read) == (10, 18), "one came up: six more are read"
    order, read = many_ranked(tmp_path / "further", (10, 15, 19))
    assert (sorted(order[:3]), read) == ([10, 15, 19], 30)
    order, read = many_ranked(tmp_path / "far", (10, 15, 19, 27, 31))
    assert (sorted(order[:4]), order[-10:], read) == ([10, 15, 19, 27], list(range(30, 40)), 30), "30 at most"
    order, read = many_ranked(tmp_path / "long", (10, 15), " " + LONG[:1000])
    assert (order[0], read) == (10, 14), "long ones are not read on"


def test_as_many_are_shown_as_are_asked_for(memory):
    asked = "What is Ann's dog called? And what did the vet ask for?"
    for recipe in ("default", "best"):
        assert len(memory.recall(asked, k=2, recipe=recipe).entries) == 2
        assert len(memory.recall("What is Ann's dog called?", k=2, recipe=recipe).entries) == 2


def test_a_part_is_read_with_its_speaker_and_what_was_said_before(memory):
    store = memory._core.store
    [key] = [key for key, one in store.hydrate(store.keys("segment_states").tolist()).items() if "Pickle" in one.text]
    [window] = part_windows(store, [key])
    assert (window.passage.speaker, window.passage.before) == ("Ann", "Ben: What is your new dog called?")
    assert window.passage.said_at is not None


def test_of_a_long_answer_the_windows_with_the_words_are_read(memory):
    store = memory._core.store
    windows = part_windows(store, store.keys("segment_states").tolist())
    many = [replace(one, key=one.key * 1000 + n) for n in range(20) for one in windows]
    chosen = choose_part_windows(many, {"43": 1.0, "pickl": 1.0})
    assert len({one.key for one in chosen}) == len({one.key for one in many}), "one of every segment"
    harbour = [one for one in choose_part_windows(windows, {"43": 1.0}) if one.part == 1]
    assert any("number 43" in one.passage.text for one in harbour)


def test_nothing_stored_is_nothing_found(tmp_path):
    with Memory.open(tmp_path) as empty:
        assert not empty.recall("What is the dog called?", recipe="best").candidates
