"""The worker: takes what passed the proxy, masks it, spools it, stores it, and looks after the store meanwhile.

    python -m engramma.apps.daemon.worker STORE NAMESPACE [careful]

Frames come on standard input (a length, then the bytes) and each is answered with a byte when it is begun and one
once it is spooled. The end of the input is the end of the daemon: what is spooled is stored, then the worker ends.
A worker that follows one which died is careful: it takes and stores by turns, so that it is known what kills it.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import threading
import time
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO

from ...config.settings import load_config
from ...errors import BadInput, EngrammaError, ModelError, StoreError, StoreNotFound, UnreadableSource
from ...language.fence import MARK
from ...records.team import OWNER
from ...redaction import Redacted, redact, rules_from
from ...store.audit import acting
from ...store.masks import masked_name
from ...transfer.imports import Reading
from .attempts import MOST_TRIES, Attempts
from .counts import Counts
from .folder import place_in
from .llm_reader import start_reading
from .logfile import log_to
from .memories import Memories
from .memory_limit import OVER, limit_for, limit_memory, watch_memory
from .pauses import without_paused
from .scribe import BEGUN, CAREFUL, DONE, LENGTH
from .settings import DaemonSettings, settings_from
from .spool import Spool, SpoolItem

LOOK_SECONDS = 0.25  # between two looks at the spool
RETRY_SECONDS = 5.0  # after the store could not be written
CARE_SECONDS = 60.0  # between two looks for idle sessions
CLAIM_BLOCKS = 50  # blocks of turns a look from which claims are extracted: capturing goes on in between
PEOPLE = 200  # reconciled in one look after the store
WAITING = 64  # segments embedded in one look, of those that waited for the embedder; while there are more, looks follow
PATIENCE_SECONDS = 60.0  # for a frame that cannot be spooled now
DRAIN_SECONDS = 20.0  # for what is still spooled at the end

logger = logging.getLogger("engramma.worker")


class CaptureWorker:
    """One store's worker."""

    def __init__(self, store: Path, namespace: str, settings: DaemonSettings, careful: bool = False) -> None:
        self.place = place_in(store)
        self.memories = Memories(store)
        self.spool = Spool(self.place.spool, settings.spool_items, settings.spool_bytes)
        self.counts = Counts(self.place)
        self.settings = settings
        self.rules = rules_from(load_config(store).redact)
        self.key: bytes | None = None
        self.namespace = namespace
        self.embedded = 0  # segments that waited for the embedder and were embedded by the last look after the store
        self.ended = threading.Event()
        self.watched = False
        self.attempts = Attempts(self.place)
        by_turns = careful or self.attempts.one_was_left
        self.one_thing: AbstractContextManager[Any] = threading.Lock() if by_turns else nullcontext()

    # --- taking ----------------------------------------------------------------------------------

    def take(self, source: BinaryIO, answers: BinaryIO) -> None:
        """Spool every frame that comes; ends with the input."""
        try:
            while header := source.read(LENGTH.size):
                with self.one_thing:
                    _tell(answers, BEGUN)  # before it is read: that alone may be too much
                    self.take_patiently(source.read(LENGTH.unpack(header)[0]))
                    _tell(answers, DONE)
        except MemoryError:
            os._exit(OVER)  # the frame itself was too much; the daemon counts this death at it
        except (OSError, ValueError, BrokenPipeError):
            pass  # the daemon is gone
        finally:
            self.ended.set()

    def take_patiently(self, frame: bytes) -> None:
        """Spool a frame; a full disk or a locked store is given a while, then the frame is dropped and counted."""
        deadline, tries = time.monotonic() + PATIENCE_SECONDS, 0
        while True:
            try:
                return self.take_one(frame)
            except (OSError, StoreError) as error:
                if time.monotonic() > deadline or self.ended.is_set():
                    self.counts.add(dropped=1)
                    return self.failed("capture", error)
                time.sleep(LOOK_SECONDS)
            except Exception as error:  # a frame that cannot be read, or takes too much, must not stop those after it
                self.failed("capture", error)
                tries += 1
                if tries == MOST_TRIES:
                    return self.lay_aside(frame)
            gc.collect()  # what a frame that was too much has left

    def lay_aside(self, frame: bytes) -> None:
        """Note a frame that could not be masked by what may be told of it."""
        from ..proxy.exchange import told_of

        self.counts.add(laid_aside=1)
        with suppress(OSError):
            self.spool.note_failed("frame", told_of(frame))

    def take_one(self, frame: bytes) -> None:
        from ..proxy.capture import as_item, read_exchange
        from ..proxy.exchange import Exchange

        exchange = Exchange.from_bytes(frame)
        captured = read_exchange(exchange, self.own_words)
        if captured is None:
            self.counts.add(passed=1)
            return
        namespace = captured.namespace or self.namespace
        if masked_name(namespace, self.mask) != namespace:
            self.memories.get(namespace, create=True)  # raises unless it is there already: a secret names nothing new
        item = {**as_item(captured, self.mask), "namespace": namespace, "who": exchange.who}
        if captured.unsaid:  # nothing of it is written down but keyed hashes
            self.memories.get(item["namespace"], create=True).ingest.keep_out(item)
            self.counts.add(unsaid=1)
            return
        if self.spool.put("exchange", item):
            self.counts.add(captured=1)
        else:
            self.counts.add(dropped=1)

    def mask(self, text: str) -> Redacted:
        """A text without its secrets. The store is read once, for its key: capturing goes on while it is locked."""
        if self.key is None:
            self.key = self.memories.get(self.namespace, create=True).redactor.fingerprint_key()
        return redact(text, rules=self.rules, key=self.key)

    def own_words(self, text: str) -> str:
        """A text without what this store's memory had put there."""
        return self.memories.get(self.namespace, create=True).redactor.own_words(text) if MARK in text else text

    # --- storing ---------------------------------------------------------------------------------

    def store_all(self) -> bool:
        """Store what is spooled; False if the store could not be written and the rest has to wait."""
        for item in self.spool.items():
            try:
                with self.one_thing:
                    if not self.attempts.begin(item.path.name):
                        self.lay_item_aside(item)
                        continue
                    with acting(str(item.value.get("who") or OWNER), "capture"):
                        turns = self.store_one(item)
                    self.attempts.end()
            except StoreNotFound as error:
                self.failed("store", error)
                self.lay_item_aside(item)
            except (StoreError, ModelError, OSError) as error:
                self.failed("store", error)
                self.attempts.end()
                return False
            except MemoryError as error:  # what is open may have taken most of it: the next worker tries once more
                self.failed("store", error)
                os._exit(OVER)
            except Exception as error:  # no further try would end otherwise
                self.failed("store", error)
                self.lay_item_aside(item)
            else:
                self.spool.done(item)
                self.counts.add(stored=1, turns=turns)
                self.counts.note(last_stored_at=datetime.now(UTC).isoformat())
        return True

    def lay_item_aside(self, item: SpoolItem) -> None:
        self.spool.lay_aside(item.path)
        self.attempts.end()
        self.counts.add(laid_aside=1)

    def store_one(self, item: SpoolItem) -> int:
        namespace = item.value.get("namespace") or self.namespace
        memory = self.memories.get(namespace, create=True)
        if item.kind == "exchange":
            return memory.ingest.store_exchange(item.value).turns
        if item.kind == "transcript":
            path, format = Path(str(item.value["path"])), str(item.value.get("format") or "claude-code")
            try:
                return memory.import_(path, without_paused(self.place.folder.parent, Reading(format))).turns
            except UnreadableSource:
                if path.exists():
                    raise
                return 0  # deleted meanwhile: there is nothing left to read
        raise BadInput(f"An item of kind {item.kind!r:.50} in the spool is from another version.")

    # --- care ------------------------------------------------------------------------------------

    def care(self, last_steward: float) -> float:
        """Close idle sessions, finish what a crash left, read claims, reconcile, and run the steward when it is due."""
        due = self.settings.steward_hours and time.time() - last_steward > self.settings.steward_hours * 3600
        memory = self.memories.get(self.namespace, create=True)
        self.embedded = 0
        for name in [one.name for one in memory.namespaces.all()]:
            with suppress(StoreNotFound):
                one = self.memories.get(name)
                one.close_idle()
                self.embedded += one.ingest.embed_waiting(WAITING)
                one.ingest.finish_pending(0)
                one.notes.link_waiting()
                one.claims.extract(CLAIM_BLOCKS)
                one.people.reconcile(limit=PEOPLE)
                if due:
                    report = one.steward.run(apply=True)
                    self.counts.add(steward_acts=len(report.acts))
        if due:
            last_steward = time.time()
            self.counts.note(last_steward=datetime.now(UTC).isoformat())
        return last_steward

    def limit_memory(self) -> None:
        """Bound what this process may take. The bound grows with the store, so it is set anew now and then."""
        most = limit_for(self.memories.store, self.settings.worker_memory_mb)
        if not limit_memory(most) and most is not None and not self.watched:
            self.watched = True
            watch_memory(most)

    def failed(self, what: str, error: Exception) -> None:
        """Note a failure without a word of the talk: errors of our own say none, others are named by kind."""
        told = str(error) if isinstance(error, StoreError | ModelError) else type(error).__name__
        logger.warning("%s failed: %s", what, told)
        self.counts.add(errors=1)
        self.counts.note(last_error=f"{what}: {told}", last_error_at=datetime.now(UTC).isoformat())
        self.counts.write(now=True)  # it may be the last thing that this worker does

    def run(self) -> None:
        """Store and care until the daemon ends, then store what is left."""
        next_care, next_try = time.monotonic() + 1.0, 0.0
        last_steward = self.counts.time("last_steward")
        self.spool.tidy()
        while not self.ended.wait(LOOK_SECONDS):
            if time.monotonic() >= next_try and not self.store_all():
                next_try = time.monotonic() + RETRY_SECONDS
            if time.monotonic() >= next_care:
                next_care = time.monotonic() + CARE_SECONDS
                try:
                    last_steward = self.care(last_steward)
                except (EngrammaError, OSError, MemoryError) as error:
                    self.failed("care", error)
                self.limit_memory()
                if self.embedded:  # the embedder is back: there may be more
                    next_care = time.monotonic()
            self.counts.write(now=True)
        deadline = datetime.now(UTC) + timedelta(seconds=DRAIN_SECONDS)
        while self.spool.waiting()[0] and datetime.now(UTC) < deadline and not self.store_all():
            time.sleep(LOOK_SECONDS)
        self.counts.write(now=True)
        self.memories.close()


def _tell(answers: BinaryIO, what: bytes) -> None:
    answers.write(what)
    answers.flush()


def run_worker() -> None:
    store, namespace = Path(sys.argv[1]), sys.argv[2]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the daemon, whose end ends the input
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    log_to(sys.stderr)
    worker = CaptureWorker(store, namespace, settings_from(load_config(store).daemon), CAREFUL in sys.argv[3:])
    worker.limit_memory()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing else may speak there
    threading.Thread(target=worker.take, args=(sys.stdin.buffer, answers), name="take", daemon=True).start()
    start_reading(worker)
    worker.run()


if __name__ == "__main__":
    run_worker()
