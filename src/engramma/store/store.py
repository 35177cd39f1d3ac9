"""The store as one namespace sees it: named queries with the namespace already bound, rows as records."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadInput, StoreNotFound
from ..records import Conversation, Segment, Session, Turn
from ..text import plain_text, segment_id
from ..times import from_micros, to_micros
from .sqlite import Database, Row

ADDED, REMOVED, RELISTED = 1, 0, 2  # changes.op
DEFAULT_NAMESPACE = "default"


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


class Store:
    """Everything one namespace can read and write. There is no way to name another one."""

    def __init__(self, database: Database, namespace: str, *, create: bool = True) -> None:
        check_namespace(namespace)
        self.database = database
        self.namespace = namespace
        if (row := database.one("namespace_key", {"name": namespace})) is None:
            if not create and namespace != DEFAULT_NAMESPACE:
                names = ", ".join(row["name"] for row in database.all("namespace_names", {}))
                raise StoreNotFound(f"There is no namespace {namespace!r} in this memory. There are: {names}.")
            with database.transaction():
                now = time.time_ns() // 1000
                database.run("namespace_add", {"name": namespace, "created_at": now})
            row = database.one("namespace_key", {"name": namespace})
        assert row is not None
        self.ns = int(row["ns"])

    # --- named queries, bound to the namespace -------------------------------------------------

    def all(self, name: str, **params: Any) -> list[Row]:
        return self.database.all(name, {"ns": self.ns, **params})

    def one(self, name: str, **params: Any) -> Row | None:
        return self.database.one(name, {"ns": self.ns, **params})

    def run(self, name: str, **params: Any) -> int:
        return self.database.run(name, {"ns": self.ns, **params})

    def many(self, name: str, rows: Iterable[dict[str, Any]]) -> None:
        self.database.many(name, [{"ns": self.ns, **row} for row in rows])

    def transaction(self) -> AbstractContextManager[None]:
        return self.database.transaction()

    def snapshot(self) -> AbstractContextManager[None]:
        return self.database.snapshot()

    def meta(self, key: str) -> Any:
        row = self.database.one("meta_get", {"key": key})
        return None if row is None else row["value"]

    def put_meta(self, key: str, value: str | int | bytes) -> None:
        self.database.run("meta_put", {"key": key, "value": value})

    # --- rows as records -----------------------------------------------------------------------

    def session(self, conversation: str, session: str) -> SessionRow | None:
        row = self.one("session_get", conversation=conversation, id=session)
        return None if row is None else session_row(row)

    def sessions_pending(self) -> list[SessionRow]:
        return [session_row(row) for row in self.all("sessions_pending")]

    def turns(self, session: int) -> list[Turn]:
        return [
            Turn(r["speaker"], r["text"], from_micros(r["said_at"]), r["id"], r["role"])
            for r in self.all("turns_of_session", session=session)
        ]

    def segments(self, session: int) -> list[SegmentRow]:
        return [SegmentRow(*row) for row in self.all("segments_of_session", session=session)]

    def keys(self, name: str, **params: Any) -> NDArray[np.int64]:
        """The segment keys a query names."""
        return np.fromiter((row["key"] for row in self.all(name, **params)), dtype=np.int64)

    def hydrate(self, keys: Sequence[int]) -> dict[int, Segment]:
        """Segments with their verbatim text, by key; keys of other namespaces are simply not there."""
        listed = as_json(keys)
        turns: dict[int, list[Row]] = defaultdict(list)
        for row in self.all("turns_by_segments", keys=listed):
            turns[row["key"]].append(row)
        return {
            row["key"]: Segment(
                id=segment_id(row["conversation"], row["session_id"], row["idx"]),
                session_id=row["session_id"],
                conversation_id=row["conversation"],
                index=row["idx"],
                kind=row["kind"],
                turn_ids=tuple(t["id"] for t in turns[row["key"]]),
                speakers=tuple(dict.fromkeys(t["speaker"] for t in turns[row["key"]])),
                said_at=from_micros(row["said_at"]),
                text=plain_text([(t["speaker"], t["text"]) for t in turns[row["key"]]]),
            )
            for row in self.all("segments_by_keys", keys=listed)
        }

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
                }
                for offset, turn in enumerate(turns)
            ),
        )

    def add_segment(self, session: int, row: SegmentRow, code: bytes, vector: bytes) -> int:
        """Store a segment with its vector and note the change; returns its key."""
        added = self.one(
            "segment_add",
            session=session,
            idx=row.idx,
            kind=row.kind,
            first=row.first,
            last=row.last,
            said_at=row.said_at,
            tie=row.tie,
        )
        assert added is not None
        key = int(added["key"])
        self.run("embedding_add", key=key, code=code, vector=vector)
        self.run("change_add", key=key, op=ADDED)
        return key

    def remove_segment(self, key: int) -> None:
        """Take a segment, its vector and its edges away and note the change; its turns stay."""
        for name in ("edges_drop_out", "edges_drop_in", "near_delete", "embedding_delete", "segment_delete"):
            self.run(name, key=key)
        self.run("change_add", key=key, op=REMOVED)

    def last_change(self) -> int:
        row = self.one("change_last")
        assert row is not None
        return int(row[0])


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


def as_json(keys: Iterable[int]) -> str:
    """Keys as one parameter: no limit on their number, no SQL made of strings."""
    return json.dumps([int(key) for key in keys])


def check_namespace(name: str) -> None:
    if not isinstance(name, str) or not name.strip() or len(name) > 200 or not name.isprintable():
        raise BadInput("A namespace needs a name of 1 to 200 printable characters.")
