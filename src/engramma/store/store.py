"""The store as one namespace sees it: named queries with the namespace already bound, rows as records."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadInput, StoreNotFound
from ..lexical import FORM, MAX_TERMS, match_expression, searchable, stems
from ..records import Conversation, Segment, Session, Turn
from ..text import plain_text, segment_id
from ..times import from_micros, to_micros
from .sqlite import Database, Row

ADDED, REMOVED, RELISTED = 1, 0, 2  # changes.op
DEFAULT_NAMESPACE = "default"

COMMON = 0.2  # a word in more than this share of the segments tells little about any, and costs the most to follow
COMMON_FROM = 50  # segments: in fewer than these, shares say nothing
FILL_CHUNK = 2_000  # segments read at a time when the words are built
WIDEN = 8  # asking for more rows costs less than asking again


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
        self._counted = (-1, 0)  # the change up to which segments were counted, and their number
        self.ready_words()

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
        self.run("words_add", key=key, body=self._bodies([key])[key])
        self.run("change_add", key=key, op=ADDED)
        return key

    def remove_segment(self, key: int) -> None:
        """Take a segment, its vector, its words and its edges away and note the change; its turns stay."""
        self._remove_words(key)
        for name in ("edges_drop_out", "edges_drop_in", "near_delete", "embedding_delete", "segment_delete"):
            self.run(name, key=key)
        self.run("change_add", key=key, op=REMOVED)

    # --- words ---------------------------------------------------------------------------------

    def search_words(
        self,
        terms: Sequence[str],
        limit: int,
        *,
        allowed: AbstractSet[int] | None = None,
        excluded: AbstractSet[int] = frozenset(),
    ) -> list[tuple[int, float]]:
        """The segments that have any of the terms, as (key, BM25), best first; of the allowed ones if given.

        Scores compare within one answer only: they depend on what else is stored, and are near 0 in small stores.
        """
        with self.snapshot():
            expression = match_expression(self.telling(terms))
            if not expression or limit < 1:
                return []
            asked = limit
            while True:
                rows = self.all("words_search", match=expression, limit=asked)
                found = [
                    (int(row["key"]), float(row["score"]))
                    for row in rows
                    if row["key"] not in excluded and (allowed is None or row["key"] in allowed)
                ]
                if len(found) >= limit or len(rows) < asked:
                    return found[:limit]
                asked *= WIDEN

    def document_counts(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many segments each term stands; for a phrase, how many have its rarest word."""
        words = {term: stems(term) for term in terms}
        asked = json.dumps(sorted({stem for found in words.values() for stem in found}))
        counts = {row["term"]: int(row["doc"]) for row in self.all("words_counts", terms=asked)}
        return {term: min((counts.get(stem, 0) for stem in found), default=0) for term, found in words.items()}

    def telling(self, terms: Sequence[str]) -> list[str]:
        """The terms without those that stand everywhere, if any others are left."""
        listed = list(terms[:MAX_TERMS])
        if len(listed) < 2 or (total := self._segment_count()) <= COMMON_FROM:
            return listed
        counts = self.document_counts(listed)
        rare = [term for term in listed if counts[term] <= COMMON * total]
        return rare if any(counts[term] for term in rare) else listed

    def ready_words(self) -> None:
        """Make and fill the words of a new namespace, or of one that an older version wrote."""
        if self.meta(self._form) == FORM:
            return
        with self.transaction():
            if self.meta(self._form) != FORM:  # another process may have been faster
                self.fill_words()

    def fill_words(self) -> None:
        """Build the words anew from the turns, inside the caller's transaction."""
        self.run("words_create")
        self.run("words_create_terms")
        self.run("words_remove_all")
        keys = self.keys("keys_all").tolist()
        keys.sort()
        for start in range(0, len(keys), FILL_CHUNK):
            for key, body in self._bodies(keys[start : start + FILL_CHUNK]).items():
                self.run("words_add", key=key, body=body)
        self.run("words_optimize")
        self.put_meta(self._form, FORM)

    @property
    def _form(self) -> str:
        return f"words_form_{self.ns}"

    def _bodies(self, keys: Sequence[int]) -> dict[int, str]:
        """What is indexed of each segment: its turns' words, without their speakers."""
        said: dict[int, list[str]] = {key: [] for key in keys}
        for row in self.all("turns_by_segments", keys=as_json(keys)):
            said[row["key"]].append(row["text"])
        return {key: searchable("\n".join(texts)) for key, texts in said.items()}

    def _remove_words(self, key: int) -> None:
        """Taking out a row that is not there would leave the index wrong for good."""
        if self.one("words_has", key=key) is not None:
            self.run("words_remove", key=key, body=self._bodies([key])[key])

    def _segment_count(self) -> int:
        """Counting walks the namespace, so it is done once a change."""
        last = self.last_change()
        if self._counted[0] != last:
            row = self.one("words_rows")
            assert row is not None
            self._counted = (last, int(row[0]))
        return self._counted[1]

    # --- changes -------------------------------------------------------------------------------

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
