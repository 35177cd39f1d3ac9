"""The store as one namespace sees it: named queries with the namespace already bound, rows as records."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..language.text import joined_text, origin_of, segment_id
from ..language.times import from_micros, to_micros
from ..records import Conversation, Segment, Session, SessionInfo, Spoken, Turn
from .masks import rules_in
from .namespace_queries import check_namespace, encode_keys
from .sqlite.database import Row
from .words import ARCHIVED, FORGOTTEN, LIVE, RETIRED, FullText

__all__ = [
    "ADDED",
    "ARCHIVED",
    "FORGOTTEN",
    "LIVE",
    "RELISTED",
    "REMOVED",
    "RETIRED",
    "SegmentRow",
    "SessionRow",
    "Store",
    "check_namespace",
    "encode_keys",
    "session_row",
    "turn_of",
]

ADDED, REMOVED, RELISTED = 1, 0, 2  # changes.op

GONE_WITH_A_SEGMENT = (
    "edges_drop_out",
    "edges_drop_in",
    "links_drop_out",
    "links_drop_in",
    "near_delete",
    "embedding_delete",
    "note_delete",
    "repeats_delete",
    "uses_delete",
    "topic_member_delete",
    "segment_delete",
)


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as it is stored."""

    key: int
    conversation: str
    id: str
    started_at: int
    last_at: int
    closed: bool
    linked: bool
    archived: bool

    @property
    def age(self) -> tuple[int, str, str]:
        """Orders sessions from old to new, and those that began together by name."""
        return (self.started_at, self.conversation, self.id)


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """A segment's place in its session: the turns first..last."""

    key: int
    idx: int
    kind: str
    first: int
    last: int
    said_at: int
    tie: int


class Store(FullText):
    """Everything one namespace can read and write."""

    # --- rows as records -----------------------------------------------------------------------

    def session(self, conversation: str, session: str) -> SessionRow | None:
        row = self.one("session_get", conversation=conversation, id=session)
        return None if row is None else session_row(row)

    def sessions_pending(self) -> list[SessionRow]:
        return [session_row(row) for row in self.all("sessions_pending")]

    def turns(self, session: int) -> list[Turn]:
        """A session's turns, without those that were forgotten."""
        return [turn_of(row) for row in self.all("turns_of_session", session=session) if not row["hidden"]]

    def segments(self, session: int) -> list[SegmentRow]:
        return [SegmentRow(*row) for row in self.all("segments_of_session", session=session)]

    def hydrate(self, keys: Sequence[int]) -> dict[int, Segment]:
        """Segments with their verbatim text, by key; what is forgotten or another namespace's is simply not there."""
        return self.hydrate_titled(keys)[0]

    def hydrate_titled(
        self, keys: Sequence[int], until: datetime | None = None
    ) -> tuple[dict[int, Segment], dict[str, str | None]]:
        """The same in one read, and what the conversations are called. With `until`, only what was said by then."""
        wanted = dict.fromkeys(keys)  # a key given twice would have its words twice
        turns: dict[int, list[Row]] = {}
        for row in self.all("segments_spoken", keys=encode_keys(wanted)):
            if until is None or from_micros(row["said_at"]) <= until:
                turns.setdefault(row[0], []).append(row)
        titles = {rows[0]["conversation"]: rows[0]["title"] for rows in turns.values()}
        return {key: _segment_of(turns[key]) for key in wanted if key in turns}, titles

    def conversations(self) -> Iterator[Conversation]:
        """Everything in the namespace, in an order that does not depend on when it came."""
        for row in self.all("conversations"):
            sessions = tuple(
                Session(s.id, tuple(self.turns(s.key)), s.closed)
                for s in map(session_row, self.all("sessions_of_conversation", conversation=row["id"]))
            )
            yield Conversation(row["id"], sessions, row["title"], row["source"])

    def vectors(self, name: str, dimension: int, **params: Any) -> tuple[NDArray[np.int64], NDArray[np.float16]]:
        """Keys and vectors a query names, as two arrays."""
        rows = self.all(name, **params)
        keys = np.fromiter((row["key"] for row in rows), dtype=np.int64, count=len(rows))
        vectors = np.frombuffer(b"".join(row["vector"] for row in rows), dtype="<f2")
        return keys, vectors.reshape(len(rows), dimension)

    # --- small writes --------------------------------------------------------------------------

    def add_turns(self, session: int, first_position: int, turns: Sequence[Turn]) -> None:
        self.many(
            "turn_add",
            (
                {
                    "session": session,
                    "position": first_position + offset,
                    "id": turn.id,
                    "speaker": turn.speaker,
                    "role": turn.role,
                    "said_at": to_micros(turn.said_at),  # type: ignore[arg-type]  # validated before
                    "text": turn.text,
                    "meta": json.dumps(dict(turn.meta), ensure_ascii=False, sort_keys=True) if turn.meta else None,
                }
                for offset, turn in enumerate(turns)
            ),
        )
        self.many("redaction_add", (row for turn in turns for row in _masked(session, turn)))

    def add_segments(self, session: int, rows: Sequence[SegmentRow], vectors: NDArray[np.float16] | None) -> list[int]:
        """Store segments with their vectors and note the changes; returns their keys.

        Without vectors they wait for them: words find them, and the change tells others that there are more.
        """
        added = self.each(
            "segment_add",
            (
                {
                    "session": session,
                    "idx": row.idx,
                    "kind": row.kind,
                    "first": row.first,
                    "last": row.last,
                    "said_at": row.said_at,
                    "tie": row.tie,
                }
                for row in rows
            ),
        )
        by_place = {row["idx"]: int(row["key"]) for row in added}
        keys = [by_place[row.idx] for row in rows]
        if vectors is not None:
            self.add_vectors(keys, vectors)
        self.add_words(keys)
        self.many("change_add", ({"key": key, "op": RELISTED if vectors is None else ADDED} for key in keys))
        return keys

    def add_vectors(self, keys: Sequence[int], vectors: NDArray[np.float16]) -> None:
        """Store the vectors of segments that have none; the caller notes the changes."""
        self.many(
            "embedding_add",
            ({"key": key, "vector": vector.astype("<f2").tobytes()} for key, vector in zip(keys, vectors, strict=True)),
        )

    def remove_segment(self, key: int) -> None:
        """Take a segment away with all that hangs on it, and note the change; its turns stay."""
        self.remove_words(key)
        for name in GONE_WITH_A_SEGMENT:
            self.run(name, key=key)
        self.run("change_add", key=key, op=REMOVED)

    def set_state(self, key: int, state: int) -> None:
        self.run("segment_state", key=key, state=state, at=time.time_ns() // 1000)

    def set_states(self, states: Mapping[int, int]) -> None:
        """Move segments between live, archived, retired and forgotten, inside the caller's transaction.

        Only what is live is in the index and in the words that every recall looks at.
        """
        before = {row["key"]: row["state"] for row in self.all("states_by_keys", keys=encode_keys(states))}
        for key, state in states.items():
            if key not in before or before[key] == state:
                continue
            self.remove_words(key)
            self.set_state(key, state)
            self.add_words([key], state)
            if LIVE in (before[key], state):
                self.run("change_add", key=key, op=ADDED if state == LIVE else REMOVED)
            else:
                self.run("change_add", key=key, op=RELISTED)  # indexes of what is set aside notice, too


def _segment_of(turns: Sequence[Row]) -> Segment:
    """A segment from the rows of its turns."""
    _, index, kind, began, conversation, session, _, source, *only = turns[0]
    if len(turns) == 1:
        turn, speaker, said_at, text, captured = only
        at = from_micros(began)
        return Segment(
            id=segment_id(conversation, session, index),
            session_id=session,
            conversation_id=conversation,
            index=index,
            kind=kind,
            turn_ids=(turn,),
            speakers=(speaker,),
            said_at=at,
            text=text,
            spoken=(Spoken(speaker, at if said_at == began else from_micros(said_at), 0, len(text)),),
            origin=origin_of(conversation, source, bool(captured)),
        )
    ids, speakers, times, texts, captured = list(zip(*turns, strict=True))[8:]
    text, parts = joined_text(list(zip(speakers, texts, strict=True)))
    return Segment(
        id=segment_id(conversation, session, index),
        session_id=session,
        conversation_id=conversation,
        index=index,
        kind=kind,
        turn_ids=ids,
        speakers=tuple(dict.fromkeys(speakers)),
        said_at=from_micros(began),
        text=text,
        spoken=tuple(
            [
                Spoken(speaker, from_micros(said_at), *part)
                for speaker, said_at, part in zip(speakers, times, parts, strict=True)
            ]
        ),
        origin=origin_of(conversation, source, any(captured)),
    )


def turn_of(row: Row) -> Turn:
    meta = {} if row["meta"] is None else json.loads(row["meta"])
    return Turn(row["speaker"], row["text"], from_micros(row["said_at"]), row["id"], row["role"], meta)


def _masked(session: int, turn: Turn) -> Iterator[dict[str, Any]]:
    """What was masked in a turn, as rows: also by whoever wrote it, whose masks stand in the text of an export."""
    own = Counter(one.rule for one in turn.redactions)
    found = [(one.rule, one.start, one.length, one.fingerprint) for one in turn.redactions]
    for rule, start in rules_in(turn.text):
        if own[rule]:
            own[rule] -= 1
        else:
            found.append((rule, start, 0, ""))
    names = ("rule", "start", "length", "fingerprint")
    for n, one in enumerate(found):
        yield {"session": session, "id": turn.id, "n": n, **dict(zip(names, one, strict=True))}


def session_info(row: Row) -> SessionInfo:
    """A row of `sessions_listed` as callers see it: without what is forgotten."""
    times = (from_micros(row["started_at"]), from_micros(row["last_at"]))
    counts = (row["visible"], row["segments"])
    title, source = row["title"] or None, row["source"]
    return SessionInfo(row["conversation"], row["id"], *times, bool(row["closed"]), *counts, title, source)


def session_row(row: Row) -> SessionRow:
    return SessionRow(
        row["key"],
        row["conversation"],
        row["id"],
        row["started_at"],
        row["last_at"],
        bool(row["closed"]),
        bool(row["linked"]),
        bool(row["archived"]),
    )
