"""What is said while capture is paused is in no memory later, though transcripts tell of it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from engramma import Conversation, Memory, Session, Turn
from engramma.apps.daemon.folder import is_paused, place_in
from engramma.apps.daemon.pauses import LAST, capture_of, pause, pauses, resume
from engramma.transfer.imports import Reading, select_turns
from tests.commands import ran
from tests.sources.agents import claude_row
from tests.sources.samples import json_lines

PAUSED_AT = datetime(2026, 9, 28, 9, 1, tzinfo=UTC)
TALK = [("u1", 1, "Why does the kite fall?"), ("u2", 90, "My knee hurts."), ("u3", 200, "It flies again.")]


def paused_transcript(folder: Path) -> tuple[Path, Path]:
    """A store whose capture was paused for a minute, and a transcript that goes on before, during and after it."""
    transcript = folder / "projects" / "-work-kites" / "kite.jsonl"
    transcript.parent.mkdir(parents=True)
    rows = [claude_row("user", id, second, words) for id, second, words in TALK]
    transcript.write_text(json_lines(rows), encoding="utf-8")
    place = place_in(folder / "store")
    place.make()
    times = [PAUSED_AT.isoformat(), (PAUSED_AT + timedelta(minutes=1)).isoformat()]
    place.pauses.write_text(json.dumps({"pauses": [times]}), encoding="utf-8")
    return folder / "store", transcript


def said_in(store: Path) -> list[str]:
    with Memory.open(store) as memory:
        return [turn.text for talk in memory.conversations() for one in talk.sessions for turn in one.turns]


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
    kept, older, paused = select_turns(talk, how)
    assert [turn.id for session in kept.sessions for turn in session.turns] == ["t0", "t4"] and (older, paused) == (
        0,
        3,
    )


def test_a_watch_stores_nothing_of_a_pause_and_says_so(tmp_path: Path) -> None:
    store, transcript = paused_transcript(tmp_path)
    done = ran("--store", store, "watch", "--once", transcript.parent.parent)
    assert "1 conversation" in done.stdout and "while capture was paused; left out" in done.stderr
    assert said_in(store) == [TALK[0][2], TALK[2][2]]
    pause(place_in(store), None)
    now = claude_row("user", "u4", 0, "Nobody is to know.", timestamp=datetime.now(UTC).isoformat())
    transcript.write_text(transcript.read_text() + json_lines([now]), encoding="utf-8")
    ran("--store", store, "watch", "--once", transcript.parent.parent)
    resume(place_in(store))
    ran("--store", store, "watch", "--once", transcript.parent.parent)
    assert said_in(store) == [TALK[0][2], TALK[2][2]]


def test_an_import_of_a_transcript_leaves_it_out_unless_it_is_asked_for(tmp_path: Path) -> None:
    store, transcript = paused_transcript(tmp_path)
    looked = ran("--store", store, "import", "--dry-run", transcript)
    assert "would add 2 turns" in looked.stdout and "--paused" in looked.stderr
    assert "--paused" in ran("--store", store, "import", transcript).stderr
    assert said_in(store) == [TALK[0][2], TALK[2][2]]
    assert ran("--store", store, "import", "--paused", transcript).returncode == 0
    assert sorted(said_in(store)) == sorted(words for _, _, words in TALK)


def test_a_chat_that_is_imported_by_hand_is_imported_whole(tmp_path: Path) -> None:
    store, _ = paused_transcript(tmp_path)
    chat = tmp_path / "chat.txt"
    chat.write_text("2026-09-28 09:01\nAna: My knee hurts.\nBen: Since when?\n", encoding="utf-8")
    done = ran("--store", store, "import", chat, "--timezone", "UTC", "--date", "2026-09-28T09:01:30")
    assert "2 turns" in done.stdout and "paused" not in done.stderr


def test_what_is_stored_by_hand_meanwhile_is_stored_and_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "diary.md").write_text("# Today\n\nIt rained.\n", encoding="utf-8")
    pause(place_in(tmp_path / "store"), None)
    for command in (["remember", "The key is with Ben."], ["ingest", tmp_path / "diary.md"]):
        done = ran("--store", tmp_path / "store", *command)
        assert done.returncode == 0 and "paused; what you store yourself is stored" in done.stderr
    assert len(said_in(tmp_path / "store")) == 2


def test_in_doubt_it_is_paused(tmp_path: Path) -> None:
    place = place_in(tmp_path)
    place.make()
    for content in (b"", b"\xff", b"soon", b"2999-01-01", b"2020-01-01T00:00:00"):
        place.paused.write_bytes(content)
        assert is_paused(place) and capture_of(place, True)["state"] == "paused"
    place.paused.write_text("2020-01-01T00:00:00Z")
    assert not is_paused(place)
