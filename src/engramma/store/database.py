"""What the store needs of a database: named queries, transactions, one state for several reads.

SQLite and PostgreSQL are two of them. They have the same queries by the same names: most are written once (sql/shared,
dialect.py), the others once for each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from .dialect import in_postgres

Params = Mapping[str, Any]
SQL = Path(__file__).parent / "sql"


class Row(Protocol):
    """One row of an answer: by name, by place, or as a whole."""

    def __getitem__(self, key: Any, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...
    def keys(self) -> Any: ...


class Database(Protocol):
    """A database that any number of threads and processes use at once."""

    name: str  # how it is called in messages: a file, or a server without its password

    @property
    def generation(self) -> int:
        """A number that grows when the database was replaced by another while it was open."""
        ...

    def all(self, name: str, params: Params) -> list[Row]: ...

    def one(self, name: str, params: Params) -> Row | None: ...

    def run(self, name: str, params: Params) -> int:
        """Run a statement inside the caller's transaction; returns the number of rows it touched."""
        ...

    def many(self, name: str, rows: Iterable[Params]) -> None: ...

    def each(self, name: str, rows: Iterable[Params]) -> list[Row]:
        """Run a statement for each, inside the caller's transaction; returns the row that each answers with."""
        ...

    def transaction(
        self, *, wait: bool = True, ns: int | None = None, lasting: bool = True
    ) -> AbstractContextManager[None]:
        """All or nothing, alone among the writers of a namespace, or of the whole store where none is given.

        One that need not be `lasting` may be lost in a power cut, whole, together with nothing that came before it:
        for notes of what can be done again. The next lasting one makes it last.
        """
        ...

    def snapshot(self, ns: int | None = None) -> AbstractContextManager[None]:
        """Several reads that see one state of the database; of which namespace, if that is known."""
        ...

    @property
    def is_writing(self) -> bool:
        """Whether this thread is inside a transaction, where what is read may change with what is written."""
        ...

    def wipe(self) -> None:
        """Leave nothing of what was deleted in the database's files."""
        ...

    def settle(self, ns: int) -> None:
        """What is due after much was written to a namespace."""
        ...

    def unsettle(self) -> None:
        """Before all vectors are replaced by others, inside a transaction."""
        ...

    def heard(self, ns: int) -> int | None:
        """A number that grows when anybody writes to a namespace; None: nobody tells, look for yourself."""
        ...

    def size(self) -> int:
        """How many bytes it takes."""
        ...

    def close(self) -> None: ...


class Queries(Mapping[str, str]):
    """What one database runs: its own queries, then the shared ones, each put into its words when it is asked for."""

    def __init__(self, place: str, said: Callable[[str], str]) -> None:
        self._own, self._shared, self._said = read_queries(place), read_queries("shared"), said
        if twice := self._own.keys() & self._shared.keys():
            raise ValueError(f"queries of {place} that are shared, too: {', '.join(sorted(twice))}")

    def __getitem__(self, name: str) -> str:
        own = self._own.get(name)
        return self._said(self._shared[name]) if own is None else own

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from self._shared

    def __len__(self) -> int:
        return len(self._own) + len(self._shared)


DATABASES: Mapping[str, Callable[[str], str]] = {"sqlite": str, "postgres": in_postgres}


@cache
def queries(place: str) -> Mapping[str, str]:
    """Name -> SQL of every query that "sqlite" or "postgres" runs, or that stands in a file of sql/."""
    return Queries(place, DATABASES[place]) if place in DATABASES else read_queries(place)


@cache
def read_queries(place: str) -> dict[str, str]:
    """Name -> SQL of every query in a file of sql/, or in the files of a folder there, as it is written.

    A query that several tables need is written once, with `{}` for the word in each place, and `{=}` for its number:
    `-- of: words=0 cold=1` below the name lists them.
    """
    found: dict[str, str] = {}
    there = SQL / place
    files = [there] if there.is_file() else [f for f in there.iterdir() if f.name.endswith(".sql")]
    for file in sorted(files, key=lambda f: f.name):
        parts = re.split(
            r"^-- name: ([\w{}]+)\n((?:-- of: .+\n)*)", file.read_text(encoding="utf-8"), flags=re.MULTILINE
        )
        for form, listed, body in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
            for each in listed.replace("-- of:", "").split() or [""]:
                word, _, number = each.partition("=")
                name, sql = form.replace("{}", word), _statement(body)
                if name in found:
                    raise ValueError(f"two queries are named {name}")
                found[name] = sql.replace("{}", word).replace("{=}", number) if each else sql
    return found


def _statement(body: str) -> str:
    lines = body.rstrip().split("\n")
    while not lines[-1] or lines[-1].startswith("--"):  # comments after it belong to the next query
        lines.pop()
    sql = "\n".join(lines)
    return sql[: sql.rindex(";") + 1].strip()
