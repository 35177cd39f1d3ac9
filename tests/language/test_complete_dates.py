"""A day with its month and year is read in every language, also where no other word tells which one it is."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from importlib import resources

import pytest

from engramma.language.dates import intervals
from engramma.language.dates.complete_dates import read_complete_dates

NOW = datetime(2026, 11, 18, 8, 22, tzinfo=UTC)
TABLE = json.loads(resources.files("engramma.language.dates").joinpath("languages.json").read_text(encoding="utf-8"))


def _written(code: str) -> Iterator[tuple[date, str]]:
    """The 4th and 13th of every month in 2024, under every name of the month, with and without the weekday."""
    raw = TABLE[code]
    for month in range(1, 13):
        names = [*raw["months"][month - 1], *raw["short_months"][month - 1]]
        for day in (date(2024, month, 4), date(2024, month, 13)):
            weekday = raw["weekdays"][day.weekday()][0]
            for name in names:
                for written in (
                    *(f"{day.day} {name} 2024", f"{day.day}. {name} 2024", f"{day.day} de {name} de 2024"),
                    *(f"{name} {day.day}, 2024", f"{name} {day.day} 2024", f"2024 {name} {day.day}"),
                ):
                    yield from ((day, written), (day, f"{weekday}, {written}"), (day, f"{weekday} {written}"))


@pytest.mark.parametrize("code", [code for code, raw in TABLE.items() if "months" in raw])
def test_every_month_of_every_language_makes_a_date(code: str) -> None:
    missed = []
    for day, written in _written(code):
        found = [one for one in intervals(written, NOW) if not one.is_relative]
        if [(one.start.date(), one.end - one.start) for one in found] != [(day, timedelta(days=1))]:
            missed.append(written)
    assert not missed


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("4. Oktober 2024", "4. Oktober 2024"),
        ("Notes of 4. Okt. 2024 by Jens", "4. Okt. 2024"),
        ("le 1er mai 2024", "1er mai 2024"),
        ("seit 4. Oktober 2024", "seit 4. Oktober 2024"),
        ("Donnerstag 4 Januar 2024", "Donnerstag 4 Januar 2024"),
        ("13 out 2024", "13 out 2024"),
        ("we sorted 13 out 2024 of them", None),
        ("30. Februar 2024", None),
        ("1.4 mai 2024", None),
        ("4 Mein 2024", None),
    ],
)
def test_what_is_a_date_and_what_is_none(text: str, found: str | None) -> None:
    days = [one for one in intervals(text, NOW) if one.grain in ("day", "range")]
    assert [one.text for one in days] == ([found] if found else [])


def test_long_rows_are_read_at_once() -> None:
    rows = (
        "4" + " " * 3_990 + "2024",
        "4 " * 1_990 + "2024",
        "a" * 3_990 + " 2024",
        "4. de " * 660 + "2024",
        "2024 " * 800,
    )
    began = time.perf_counter()
    for row in rows:
        read_complete_dates(row)
    assert time.perf_counter() - began < 1
