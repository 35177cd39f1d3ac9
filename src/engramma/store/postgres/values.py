"""Values on their way to PostgreSQL and back: lists, vectors, words, characters it cannot hold, rows."""

from __future__ import annotations

import json
import os
import re
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from psycopg import Cursor, pq
from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import Dumper, Loader
from psycopg.types.numeric import Int8BinaryDumper, NumericBinaryLoader
from psycopg.types.string import StrBinaryDumper, StrDumperUnknown

from ...language.lexical import tokenizer

# PostgreSQL has no NUL in a text. It is kept as a character that Unicode gives no meaning, so that places in a text
# stay what they are; a text that has this one itself, or the next, marks it with the other.
NUL, KEPT, MARK = "\x00", "\U0010fffe", "\U0010ffff"
_KEPT_BYTES, _MARK_BYTES = KEPT.encode(), MARK.encode()
_OUT = {NUL: KEPT, KEPT: MARK + KEPT, MARK: MARK + MARK}
_BACK = {KEPT: NUL, MARK + KEPT: KEPT, MARK + MARK: MARK}
_SPECIAL = re.compile(f"[{NUL}{KEPT}{MARK}]")
_WRITTEN = re.compile(f"{MARK}?{KEPT}|{MARK}{MARK}")

# Limits of a tsvector: what lies beyond is counted in a text's length and not found.
MOST_BYTES = 900_000
LAST_PLACE = 16_383
MOST_PLACES = 255
LONGEST_TOKEN = 2_000  # bytes; nothing that is indexed has more than 128 characters

_PHRASE = re.compile(r'"((?:[^"]|"")*)"')
_NAMED = re.compile(r"%\((\w+)\)s")
_CAST = re.compile(r"%\((\w+)\)s::(bigint\[\]|text\[\]|vector|tsvector|token_count|phrases|tagged|firsts|seconds)")


def without_nul(text: str) -> str:
    return _SPECIAL.sub(lambda found: _OUT[found[0]], text) if _SPECIAL.search(text) else text


def with_nul(text: str) -> str:
    return _WRITTEN.sub(lambda found: _BACK[found[0]], text)


class Literal(str):
    """A value as PostgreSQL writes it, whose type the query says."""


class Packed(bytes):
    """A value as PostgreSQL sends it, whose type the query says."""


# --- what a cast in a query asks for ------------------------------------------------------------------


def integers(value: str | None) -> Literal | None:
    """A JSON list of integers; the two notations differ in the brackets alone."""
    return None if value is None else Literal("{" + value.strip()[1:-1] + "}")


def _texts(value: str | None) -> Literal | None:
    """A JSON list of texts."""
    return None if value is None else array(json.loads(value))


def array(items: Sequence[Any]) -> Literal:
    return Literal("{" + ",".join("NULL" if item is None else _quoted(str(item)) for item in items) + "}")


def _quoted(text: str) -> str:
    return '"' + without_nul(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def vector(value: bytes) -> Packed:
    """A vector's float16 bytes as pgvector sends them; float32 holds every one of them exactly."""
    row = np.frombuffer(value, dtype="<f2").astype(">f4")
    return Packed(struct.pack(">HH", len(row), 0) + row.tobytes())


def vector_text(value: bytes) -> Literal:
    """The same as pgvector writes them."""
    return Literal("[" + ",".join(map(repr, np.frombuffer(value, dtype="<f2").astype(np.float64).tolist())) + "]")


class Tokenized(str):
    """A text to be found, with its tokens."""

    tokens: tuple[str, ...]


def with_tokens(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows whose bodies have their tokens: of many at once these cost a third."""
    listed = [{**row, "body": Tokenized(row["body"])} for row in rows]
    for row, tokens in zip(listed, tokenizer(os.getpid()).tokens_of([row["body"] for row in listed]), strict=True):
        row["body"].tokens = tokens
    return listed


def _tokens_of(text: str) -> tuple[str, ...]:
    return text.tokens if isinstance(text, Tokenized) else _tokens_of_one(text)


@lru_cache(maxsize=4)  # of one text, the words and their number are asked for one after the other
def _tokens_of_one(text: str) -> tuple[str, ...]:
    return tokenizer(os.getpid()).tokens(text, keep_empty=True)


def _words(value: str) -> Literal:
    """A text's tokens with their places. They are letters, digits and marks alone, so nothing needs to be escaped."""
    places: dict[str, list[int]] = {}
    size = 0
    for place, token in enumerate(_tokens_of(value), 1):
        if not token or len(token.encode()) > LONGEST_TOKEN:
            continue
        found = places.get(token)
        if found is None:
            size += len(token.encode()) + 8
            if size > MOST_BYTES:
                break
            found = places[token] = []
        if place <= LAST_PLACE and len(found) < MOST_PLACES:
            found.append(place)
            size += 2
    return Literal(
        " ".join(f"'{token}':{','.join(map(str, at))}" if at else f"'{token}'" for token, at in places.items())
    )


def token_count(value: str) -> int:
    return len(_tokens_of(value))


def phrases(value: str) -> Literal:
    """What FTS5 is asked for, as a list of phrases of tokens."""
    asked = (found[1].replace('""', '"') for found in _PHRASE.finditer(value))
    stemmed = ([token for token in _tokens_of(phrase) if token] for phrase in asked)
    return array(
        [" ".join(found) for found in stemmed if found and max(map(len, map(str.encode, found))) <= LONGEST_TOKEN]
    )


def tagged(value: str | int | bytes) -> str:
    """A value of meta, which may be of three kinds, as one text."""
    if isinstance(value, bytes | bytearray | memoryview):
        return "b" + bytes(value).hex()
    return f"i{int(value)}" if isinstance(value, int) else f"s{value}"


def untagged(value: str) -> str | int | bytes:
    kind, rest = value[0], value[1:]
    return bytes.fromhex(rest) if kind == "b" else int(rest) if kind == "i" else rest


def first_parts(pairs: str) -> Literal:
    """Of a JSON list of pairs of integers, the first of each."""
    return Literal("{" + ",".join(str(int(pair[0])) for pair in json.loads(pairs)) + "}")


def second_parts(pairs: str) -> Literal:
    return Literal("{" + ",".join(str(int(pair[1])) for pair in json.loads(pairs)) + "}")


CASTS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "bigint[]": (integers, "bigint[]"),
    "text[]": (_texts, "text[]"),
    "vector": (vector, "vector"),
    "tsvector": (_words, "tsvector"),
    "token_count": (token_count, "bigint"),
    "phrases": (phrases, "text[]"),
    "tagged": (tagged, "text"),
    "firsts": (first_parts, "bigint[]"),
    "seconds": (second_parts, "bigint[]"),
}


class Statement:
    """A query as it is sent, and what has to be made of the caller's values for it."""

    def __init__(self, sql: str) -> None:
        self._made: dict[str, tuple[str, Callable[[Any], Any]]] = {}
        self.sql = _CAST.sub(self._cast, sql)
        self.numbered, self.order = number_parameters(self.sql)
        self.names = frozenset(self.order)

    def _cast(self, found: re.Match[str]) -> str:
        name, cast = found.groups()
        make, written = CASTS[cast]
        made = f"{name}__{cast.removesuffix('[]')}"
        self._made[made] = (name, make)
        return f"%({made})s::{written}"

    def values(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        if not self._made:
            return params
        made = {name: make(params[source]) for name, (source, make) in self._made.items()}
        return {**made, **{name: params[name] for name in self.names if name not in made}}


@lru_cache(maxsize=1024)
def number_parameters(sql: str) -> tuple[bytes, tuple[str, ...]]:
    """A query as PostgreSQL takes it, $1 for the first of its values, and the names of these."""
    order: dict[str, int] = {}
    found = _NAMED.sub(lambda at: f"${order.setdefault(at[1], len(order) + 1)}", sql)
    return found.replace("%%", "%").encode(), tuple(order)


# --- adapters -----------------------------------------------------------------------------------------


class TextDumper(StrBinaryDumper):
    """A text, with what PostgreSQL cannot hold put in other words."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(without_nul(obj))


class BoolDumper(Int8BinaryDumper):
    """True and False are 1 and 0, as in SQLite."""

    def dump(self, obj: Any) -> Buffer | None:
        return super().dump(int(obj))


class TextLoader(Loader):
    format = pq.Format.BINARY

    def load(self, data: Buffer) -> str:
        raw = bytes(data)
        text = raw.decode()
        return with_nul(text) if _KEPT_BYTES in raw or _MARK_BYTES in raw else text


class BoolLoader(Loader):
    format = pq.Format.BINARY

    def load(self, data: Buffer) -> int:
        return int(data != b"\x00")


class SumLoader(NumericBinaryLoader):
    """A sum of integers is one, as in SQLite."""

    def load(self, data: Buffer) -> Any:
        found = super().load(data)
        return int(found) if found == found.to_integral_value() else float(found)


class LiteralDumper(StrDumperUnknown):
    pass


class PackedDumper(Dumper):
    format = pq.Format.BINARY

    def dump(self, obj: bytes) -> Buffer | None:
        return obj


def adapt(context: AdaptContext) -> None:
    """Teach a connection these values."""
    adapters = context.adapters
    for kind, dumper in (
        (int, Int8BinaryDumper),
        (bool, BoolDumper),
        (str, TextDumper),
        (Literal, LiteralDumper),
        (Packed, PackedDumper),
    ):
        adapters.register_dumper(kind, _dumper(dumper))
    for type_name in ("text", "varchar", "name"):
        adapters.register_loader(type_name, TextLoader)
    adapters.register_loader("bool", BoolLoader)
    adapters.register_loader("numeric", SumLoader)


def _dumper(dumper: type[Dumper]) -> type[Dumper]:
    return dumper


class PostgresRow(tuple[Any, ...]):
    """A row that knows its columns by place and by name."""

    __slots__ = ()
    places: Mapping[str, int] = {}

    def __getitem__(self, key: Any) -> Any:
        return tuple.__getitem__(self, self.places[key] if type(key) is str else key)

    def keys(self) -> list[str]:
        return list(self.places)


@lru_cache(maxsize=1024)
def row_class(names: tuple[str, ...]) -> type[PostgresRow]:
    return type("Row", (PostgresRow,), {"__slots__": (), "places": {name: place for place, name in enumerate(names)}})


def as_rows(cursor: Cursor[Any]) -> Callable[[Sequence[Any]], PostgresRow]:
    """psycopg's row factory."""
    names = tuple(column.name for column in cursor.description or ())
    kind = row_class(names)
    return lambda values: kind(values)
