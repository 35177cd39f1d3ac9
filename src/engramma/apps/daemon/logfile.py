"""The daemon's log: bounded in size whoever writes to it, and what repeats is counted instead of written."""

from __future__ import annotations

import logging
import os
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

MOST_BYTES = 5 * 1024 * 1024  # of the log, and of each that was set aside
KEPT = 2  # logs that were set aside
FEW = 5  # records of the same words within the window
MANY = 30  # and of any words from the same line of code
WINDOW_SECONDS = 60.0
MOST_LINES = 1_000  # lines of code that are counted at once
LONGEST = 16 * 1024  # characters of a record
FORMAT = "%(asctime)s %(name)s %(levelname)s %(message)s"
FRAMES = 6  # of an error that is logged: the innermost


def locate_error(error: BaseException) -> str:
    """An error's kind and where it was raised, without its message: that may quote what was said."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    return f"{type(error).__name__} at " + " < ".join(f"{f.filename}:{f.lineno}" for f in reversed(frames))


class Wordless(logging.Formatter):
    """Writes errors by their kind and place, whichever library logs them."""

    def formatException(self, ei: Any) -> str:  # logging's name
        return locate_error(ei[1])


@dataclass(slots=True)
class LoggedLine:
    """What a line of code logged within its window: how often which words, and how much was left out."""

    since: float
    record: logging.LogRecord
    texts: Counter[str] = field(default_factory=Counter)
    left_out: int = 0


class Collapsing(logging.StreamHandler[TextIO]):
    """Writes what repeats a few times a minute, and then says how often it was left out."""

    def __init__(self, stream: TextIO, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(stream)
        self._now = now
        self._seen: dict[tuple[str, int, str], LoggedLine] = {}
        self.setFormatter(Wordless(FORMAT))

    def emit(self, record: logging.LogRecord) -> None:
        kind = record.exc_info[0] if record.exc_info else None
        key = (record.pathname, record.lineno, kind.__name__ if kind else "")
        self.tell_repeats()
        if (seen := self._seen.get(key)) is None:
            if len(self._seen) >= MOST_LINES:
                self._seen.clear()
            seen = self._seen[key] = LoggedLine(self._now(), record)
        words = record.getMessage()[:LONGEST]
        if seen.texts[words] >= FEW or seen.texts.total() >= MANY:
            seen.left_out += 1
            return
        seen.texts[words] += 1
        super().emit(record)

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        return text if len(text) <= LONGEST else f"{text[:LONGEST]} … ({len(text):,} characters)"

    def look(self) -> None:
        """Say what was left out, though nothing else is logged."""
        self.acquire()
        try:
            self.tell_repeats()
        finally:
            self.release()

    def tell_repeats(self) -> None:
        """Say of every window that is over how much was left out."""
        now = self._now()
        for key, seen in list(self._seen.items()):
            if now - seen.since >= WINDOW_SECONDS:
                del self._seen[key]
                self._tell(seen)

    def close(self) -> None:
        while self._seen:
            self._tell(self._seen.popitem()[1])
        super().close()

    def _tell(self, seen: LoggedLine) -> None:
        if not seen.left_out:
            return
        record = logging.makeLogRecord({**seen.record.__dict__, "exc_info": None, "exc_text": None, "args": None})
        record.created = time.time()
        what = next(iter(str(seen.record.msg).splitlines()), "")[:200]
        record.msg = f"{seen.left_out:,} more like this within {WINDOW_SECONDS:.0f} s: {what}"
        super().emit(record)


def log_to(stream: TextIO) -> Collapsing:
    """Let everything that is logged go there, collapsed."""
    handler = Collapsing(stream)
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    return handler


class Bounded:
    """Keeps the log that standard error goes to from growing: the worker's words and crashes go there, too."""

    def __init__(self, log: Path, handler: Collapsing | None = None) -> None:
        self._log, self._handler = log, handler
        self._is_ours = is_stderr(log)
        if self._is_ours:
            append_only(2)

    def look(self) -> None:
        """Called once a second."""
        if self._handler is not None:
            self._handler.look()
        if self._is_ours:
            rotate(2, self._log)


def is_stderr(log: Path) -> bool:
    """Whether standard error is this very file, as `engramma start` and launchd have it."""
    try:
        return os.path.samestat(os.fstat(2), log.stat())
    except OSError:
        return False


def append_only(descriptor: int) -> None:
    """Let every write go to the end, wherever that is by then; whoever opened the file may have forgotten it."""
    with suppress(ImportError, OSError):
        import fcntl

        flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | os.O_APPEND)


def rotate(descriptor: int, log: Path, most: int = MOST_BYTES) -> bool:
    """Lay a log aside that is too long. It is copied and emptied: every process that has it open writes on into it."""
    with suppress(OSError):
        size = os.fstat(descriptor).st_size
        if size <= most:
            return False
        for number in range(KEPT, 1, -1):
            with suppress(FileNotFoundError):
                os.replace(aside(log, number - 1), aside(log, number))
        with log.open("rb") as file:
            file.seek(max(0, size - most))
            last = file.read(most)
        copy = os.open(aside(log, 1), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(copy, "wb") as file:
            file.write(last)
        os.ftruncate(descriptor, 0)
        return True
    return False


def aside(log: Path, number: int) -> Path:
    return log.with_name(f"{log.name}.{number}")


def last_lines(path: Path, count: int) -> str:
    """The end of a log, read from its end."""
    try:
        with path.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - 400 * count))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-count:])
