"""Times on the command line: dates, times, and the words that the date reader knows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engramma import Memory, Turn
from engramma.apps.cli.common import given_end, given_time, time_in
from engramma.errors import BadInput
from engramma.language.times import HERE
from tests.commands import ran


def midnight(days: int = 0) -> datetime:
    """The beginning of the day so many days ago, in the zone of this machine."""
    day = datetime.now(HERE).date() - timedelta(days=days)
    return datetime(day.year, day.month, day.day, tzinfo=HERE)


def test_words_are_days_of_this_machine() -> None:
    assert given_time("--since", "yesterday") == midnight(1)
    assert given_end("--until", "Yesterday ") == midnight()
    assert given_time("--since", "today") == midnight()
    assert given_time("--since", "3 days ago") == midnight(3)
    weekday = midnight().weekday()
    assert given_time("--since", "last week") == midnight(weekday + 7)
    assert given_end("--until", "last week") == midnight(weekday)
    assert given_time("--since", "monday") == midnight(weekday or 7)


def test_months_begin_and_end() -> None:
    assert time_in("--since", "May 2026", UTC) == datetime(2026, 5, 1, tzinfo=UTC)
    assert given_end("--until", "May 2026") == datetime(2026, 6, 1, tzinfo=HERE)
    assert given_time("--since", "2026-05-01") == datetime(2026, 5, 1, tzinfo=HERE)
    assert given_end("--until", "5 May 2026 14:00") == datetime(2026, 5, 5, 14, tzinfo=HERE)


@pytest.mark.parametrize(
    "words", ["soon", "", "yesterday and monday", "before May", "since monday", "05/01/2026", "01.05.2026"]
)
def test_what_is_no_time_is_refused_with_examples(words: str) -> None:
    for read in (given_time, given_end):
        with pytest.raises(BadInput, match=r"--since: .* is no time\. Give a date such as 2026-05-01"):
            read("--since", words)


def test_words_of_other_languages_are_taken_and_the_refusal_says_so() -> None:
    weeks = given_time("--since", "übernächste woche"), given_time("--since", "letzte Woche")
    assert None not in weeks and given_time("--since", "ayer") is not None
    assert weeks[0] - weeks[1] in (timedelta(weeks=3), timedelta(weeks=3, hours=1), timedelta(weeks=3, hours=-1))
    assert given_time("--since", "la semana pasada") == given_time("--since", "last week")
    assert given_end("--until", "le mois dernier") == given_end("--until", "last month")
    with pytest.raises(BadInput, match=r"Fourteen other languages are read, too: letzte Woche, ayer\."):
        given_time("--since", "irgendwann")


def test_commands_take_words_for_times(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store") as memory:
        for days, text in ((0, "The heron is back."), (30, "The heron is gone.")):
            said = midnight(days) + timedelta(minutes=1)
            memory.remember_session("lake", f"s{days}", [Turn("Ann", text, said)])

    def call(*arguments: str) -> str:
        result = ran("--store", tmp_path / "store", *arguments)
        assert result.returncode == 0, result
        return result.stdout

    for command in (("forget",), ("purge",), ("recall", "heron")):
        shown = call(*command, "--since", "yesterday")
        assert "back" in shown and "gone" not in shown
        shown = call(*command, "--until", "yesterday")
        assert "gone" in shown and "back" not in shown
