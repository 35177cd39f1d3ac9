"""`recall` of a German word: compounds with it are found, below the word itself, and not another with its stem."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engramma import Memory, Turn
from engramma.recall.asked_compounds import asked_compounds

SAID = (
    ("Jens", "sommerurlaub geht klar: ab dem 25. juli sind wir in dänemark"),
    ("Annika", "denkt bitte dran: ole hat ne haselnussallergie, also kein nutellakuchen"),
    ("Mama", "Ach ja, das vergess ich immer. Ich backe Butterkuchen."),
    ("Annika", "Ich habe die Wände der Küche gestrichen und bin müde."),
    ("Jens", "der wagen ist in der werkstatt und das dauert noch"),
    ("Mama", "Morgen gehe ich mit Hinnerk auf den Markt und dann zum Arzt."),
    ("Annika", "mia war heute beim handball, sie hat zwei tore geworfen"),
)
START = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path):
    with Memory.open(tmp_path) as opened:
        turns = [Turn(name, text, START + timedelta(hours=n), str(n)) for n, (name, text) in enumerate(SAID)]
        for turn in turns:
            opened.remember_session("chat", f"s{turn.id}", [turn])
        yield opened


def found(memory: Memory, query: str, **bounds: str) -> list[str]:
    return [
        turn for one in memory.recall(query, k=3, **bounds).candidates if one.role == "entry" for turn in one.turn_ids
    ]


def test_a_word_finds_its_compounds(memory: Memory) -> None:
    assert found(memory, "Allergie")[:1] == ["1"]
    assert found(memory, "haselnuss")[:1] == ["1"]
    assert found(memory, "Urlaub", speaker="Jens")[:1] == ["0"]
    assert set(found(memory, "kuchen")[:2]) == {"1", "2"}


def test_an_umlaut_tells_words_apart_and_may_be_left_out(memory: Memory) -> None:
    assert "3" not in found(memory, "kuchen")[:2]
    assert found(memory, "Küche")[:1] == ["3"]
    assert found(memory, "kuche")[:1] == ["3"]


def test_the_word_itself_comes_before_its_compounds(memory: Memory) -> None:
    memory.remember_session("chat", "own", [Turn("Mama", "Ich backe heute einen Kuchen mit Mia.", START, "own")])
    assert found(memory, "Kuchen")[0] == "own"
    memory.forget(["own"])


def test_sessions_are_found_by_compounds(memory: Memory) -> None:
    store = memory._core.store
    assert len(store.sessions_with(["allergie"])) == 1
    assert len(store.sessions_with(["zebra"])) == 0


def test_english_and_languages_that_write_words_apart_ask_for_no_compounds(memory: Memory, tmp_path: Path) -> None:
    store = memory._core.store
    assert asked_compounds(store, "What about the urlaub?", ["urlaub"]) == {}
    assert asked_compounds(store, "¿Dónde está el urlaub?", ["urlaub"]) == {}
    assert asked_compounds(store, "Wann ist der Urlaub?", ["Urlaub"]) == {"Urlaub": ["sommerurlaub"]}
    with Memory.open(tmp_path / "english") as english:
        english.remember_session("c", "s", [Turn("Ann", "The birthdaycake was in the bookshop", START, "a")])
        assert asked_compounds(english._core.store, "cake", ["cake"]) == {}
