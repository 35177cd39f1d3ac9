"""The index's words by their first letters: kept in memory, and as fresh as the state that is looked at."""

from __future__ import annotations

import pytest

from engramma import Memory
from engramma.store.store import Store
from engramma.store.vocabulary import Vocabulary
from engramma.store.words import MOST_CHANGES
from tests.conftest import talk

pytestmark = pytest.mark.on("postgres", "encrypted")


@pytest.fixture
def listed(monkeypatch):
    """How often the database was asked for words."""
    asked, plain = [], Store.all
    monkeypatch.setattr(Store, "all", lambda self, name, **given: asked.append(name) or plain(self, name, **given))
    return lambda: asked.count("words_begin")


def words(memory: Memory, *starts: str, longest: int = 20) -> list[str]:
    return memory._core.store.words_that_begin(starts, longest)


def test_words_are_found_by_any_of_their_beginnings(tmp_path):
    with Memory.open(tmp_path / "store") as memory:
        memory.remember_session("c", "s", talk("Ann: Luther and Lothar looted a lute.", "Ann: 路德 Lübeck lu"))
        assert words(memory, "lut") == ["lute", "luther"]
        assert words(memory, "lut", "lo") == ["loot", "lothar", "lute", "luther"]
        assert words(memory, "lu", "lut", longest=4) == ["lu", "lute"]
        assert words(memory, "zz") == []


def test_words_that_were_listed_are_not_listed_again(tmp_path, listed):
    with Memory.open(tmp_path / "store") as memory:
        memory.remember_session("c", "s", talk("Ann: Luther plays the lute."))
        assert words(memory, "lut") == ["lute", "luther"] and listed() == 1
        assert words(memory, "luth") == ["luther"] and words(memory, "lux") == [] and listed() == 1
        assert words(memory, "luth", "pl") == ["luther", "plai"] and listed() == 2


def test_words_that_came_since_are_found_whoever_wrote_them(tmp_path, listed):
    with Memory.open(tmp_path / "store") as memory, Memory.open(tmp_path / "store") as other:
        memory.remember_session("c", "s", talk("Ann: Luther plays."))
        assert words(memory, "lu") == ["luther"]
        other.remember_session("c", "t", talk("Ben: A lute, and lunch."))
        assert words(memory, "lu", "lo") == ["lunch", "lute", "luther"] and listed() == 2, "lo was new"


def test_after_many_changes_words_are_listed_anew(tmp_path, listed):
    with Memory.open(tmp_path / "store") as memory:
        memory.remember_session("c", "s", talk("Ann: Luther plays."))
        words(memory, "lu")
        memory.remember_session("c", "t", talk(*(f"Ann: luck{n} came" for n in range(MOST_CHANGES + 1))))
        assert len(words(memory, "lu")) == MOST_CHANGES + 2 and listed() == 2


def test_a_word_that_went_is_counted_as_gone(tmp_path):
    with Memory.open(tmp_path / "store") as memory:
        memory.remember_session("c", "s", talk("Ann: Luther plays."))
        memory.remember_session("c", "t", talk("Ann: A lute."))
        assert words(memory, "lu") == ["lute", "luther"]
        memory.forget(conversation="c", session="t")
        assert memory._core.store.word_counts(words(memory, "lu")).get("lute", 0) == 0
        assert memory._core.store.word_counts(["luther"]) == {"luther": 1}


def test_what_is_undone_was_never_there(tmp_path):
    with Memory.open(tmp_path / "store") as memory:
        memory.remember_session("c", "s", talk("Ann: Luther plays."))
        store = memory._core.store
        with pytest.raises(ZeroDivisionError), store.transaction():
            assert store.words_that_begin(["lu"], 20) == ["luther"]
            raise ZeroDivisionError
        assert words(memory, "lu") == ["luther"]


def test_an_older_state_does_not_change_what_is_kept():
    vocabulary = Vocabulary(lambda letters: ["luther"] if "lu" in letters else [])
    assert vocabulary.find(vocabulary.at(5, lambda change: None), ["lu"], 20) == ["luther"]
    older = vocabulary.at(4, lambda change: pytest.fail("nothing comes before"))
    assert older == {} and vocabulary.find(older, ["lu"], 20) == ["luther"]
    newer = vocabulary.at(6, lambda change: ["lute", "late"] if change == 5 else None)
    assert newer == {"lu": ["lute", "luther"]}


@pytest.mark.parametrize("start", ["lu", "lut", "luth"])
def test_a_text_without_a_space_that_the_index_cuts_inside_a_character_is_no_word(tmp_path, start):
    with Memory.open(tmp_path / "store") as memory:
        memory.remember_session("c", "s", talk("Ann: Luther plays."))
        assert words(memory, "lu") == ["luther"]
        memory.remember_session("c", "t", talk(f"Ann: {start}{'क्' * 20_000}"))
        assert words(memory, "lu") == ["luther"]
        assert [one.text for one in memory.recall("Who is Luthr?").entries][:1] == ["Luther plays."]
    with Memory.open(tmp_path / "store") as memory:
        assert words(memory, "lu") == ["luther"]
        memory.purge(conversation="c", session="t")
        assert words(memory, "lu") == ["luther"]
