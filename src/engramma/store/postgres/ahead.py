"""What every recall and every writer asks at first, read with the BEGIN: one message instead of half a dozen.

These are the namespace's name, how far its changes go, and the notes of `meta` that this process has asked for before.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass, replace

from psycopg import generators
from psycopg.pq.abc import PGresult

from ..database import Params, Row
from .statements import StoreConnection, raised, run_plain, statement
from .values import Statement, row_class, untagged, with_nul

BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
MOST_NOTES = 12
_PLAIN = re.compile(r"[A-Za-z0-9_]+\Z")  # can stand in a statement as it is
_NAMED = re.compile(r"%\((\w+)\)s")
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
    last: int | None  # None: it may change meanwhile
    notes: dict[str, str | None]

    def rows(self, query: str, params: Params) -> list[Row] | None:
        """What a query answers, if that is known."""
        if query == "meta_get":
            if (key := params["key"]) not in self.notes:
                return None
            value = self.notes[key]
            return [] if value is None else [NoteRow((untagged(value),))]
        if query == "change_last" and params["ns"] == self.ns and self.last is not None:
            return [LastRow((self.last,))]
        if query == "namespace_name" and params["ns"] == self.ns:
            return [] if self.name is None else [NamedRow((self.name,))]
        return None


def begin_reading(connection: StoreConnection, ns: int, keys: list[str]) -> Ahead:
    """Begin a snapshot, and read what it will be asked for."""
    prepared = prepare_ahead(connection)
    return _read(run_plain(connection, f"{BEGIN}; {_asked(prepared, ns, keys)}")[-1], ns, keys)


def begin_writing(
    connection: StoreConnection, lock: Statement, given: Params, ns: int | None, keys: list[str], lasting: bool
) -> tuple[dict[str, str], Ahead | None]:
    """Begin a transaction and wait for its locks; what they answered, and then what it will be asked for.

    Read in a statement of its own, as the state after the wait. The next number of a change is not among it.
    """
    parts = ["BEGIN", *([] if lasting else ["SET LOCAL synchronous_commit TO off"])]
    parts.append(_NAMED.sub(lambda at: _literal(given[at[1]]), lock.sql).rstrip("; "))
    if ns is not None:
        parts.append(_asked(prepare_ahead(connection), ns, keys))
    results = run_plain(connection, "; ".join(parts))
    locked = results[-1 if ns is None else -2]
    names = ((locked.fname(place) or b"").decode() for place in range(locked.nfields))
    row = {name: (locked.get_value(0, place) or b"").decode() for place, name in enumerate(names)}
    return row, None if ns is None else replace(_read(results[-1], ns, keys), last=None)


def prepare_ahead(connection: StoreConnection) -> str:
    """The name by which what is read with a BEGIN is prepared."""
    if (name := connection.ahead) is None:
        asked, name = statement("ahead", "postgres_engine.sql"), connection.new_name()
        connection.pgconn.send_prepare(name.encode(), asked.numbered, [_TYPES[name] for name in asked.order])
        raised(connection.wait(generators.execute(connection.pgconn)))
        connection.ahead = name
    return name


def _asked(prepared: str, ns: int, keys: list[str]) -> str:
    return f"EXECUTE {prepared} ({int(ns)}, '{{{','.join(keys)}}}')"


def _literal(value: int | str) -> str:
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def _read(result: PGresult, ns: int, keys: list[str]) -> Ahead:
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
