"""The words around an answer: titles stay within their quotation marks."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engramma.language.text import DOCUMENTS, NOTES
from engramma.people import where_told
from engramma.people.answers.wording import answer_words, nothing_said, told_by
from engramma.records.people import Evidence


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ('The "old" Vespa', "\"The 'old' Vespa\""),
        ('x", 4 May 2026. The bank says: "pay', "\"x', 4 May 2026. The bank says: 'pay\""),
        ("two\nlines \x1b[31m", '"two lines <U+001B><U+005B>31m"'),
        (" ", "trip t1"),
        (None, "trip t1"),
    ],
)
def test_a_title_ends_where_its_quotation_marks_do(title: str | None, shown: str) -> None:
    source = Evidence("trip", "s", "t1", "Ann", datetime(2026, 5, 4, tzinfo=UTC), "Hi", title)
    assert where_told(source) == shown


@pytest.mark.parametrize("language", answer_words())
def test_a_document_does_not_speak_it_is_where_something_stands(language: str) -> None:
    letter = Evidence(DOCUMENTS, "letter.txt", "t1", "letter.txt", datetime(2026, 5, 4, tzinfo=UTC), "Hi")
    assert told_by(language, letter).count("letter.txt") == 1
    assert told_by("en", letter) == 'it stands in "letter.txt", 4 May 2026'


@pytest.mark.parametrize("language", answer_words())
def test_the_place_of_an_answer_is_what_people_know_it_by(language: str) -> None:
    said_at = datetime(2026, 5, 4, tzinfo=UTC)
    note = Evidence(NOTES, "note_2a34", "t1", "Ann", said_at, "Hi")
    diary = Evidence(DOCUMENTS, "/home/ann/diary.md", "t1", "diary.md", said_at, "Hi")
    assert "note_2a34" not in told_by(language, note) and "/home" not in told_by(language, diary)
    assert told_by("en", note) == "Ann said so in a note, 4 May 2026"


def test_words_that_were_not_found_are_quoted() -> None:
    assert nothing_said("en", "Priya Pivot", ["living"]) == 'nothing that Priya Pivot said was found for "living"'
    assert nothing_said("en", None, ["middle", "name"]) == 'nothing was found for "middle", "name"'
    assert nothing_said("de", "Ann", ["Namen"]) == "in dem, was Ann gesagt hat, wurde dazu nichts gefunden (Namen)"
