"""A question in one language finds what was said in another."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engramma import Memory, Turn
from engramma.core.names import segment_key
from engramma.models.embed import MINI
from engramma.models.load import load
from engramma.recall import pipeline
from engramma.recall.other_languages import ACROSS, least_nearness
from engramma.recall.search import ChannelHit
from engramma.records import Thresholds

START = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)
SAID = [
    "We adopted a kitten from the animal shelter.",
    "The dentist wants to see me again in October.",
    "My brother is studying law in Edinburgh.",
    "The washing machine broke down and flooded the kitchen.",
    "I am learning to play the violin.",
    "Our flight to Lisbon was cancelled because of the storm.",
    "She baked a chocolate cake for the wedding.",
    "The landlord raised the rent by ten percent.",
    "I lost my keys on the train this morning.",
    "We painted the bedroom dark green.",
    "Grandfather fought in the war as a pilot.",
    "The bank refused the loan for the shop.",
]
ASKED = {
    "Welches Haustier haben wir aus dem Tierheim geholt?": 0,
    "¿Qué instrumento musical estoy aprendiendo a tocar?": 4,
    "Pourquoi notre vol a-t-il été annulé ?": 5,
    "Где я потерял ключи?": 8,
    "祖父在战争中做什么?": 10,
    "Banka neden krediyi reddetti?": 11,
    "ทำไมห้องครัวน้ำท่วม": 3,
}


def fill(memory: Memory) -> Memory:
    for number, text in enumerate(SAID):
        turn = Turn("Ann", text, START + timedelta(days=number), str(number))
        memory.remember_session("talk", f"s{number}", [turn])
    return memory


@pytest.fixture(scope="module")
def english_talk(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("across") / "memory") as memory:
        yield fill(memory)


def first_ids(memory: Memory, question: str, count: int) -> list[str]:
    found = memory.recall(question, k=count).candidates
    return [name for one in found if one.role == "entry" for name in one.turn_ids][:count]


@pytest.mark.parametrize("question", ASKED)
def test_a_question_in_another_language_finds_english_talk(english_talk, question):
    assert str(ASKED[question]) in first_ids(english_talk, question, 2)


def test_talk_in_another_language_is_found_by_an_english_question(tmp_path):
    said = [
        "Wir haben ein Kätzchen aus dem Tierheim geholt.",
        "Der Vermieter hat die Miete erhöht.",
        "Es regnet schon wieder.",
    ]
    with Memory.open(tmp_path / "memory") as memory:
        for number, text in enumerate(said):
            memory.remember_session("talk", f"s{number}", [Turn("Ann", text, START, str(number))])
        assert first_ids(memory, "Which pet did we get?", 1) == ["0"]
        assert first_ids(memory, "Who wants more money for the flat?", 1) == ["1"]


def test_what_was_never_said_is_refused_in_other_languages_too(english_talk):
    asked = "Wie hoch ist der Schmelzpunkt von Wolfram?"
    assert english_talk.recall(asked).candidates == ()


def test_words_of_the_talk_s_own_language_weigh_as_in_english(tmp_path, monkeypatch):
    """Where the question's words stand in the talk, meaning counts no more than usual."""
    seen = []
    weigh = pipeline.weigh
    monkeypatch.setattr(pipeline, "weigh", lambda *given: seen.append(given[8]) or weigh(*given))
    with Memory.open(tmp_path / "memory") as memory:
        memory.remember_session("talk", "s", [Turn("Ann", "Der Vermieter hat die Miete erhöht.", START, "1")])
        memory.remember_session("talk", "t", [Turn("Ann", "Es regnet schon wieder in Strömen.", START, "2")])
        memory.recall("Wer hat die Miete erhöht, der Vermieter?")
        memory.recall("Qui a augmenté le loyer de la maison ?")
    usual, across = seen
    assert across["meaning"] == ACROSS * usual["meaning"] and across["length"] == usual["length"]


def test_an_encoder_for_english_alone_keeps_its_gate(tmp_path):
    with Memory.open(tmp_path / "memory", embedder=load(MINI)) as memory:
        fill(memory)
        notes = memory.recall("Где я потерял ключи?").trace.notes
    assert any("gate" in note for note in notes)


@pytest.mark.parametrize(
    ("said", "least"),
    [("Wir haben ein Kätzchen aus dem Tierheim geholt.", 0.2), ("We had a long walk by the river.", 0.25)],
)
def test_english_words_about_other_talk_meet_the_floor_too(tmp_path, said, least):
    thresholds = Thresholds(0.2, 0.6, 0.85, "auto", {"question_mean": 0.0})
    with Memory.open(tmp_path / "memory") as memory:
        memory.remember_session("talk", "s", [Turn("Ann", said, START, "1")])
        [found] = memory.recall("pet", recipe="vector").candidates
        key = segment_key(memory._core, found.segment_id)
        for score, expected in ((0.22, least), (0.19, 0.25), (0.3, 0.25)):
            nearest = {"semantic": (ChannelHit(key, score, 1),)}
            asked = "the animal they took home"
            assert least_nearness(memory._core.store, thresholds, asked, nearest, True) == expected
            assert least_nearness(memory._core.store, thresholds, asked, nearest, False) == 0.25


@pytest.mark.parametrize(
    ("text", "multilingual", "other"),
    [
        ("Which animal did they take home?", 0.2, 0.2),
        ("who has the kitten now", 0.2, 0.2),
        ("Which of the names for the kitten did you suggest?", 0.2, 0.2),
        ("How many kittens would you have said, by your list?", 0.2, 0.2),
        ("Show my notes about the kitten", 0.2, 0.2),
        ("Why does the kitten exit with code 137?", 0.25, 0.25),
        ("Add a kitten to the list of animals", 0.25, 0.25),
        ("kitten", 0.25, 0.25),
        ("Welches Tier haben sie geholt?", 0.2, 0.25),
    ],
)
def test_a_question_about_what_was_meets_the_floor_and_a_task_the_gate(tmp_path, text, multilingual, other):
    thresholds = Thresholds(0.2, 0.6, 0.85, "auto", {"question_mean": 0.0})
    with Memory.open(tmp_path / "memory") as memory:
        found = [least_nearness(memory._core.store, thresholds, text, {}, both) for both in (True, False)]
    assert found == [multilingual, other]
