"""What every recall asks of the state that it looks at, read with the BEGIN of its snapshot: one message, not six.

These are the namespace's name, how far its changes go, and the notes of `meta` that this process has asked for before.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass

from psycopg import generators

from ..database import Params, Row
from .statements import StoreConnection, raised, said, statement
from .values import row_class, untagged, with_nul

BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
PREPARED = "engramma_ahead"
MOST_NOTES = 12
_PLAIN = re.compile(r"[A-Za-z0-9_]+\Z")  # can stand in a statement as it is
_TYPES = {"ns": 20, "keys": 1009}  # bigint, text[]

NamedRow, LastRow, NoteRow = row_class(("name",)), row_class(("last",)), row_class(("value",))


class AskedNotes:
    """The names of the notes that a process asks for again and again."""

    def __init__(self) -> None:
        self._names: OrderedDict[str, None] = OrderedDict()

    def add(self, name: str) -> None:
        if _PLAIN.match(name):
            self._names[name] = None
            while len(self._names) > MOST_NOTES:
                self._names.popitem(last=False)

    def now(self) -> list[str]:
        return list(self._names)  # other threads may add to them


@dataclass(frozen=True, slots=True)
class Ahead:
    """What is known of one state of one namespace before it is asked."""

    ns: int
    name: str | None
    last: int
    notes: dict[str, str | None]

    def rows(self, query: str, params: Params) -> list[Row] | None:
        """What a query answers, if that is known."""
        if query == "meta_get":
            if (key := params["key"]) not in self.notes:
                return None
            value = self.notes[key]
            return [] if value is None else [NoteRow((untagged(value),))]
        if query == "change_last" and params["ns"] == self.ns:
            return [LastRow((self.last,))]
        if query == "namespace_name" and params["ns"] == self.ns:
            return [] if self.name is None else [NamedRow((self.name,))]
        return None


def begin_reading(connection: StoreConnection, ns: int, keys: list[str]) -> Ahead:
    """Begin a snapshot, and read what it will be asked for."""
    if not connection.knows_ahead:
        asked = statement("ahead", "postgres_engine.sql")
        connection.pgconn.send_prepare(PREPARED.encode(), asked.numbered, [_TYPES[name] for name in asked.order])
        raised(connection.wait(generators.execute(connection.pgconn)))
        connection.knows_ahead = True
    listed = "{" + ",".join(keys) + "}"
    result = said(connection, f"{BEGIN}; EXECUTE {PREPARED} ({int(ns)}, '{listed}')")[-1]
    name, last, notes = None, 0, dict[str, str | None].fromkeys(keys)
    for row in range(result.ntuples):
        kind, key, value = (with_nul((result.get_value(row, place) or b"").decode()) for place in range(3))
        if kind == "name":
            name = value
        elif kind == "last":
            last = int(value)
        else:
            notes[key] = value
    return Ahead(ns, name, last, notes)
