"""PostgreSQL as the store's database: a pool of connections, transactions, named queries, errors in our words.

Writers of one namespace follow each other (advisory locks that end with the transaction), so the numbers of `changes`
become visible in order; writers of different namespaces do not wait for each other.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import psycopg
from psycopg import errors as pg
from psycopg.pq import TransactionStatus

from ...errors import BadInput, StoreBusy, StoreError
from ..database import Params, Row
from .address import Address
from .ahead import BEGIN, Ahead, AskedNotes, NoteRow, begin_reading, begin_writing
from .batches import in_parts, join_rows
from .errors import DatabaseUnreachable, fate_unknown, in_our_words, is_lost
from .notify import EVERYWHERE, WriteListener, channel
from .pool import Connection, Pool
from .schema import prepare_schema
from .standby import Standbys
from .statements import await_answer, fetch_rows, run_plain, run_statement, send_off, statement
from .upkeep import analysed, indexed, rewritten
from .values import Statement, untagged, with_tokens
from .word_ranks import RANKED, rank_segments

POLL_SECONDS = 0.1
LOOK_AFTER = (
    500  # rows of a writer, before a plan for an empty table hurts; then twice as many, as tables have to double
)
WORDS = frozenset({"words_add", "cold_add"})
TOGETHER = WORDS | {"turn_add", "embedding_add", "edge_put", "near_put", "change_add"}  # rows that differ

T = TypeVar("T")


class Postgres:
    """One schema of one database; a connection a thread inside a transaction, else one from the pool."""

    generation = 0  # a schema is not replaced under those who use it
    is_alone = False  # on a server that nobody else uses

    def __init__(self, address: Address, *, busy_seconds: float, create: bool = True) -> None:
        self.address = address
        self.name = address.shown
        self.busy_seconds = busy_seconds
        self._local = threading.local()
        self._pid = os.getpid()
        self._pool = Pool(address, busy_seconds)
        self._standbys = Standbys(address, busy_seconds, self._pool) if address.max_staleness is not None else None
        self._store_lock = lock_number(address.schema)
        self._listener: WriteListener | None = None
        self._listening = threading.Lock()
        self._notes = AskedNotes()
        self._written = 0  # rows since the planner's knowledge was looked after
        self._written_before = 0  # up to then
        try:
            with self._translated():
                self._patiently(
                    lambda: self._with_connection(lambda c: prepare_schema(c, address, create=create)), at_once=True
                )
        except BaseException:
            self.close()
            raise

    # --- reading and writing -----------------------------------------------------------------

    def all(self, name: str, params: Params) -> list[Row]:
        ahead: Ahead | None = getattr(self._local, "ahead", None)
        if ahead is not None and (known := ahead.rows(name, params)) is not None:
            return known
        asked = statement(name)
        try:
            values = asked.values(params)
            if (own := self._own()) is not None:
                rows = fetch_rows(own, asked.sql, values)
            else:
                rows = self._patiently(lambda: self._reading(lambda c: fetch_rows(c, asked.sql, values)))
        except (psycopg.Error, UnicodeEncodeError) as error:
            raise self._in_our_words(error) from error
        if name in RANKED:
            ns, limit = params["ns"], params["limit"]
            return rank_segments(rows, limit, lambda keys: self.ask("ties", ns=ns, keys=str(keys)))
        if name == "meta_get":
            self._notes.add(params["key"])
            return [NoteRow((untagged(row[0]),)) for row in rows]
        return rows

    def one(self, name: str, params: Params) -> Row | None:
        rows = self.all(name, params)
        return rows[0] if rows else None

    def run(self, name: str, params: Params) -> int:
        """Run a statement inside the caller's transaction; returns the number of rows it touched."""
        asked = self._written_by(name)
        with self._translated():
            self._written += 1
            return run_statement(self._writer(), asked.sql, asked.values(params)).touched

    def many(self, name: str, rows: Iterable[Params]) -> None:
        asked = self._written_by(name)
        with self._translated():
            listed = [asked.values(row) for row in (with_tokens(rows) if name in WORDS else rows)]
            if listed:
                self._written += len(listed)
                if name in TOGETHER:
                    for part in in_parts(listed):
                        send_off(self._writer(), *join_rows(asked, part))
                    return
                await_answer(self._writer())
                with self._writer().cursor() as cursor:
                    cursor.executemany(asked.sql, listed)

    def each(self, name: str, rows: Iterable[Params]) -> list[Row]:
        asked = statement(name)
        with self._translated():
            listed = [asked.values(row) for row in rows]
            return [row for part in in_parts(listed) for row in fetch_rows(self._writer(), *join_rows(asked, part))]

    @contextmanager
    def transaction(self, *, wait: bool = True, ns: int | None = None, lasting: bool = True) -> Iterator[None]:
        """All or nothing, alone among the writers of a namespace, or of the whole store where none is given.

        Does not nest. Without `wait`, busy at once if another one writes; without `lasting`, no disk is waited for.
        """
        if self._own() is not None:
            raise StoreError("A transaction within a transaction: end the first one first.")
        with self._translated():
            connection, identity, ahead = self._begun(wait, ns, lasting)
            self._local.connection, self._local.writes, self._local.ahead = connection, True, ahead
            try:
                yield
                self._commit(connection, identity)
            except BaseException:
                roll_back(connection)
                raise
            finally:
                self._local.connection = self._local.ahead = None
                self._pool.put(connection)
            if self._written >= max(LOOK_AFTER, self._written_before // 4):
                self._look_after()

    @contextmanager
    def snapshot(self, ns: int | None = None) -> Iterator[None]:
        """Several reads that see one state of the database; what is asked of it always is read at once."""
        if self._own() is not None:
            yield
            return
        with self._translated():
            connection, pool, ahead = self._patiently(lambda: self._begun_reading(ns))
            self._local.connection, self._local.writes, self._local.ahead = connection, False, ahead
            try:
                yield
            finally:
                self._local.connection = self._local.ahead = None
                roll_back(connection)
                pool.put(connection)

    @property
    def is_writing(self) -> bool:
        return self._own() is not None and bool(self._local.writes)

    def wipe(self) -> None:
        """Write every table anew: what was deleted is in none of them. The server's log has it until it is recycled."""
        with self._translated():
            schema, alone = self.address.schema, self.is_alone
            self._patiently(lambda: self._with_connection(lambda c: rewritten(c, schema, is_alone=alone)))

    def size(self) -> int:
        return int(self.ask("schema_bytes", schema=self.address.schema)[0]["bytes"])

    def tables(self) -> list[str]:
        with self._translated():
            return [row["name"] for row in self.ask("tables", schema=self.address.schema)]

    def ask(self, name: str, **params: Any) -> list[Row]:
        """One of the engine's own questions."""
        asked = statement(name, "postgres_engine.sql")
        with self._translated():
            values = asked.values(params)
            if (own := self._own()) is not None:
                return fetch_rows(own, asked.sql, values)
            return self._patiently(lambda: self._with_connection(lambda c: fetch_rows(c, asked.sql, values)))

    def settle(self, ns: int) -> None:
        """After much was written: an HNSW index for SQL clients where a namespace has grown large."""
        name = f"embeddings_near_{ns}"
        due = self.ask("near_due", ns=ns, schema=self.address.schema, index=name)
        if due and due[0]["dimension"] and not due[0]["whole"]:
            with self._translated():
                self._with_connection(lambda c: indexed(c, name, ns, int(due[0]["dimension"])))

    def unsettle(self) -> None:
        """Before all vectors are replaced by others, maybe of another length: indexes go, inside a transaction."""
        for row in self.ask("near_indexes", schema=self.address.schema):
            run_plain(self._writer(), f'DROP INDEX "{row["name"]}"')  # an index of ours

    def heard(self, ns: int) -> int | None:
        """A number that grows when anybody writes to a namespace; None: nobody tells just now, look for yourself."""
        with self._listening:
            if self._listener is None and not self._pool.closed:
                self._listener = WriteListener(self.address)
            return None if self._listener is None else self._listener.count(ns)

    def close(self) -> None:
        if self._written and not self._pool.closed and os.getpid() == self._pid:
            self._look_after()
        self._pool.close()
        with self._listening:
            if self._listener is not None:
                self._listener.close()
                self._listener = None
        if self._standbys is not None:
            self._standbys.close()

    # --- the machinery -----------------------------------------------------------------------

    def _own(self) -> Connection | None:
        """The connection of the transaction or snapshot in which this thread is."""
        if os.getpid() != self._pid:
            raise StoreError("This store was opened before a fork; open it again in the child process.")
        if self._pool.closed:
            raise StoreError("This memory is closed. Open it again with Memory.open.")
        own: Connection | None = getattr(self._local, "connection", None)
        return own

    def _writer(self) -> Connection:
        connection = self._own()
        if connection is None or not self._local.writes:
            raise RuntimeError("a write outside a transaction")  # a bug of ours, never of the user's
        return connection

    def _with_connection(self, act: Callable[[Connection], T]) -> T:
        connection = self._pool.get()
        try:
            return act(connection)
        finally:
            self._pool.put(connection)

    def _reader(self) -> tuple[Connection, Pool]:
        """A connection for reading alone, and the pool that gets it back."""
        return (self._pool.get(), self._pool) if self._standbys is None else self._standbys.get()

    def _reading(self, act: Callable[[Connection], T]) -> T:
        connection, pool = self._reader()
        try:
            return act(connection)
        finally:
            pool.put(connection)

    def _written_by(self, name: str) -> Statement:
        """A statement that writes; one that writes what was read ahead makes it unknown."""
        if "meta" in name or "namespace" in name:
            self._local.ahead = None
        return statement(name)

    def _begun_reading(self, ns: int | None) -> tuple[Connection, Pool, Ahead | None]:
        connection, pool = self._reader()
        try:
            if ns is not None:
                return connection, pool, begin_reading(connection, ns, self._notes.now())
            run_plain(connection, BEGIN)
        except BaseException:
            pool.put(connection)
            raise
        return connection, pool, None

    def _begun(self, wait: bool, ns: int | None, lasting: bool) -> tuple[Connection, Params, Ahead | None]:
        """A connection whose transaction has its locks, and what tells it from all others; nothing is written yet."""
        scope = "store" if ns is None else "namespace"
        asked = statement(f"begin_{scope}" if wait else f"try_{scope}", "postgres_engine.sql")
        given = {
            "store": self._store_lock,
            "space": lock_number(self.address.schema, ns),
            "channel": channel(self.address.schema),
            "told": EVERYWHERE if ns is None else str(ns),
        }

        def begin() -> tuple[Connection, Params, Ahead | None]:
            connection = self._pool.get()
            try:
                row, ahead = begin_writing(connection, asked, given, ns, self._notes.now(), lasting)
                if not wait and row["got"] != "t":
                    raise StoreBusy(f"Another process is writing to {self.name}. Try again.")
            except BaseException:
                roll_back(connection)
                self._pool.put(connection)
                raise
            return connection, {"xid": row["xid"], "timeline": row["timeline"]}, ahead

        return self._patiently(begin, at_once=not wait)

    def _commit(self, connection: Connection, identity: Params) -> None:
        try:
            run_plain(connection, "COMMIT")
        except psycopg.Error as error:
            if not is_lost(error) or self._fate(identity) != "committed":
                raise
        if self._standbys is not None:
            self._standbys.wrote(connection)

    def _fate(self, identity: Params) -> str:
        """What became of a transaction whose COMMIT was sent and not answered."""
        asked = statement("fate", "postgres_engine.sql")
        deadline = time.monotonic() + self.busy_seconds
        while True:
            with suppress(psycopg.Error):
                try:
                    rows = self._with_connection(lambda c: fetch_rows(c, asked.sql, asked.values(identity)))
                except pg.InvalidParameterValue:  # a number of the future: this server never heard of it
                    return "aborted"
                if rows[0]["status"] in ("committed", "aborted"):
                    return str(rows[0]["status"])
                if rows[0]["status"] == "unknown":  # another server has taken over and counts for itself
                    raise fate_unknown(self.name)
            if time.monotonic() >= deadline:
                raise fate_unknown(self.name)
            time.sleep(POLL_SECONDS)

    def _look_after(self) -> None:
        """Let the planner know of tables that have grown: the server does so of itself, but only once a minute."""
        self._written_before += self._written
        self._written = 0
        with suppress(psycopg.Error, StoreBusy):  # another time: what was written is stored
            self._with_connection(lambda c: analysed(c, self.address.schema))

    def _patiently(self, act: Callable[[], T], *, at_once: bool = False) -> T:
        """Try again while the server restarts or dropped an idle connection: nothing was begun yet.

        With `at_once`, a server that cannot be reached at all is told of at once.
        """
        deadline = time.monotonic() + self.busy_seconds
        while True:
            try:
                return act()
            except psycopg.Error as error:
                if isinstance(error, DatabaseUnreachable):
                    again = error.is_passing or not at_once
                else:
                    again = is_lost(error)
                if not again or time.monotonic() >= deadline:
                    raise
                time.sleep(POLL_SECONDS)
                self._revive()

    def _revive(self) -> None:
        """Whoever has a server of its own starts it again."""

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (psycopg.Error, UnicodeEncodeError) as error:
            raise self._in_our_words(error) from error

    def _in_our_words(self, error: psycopg.Error | UnicodeEncodeError) -> StoreError | BadInput:
        if isinstance(error, psycopg.Error):
            return in_our_words(error, self.name, self.busy_seconds)
        return BadInput(
            f"A text has half a character (a lone surrogate) at position {error.start} and cannot be stored or "
            "looked up. Decode the source as UTF-8 or UTF-16 and try again."
        )


def roll_back(connection: Connection) -> None:
    """Leave a transaction, if the connection still has one."""
    with suppress(psycopg.Error):
        await_answer(connection)
    with suppress(psycopg.Error):
        if connection.pgconn.transaction_status != TransactionStatus.IDLE:
            run_plain(connection, "ROLLBACK")


def lock_number(schema: str, ns: int | None = None) -> int:
    """The advisory lock of a store, or of one of its namespaces."""
    name = f"engramma:{schema}" if ns is None else f"engramma:{schema}:{ns}"
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big", signed=True)
