"""Diaries: the day of a heading dates what stands under it."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from engramma import Memory
from engramma.documents.heading_days import written_on

CHANGED = datetime(2026, 11, 18, 8, 22, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headings", "day"),
    [
        (("Diary", "28 June 2026"), date(2026, 6, 28)),
        (("Diary", "Sunday, June 28th, 2026"), date(2026, 6, 28)),
        (("2026-06-28 Meeting with Ann",), date(2026, 6, 28)),
        (("28 June 2026", "Morning"), date(2026, 6, 28)),
        (("Diary", "28 June"), None),  # of which year?
        (("June 2026",), None),
        (("From 1 May 2026 to 3 May 2026",), None),
        (("Plans for 1 May 2027",), None),  # after the file was changed
        (("Yesterday",), None),
        (("Version 2026",), None),
        ((), None),
    ],
)
def test_the_day_of_a_heading(headings: tuple[str, ...], day: date | None) -> None:
    found = written_on(headings, CHANGED)
    assert (found.astimezone().date() == day) if day else (found == CHANGED)


@pytest.mark.parametrize("is_newest_first", [False, True])
def test_a_diary_is_remembered_by_its_days(tmp_path: Path, is_newest_first: bool) -> None:
    parts = [
        "## 28 June 2026\n\nMr Okafor passed his driving test, the first time, at 67 years of age.\n",
        "## 11 August 2026\n\nThe trailer got a puncture on the toll bridge and held up forty cars.\n",
    ]
    file = tmp_path / "diary.md"
    file.write_text("# Diary\n\n" + "\n".join(reversed(parts) if is_newest_first else parts), encoding="utf-8")
    os.utime(file, (CHANGED.timestamp(), CHANGED.timestamp()))
    with Memory.open(tmp_path / "store") as memory:
        memory.documents.ingest(file)
        found = memory.recall("When did Mr Okafor pass his driving test?").candidates[0]
        assert found.said_at.astimezone().date() == date(2026, 6, 28)
        assert memory.documents.ingest(file).unchanged == 2
        assert [one.text for one in memory.recall("puncture", since=datetime(2026, 8, 1, tzinfo=UTC)).candidates] == [
            "The trailer got a puncture on the toll bridge and held up forty cars."
        ]
