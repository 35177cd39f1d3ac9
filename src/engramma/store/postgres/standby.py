"""Reading from a standby that is at most so many seconds behind its primary, and never behind this process's writes.

The primary is asked now and then how far its log is. A standby that has replayed as much is known to be as fresh as the
moment of that question, and stays good for reading until the bound has passed since then.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import psycopg

from ..database import queries
from .address import Address
from .errors import DatabaseUnreachable
from .pool import Connection, Pool
from .values import Statement

Place = tuple[str, int]  # a server: host and port

NEVER = float("-inf")


def for_reading(address: Address) -> Address:
    """The same servers, a standby first."""
    return replace(address, parameters={**address.parameters, "target_session_attrs": "prefer-standby"})


class StandbyBound:
    """Which standbys are recent enough. `ask_primary` tells how far the primary's log is."""

    def __init__(self, seconds: float, ask_primary: Callable[[], int]) -> None:
        self.seconds = seconds
        self._ask_primary = ask_primary
        self._asked: deque[tuple[float, int]] = deque()  # when the primary was asked, and how far its log was
        self._proven: dict[Place, float] = {}  # standby -> the moment as fresh as which it is known to be
        self._own = 0  # how far the log was after the last write of this process
        self._lock = threading.Lock()

    def holds(self, place: Place, replayed: Callable[[], int | None]) -> bool:
        """Whether a server may be read; `replayed` asks it how far it is, None: it is no standby."""
        with self._lock:
            now = time.monotonic()
            if now - self._proven.get(place, NEVER) <= self.seconds / 2:
                return True
            self._ask(now)
            if (here := replayed()) is None:
                return True
            if here < self._own:
                return False
            reached = [moment for moment, there in self._asked if there <= here]
            if reached:
                self._proven[place] = max(reached)
            return now - self._proven.get(place, NEVER) <= self.seconds

    def wrote(self, place_in_log: int) -> None:
        """What was just written must be seen by the next read."""
        with self._lock:
            self._own = max(self._own, place_in_log)
            self._proven.clear()

    def _ask(self, now: float) -> None:
        """Ask the primary if the last answer is getting old. If it is away, what is known has to do."""
        while self._asked and now - self._asked[0][0] > self.seconds:
            self._asked.popleft()
        if not self._asked or now - self._asked[-1][0] >= self.seconds / 4:
            with suppress(psycopg.Error):
                self._asked.append((now, self._ask_primary()))


class Standbys:
    """Connections for reading: a standby's while it is fresh enough, else the primary's."""

    def __init__(self, address: Address, busy_seconds: float, primary: Pool) -> None:
        assert address.max_staleness is not None
        self._address = address
        self._primary = primary
        self._pool = Pool(for_reading(address), busy_seconds)
        self.bound = StandbyBound(address.max_staleness, self._log_of_primary)

    def get(self) -> tuple[Connection, Pool]:
        """A connection, and the pool that gets it back."""
        try:
            connection = self._pool.get()
        except DatabaseUnreachable:
            return self._primary.get(), self._primary
        try:
            info = connection.info
            if self.bound.holds((info.host, info.port), lambda: replayed(connection)):
                return connection, self._pool
        except BaseException:
            self._pool.put(connection)
            raise
        self._pool.put(connection)
        try:
            return self._primary.get(), self._primary
        except DatabaseUnreachable as error:
            raise DatabaseUnreachable(
                f"its standby may be more than {self._address.max_staleness:g} s behind, which max_staleness forbids, "
                f"and its primary cannot be asked ({error})"
            ) from error

    def wrote(self, connection: Connection) -> None:
        """Remember, after a COMMIT on this connection, what a standby must have replayed."""
        try:
            self.bound.wrote(number(connection, "log_after_commit") or 0)
        except psycopg.Error:  # it died just after
            with suppress(psycopg.Error):
                self.bound.wrote(self._log_of_primary())

    def close(self) -> None:
        self._pool.close()

    def _log_of_primary(self) -> int:
        connection = self._primary.get()
        try:
            return number(connection, "log_of_primary") or 0
        finally:
            self._primary.put(connection)


def replayed(connection: Connection) -> int | None:
    return number(connection, "replayed")


def number(connection: Connection, name: str) -> int | None:
    asked = Statement(queries("postgres_engine.sql")[name])
    row = connection.execute(asked.sql, asked.values({})).fetchone()
    return None if row is None or row[0] is None else int(row[0])
