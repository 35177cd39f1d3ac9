"""Requests that need what was said before."""

from __future__ import annotations

import random

from train.longmemeval import Question
from train.pairs import Book

from tests.train import made_up
from train import needs


def talk(*said: str, session: int = 0, book: Book | None = None) -> Book:
    book = book or Book()
    for text in said:
        book.add(text, "user", session)
    return book


def test_a_later_request_needs_the_earlier_turn_with_its_words() -> None:
    book = talk(
        "The kitchen shelf should carry twelve heavy ceramic plates.",
        "My cousin visits Bergen in spring.",
        "Which brackets suit the kitchen shelf with ceramic plates?",
    )
    needs.from_sessions(book, made_up.words(), random.Random(1))
    assert [(p.question, p.utterance) for p in book.pairs if p.kind == "need"] == [(book.utterances[2].text, 0)]


def test_nothing_is_needed_of_another_conversation_or_of_what_comes_later() -> None:
    book = talk("The kitchen shelf carries ceramic plates.")
    talk("Good morning to everybody here.", "Ceramic plates on the kitchen shelf, again.", session=1, book=book)
    needs.from_sessions(book, made_up.words(), random.Random(1))
    assert not book.pairs


def test_what_somebody_is_doing_becomes_a_request() -> None:
    book = talk("I'm learning the cello with a teacher.")
    needs.from_sessions(book, made_up.words(), random.Random(1))
    [pair] = book.pairs
    assert "cello" in pair.question and pair.utterance == 0 and pair.kind == "need"


def test_statements_of_two_sessions_for_one_question_find_each_other() -> None:
    book = talk("I own three bicycles.")
    talk("I sold one of my bicycles.", session=1, book=book)
    question = Question("q", "How many bicycles do I own?", "", (0, 1), (0, 1))
    group = book.group()
    for number in (0, 1):
        book.ask(question.text, number, "evidence", group)
    needs.updates(book, [question])
    assert {(p.question, p.utterance) for p in book.pairs if p.kind == "update"} == {
        ("I own three bicycles.", 1),
        ("I sold one of my bicycles.", 0),
    }
