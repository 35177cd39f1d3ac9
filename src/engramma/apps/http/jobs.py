"""Runs imports in the background: one at a time, with progress, and cancellable."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from ... import sources
from ...errors import EngrammaError
from ...memory import Memory
from ...records import Problem, RememberReport
from ...records.team import OWNER
from ...store.audit import acting
from ...transfer.imports import Reading
from ...transfer.preview import Preview
from ...transfer.watch import TRANSCRIPTS
from ..daemon.logfile import locate_error
from ..daemon.pauses import without_paused
from .problems import RequestRefused
from .response_models import Failure, JobOut
from .uploads import remove_upload

MOST_WAITING = 16
KEPT = 100  # ended ones that can still be asked for
MOST_PROBLEMS = 1_000  # of a report

logger = logging.getLogger("engramma.http")

State = Literal["waiting", "running", "done", "failed", "cancelled"]


class Cancelled(Exception):
    """Somebody does not want this import any more."""


@dataclass(slots=True)
class Job:
    """One import."""

    id: str
    namespace: str
    path: Path
    reading: Reading
    dry_run: bool
    who: str = OWNER
    state: State = "waiting"
    format: str | None = None
    turns: int = 0
    problems: int = 0
    began_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    ended_at: datetime | None = None
    report: RememberReport | Preview | None = None
    error: EngrammaError | None = None
    cancel: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)

    def advance(self, turns: int, problems: int) -> None:
        """Called after each group that was stored: nothing is half done here, so it can end."""
        self.turns += turns
        self.problems += problems
        if self.cancel.is_set():
            raise Cancelled

    def told(self) -> JobOut:
        failure = None
        if self.state == "failed":
            detail = str(self.error) if self.error is not None else "See the daemon's log for details."
            failure = Failure("The import failed", _shown(detail, self.path))
        about = {name: getattr(self, name) for name in JobOut.__slots__ if name not in ("filename", "failure")}
        return JobOut(**about, filename=self.path.name, failure=failure)


class Jobs:
    """The imports of a daemon."""

    def __init__(self, open_memory: Callable[[str], Memory]) -> None:
        self._open = open_memory
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._closed = False

    def start(self, namespace: str, path: Path, reading: Reading, *, dry_run: bool, who: str = OWNER) -> Job:
        """Begin an import; the file is deleted when it ends, however it ends."""
        job = Job(secrets.token_hex(8), namespace, path, reading, dry_run, who)
        with self._lock:
            waiting = sum(not one.ended.is_set() for one in self._jobs.values())
            if self._closed or waiting >= MOST_WAITING:
                remove_upload(path)
                raise RequestRefused(
                    503, f"{waiting} imports are already waiting. Try again later.", {"Retry-After": "60"}
                )
            for old in [one for one in self._jobs.values() if one.ended.is_set()][: -KEPT or None]:
                del self._jobs[old.id]
            self._jobs[job.id] = job
            self._pool = self._pool or ThreadPoolExecutor(1, "import")
            self._pool.submit(self._run, job)
        return job

    def get(self, id: str) -> Job:
        job = self._jobs.get(id)
        if job is None:
            raise no_job(id)
        return job

    def listed(self) -> list[Job]:
        """The newest last."""
        with self._lock:
            return list(self._jobs.values())

    def close(self) -> None:
        """End what runs at the next safe place, and wait for that."""
        with self._lock:
            self._closed = True
            for job in self._jobs.values():
                job.cancel.set()
            pool = self._pool
        if pool is not None:
            pool.shutdown(wait=True)

    # --- steps ---------------------------------------------------------------------------------

    def _run(self, job: Job) -> None:
        try:
            if job.cancel.is_set():
                raise Cancelled
            job.state = "running"
            memory = self._open(job.namespace)
            with acting(job.who, "import_upload"):
                job.report = _cleaned(self._work(memory, job), job.path)
            job.state = "done"
        except Cancelled:
            job.state = "cancelled"
        except EngrammaError as error:
            job.error, job.state = error, "failed"
        except Exception as error:
            logger.error("an import failed: %s", locate_error(error))
            job.state = "failed"
        finally:
            remove_upload(job.path)
            job.ended_at = datetime.now(UTC)
            job.ended.set()

    def _work(self, memory: Memory, job: Job) -> RememberReport | Preview:
        job.format = job.reading.format or sources.sniff(job.path)
        reading = replace(job.reading, format=job.format)
        if job.format in TRANSCRIPTS:
            reading = without_paused(memory.path, reading)
        if job.dry_run:
            return memory.transfer.preview(job.path, reading, progress=job.advance)
        try:
            report = memory.import_(job.path, reading, job.advance)
        except Cancelled:
            with suppress(EngrammaError):
                memory.ingest.finish_pending()
            raise
        return replace(report, problems=memory.redactor.mask_problems(report.problems))


def no_job(id: str) -> RequestRefused:
    return RequestRefused(
        404, f"There is no import {id!r:.50}. Imports from before the daemon's last start are not kept."
    )


def _cleaned(report: RememberReport | Preview, path: Path) -> RememberReport | Preview:
    """Its problems under the name the file was sent with, and not too many of them."""
    found = report.problems
    listed = [
        replace(p, path=_shown(p.path, path), where=_shown(p.where, path), reason=_shown(p.reason, path))
        for p in found[:MOST_PROBLEMS]
    ]
    if len(found) > MOST_PROBLEMS:
        listed.append(Problem(path.name, "the whole file", f"{len(found) - MOST_PROBLEMS:,} more problems"))
    return replace(report, problems=tuple(listed))


def _shown(text: str, path: Path) -> str:
    return text.replace(str(path), path.name)
