"""Listens for writes by others (LISTEN and NOTIFY) instead of polling."""

from __future__ import annotations

import threading
import time
from collections import Counter

import psycopg
from psycopg import sql

from ..database import queries
from .address import Address

WAIT_SECONDS = 0.5  # for a word, until it is looked whether the store was closed
AGAIN_SECONDS = 5.0  # until a lost connection is made anew
EVERYWHERE = "0"  # in place of a namespace: the store as a whole was changed


class WriteListener:
    """Counts the writes to each namespace of a schema, by whatever process. One connection and one thread."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._counts: Counter[str] = Counter()
        self._lost = 0
        self._is_listening = threading.Event()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="engramma-listener", daemon=True)
        self._thread.start()

    def count(self, ns: int) -> int | None:
        """A number that grows with every write to a namespace; None while nobody tells, and one has to look."""
        if not self._is_listening.is_set():
            return None
        return self._counts[str(ns)] + self._counts[EVERYWHERE] + self._lost

    def close(self) -> None:
        self._closed.set()
        self._thread.join(4 * WAIT_SECONDS)

    def _run(self) -> None:
        while not self._closed.is_set():
            try:
                self._listen()
            except psycopg.Error:  # away, restarting, or a standby, which can tell nothing
                pass
            finally:
                self._is_listening.clear()
                self._lost += 1  # what was said meanwhile was not heard
            self._closed.wait(AGAIN_SECONDS)

    def _listen(self) -> None:
        settings = {"application_name": "engramma", "connect_timeout": 10, **self._address.parameters}
        with psycopg.Connection.connect(autocommit=True, **settings) as connection:
            connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel(self._address.schema))))
            self._is_listening.set()
            asked = time.monotonic()
            while not self._closed.is_set():
                for said in connection.notifies(timeout=WAIT_SECONDS):
                    self._counts[said.payload] += 1
                if time.monotonic() - asked > AGAIN_SECONDS:
                    connection.execute(queries("postgres_engine.sql")["alive"])  # one that is gone says nothing, too
                    asked = time.monotonic()


def channel(schema: str) -> str:
    return f"engramma_{schema}"[:63]
