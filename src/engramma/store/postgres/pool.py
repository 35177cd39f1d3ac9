"""A few connections that threads take turns with. No thread of its own: a command that needs one makes one."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

from ...errors import StoreBusy, StoreError
from .address import Address
from .errors import DatabaseUnreachable
from .statements import StoreConnection
from .values import PostgresRow, adapt, as_rows

MOST = 10  # connections of one process: twenty daemons stay well below what a server allows as it comes
STATEMENT_SECONDS = 600
IDLE_SECONDS = 600  # in a transaction: a process that hangs must not keep the others out for good

Connection = StoreConnection


class Pool:
    """Connections to one address: made when needed, handed on, thrown away when broken."""

    def __init__(self, address: Address, busy_seconds: float) -> None:
        self._address = address
        self._busy_seconds = busy_seconds
        self._free: deque[Connection] = deque()
        self._room = threading.Semaphore(MOST)
        self._lock = threading.Lock()
        self.closed = False

    def get(self) -> Connection:
        if self.closed:
            raise StoreError("This memory is closed. Open it again with Memory.open.")
        if not self._room.acquire(blocking=False) and not self._room.acquire(timeout=max(self._busy_seconds, 1.0)):
            raise StoreBusy(f"All {MOST} connections to {self._address.shown} are in use. Try again.")
        try:
            with self._lock:
                if self._free:
                    return self._free.pop()
            return self._connect()
        except BaseException:
            self._room.release()
            raise

    def put(self, connection: Connection) -> None:
        with self._lock:
            idle = connection.pgconn.transaction_status == TransactionStatus.IDLE  # of one that is broken: unknown
            if idle and not self.closed:
                self._free.append(connection)
            else:
                connection.close()
        self._room.release()

    def close(self) -> None:
        with self._lock:
            self.closed = True
            while self._free:
                self._free.pop().close()

    def _connect(self) -> Connection:
        settings: dict[str, Any] = {
            "connect_timeout": 10,
            "application_name": "engramma",
            "keepalives_idle": 30,
            "keepalives_interval": 10,
            "keepalives_count": 3,
            "tcp_user_timeout": 30_000,
            **self._address.parameters,
            "client_encoding": "UTF8",  # whatever PGCLIENTENCODING says
        }
        try:
            connection = StoreConnection.connect(autocommit=True, row_factory=as_rows, **settings)
        except psycopg.OperationalError as error:
            raise DatabaseUnreachable(str(error)) from error
        path = ", ".join(f'"{name}"' for name in (self._address.schema, *self._address.beside))
        connection.execute(
            f"SET search_path = {path}; SET jit = off; SET random_page_cost = 1.1; "  # what is asked for is in memory
            "SET default_transaction_isolation = 'read committed'; "  # a writer looks at the state after its wait
            f"SET lock_timeout = {int(self._busy_seconds * 1000) or 1}; "
            f"SET statement_timeout = '{STATEMENT_SECONDS}s'; "
            f"SET idle_in_transaction_session_timeout = '{IDLE_SECONDS}s'"
        )
        adapt(connection)
        connection.prepare_threshold = None  # statements.py prepares; psycopg would drop what is prepared now and then
        connection.cursor_factory = BinaryCursor  # which takes one statement at a time
        return connection


class BinaryCursor(psycopg.Cursor[PostgresRow]):
    """Answers come as bytes, not as digits: vectors are half as long so."""

    def __init__(self, connection: Connection, *, row_factory: Any = None) -> None:
        super().__init__(connection, row_factory=row_factory or connection.row_factory)
        self.format = psycopg.pq.Format.BINARY
