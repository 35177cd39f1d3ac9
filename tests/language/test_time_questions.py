"""Questions that ask for nothing but a time, in the words people use."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engramma.language.dates import intervals
from engramma.language.time_questions import LONGEST_QUESTION, asks_only_for_time, asks_what_one_said

NOW = datetime(2026, 6, 24, 10, tzinfo=UTC)


def is_only_time(text: str) -> bool:
    return asks_only_for_time(text, intervals(text, NOW))


@pytest.mark.parametrize(
    "text",
    [
        "What did we talk about last week?",
        "what did we talk about in may",
        "What happened yesterday?",
        "What did I do last weekend?",
        "What was I doing in March?",
        "What have we discussed this week?",
        "Tell me what we did last month",
        "What did you tell me on Monday?",
        "What did we chat about two weeks ago?",
        "Was haben wir gestern besprochen?",
        "Was ist letzte Woche passiert?",
        "¿Qué pasó ayer?",
        "¿Qué hicimos la semana pasada?",
        "Qu'avons-nous dit hier ?",
        "O que fizemos na semana passada?",
        "Cosa è successo ieri?",
        "Что мы обсуждали вчера?",
        "Что случилось на прошлой неделе?",
        "昨天我们说了什么?",
        "上周我们讨论了什么?",
        "昨日何を話しましたか?",
        "어제 무슨 이야기 했어?",
        "ماذا حدث أمس؟",
    ],
)
def test_a_question_with_nothing_but_a_time(text):
    assert is_only_time(text)


@pytest.mark.parametrize(
    "text",
    [
        "Who is May?",
        "What did I say about May?",
        "What did Mira say in May?",
        "What are my plans for May?",
        "What will happen in December?",
        "How are you doing this morning?",
        "What happened to the car last week?",
        "What did we talk about?",
        "When did we talk?",
        "What was said about the train on Monday?",
        "Was hat Anna gestern gesagt?",
        "Was haben wir gestern über den Garten gesagt?",
        "¿Qué dijo Pedro ayer?",
        "Что мы вчера говорили о собаке?",
        "昨天我们说了关于猫的什么?",
        "昨日犬について何を話しましたか?",
        "What happened yesterday? " * 20,
    ],
)
def test_a_question_with_a_subject_or_without_a_time(text):
    assert not is_only_time(text)


def test_a_pasted_page_is_no_question():
    assert not is_only_time("What did we talk about yesterday?" + " " * LONGEST_QUESTION)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What did Mira say in May?", "mira"),
        ("what has Mary Ann talked about since March", "mary ann"),
        ("¿Qué dijo Rocío en febrero?", "rocío"),
        ("Was hat Jürgen letzten Monat erzählt?", "jürgen"),
        ("What did I tell Mira in May?", ""),
        ("What was said to Mira in May?", ""),
        ("¿Qué le dijimos a Mira en mayo?", ""),
        ("What did Mira say about the vet in May?", ""),
        ("What did Mira buy in May?", ""),
        ("What did Mira say?", ""),
        ("What did Mira say about Christmas?", ""),
        ("What did Mira tell Jonas about the last week?", ""),
        ("¿Qué dijo Mira sobre enero de 2025?", ""),
        ("Who did Mira talk to in May?", ""),
        ("Warum hat Mira im Mai gesprochen?", ""),
    ],
)
def test_whose_words_in_a_time_are_asked_for(question, name):
    assert asks_what_one_said(question, intervals(question, NOW)) == name
