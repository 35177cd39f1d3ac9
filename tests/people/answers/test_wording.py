"""The words around an answer: titles stay within their quotation marks."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engramma.people import where_told
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
