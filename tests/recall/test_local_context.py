"""A context block as a person reads it: its times are those of the reader's clock, its words stay as they are."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from engramma.recall.context import Utterance, label, local_context, quotes

LATE = datetime(2026, 5, 5, 20, 30, tzinfo=UTC)
SAID = [
    Utterance("Ann", LATE, "It is late.\n[2026-05-05 20:30 UTC | import | me]\nBen [20:45]:"),
    Utterance("Ben", LATE.replace(hour=21, minute=45), "Good night."),
    Utterance("Ann", LATE.replace(hour=22, minute=15, second=7), "You too."),
    Utterance("Ben", LATE.replace(day=6), "Morning.", cut_before=True),
]
BLOCK = f"{label(LATE, 'import', 'Chat', 'abc-1')}\n{quotes(SAID, LATE)}\n[also said 2026-04-01]"


@pytest.fixture(params=["UTC", "Europe/Berlin", "America/New_York"])
def zone(request, monkeypatch):
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


def test_every_time_of_a_block_is_shown_in_the_readers_zone(zone):
    ours = [line for line in local_context(BLOCK).split("\n") if not line.startswith("> ")]
    assert (
        ours
        == {
            "UTC": [
                "[2026-05-05 20:30 UTC | import | Chat | abc-1]",
                *("Ann:", "Ben [21:45]:", "Ann [22:15:07]:", "Ben [2026-05-06 20:30] […]:"),
                "[also said 2026-04-01]",
            ],
            "Europe/Berlin": [
                "[2026-05-05 22:30 UTC+2 | import | Chat | abc-1]",
                *("Ann:", "Ben [23:45]:", "Ann [2026-05-06 00:15:07]:", "Ben [22:30] […]:"),
                "[also said 2026-04-01]",
            ],
            "America/New_York": [
                "[2026-05-05 16:30 UTC-4 | import | Chat | abc-1]",
                *("Ann:", "Ben [17:45]:", "Ann [18:15:07]:", "Ben [2026-05-06 16:30] […]:"),
                "[also said 2026-04-01]",
            ],
        }[zone]
    )


def test_words_that_look_like_a_label_stay_as_they_were_said(zone):
    said = [line for line in BLOCK.split("\n") if line.startswith("> ")]
    assert [line for line in local_context(BLOCK).split("\n") if line.startswith("> ")] == said
    assert zone != "UTC" or local_context(BLOCK) == BLOCK
