"""What is said while capture is paused is in no memory later, though transcripts tell of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from engramma import Conversation, Memory, Session, Turn
from engramma.apps.daemon.folder import place_in
from engramma.apps.daemon.pauses import LAST, capture_of, pause, pauses, resume
from engramma.transfer.imports import Reading, select_turns


def test_pauses_are_remembered_with_their_ends(tmp_path: Path) -> None:
    place = place_in(tmp_path)
    assert pauses(place) == () and capture_of(place, True)["state"] == "on"
    before = datetime.now(UTC)
    pause(place, None)
    ((begun, ended),) = pauses(place)
    assert before <= begun <= datetime.now(UTC) and ended == LAST
    assert capture_of(place, True)["state"] == "paused"
    resume(place)
    ((begun, ended),) = pauses(place)
    assert begun <= ended <= datetime.now(UTC)
    pause(place, 10)
    assert pauses(place)[0] == (begun, ended)
    assert timedelta(minutes=9) < pauses(place)[1][1] - datetime.now(UTC) <= timedelta(minutes=10)
    resume(place)
    resume(place)
    assert len(pauses(place)) == 2 and all(until <= datetime.now(UTC) for _, until in pauses(place))


def test_what_was_said_meanwhile_is_left_out(memory: Memory) -> None:
    start = datetime(2026, 1, 1, 12, tzinfo=UTC)
    turns = tuple(Turn("Ana", f"word {n}", start + timedelta(minutes=n), f"t{n}") for n in range(5))
    talk = Conversation("c", (Session("s", turns),))
    how = Reading(except_for=((start + timedelta(minutes=1), start + timedelta(minutes=3)),))
    kept, older = select_turns(talk, how)
    assert [turn.id for session in kept.sessions for turn in session.turns] == ["t0", "t4"] and older == 0
