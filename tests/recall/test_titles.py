"""Talk is found by a word of its title that nobody said."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engramma import Memory, Turn
from engramma.language.lexical import stems
from engramma.people.answers.unheard import unsaid_names
from engramma.recall import titles
from engramma.recall.titles import titles_with

pytestmark = pytest.mark.on("postgres", "encrypted")

FIRST = datetime(2026, 3, 2, 9, tzinfo=UTC)
MITES = ("user", "How often should I dust the hives with sugar?"), ("assistant", "Every ten days, until few drop.")
BREAD = ("user", "My loaf collapsed again."), ("assistant", "Let the dough rest longer before baking.")
TRIP = ("user", "We land in Verona on the 4th and drive north."), ("assistant", "Book the hut early, it fills up.")


def _tell(memory: Memory, name: str, title: str, talk: tuple[tuple[str, str], ...], day: int) -> None:
    at = FIRST + timedelta(days=day)
    turns = [Turn(who, text, at + timedelta(minutes=n), role=who) for n, (who, text) in enumerate(talk)]  # type: ignore[arg-type]
    memory.remember_session(name, "s1", turns, title=title)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with Memory.open(tmp_path_factory.mktemp("titled")) as opened:
        _tell(opened, "a", "Varroa treatment", MITES, 0)
        _tell(opened, "b", "Sourdough troubles", BREAD, 1)
        _tell(opened, "c", "Dolomites in June", TRIP, 2)
        yield opened


@pytest.mark.parametrize(
    ("question", "conversation"),
    [
        ("What did I ask about varroa?", "a"),
        ("varroa", "a"),
        ("When do we go to the Dolomites?", "c"),
        ("sourdough trouble", "b"),
    ],
)
def test_a_word_that_only_a_title_has_leads_to_its_talk(memory: Memory, question: str, conversation: str) -> None:
    found = memory.recall(question)
    assert found.candidates[0].conversation_id == conversation
    assert any("title" in note for note in found.trace.notes)


def test_a_word_that_somebody_said_is_not_looked_for_in_titles(memory: Memory) -> None:
    assert "title" not in str(memory.recall("How long should the dough rest?").trace.notes)


def test_a_word_that_nothing_has_brings_nothing(memory: Memory) -> None:
    assert not memory.recall("zeppelin mooring masts").candidates


def test_filters_hold(memory: Memory) -> None:
    assert not [one for one in memory.recall("varroa", conversation="b").candidates if one.conversation_id == "a"]


def test_published_recipes_do_not_read_titles(memory: Memory) -> None:
    assert not memory.recall("varroa", recipe="bm25").candidates


def test_what_was_forgotten_is_not_found_by_its_title(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        _tell(memory, "a", "Varroa treatment", MITES, 0)
        _tell(memory, "b", "Sourdough troubles", BREAD, 1)
        memory.forget(conversation="a")
        assert not [one for one in memory.recall("varroa").candidates if one.conversation_id == "a"]


def test_what_was_forgotten_is_called_nothing(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        _tell(memory, "a", "Varroa treatment", MITES, 0)
        _tell(memory, "b", "Sourdough troubles", BREAD, 1)
        act = memory.forget(conversation="a").act
        assert unsaid_names(memory._core.store, "Where did Varroa go?", ()) == ("Varroa",)
        assert act is not None
        memory.acts.undo(act)
        assert not unsaid_names(memory._core.store, "Where did Varroa go?", ())


@pytest.mark.parametrize("asked", ["übungsplan", "Übungsplan", "журнал", "İzmir", "o'leary", "oleary"])
def test_titles_are_found_in_whichever_case(tmp_path: Path, asked: str) -> None:
    with Memory.open(tmp_path) as memory:
        _tell(memory, "a", "Übungsplan, ЖУРНАЛ, İzmir (O'Leary, OLEARY)", MITES, 0)
        assert titles_with(memory._core.store, [asked]) == {asked: ("a",)}


def test_a_word_of_every_title_costs_little_and_tells_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stemmed = list[str]()
    monkeypatch.setattr(titles, "stems", lambda text: stemmed.append(text) or stems(text))
    with Memory.open(tmp_path) as memory:
        for n in range(30):
            _tell(memory, f"a{n}", f"Pneumonoultra talk about number{n}", BREAD, n)
        assert len(titles_with(memory._core.store, ["pneumonoultra"])["pneumonoultra"]) == 21
        assert set(stemmed) == {"pneumonoultra"}  # of the titles only what may be the word is stemmed
        assert "title" not in str(memory.recall("pneumonoultra").trace.notes)


@pytest.mark.parametrize("query", ["dough troubles", "Sourdough troubles"])
def test_a_title_is_found_by_all_its_words_though_they_were_said(tmp_path: Path, query: str) -> None:
    with Memory.open(tmp_path) as memory:
        _tell(memory, "b", "Sourdough and dough troubles", MITES, 1)
        _tell(memory, "c", "Garden", (("user", "No troubles with dough or sourdough here."), TRIP[1]), 2)
        assert "b" in [one.conversation_id for one in memory.recall(query).candidates[:2]]


def test_a_question_is_not_looked_for_in_titles_whose_words_were_said(memory: Memory) -> None:
    assert "title" not in str(memory.recall("Should the dough rest longer?").trace.notes)


def test_in_talk_that_is_called_so_the_evidence_decides(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        for number in range(6):
            _tell(
                memory, f"t{number}", f"tidewatch: part {number}", (("user", f"Sensor {number} sends levels."),), number
            )
        _tell(
            memory, "p", "tidewatch: dashboard", (("user", "Use pnpm everywhere, never npm, to install packages."),), 7
        )
        _tell(memory, "q", "Sourdough", BREAD, 8)
        asked = "Which package installer do we use in tidewatch, npm?"
        found = [one.conversation_id for one in memory.recall(asked).candidates if one.role == "entry"]
        assert found[0] == "p" and len(found) > 1
