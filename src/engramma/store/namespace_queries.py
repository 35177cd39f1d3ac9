"""One namespace of a database: named queries with the namespace already bound. There is no way to name another one."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import BadInput, StoreNotFound
from . import audit
from .database import Database, Row

DEFAULT_NAMESPACE = "default"
LAST_CHANGE = " last change"  # among what is known of a state; no name of a meta value begins with a blank


class NamespaceQueries:
    """A database as one namespace sees it."""

    def __init__(self, database: Database, namespace: str, *, create: bool = True) -> None:
        check_namespace(namespace)
        self.database = database
        self.namespace = namespace
        self._steady = threading.local()  # `known`: what was read of the one state that a thread looks at
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
        row = self.database.one(name, {"ns": self.ns, **params})
        audit.count_statement(name, row is not None)  # of those that write and return a row
        return row

    def run(self, name: str, **params: Any) -> int:
        touched = self.database.run(name, {"ns": self.ns, **params})
        audit.count_statement(name, touched)
        return touched

    def many(self, name: str, rows: Iterable[dict[str, Any]]) -> None:
        listed = [{"ns": self.ns, **row} for row in rows]
        self.database.many(name, listed)
        audit.count_statement(name, len(listed))

    def each(self, name: str, rows: Iterable[dict[str, Any]]) -> list[Row]:
        added = self.database.each(name, [{"ns": self.ns, **row} for row in rows])
        audit.count_statement(name, len(added))
        return added

    @contextmanager
    def transaction(self, *, wait: bool = True, lasting: bool = True) -> Iterator[None]:
        doing = audit.doing()
        before = None if doing is None else dict(doing.counts)
        try:
            with self.database.transaction(wait=wait, ns=self.ns, lasting=lasting):
                self.check_place()
                yield
                if doing is not None:
                    self.database.run("audit_put", {"ns": self.ns, **doing.row()})
        except BaseException:
            if doing is not None and before is not None:
                doing.counts = before  # nothing of it was written
            raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Several reads that see one state of the database. What it says of itself is read once."""
        with self.database.snapshot(self.ns):
            if self._known() is not None:
                yield
                return
            self.check_place()
            self._steady.known = None if self.database.is_writing else {}
            try:
                yield
            finally:
                self._steady.known = None

    def _known(self) -> dict[str, Any] | None:
        known: dict[str, Any] | None = getattr(self._steady, "known", None)
        return known

    def check_place(self) -> None:
        """Rows under the number of a namespace that was deleted would be nobody's; a renamed one has other files."""
        row = self.one("namespace_name")
        if row is None or row["name"] != self.namespace:
            what = "deleted" if row is None else f"renamed to {row['name']!r}"
            raise StoreNotFound(
                f"The namespace {self.namespace!r} was {what} while it was open. Nothing was stored: open it again."
            )

    def meta(self, key: str) -> Any:
        known = self._known()
        if known is None:
            return self._read_meta(key)
        if key not in known:
            known[key] = self._read_meta(key)
        return known[key]

    def _read_meta(self, key: str) -> Any:
        row = self.database.one("meta_get", {"key": key})
        return None if row is None else row["value"]

    def put_meta(self, key: str, value: str | int | bytes) -> None:
        self.database.run("meta_put", {"key": key, "value": value})

    def last_change(self) -> int:
        known = self._known()
        if known is None:
            return self._read_last_change()
        if LAST_CHANGE not in known:
            known[LAST_CHANGE] = self._read_last_change()
        return int(known[LAST_CHANGE])

    def _read_last_change(self) -> int:
        row = self.one("change_last")
        assert row is not None
        return int(row[0])


def encode_keys(keys: Iterable[int]) -> str:
    """Keys as one parameter: no limit on their number, no SQL made of strings."""
    return json.dumps([int(key) for key in keys])


def check_namespace(name: str) -> None:
    if not isinstance(name, str) or not name.strip() or len(name) > 200 or not name.isprintable():
        raise BadInput("A namespace needs a name of 1 to 200 printable characters.")
