"""Days that people speak of are days of their clock: "yesterday", said late in the evening or early in the morning."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from engramma import Memory, Turn

ZONES = {"Asia/Kolkata": "02:30", "America/Los_Angeles": "21:30"}  # and an hour that is of another day in UTC


@pytest.fixture(params=ZONES)
def memory(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Memory]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    zone, hour = ZoneInfo(request.param), ZONES[request.param]
    said = [
        (3, "I bought the red kayak yesterday"),
        (8, "I adopted a grey cat today"),
        (15, "The plumber repaired our boiler"),
    ]
    with Memory.open(tmp_path / "store") as memory:
        for day, text in said:
            at = datetime.fromisoformat(f"2024-05-{day:02}T{hour}").replace(tzinfo=zone)
            memory.remember_session("chat", f"s{day}", [Turn("Ann", text, at)])
        yield memory
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("question", "day"),
    [("When did Ann buy the red kayak?", "2 May 2024"), ("When did Ann adopt a grey cat?", "8 May 2024")],
)
def test_a_day_beside_that_of_the_message(memory: Memory, question: str, day: str) -> None:
    assert memory.ask(question).text == day


def test_the_claim_holds_from_that_day(memory: Memory) -> None:
    (bought,) = [one for one in memory.claims.all() if one.relation == "bought"]
    assert bought.valid_from is not None and f"{bought.valid_from:%Y-%m-%d}" == "2024-05-02"


def test_what_was_said_on_a_day(memory: Memory) -> None:
    found = memory.recall("What happened on 15 May 2024?")
    assert [one.text for one in found.entries] == ["The plumber repaired our boiler"]
