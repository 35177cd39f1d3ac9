"""One fact a line: bullets and dates are no part of a fact, and the file may be edited anywhere."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from engramma import sources
from engramma.errors import UnreadableSource
from engramma.memory import Memory
from engramma.records import Conversation
from engramma.transfer.imports import Reading, import_file

from ..fakes import HashEmbedder
from .samples import read_all, turns_of

START = datetime(2026, 3, 1, tzinfo=UTC)


def facts(path: Path, text: str, **options: object) -> Conversation:
    path.write_text(text)
    (found,) = read_all(path, format="facts", **{"fallback_time": START, **options})[0]
    return found


@pytest.mark.parametrize(
    ("line", "fact", "said_at"),
    [
        ("Prefers tea", "Prefers tea", START),
        ("- Prefers tea", "Prefers tea", START),
        ("  * [x] Prefers tea", "Prefers tea", START),
        ("• Prefers tea", "Prefers tea", START),
        ("12. Prefers tea", "Prefers tea", START),
        ("[2026-02-10] Prefers tea", "Prefers tea", datetime(2026, 2, 10, tzinfo=UTC)),
        ("- [2026-02-10 09:30] Prefers tea", "Prefers tea", datetime(2026, 2, 10, 9, 30, tzinfo=UTC)),
        ("(2026-02-10): Prefers tea", "Prefers tea", datetime(2026, 2, 10, tzinfo=UTC)),
        ("2026-02-10 - Prefers tea", "Prefers tea", datetime(2026, 2, 10, tzinfo=UTC)),
        ("2026-02-10 9:30: Prefers tea", "Prefers tea", datetime(2026, 2, 10, 9, 30, tzinfo=UTC)),
        ("2026-02-10T09:30:00Z Prefers tea", "Prefers tea", datetime(2026, 2, 10, 9, 30, tzinfo=UTC)),
        ("2026-02-10T09:30:00+02:00 Prefers tea", "Prefers tea", datetime(2026, 2, 10, 7, 30, tzinfo=UTC)),
        ("2026-02-10", "2026-02-10", START),
        ("[2026-02-30] Prefers tea", "[2026-02-30] Prefers tea", START),
        ("Born 1990-01-01 in Lyon", "Born 1990-01-01 in Lyon", START),
        ("Phone: 2026-02", "Phone: 2026-02", START),
        ("C# is her language", "C# is her language", START),
        ("*Loves* rain", "*Loves* rain", START),
    ],
)
def test_a_line(tmp_path: Path, line: str, fact: str, said_at: datetime) -> None:
    (turn,) = turns_of(facts(tmp_path / "facts.txt", line + "\r\n"))
    assert (turn.text, turn.said_at) == (fact, said_at)


def test_a_date_without_a_zone_is_read_in_the_zone_of_the_import(tmp_path: Path) -> None:
    zone = timezone(timedelta(hours=2))
    (turn,) = turns_of(facts(tmp_path / "facts.txt", "[2026-02-10 09:30] Prefers tea", zone=zone))
    assert turn.said_at == datetime(2026, 2, 10, 7, 30, tzinfo=UTC)


def test_headings_date_what_follows_and_tags_belong_to_the_fact_before(tmp_path: Path) -> None:
    text = "# Log\n\n## 14:05\n\nMoved to Lyon\n\n#travel #home\n\n## 2026-02-11\nHas a cat\n#pets\n"
    found = facts(tmp_path / "2026-02-10.md", text)
    assert [(session.id, [turn.text for turn in session.turns]) for session in found.sessions] == [
        ("facts-2026-02-10-2026-02-10", ["Moved to Lyon"]),
        ("facts-2026-02-10-2026-02-11", ["Has a cat"]),
    ]
    first, second = turns_of(found)
    assert first.said_at == datetime(2026, 2, 10, 14, 5, tzinfo=UTC)
    assert second.said_at == datetime(2026, 2, 11, tzinfo=UTC)
    assert (first.meta["tags"], second.meta["tags"]) == ("travel home", "pets")


def test_unreadable_lines_are_reported_and_the_rest_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "facts.txt"
    path.write_bytes(b"\xef\xbb\xbfPrefers tea\nbad \xff byte\nnul \x00 byte\n- \nSings\n[2026-02-10]\n")
    found, problems = read_all(path, format="facts", fallback_time=START)
    assert [turn.text for turn in turns_of(found[0])] == ["Prefers tea", "Sings"]
    assert [problem.where for problem in problems] == ["line 2", "line 3", "line 4", "line 6", "dates"]


def test_a_file_that_was_edited_adds_only_what_is_new(tmp_path: Path) -> None:
    path = tmp_path / "facts.txt"
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:

        def take(text: str, day: int) -> tuple[int, int, int]:
            path.write_text(text)
            reading = Reading(format="facts", fallback_time=START + timedelta(days=day))
            report = import_file(memory._core, path, reading)
            return report.conversations, report.turns, report.known_turns

        assert take("Prefers tea\n[2026-02-10] Moved to Lyon\n", 0) == (1, 2, 0)
        assert take("Prefers tea\n[2026-02-10] Moved to Lyon\n", 1) == (0, 0, 2)
        assert take("- Has a cat\n- Prefers tea\n- Sings\n- [2026-02-10] Moved to Lyon\nSings\n", 2) == (0, 2, 2)


def test_it_is_never_sniffed(tmp_path: Path) -> None:
    path = tmp_path / "facts.txt"
    path.write_text("Prefers tea\nMoved to Lyon\n")
    with pytest.raises(UnreadableSource):
        sources.sniff(path)
    assert "facts" in sources.READERS


@pytest.mark.parametrize("text", ["", "\n\n", "# Only\n## headings\n", "- \n"])
def test_a_file_without_a_fact_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "facts.txt"
    path.write_text(text)
    with pytest.raises(UnreadableSource):
        read_all(path, format="facts")
