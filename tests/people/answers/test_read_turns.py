"""What the score of a turn that was read is made of, beside the reader's own opinion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engramma import Answer, Memory, Turn
from engramma.language.lexical import stems
from engramma.language.question_language import question_language
from engramma.models.reader import Passage, PassageReading
from engramma.people.answers.read_turns import ReadTurn, read_turns
from engramma.people.answers.turns import RecalledTurn

AT = datetime(2024, 3, 2, 9, 0, tzinfo=UTC)


def said(text: str, before: str = "") -> RecalledTurn:
    return RecalledTurn("c", "s", text[:8], "Ann", AT, text, 0.1, 1.0, ("Bob",), text, before, 0.3)


def read_alike(question: str, passages: object) -> list[PassageReading]:
    """A reader to whom all passages are the same."""
    return [PassageReading(1.0, 0.0, 0, len(passage.text)) for passage in passages]  # type: ignore[attr-defined]


def order(rarity: dict[str, float], *turns: RecalledTurn) -> list[str]:
    return [one.turn.text for one in read_turns(read_alike, "What pets does Ann have?", turns, rarity)]


def test_a_turn_that_answers_the_same_question_comes_before_one_that_does_not():
    answers, other = said("Two of them, and they sleep all day.", "Bob: Which pets do you have?"), said("It rained.")
    assert order({"pet": 0.9}, other, answers) == [answers.text, other.text]


def test_a_turn_that_asks_comes_after_one_that_tells():
    asks, tells = said("Do you have a pet?"), said("I have a pet.")
    assert order({"pet": 0.9}, asks, tells) == [tells.text, asks.text]


def test_a_turn_that_tells_something_and_then_asks_is_none_that_asks():
    told = said("I have a pet called Miso. Do you like them?")
    asks = read_turns(read_alike, "What pets does Ann have?", [told], {"pet": 0.9})[0]
    assert not asks.asks
    assert replace(asks, span=(told.text.index("Do you"), len(told.text))).asks


def test_a_turn_that_is_sure_to_hold_no_answer_comes_last():
    turn = said("I have a pet.")
    unsure = ReadTurn(turn, 1.0, 0.0, (0, 3), (0, 13), 1.0)
    assert replace(unsure, null=6.0).score < unsure.score == replace(unsure, null=0.0).score
    assert replace(unsure, null=50.0).score == replace(unsure, null=12.0).score  # and no further


def test_the_assistants_words_come_first_where_they_are_asked_for():
    own, answer = said("Radio helps me."), replace(said("Radio helps you."), speaker="assistant")
    rarity = {"radio": 0.9}
    told = read_turns(read_alike, "What did you suggest about the radio?", [own, answer], rarity)
    assert told[0].turn is answer
    assert read_turns(read_alike, "What helps with the radio?", [own, answer], rarity)[0].turn is own


DIARY = (
    "Heute war es windig und wir blieben zu Hause. Gestern hat Ole sein Seepferdchen gemacht. "
    "Sein Schwimmlehrer Tim hat ihm einen Aufkleber geschenkt."
)


@pytest.mark.parametrize(
    ("question", "words", "quoted"),
    [
        ("Wann hat Ole sein Seepferdchen gemacht?", ("seepferdchen", "gemacht"), 1),
        ("Wer ist der Schwimmlehrer von Ole?", ("schwimmlehrer",), 2),
        ("Wie war das Wetter?", ("wetter",), 2),  # which nobody said: what the reader picked
        ("When did Ole get his Seepferdchen?", ("seepferdchen",), 2),  # in English the reader knows
    ],
)
def test_in_other_languages_the_words_of_the_question_pick_the_sentence(
    question: str, words: tuple[str, ...], quoted: int
) -> None:
    def read_the_end(_: str, passages: Sequence[Passage]) -> list[PassageReading]:
        return [PassageReading(1.0, 0.0, len(DIARY) - 10, len(DIARY)) for _ in passages]

    rarity = dict.fromkeys((stem for word in words for stem in stems(word)), 1.0)
    [read] = read_turns(read_the_end, question, [said(DIARY)], rarity, question_language(question))
    assert read.sentence.text == DIARY.split(". ")[quoted].rstrip(".") + "."


def test_what_the_reader_picked_counts_where_words_are_even() -> None:
    text = "Anna wohnt in Bremen und arbeitet dort. Anna wohnt seit Mai in Kiel am Hafen."

    def read_the_end(_: str, passages: Sequence[Passage]) -> list[PassageReading]:
        return [PassageReading(1.0, 0.0, len(text) - 10, len(text)) for _ in passages]

    [read] = read_turns(read_the_end, "Wo wohnt Anna jetzt gerade?", [said(text)], {stems("wohnt")[0]: 1.0}, "de")
    assert "Kiel" in read.sentence.text


BOILER = (
    "Morning. Our boiler shows error F28 and there is no hot water. It's a Vaillant ecoTEC plus from 2014.",
    "The boiler is loud at night, can I turn the pump down?",
)
REPAIRED = "The boiler works again. A man named Duncan Ashworth repaired it this morning."


def who_repaired(folder: Path, *texts: str) -> Answer:
    with Memory.open(folder / "memory") as memory:
        for number, text in enumerate(texts):
            at = AT + timedelta(days=number)
            turns = [Turn("user", text, at), Turn("assistant", "I see.", at + timedelta(seconds=9))]
            memory.remember_session(f"chat {number}", f"s{number}", turns)
        return memory.ask("Who repaired the boiler in March?")


def test_a_question_for_a_person_is_answered_by_a_sentence_that_tells_one(tmp_path):
    assert "Duncan Ashworth" in who_repaired(tmp_path, *BOILER, REPAIRED).quote


def test_it_is_not_answered_by_one_that_tells_nobody(tmp_path):
    assert who_repaired(tmp_path, *BOILER).abstained
