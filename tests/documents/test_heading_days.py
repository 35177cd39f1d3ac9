"""Diaries: the day of a heading dates what stands under it."""

from __future__ import annotations

import os
import time
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from engramma import Memory
from engramma.documents.documents import chunk_turns
from engramma.documents.heading_days import heading_notes, name_day, written_on
from engramma.records import Block, Document
from engramma.sources.documents import read_document
from engramma.store.masks import unmasked

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
        (("Tagebuch", "4. Oktober 2024"), date(2024, 10, 4)),
        (("Samstag, 5. Oktober 2024",), date(2024, 10, 5)),
        (("4 Mayıs 2024 Cumartesi",), date(2024, 5, 4)),
        (("2024年10月4日 星期五",), date(2024, 10, 4)),
        (("2024년 10월 4일 (금요일)",), date(2024, 10, 4)),
        (("2024. 10. 4.",), date(2024, 10, 4)),
        (("03.04.2025",), date(2025, 4, 3)),  # points put the day first
        (("1.5.2026",), date(2026, 5, 1)),
        (("Sa, 03.05.25",), date(2025, 5, 3)),
        (("24.12.2025",), date(2025, 12, 24)),
        (("30.02.2025",), None),
        (("1. bis 3. Mai 2026",), None),
        (("1.-3.5.2026",), None),
        (("1.2.25",), None),  # or a version
        (("Friday 2026",), None),
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


def _diary(*headings: str, text: str = "We went for a long walk along the river today.") -> Document:
    return Document(
        "diary.md", "markdown", tuple(Block(f"{text} {n}", ("Diary", one)) for n, one in enumerate(headings))
    )


def _days(document: Document) -> list[date]:
    turns = chunk_turns(document, CHANGED, unmasked)
    return [turn.said_at.astimezone().date() for turn in turns if turn.said_at]


@pytest.mark.parametrize(
    ("headings", "days", "note"),
    [
        # One day over 12 tells the order of the others.
        (("03/04/2025", "24/12/2025"), [date(2025, 4, 3), date(2025, 12, 24)], None),
        (("03/04/2025", "12/24/2025"), [date(2025, 3, 4), date(2025, 12, 24)], None),
        # A diary goes on in time, or back.
        (("01/02/2025", "05/02/2025", "01/03/2025"), [date(2025, 2, 1), date(2025, 2, 5), date(2025, 3, 1)], None),
        (("01/03/2025", "05/02/2025", "01/02/2025"), [date(2025, 3, 1), date(2025, 2, 5), date(2025, 2, 1)], None),
        (("03/04/2025",), [date(2025, 3, 4)], "month first"),
        (("05/05/2025",), [date(2025, 5, 5)], None),
    ],
)
def test_slashes_are_read_as_the_file_tells(headings: tuple[str, ...], days: list[date], note: str | None) -> None:
    document = _diary(*headings)
    assert _days(document) == days
    assert [note in one for one in heading_notes(document, CHANGED) if note] == ([True] if note else [])


def test_where_nothing_else_tells_it_the_language_does() -> None:
    document = _diary("03/04/2025", text="Hoy fuimos con los niños a la playa y comimos en la casa de mi madre.")
    assert _days(document) == [date(2025, 4, 3)]
    assert ["day first" in one for one in heading_notes(document, CHANGED)] == [True]


def test_headings_that_are_no_days_beside_days_are_told() -> None:
    assert heading_notes(_diary("3. Oktober 2025", "Ideas", "5. Juli 2026"), CHANGED) == []
    assert heading_notes(_diary("Part 1", "Part 2"), CHANGED) == []
    (note,) = heading_notes(_diary("3. Oktober 2025", "4. Okt", "5. Juli 2026", "6.7.26"), CHANGED)
    assert note.startswith(
        '2 could not be read as a day with a year, as others of this file could ("4. Okt", "6.7.26")'
    )


def test_ingest_says_what_it_could_not_read(tmp_path: Path) -> None:
    file = tmp_path / "diary.md"
    parts = ("## 03/04/2025\n\nWe sowed the beans in the garden.", "## 5 May\n\nWe sowed the peas in the garden.")
    file.write_text("\n\n".join(parts), encoding="utf-8")
    with Memory.open(tmp_path / "store") as memory:
        told = [(one.where, one.reason.split(";")[0]) for one in memory.documents.ingest(file).problems]
    assert told == [
        ("headings", 'nothing tells day from month in "03/04/2025" and the like'),
        ("headings", '1 could not be read as a day with a year, as others of this file could ("5 May")'),
    ]


def test_a_day_is_noon_of_that_day_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        found = [written_on((one,), CHANGED) for one in ("3 July 2026", "3 January 2026", "3 July 2026, 14:30")]
        assert [one.astimezone(UTC).strftime("%m-%d %H:%M") for one in found] == [
            "07-03 10:00",
            "01-03 11:00",
            "07-03 12:30",
        ]
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_diary_whose_days_were_read_wrongly_before_gets_them_when_it_is_ingested_again(tmp_path: Path) -> None:
    file = tmp_path / "diary.md"
    file.write_text("# Tagebuch\n\n## 4. Oktober 2024\n\nMia hat drei Kastanien für Oma gefunden.\n", encoding="utf-8")
    os.utime(file, (CHANGED.timestamp(), CHANGED.timestamp()))
    with Memory.open(tmp_path / "store") as memory:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("engramma.documents.documents.written_on", lambda headings, changed, order, named: changed)
            memory.documents.ingest(file)
        again = memory.documents.ingest(file)
        assert (again.added, again.removed, again.unchanged) == (1, 1, 0)
        assert memory.recall("Kastanien").candidates[0].said_at.astimezone().date() == date(2024, 10, 4)
        assert memory.documents.ingest(file).unchanged == 1


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("2026-06-28.md", date(2026, 6, 28)),
        ("2026_06_28.md", date(2026, 6, 28)),  # Logseq
        ("2026-06-28 Boiler.md", date(2026, 6, 28)),
        ("2026-06-28 3 things.md", date(2026, 6, 28)),
        ("2026-06-28-boiler.md", date(2026, 6, 28)),
        ("2026-06-28, Boiler v1.2.md", date(2026, 6, 28)),
        ("2026-06-28-30.md", None),
        ("2026-06-28 to 2026-06-30.md", None),
        ("2026-06-281.md", None),
        ("2026-06_28.md", None),
        ("2026-02-30.md", None),
        ("2026-06.md", None),
        ("2027-05-01 Plans.md", None),  # after the file was changed
        ("Boiler 2026-06-28.md", None),
        ("diary.md", None),
    ],
)
def test_the_day_of_a_files_name(name: str, day: date | None) -> None:
    found = name_day(Document(name, "markdown", ()), CHANGED)
    assert (found and found.astimezone().date()) == day


def test_a_daily_note_has_the_day_of_its_name_where_no_heading_states_one(tmp_path: Path) -> None:
    texts = ["Ferens Heating came for the boiler this morning.", "# Notes\n\n## 3 May 2026\n\nThe boiler leaked again."]
    file = tmp_path / "2026-06-28.md"
    with Memory.open(tmp_path / "store") as memory:
        for text, day in zip(texts, (date(2026, 6, 28), date(2026, 5, 3)), strict=True):
            file.write_text(f"{text}\n", encoding="utf-8")
            os.utime(file, (CHANGED.timestamp(), CHANGED.timestamp()))
            memory.documents.ingest(file)
            (found,) = memory.recall("boiler").candidates
            assert found.said_at.astimezone().date() == day


@pytest.mark.parametrize(
    ("name", "front", "day"),
    [
        ("hives.md", "title: Hives\ndate: 2026-03-09", date(2026, 3, 9)),
        ("hives.md", 'Created: "2026-03-09T10:11"', date(2026, 3, 9)),
        ("hives.md", "updated: 2026-03-09", None),
        ("2026-04-02.md", "date: 2026-03-09", date(2026, 4, 2)),
        ("2026-04-02-03.md", "date: 2026-03-09", date(2026, 3, 9)),
    ],
)
def test_the_day_of_a_front_matter(tmp_path: Path, name: str, front: str, day: date | None) -> None:
    file = tmp_path / name
    file.write_text(f"---\n{front}\n---\n# Hives\n\nThe third hive swarmed at noon.\n", encoding="utf-8")
    found = name_day(read_document(file), CHANGED)
    assert (found and found.astimezone().date()) == day


def test_a_daily_note_of_an_earlier_version_gets_its_day(tmp_path: Path) -> None:
    file = tmp_path / "2026-06-28.md"
    file.write_text("Ferens Heating came for the boiler this morning.\n", encoding="utf-8")
    os.utime(file, (CHANGED.timestamp(), CHANGED.timestamp()))
    with Memory.open(tmp_path / "store") as memory:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("engramma.documents.documents.name_day", lambda document, changed: None)
            memory.documents.ingest(file)
        assert memory.documents.ingest(file).added == 1
        (found,) = memory.recall("boiler").candidates
        assert found.said_at.astimezone().date() == date(2026, 6, 28)
        assert memory.documents.ingest(file).unchanged == 1
