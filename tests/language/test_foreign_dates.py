"""Dates in other languages resolve as in English, and what is not understood is left alone.

Sentences are in `dates/<language>.tsv`: what is expected, and the sentence. Expected is a day, a month, a year, the
first and last day, "day/-" for an open end, or "none". All are said on Wednesday, 16 August 2023.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.language.dates import EARLIEST, LATEST, Interval, intervals
from engramma.language.dates.foreign_words import find_foreign_sentences
from engramma.language.dates.languages import read_language, read_table
from engramma.language.dates.words import LONGEST
from engramma.recall.evidence import read_question

NOW = datetime(2023, 8, 16, 15, 30, tzinfo=UTC)
FOLDER = Path(__file__).parent / "dates"
LANGUAGES = ("ar", "de", "es", "fr", "hi", "it", "ja", "ko", "nl", "pl", "pt", "ru", "tr", "zh")
SCRIPTS = {
    "ru": "[\u0400-\u04ff]+",
    "ar": "[\u0600-\u06ff ]+",
    "hi": "[\u0900-\u097f]+",
    "zh": "[\u4e00-\u9fff]+",
    "ja": "[\u4e00-\u9fff]+",
    "ko": "[\uac00-\ud7a3]+",
}


def read_cases(path: Path) -> list[list[str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def expected_span(text: str) -> tuple[datetime, datetime]:
    """The interval of a test's notation."""
    if "/" in text:
        first, last = text.split("/")
        return moment(first), LATEST if last == "-" else moment(last) + timedelta(days=1)
    if len(text) == 4:
        return moment(f"{text}-01-01"), moment(f"{int(text) + 1}-01-01")
    if len(text) == 7:
        start = moment(f"{text}-01")
        return start, (start + timedelta(days=32)).replace(day=1)
    return moment(text), moment(text) + timedelta(days=1)


def is_right(expected: str, found: tuple[Interval, ...]) -> bool:
    if expected == "none":
        return not found
    return [(one.start, one.end) for one in found] == [expected_span(expected)]


CASES = [(code, *case) for code in LANGUAGES for case in read_cases(FOLDER / f"{code}.tsv")]


@pytest.mark.parametrize(("code", "expected", "text"), CASES, ids=[f"{code}: {text}" for code, _, text in CASES])
def test_a_sentence_gives_its_time_or_nothing(code, expected, text):
    found = intervals(text, NOW)
    assert is_right(expected, found), found
    for one in found:
        assert one.text == text[one.span[0] : one.span[1]]


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_twenty_times_and_ten_sentences_without(code):
    cases = read_cases(FOLDER / f"{code}.tsv")
    without = sum(expected == "none" for expected, _ in cases)
    assert len(cases) - without >= 20
    assert without >= 10


def test_the_sentences_held_out_are_read_as_the_log_says():
    """docs/log/languages.md has these figures."""
    read = [(expected, intervals(text, NOW)) for _, expected, text in read_cases(FOLDER / "held_out.tsv")]
    right = sum(is_right(expected, found) for expected, found in read)
    alone = sum(expected != "none" and not found for expected, found in read)
    assert (len(read), right, alone) == (60, 60, 0)


# English text

ENGLISH = [
    ("due on 9/14", ["9/14"]),
    ("Los Angeles, 3/5/2023", ["3/5/2023"]),
    ("Rio de Janeiro 3/5/2023", ["3/5/2023"]),
    ("Las Vegas 3/5/2023 with Marco", ["3/5/2023"]),
    ("Meet Otto and Marco on 3/5/2023", ["3/5/2023"]),
    ("a Mai Tai on 3/5/2023", ["3/5/2023"]),
    ("The war was hot, die hard, 3/5/2023", ["3/5/2023"]),
    ("El Paso 5/6/2023: Ben met Kim", ["5/6/2023"]),
    ("I hold the mayo and the tag once", []),
    ("The gun on Mars is dun, due to son and ale", []),
    ("What does gestern mean?", []),
    ("the hat in the bin, an ode to man", []),
    ("Enrique came over for tea, ten in all", []),
]


@pytest.mark.parametrize(("text", "expected"), ENGLISH)
def test_words_that_two_languages_share_do_not_change_english(text, expected):
    assert [one.text for one in intervals(text, NOW)] == expected


@pytest.mark.parametrize(("text", "expected"), ENGLISH)
def test_an_english_date_keeps_its_month_before_its_day(text, expected):
    for one in intervals(text, NOW):
        month, day, *_ = one.text.split("/")
        assert (one.start.month, one.start.day) == (int(month), int(day))


def test_each_sentence_is_read_in_its_own_language():
    text = "Last week we met. Gestern war ich am 04.05.2023 krank! It was 04/05/2023.\nВчера шёл дождь."
    assert [(one.text, one.start.date().isoformat()) for one in intervals(text, NOW)] == [
        ("Last week", "2023-08-07"),
        ("Gestern", "2023-08-15"),
        ("04.05.2023", "2023-05-04"),
        ("04/05/2023", "2023-04-05"),
        ("Вчера", "2023-08-15"),
    ]


def test_a_number_that_is_an_english_month_is_none_in_french():
    (found,) = intervals("Je suis arrivée il y a sept jours avec lui", NOW)
    assert found.text == "il y a sept jours"


# The same rules as English


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("Wir treffen uns am Montag mit den Kindern", "2023-08-21"),
        ("Nous partons le 8 mai avec eux", "2024-05-08"),
        ("В октябре поедем на море", "2023-10-01"),
        ("3月3日に会いましょう", "2024-03-03"),
    ],
)
def test_what_is_left_open_lies_ahead_when_the_future_is_preferred(text, start):
    (found,) = intervals(text, NOW, prefer="future")
    assert found.start == moment(start)


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("Vor zwei Jahren war das noch so", "two years ago"),
        ("la semaine dernière avec lui", "last week"),
        ("esta noche vamos al cine", "tonight"),
        ("昨晚下雨了", "last night"),
        ("今朝テレビを見た", "this morning"),
        ("в последние три дня", "the last three days"),
        ("seit letztem Freitag ist sie weg", "since last Friday"),
        ("8 de mayo de 2021", "8 May 2021"),
    ],
)
def test_span_grain_and_relativity_are_those_of_english(text, english):
    (found,), (same,) = intervals(text, NOW), intervals(english, NOW)
    assert (found.start, found.end, found.grain, found.is_relative) == (
        same.start,
        same.end,
        same.grain,
        same.is_relative,
    )


# The table


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_language_has_only_names_in_its_own_script(code):
    raw = read_table()[code]
    names = [name for lists in (raw["weekdays"], raw.get("months", [])) for names in lists for name in names]
    pattern = SCRIPTS.get(code, "[A-Za-z\u00c0-\u024f-]+")
    assert [name for name in names if not re.fullmatch(pattern, name)] == []
    assert [len(raw["weekdays"]), len(raw.get("months", [0] * 12))] == [7, 12]


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_form_of_a_language_may_stand_in_any_text(code):
    words = [*read_language(code).classes, *read_language(code).tree.words, "3", "31", "2023", "30", "."]
    for place in range(0, len(words), 3):
        for edge in (NOW, NOW.replace(year=1), NOW.replace(year=9999)):
            text = " ".join(words[place : place + 6])
            for found in intervals(text, edge):
                assert EARLIEST <= found.start < found.end <= LATEST


# Any text

PIECES = [word for code in LANGUAGES for word in (*read_language(code).classes, *read_language(code).tree.words)]
NUMBERS_AND_MARKS = ["0", "3", "31", "2023", "٣", "२", "３", ".", "/", "-", ":", ",", "'", "$", "%"]
TEXTS = st.one_of(
    st.text(max_size=120),
    st.lists(st.sampled_from([*PIECES, *NUMBERS_AND_MARKS]), max_size=16).map(" ".join),
    st.lists(st.sampled_from([*PIECES, *NUMBERS_AND_MARKS]), max_size=12).map("".join),
)


@given(TEXTS, st.datetimes(timezones=st.just(UTC)), st.sampled_from(["past", "future"]))
def test_any_text_in_any_script_gives_ordered_intervals_that_lie_in_it(text, reference, prefer):
    last = 0
    for one in intervals(text, reference, prefer=prefer):
        assert last <= one.span[0] < one.span[1] <= len(text)
        assert one.text == text[one.span[0] : one.span[1]]
        assert EARLIEST <= one.start < one.end <= LATEST
        last = one.span[1]


HOSTILE = [
    "上",
    "上上周",
    "3.",
    "3.3.",
    "il y a ",
    "de la ",
    "von bis ",
    "지난",
    "N U ",
    "年月日",
    "1年",
    "a\u0301",
    "क्",
    ".",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_of_a_long_text_only_the_beginning_is_read(piece):
    text = "gestern war ich da, " + piece * (200_000 // len(piece))
    assert intervals(text, NOW) == intervals(text[:LONGEST], NOW)


def test_english_text_is_not_searched_for_other_languages():
    assert find_foreign_sentences("What did we say about the boiler last Friday, on 3/5/2023?") == []


def test_recall_reads_the_time_of_a_question_in_another_language():
    question = read_question("Was haben wir letzte Woche beschlossen?", np.zeros(4, np.float16), NOW)
    assert [one.text for one in question.times] == ["letzte Woche"]


@pytest.mark.parametrize("text", ["Was ist im April passiert?", "Was hat Jutta im April gekauft?"])
def test_a_month_that_english_has_too_is_read_behind_a_german_preposition(text):
    (found,) = intervals(text, datetime(2026, 11, 17, tzinfo=UTC))
    assert (found.text, found.start.month) == ("im April", 4)


@pytest.mark.parametrize("text", ["im seeing april tonight", "im so done with april"])
def test_who_leaves_the_apostrophe_out_still_writes_english(text):
    assert "april" not in [one.text for one in intervals(text, datetime(2026, 11, 17, tzinfo=UTC))]
