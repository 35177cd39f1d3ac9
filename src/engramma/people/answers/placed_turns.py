"""The turns of the segments that recall found, with what was said around them."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ...language.graphemes import cut_place
from ...language.text import MAIL, parse_segment_id
from ...language.times import from_micros
from ...records import Candidate
from ...store.database import Row
from ...store.store import Store
from .latest import corrects
from .sentences import LOOKED_AT
from .turns import FollowingTurn, RecalledTurn

AROUND = 2  # turns before and after one that it is understood with
AFTER = 3  # and after it that may take it back
SAID_BEFORE = 160  # characters of the turn before that the reader sees


def place_turns(store: Store, entries: Sequence[Candidate], mean: float, spread: float) -> tuple[RecalledTurn, ...]:
    """The turns of the segments found, each with its share of the ranking and what was said around it."""
    places = [parse_segment_id(entry.segment_id) for entry in entries]
    seen: dict[int, list[Row]] = {number: [] for number in range(len(entries))}
    for row in store.all("ask_around", places=json.dumps(places), around=AROUND, after=AFTER):
        seen[row["place"]].append(row)
    windows = {number: _near(rows) for number, rows in seen.items()}
    threads = _threads(store, entries)
    total = sum(entry.score for entry in entries) or 1.0
    found: list[RecalledTurn] = []
    listed = {(entries[number].session_id, row["id"]) for number in windows for row in windows[number] if row["is_own"]}
    for number, entry in enumerate(entries):
        own = [row for row in windows[number] if row["is_own"]]
        beside = [row for row in corrections(own, windows[number]) if (entry.session_id, row["id"]) not in listed]
        mails = [row for row in threads.get(entry.conversation_id, ()) if row["session_id"] != entry.session_id]
        beside += [row for row in corrections(own, mails) if (row["session_id"], row["id"]) not in listed]
        stood = entry.channels.get("semantic")
        near = 0.0 if stood is None else max(0.0, (stood.score - mean) / (spread or 1.0))
        around = "\n".join(row["text"][:LOOKED_AT] for row in windows[number])
        found += [
            RecalledTurn(
                entry.conversation_id,
                row["session_id"],
                row["id"],
                row["speaker"],
                from_micros(row["said_at"]),
                row["text"],
                entry.score / total / len(own) if row["is_own"] else 0.0,
                near,
                spoken_to(row, windows[number]),
                around,
                said_before(row, windows[number]),
                entry.score,
                entry.title,
                after=followed_by(row, seen[number]),
            )
            for row in (*own, *beside)
        ]
    return tuple(found)


def _threads(store: Store, entries: Sequence[Candidate]) -> dict[str, list[Row]]:
    """All the mails of the threads found: what one corrects may stand in a mail of days before."""
    found = dict[str, list[Row]]()
    mails = list(dict.fromkeys(one.conversation_id for one in entries if one.conversation_id.startswith(MAIL)))
    for row in store.all("ask_threads", threads=json.dumps(mails)) if mails else ():
        found.setdefault(row["conversation"], []).append(row)
    return found


def _near(rows: list[Row]) -> list[Row]:
    """A segment's turns and those that it is understood with."""
    last = max((row["position"] for row in rows if row["is_own"]), default=0)
    return [row for row in rows if row["position"] <= last + AROUND]


def followed_by(row: Row, rows: list[Row]) -> tuple[FollowingTurn, ...]:
    """The turns after one."""
    return tuple(
        FollowingTurn(later["id"], later["speaker"], from_micros(later["said_at"]), later["text"])
        for later in rows
        if row["position"] < later["position"] <= row["position"] + AFTER
    )


def corrections(own: list[Row], window: list[Row]) -> list[Row]:
    """The turns soon after in which the same person says that a number was wrong: "Sorry, the 4th, not the 3rd"."""
    return [
        other
        for other in window
        if any(
            row["speaker"] == other["speaker"]
            and (row["said_at"], row["position"]) < (other["said_at"], other["position"])
            and corrects(other["text"][:LOOKED_AT], row["text"][:LOOKED_AT])
            for row in own
        )
        and not other["is_own"]
    ]


def spoken_to(row: Row, window: list[Row]) -> tuple[str, ...]:
    """Whom a turn is said to: whoever spoke last before it, or else first after it."""
    others = [other for other in window if other["speaker"] != row["speaker"]]

    def distance(other: Row) -> tuple[bool, int]:
        return other["position"] > row["position"], abs(other["position"] - row["position"])

    return (min(others, key=distance)["speaker"],) if others else ()


def said_before(row: Row, window: list[Row]) -> str:
    """The end of the turn before, under its speaker."""
    last = next((other for other in window if other["position"] == row["position"] - 1), None)
    if last is None:
        return ""
    text = " ".join(last["text"][-2 * SAID_BEFORE :].split())
    return f"{last['speaker']}: {text[cut_place(text, max(0, len(text) - SAID_BEFORE)) :]}"
