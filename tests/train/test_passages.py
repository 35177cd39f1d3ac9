"""Windows of long answers and the questions about them."""

from __future__ import annotations

import random

from train.longmemeval import Question, Session, Turn
from train.pairs import Book

from tests.train import made_up
from train import pairs, passages

TIPS = ("Mulching", "Watering", "Pruning", "Feeding", "Planting")
ANSWER = "\n".join(
    f"**{tip}:** {tip} keeps the garden healthy through summer. Spread bark around lavender number {place} each month. "
    f"Check roots carefully whenever leaves turn yellow, and note it all down in a diary for the {tip.lower()} plan."
    for place, tip in enumerate(TIPS)
)


def told() -> tuple[Book, int, list[int]]:
    """The book, the long answer's number, and those of its windows."""
    session = Session(
        0,
        (
            Turn("user", "I have a garden. How should I care for my lavender plants?"),
            Turn("assistant", ANSWER, answers=True),
            Turn("user", "Thanks!"),
            Turn("assistant", "You are welcome."),
        ),
    )
    question = Question("q", "What did you say keeps leaves from turning?", "", (0,), (0,), "lavender number 4")
    book = Book()
    pairs.from_longmemeval(book, [question], [session], made_up.words(), random.Random(1), 2)
    cut = passages.from_longmemeval(book, [question], [session], random.Random(1))
    [turn] = [number for number, spoken in enumerate(book.utterances) if spoken.text == ANSWER]
    assert [number for number, windows in cut.items() if windows] == [turn]
    return book, turn, cut[turn]


def test_a_long_answer_is_cut_into_labelled_windows_and_a_short_one_is_not() -> None:
    book, turn, cut = told()
    windows = [book.utterances[number] for number in cut]
    assert len(windows) > 1
    assert all(w.text.startswith("assistant: ") and w.whole == turn and len(w.text) <= 620 for w in windows)
    said = " ".join(" ".join(w.text.removeprefix("assistant: ").split()) for w in windows)
    assert said == " ".join(ANSWER.split())


def test_a_window_is_asked_for_by_its_own_words_and_the_whole_answer_is_no_negative() -> None:
    book, turn, cut = told()
    for pair in [p for p in book.pairs if p.kind == "passage"]:
        alike = {p.utterance for p in book.pairs if p.group == pair.group}
        assert pair.utterance in cut and turn in alike


def test_the_window_with_the_answer_answers_the_real_question() -> None:
    book, turn, cut = told()
    right = [p.utterance for p in book.pairs if p.kind == "evidence" and p.utterance in cut]
    assert right and all("lavender number 4" in book.utterances[number].text for number in right)
    [group] = {p.group for p in book.pairs if p.kind == "evidence"}
    assert {p.utterance for p in book.pairs if p.group == group} >= {turn, *cut}


def test_headings_are_asked_for() -> None:
    asked = {q for seed in range(20) for q in passages.specific(ANSWER[:400], random.Random(seed))}
    assert any("mulching" in q.lower() for q in asked)
    assert passages.words_of("It is so.", random.Random(1)) == ""
