"""Keeps an external vector index in sync with the database and survives its failures."""

from __future__ import annotations

import hashlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ...config.trust import keep_own
from ...errors import StoreError
from ...files.locks import locked
from ...store.store import ADDED, RELISTED, REMOVED, Store, encode_keys
from ..vector_index import Keys, Similarities, Vectors
from . import open_backend
from .backend import Backend, BackendFailed, Stamp
from .health_file import Health, place_token, write_health
from .retry import Retry
from .settings import PRIVATE, IndexSettings
from .timeouts import PatientCalls

T = TypeVar("T")

logger = logging.getLogger("engramma.index")

BATCH = 500  # rows written before the engine is told how far it is: what an interruption can cost
WRITE_FACTOR = 10  # a write may take so many times as long as a search
AHEAD_SECONDS = 5.0  # an engine may be ahead of the state somebody still looks at, but not for long
UNLIMITED = 86_400.0

FILLED = -1  # of a stamp: every row was handed over; before that, the last key that was


class Follower:
    """One namespace's vectors in one engine. Any thread may ask; one at a time brings it up to date."""

    def __init__(
        self, store: Store, settings: IndexSettings, dimension: int, embedder_sha: str, folder: Path, database: Path
    ) -> None:
        self._store, self._settings, self._dimension = store, settings, dimension
        self._folder = folder
        self._files = Path(settings.path).expanduser() if settings.path else folder
        place = place_token(folder, database)
        self._identity: Stamp = {
            "store": str(store.meta("store_id")),
            "ns": store.ns,
            "embedder": embedder_sha,
            "place": place,
        }
        self._backend: Backend | None = None
        self._patience = PatientCalls(one_at_a_time=settings.url is None)
        self._held: int | None = None  # the lock of an engine that only one process may open
        self._reached: int | None = None  # the change up to which it is known to follow
        self._is_counted = self._is_suspect = False
        self._ahead_since: float | None = None
        self._retry = Retry()
        self._turn = threading.RLock()
        self._told = Health(settings.backend, self._where(), "not asked yet", namespace=store.namespace)

    # --- what others ask -----------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        return self._backend is not None

    @property
    def is_private(self) -> bool:
        """Whether only one process may have it open."""
        return self._settings.url is None and self._settings.backend in PRIVATE

    @property
    def reached(self) -> int:
        """The change up to which it follows; 0 where that is not known."""
        return self._reached or 0

    @property
    def most(self) -> int:
        return 0 if self._backend is None else self._backend.most

    def ready(self) -> bool:
        """Whether it follows the database up to now; a backlog is worked off for one time limit and no longer."""
        seconds = self._settings.timeout
        if not self._turn.acquire(timeout=seconds):
            return False
        try:
            if self._follows():
                return True
            if not self._retry.is_due:
                return False
            self._catch_up(time.monotonic() + seconds, seconds)
        except BackendFailed as error:
            self._fail(str(error))
            return False
        finally:
            self._turn.release()
        return self._follows()

    def fill(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Bring it up to date however long it takes; BackendFailed where it cannot be done."""
        with self._turn:
            self._retry.reset()
            try:
                self._catch_up(time.monotonic() + UNLIMITED, max(60.0, self._settings.timeout), progress)
                self._call(UNLIMITED, self._opened().settle)
                self._is_suspect = False
                self._well()
            except BackendFailed as error:
                self._fail(str(error))
                raise

    def nearest(self, query: Vectors, k: int) -> tuple[Keys, Similarities] | None:
        """Candidates; None where it failed, which is told once and tried again later."""
        backend = self._backend
        if backend is None or not self._retry.is_due:
            return None
        try:
            keys, similarities = self._call(self._settings.timeout, backend.nearest, query, k)
            is_whole = len(np.unique(keys)) == len(keys) == len(similarities)
            if not (is_whole and np.isfinite(similarities).all()):
                raise BackendFailed("its answer is invalid")
        except BackendFailed as error:
            self._is_suspect = True
            self._fail(str(error))
            return None
        return keys, similarities

    def trust(self) -> None:
        """What it answered fits the database."""
        if self._is_suspect:
            self._is_suspect = False
            self._well()

    def distrust(self, reason: str) -> None:
        """What it answered does not fit the database: it is filled anew."""
        with self._turn:
            self._owe()
            self._is_suspect = True
            self._fail(reason)

    def clear(self) -> None:
        """Leave nothing there; if it cannot be reached, then as soon as it can."""
        with self._turn:
            self._owe()
            self._reached = None
            try:
                backend = self._opened()
                with self._alone(time.monotonic() + self._settings.timeout):
                    self._call(self._settings.timeout * WRITE_FACTOR, backend.clear)
                self._owed.unlink(missing_ok=True)
            except BackendFailed as error:
                self._fail(f"{error}; deleted entries are removed from it when it is back")

    def health(self) -> Health:
        """How it is, as far as this process knows."""
        return self._told

    def looked_at(self) -> Health:
        """How it is now: asked, whatever happened before."""
        self._retry.now()
        self.ready()
        return self._told

    def close(self) -> None:
        with self._turn:
            backend, self._backend, self._reached = self._backend, None, None
            if backend is not None:
                with suppress(BackendFailed):
                    self._patience.call(self._settings.timeout, backend.close)
            self._let_go()

    # --- catching up ---------------------------------------------------------------------------

    def _catch_up(self, deadline: float, limit: float, progress: Callable[[int, int], None] | None = None) -> None:
        """Bring it from what it says it knows to what the database says now, in steps that can be repeated."""
        backend = self._opened()
        with self._alone(deadline), self._store.snapshot():
            last = self._store.last_change()
            stamp = self._call(limit, backend.stamp)
            if self._owed.exists() or not self._fits(stamp) or self._is_stale(stamp, last):
                stamp = self._begun(backend, last, limit)
            assert stamp is not None
            if int(stamp["seq"]) > last:
                return  # this thread looks at an older state than the one it was brought to
            stamp = self._filled(backend, stamp, deadline, limit, progress)
            stamp = self._replayed(backend, stamp, deadline, limit)
            if stamp["filled"] != FILLED or stamp["seq"] != last:
                self._tell("catching up", behind=self._behind(stamp, last))
                return
            if not self._is_counted:
                self._check_count(backend, limit)
            self._reached = last
        if not self._is_suspect:  # else the next answer shows whether it is well again
            self._well()

    def _follows(self) -> bool:
        return self._reached is not None and self._reached >= self._store.last_change()

    def _is_stale(self, stamp: Stamp | None, last: int) -> bool:
        """Whether it knows changes that the database does not: an older database was put in place of ours."""
        if stamp is None or int(stamp["seq"]) <= last:
            self._ahead_since = None
            return False
        now = time.monotonic()
        if self._ahead_since is None:
            self._ahead_since = now
        return now - self._ahead_since >= AHEAD_SECONDS

    def _fits(self, stamp: Stamp | None) -> bool:
        """Whether what is there is ours."""
        if stamp is None or not isinstance(stamp.get("seq"), int) or not isinstance(stamp.get("filled"), int):
            return False
        return all(stamp.get(name) == value for name, value in self._identity.items())

    def _begun(self, backend: Backend, last: int, limit: float) -> Stamp:
        """Empty, with a stamp that says that nothing is there yet."""
        stamp: Stamp = {**self._identity, "seq": last, "filled": 0}
        self._call(limit * WRITE_FACTOR, backend.clear)
        self._call(limit * WRITE_FACTOR, backend.mark, stamp)
        if self._call(limit, backend.stamp) != stamp:
            raise BackendFailed("it does not keep what it is given; its version may be too old")
        self._owed.unlink(missing_ok=True)
        self._is_counted = False
        return stamp

    def _filled(
        self, backend: Backend, stamp: Stamp, deadline: float, limit: float, progress: Callable[[int, int], None] | None
    ) -> Stamp:
        """Hand over all rows in the order of their keys; what changes meanwhile is in the change sequence."""
        total, done = self._live(), 0
        while stamp["filled"] != FILLED and time.monotonic() < deadline:
            keys, vectors = self._store.vectors("backed_after", self._dimension, after=stamp["filled"], limit=BATCH)
            if len(keys):
                self._call(limit * WRITE_FACTOR, backend.add, keys, vectors)
            stamp = {**stamp, "filled": int(keys[-1]) if len(keys) else FILLED}
            self._call(limit * WRITE_FACTOR, backend.mark, stamp)
            done += len(keys)
            if progress is not None:
                progress(done, total)
        return stamp

    def _replayed(self, backend: Backend, stamp: Stamp, deadline: float, limit: float) -> Stamp:
        if stamp["filled"] != FILLED:
            return stamp
        changes = self._store.all("changes_since", seq=stamp["seq"])
        for start in range(0, len(changes), BATCH):
            if time.monotonic() >= deadline:
                break
            part = changes[start : start + BATCH]
            last = {row["key"]: row["op"] for row in part if row["op"] != RELISTED}
            if removed := [key for key, op in last.items() if op == REMOVED]:
                self._call(limit * WRITE_FACTOR, backend.remove, np.array(removed, dtype=np.int64))
            if added := [key for key, op in last.items() if op == ADDED]:
                keys, vectors = self._store.vectors("backed_by_keys", self._dimension, keys=encode_keys(added))
                if len(keys):
                    self._call(limit * WRITE_FACTOR, backend.add, keys, vectors)
            stamp = {**stamp, "seq": int(part[-1]["seq"])}
            self._call(limit * WRITE_FACTOR, backend.mark, stamp)
        return stamp

    def _check_count(self, backend: Backend, limit: float) -> None:
        """Once a process: somebody else may have meddled with it, or it lost something."""
        held, due = self._call(limit, backend.count), self._live()
        if held != due:
            self._owe()
            raise BackendFailed(f"it holds {held} vectors instead of {due}, so it will be refilled")
        self._is_counted = True

    def _live(self) -> int:
        row = self._store.one("backed_count")
        assert row is not None
        return int(row[0])

    def _behind(self, stamp: Stamp, last: int) -> int:
        if stamp["filled"] == FILLED:
            return last - int(stamp["seq"])
        row = self._store.one("backed_count_after", after=stamp["filled"])
        assert row is not None
        return int(row[0])

    # --- the engine and its lock ---------------------------------------------------------------

    def _opened(self) -> Backend:
        if self._backend is None:
            if self.is_private and self._held is None:
                self._held = self._lock(time.monotonic())  # whoever has it open keeps it: no use in waiting
            name = self._name()
            limit = max(30.0, self._settings.timeout)  # a package may have to be loaded first
            try:
                if self.is_private and self._settings.path is None:  # qdrant's are pickles: to read them is to run them
                    self._call(limit, keep_own, self._folder.parent, self._files / f"{name}.{self._settings.backend}")
                backend = self._call(limit, open_backend, self._settings, name, self._dimension, self._files)
            except BackendFailed:
                self._let_go()
                raise
            self._backend, self._is_counted = backend, False
        return self._backend

    def _name(self) -> str:
        """Under which the engine keeps the vectors: no other store's, and no copy's of this one."""
        if self._settings.url is None and self._settings.path is None:
            return str(self._store.ns)
        whole = "|".join(str(self._identity[part]) for part in ("store", "ns", "place"))
        return f"engramma_{hashlib.sha256(whole.encode()).hexdigest()[:24]}"

    def _call(self, seconds: float, act: Callable[..., T], *given: Any) -> T:
        return self._patience.call(seconds, act, *given)

    @contextmanager
    def _alone(self, deadline: float) -> Iterator[None]:
        """No other process of this machine writes to it meanwhile."""
        if self._held is None:
            self._held = self._lock(deadline)
        try:
            yield
        finally:
            if self._backend is None or not self.is_private:
                self._let_go()

    def _lock(self, deadline: float) -> int:
        self._folder.mkdir(exist_ok=True)
        descriptor = os.open(self._beside("lock"), os.O_RDWR | os.O_CREAT, 0o600)
        while not locked(descriptor):
            if time.monotonic() >= deadline:
                os.close(descriptor)
                raise BackendFailed("another process is using it")
            time.sleep(0.02)
        return descriptor

    def _let_go(self) -> None:
        if self._held is not None:
            os.close(self._held)
            self._held = None

    # --- what is told --------------------------------------------------------------------------

    def _beside(self, what: str) -> Path:
        return self._folder / f"{self._store.ns}.{self._settings.backend}.{what}"

    @property
    def _owed(self) -> Path:
        """A file that says: empty it before it is used again."""
        return self._beside("owed")

    def _owe(self) -> None:
        with suppress(OSError):
            self._folder.mkdir(exist_ok=True)
            self._owed.touch(mode=0o600)

    def _where(self) -> str:
        if self._settings.url is not None:
            return self._settings.url
        return str(self._files)

    def _fail(self, reason: str) -> None:
        self._reached = None
        self._retry.failed()
        if self._told.state != "failed":
            logger.warning(
                "The index backend %s (%s) failed: %s. The built-in scan answers instead; nothing is lost, and the "
                "backend catches up when it is back.",
                self._settings.backend,
                self._where(),
                reason,
            )
        self._tell("failed", error=reason)

    def _well(self) -> None:
        if self._told.state == "failed":
            logger.warning("The index backend %s is back and up to date.", self._settings.backend)
        self._retry.reset()
        self._tell("ready")

    def _tell(self, state: str, behind: int = 0, error: str | None = None) -> None:
        told = Health(self._settings.backend, self._where(), state, behind, error, self._store.namespace)
        if told != self._told:
            self._told = told
            with suppress(OSError, StoreError):
                self._store.check_place()
                write_health(self._folder, self._store.ns, told)
