"""Many rows in one statement: an insert's VALUES become arrays, one a column, that the server takes apart.

So a statement has the same text however many rows it brings, and is prepared once; and numbers go to the server as they
lie in memory.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ..database import queries
from .values import Packed, Statement, without_nul

VALUES = "VALUES "
# Of a column: its type in PostgreSQL, and that type's number. What is not listed is an integer.
TEXT, INTEGER, REAL, BYTES = ("text", 25), ("bigint", 20), ("float8", 701), ("bytea", 17)
TYPES = {
    **dict.fromkeys(("id", "kind", "meta", "role", "speaker", "text", "body__tsvector"), TEXT),
    **dict.fromkeys(("list", "vector"), BYTES),
    "weight": REAL,
}
NUMBERED = ("max(seq), 0) + 1", "max(seq), 0) + r.place")  # the next number: of several rows each has one of its own
AT_ONCE = 250  # rows of one insert: what they bring has to fit into memory
# And characters of long texts: libpq moves what is still to be sent with each bit that a socket takes, so that 250 MB
# took 16 s instead of 5, and 1 GB minutes; a server takes no more.
MOST_CHARACTERS = 4_000_000
LONG = ("text", "body__tsvector")
_NAMED = re.compile(r"%\((\w+)\)s")
_INTEGERS = np.dtype([("length", ">i4"), ("value", ">i8")])
_REALS = np.dtype([("length", ">i4"), ("value", ">f8")])


def in_parts(rows: Sequence[Mapping[str, Any]]) -> Iterator[Sequence[Mapping[str, Any]]]:
    """Rows as they go together, in their order."""
    start = size = 0
    for place, row in enumerate(rows):
        own = sum(len(row[name]) for name in LONG if name in row)
        if place > start and (place - start >= AT_ONCE or size + own > MOST_CHARACTERS):
            yield rows[start:place]
            start, size = place, 0
        size += own
    if rows:
        yield rows[start:]


def join_rows(asked: Statement, rows: Sequence[Mapping[str, Any]]) -> tuple[str, dict[str, Any]]:
    """The same insert with several rows at once; what stands outside its VALUES is the same for all of them."""
    if "::vector" in asked.sql:  # an array of them would have to tell the number of their type
        sql, names = _several(asked.sql, len(rows))
        values: dict[str, Any] = {f"{name}__{number}": row[name] for number, row in enumerate(rows) for name in names}
    else:
        sql, columns = _arrays(asked.sql)
        values = {name: array_of(TYPES.get(name, INTEGER), [row[name] for row in rows]) for name in columns}
    return sql, {**values, **{name: value for name, value in rows[0].items() if name not in values}}


def array_of(kind: tuple[str, int], items: Sequence[Any]) -> Packed:
    """A list as PostgreSQL sends an array."""
    body, number = b"", kind[1]
    has_null = None in items
    if kind in (INTEGER, REAL) and not has_null:
        made = np.empty(len(items), _INTEGERS if kind is INTEGER else _REALS)
        made["length"], made["value"] = 8, items
        body = made.tobytes()
    else:
        taken = _TAKEN[kind[0]]
        if kind is TEXT:  # the kind of an edge, the speaker of a turn: the same again and again
            known = {item: taken(item) for item in set(items)}
            body = b"".join([known[item] for item in items])
        else:
            body = b"".join(map(taken, items))
    return Packed(struct.pack(">iiIii", 1, has_null, number, len(items), 1) + body)


def _sized(data: bytes | None) -> bytes:
    return struct.pack(">i", -1) if data is None else struct.pack(">i", len(data)) + data


_TAKEN: Mapping[str, Any] = {
    "text": lambda item: _sized(None if item is None else without_nul(item).encode()),
    "bytea": lambda item: _sized(None if item is None else bytes(item)),
    "bigint": lambda item: _sized(None if item is None else struct.pack(">q", item)),
    "float8": lambda item: _sized(None if item is None else struct.pack(">d", item)),
}


def _parts(sql: str) -> tuple[str, str, str]:
    """An insert before its VALUES, these in brackets, and what follows."""
    start = sql.index(f"{VALUES}(")
    first = end = start + len(VALUES)
    depth = 0
    while end == first or depth:
        depth += {"(": 1, ")": -1}.get(sql[end], 0)
        end += 1
    return sql[:start], sql[first:end], sql[end:]


@lru_cache(maxsize=64)
def _arrays(sql: str) -> tuple[str, tuple[str, ...]]:
    before, one, after = _parts(sql)
    inside = tuple(name for name in dict.fromkeys(_NAMED.findall(one)) if name != "ns")
    body = _NAMED.sub(lambda at: at[0] if at[1] == "ns" else f"r.{at[1]}", one[1:-1].replace(*NUMBERED))
    arrays = ", ".join(f"%({name})s::{TYPES.get(name, INTEGER)[0]}[]" for name in inside)
    listed = ", ".join((*inside, "place"))
    made = queries("postgres_engine.sql")["rows_of_arrays"].rstrip(";").format(body=body, arrays=arrays, columns=listed)
    return f"{before}{made}{after}", inside


@lru_cache(maxsize=512)
def _several(sql: str, rows: int) -> tuple[str, frozenset[str]]:
    before, one, after = _parts(sql)
    inside = frozenset(_NAMED.findall(one)) - {"ns"}
    form = _NAMED.sub(lambda at: at[0] if at[1] == "ns" else f"%({at[1]}__@)s", one)
    return f"{before}{VALUES}{', '.join(form.replace('@', str(number)) for number in range(rows))}{after}", inside
