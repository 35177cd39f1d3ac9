"""The daemon's side of its worker: a child process that redacts, spools and stores, so that replies never wait.

Frames go down a pipe; the worker says which it has begun (+) and which it is done with (.), and what it had not
spooled when it died is sent to the next one. Storing twice changes nothing. A frame that was begun when two workers
died is set aside, and the next one goes on with the rest.
"""

from __future__ import annotations

import logging
import struct
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any

LENGTH = struct.Struct(">Q")
MOST_WAITING = 128 * 1024 * 1024  # bytes of frames that the worker has not taken yet
RESTART_SECONDS = 0.5  # between a worker's death and the next one; doubled each time up to a minute
STOP_SECONDS = 30.0
MOST_DEATHS = 2  # of workers over one frame
CAREFUL = "careful"  # tells a worker to do one thing at a time, so that it is known what kills it
BEGUN, DONE = b"+", b"."  # what the worker says of a frame

logger = logging.getLogger("engramma.daemon")


class WorkerScribe:
    """Keeps a worker running and hands it frames."""

    def __init__(
        self,
        command: Sequence[str],
        most_waiting: int = MOST_WAITING,
        handing: Callable[[], AbstractContextManager[dict[str, Any]]] = lambda: nullcontext({}),
        lay_aside: Callable[[bytes], None] = lambda _: None,  # told of a frame that kills workers
    ) -> None:
        self._command = list(command)
        self._handing = handing  # what every worker is started with beside: the key of an encrypted store
        self._lay_aside = lay_aside
        self._begun = False  # the first of the frames, by the present worker
        self._deaths = 0  # of workers over that frame
        self._aside = 0
        self._most = most_waiting
        self._frames: deque[bytes] = deque()  # sent or not, but not yet spooled
        self._sent = 0  # how many of them the present worker has been given
        self._bytes = 0
        self._taken = self._dropped = self._restarts = 0
        self._closing = False
        self._resting = False
        self._process: subprocess.Popen[bytes] | None = None
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._keep, name="scribe", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def offer(self, frame: bytes) -> bool:
        """Hand over one exchange without waiting; False, and counted, if there is no room for it."""
        with self._changed:
            if self._closing or self._bytes + len(frame) > self._most:
                self._dropped += 1
                return False
            self._frames.append(frame)
            self._bytes += len(frame)
            self._taken += 1
            self._changed.notify_all()
            return True

    def counts(self) -> Mapping[str, Any]:
        with self._changed:
            process = self._process
            return {
                "taken": self._taken,
                "dropped": self._dropped,
                "not_spooled": len(self._frames),
                "worker": process.pid if process is not None and process.poll() is None else None,
                "restarts": self._restarts,
                "laid_aside": self._aside,
            }

    @contextmanager
    def resting(self, seconds: float = STOP_SECONDS) -> Iterator[None]:
        """No worker has the store open meanwhile; what comes waits here, and the next worker takes it."""
        with self._changed:
            self._resting = True
            self._changed.notify_all()
        try:
            process = self._process
            if process is not None:
                try:
                    process.wait(seconds)
                except subprocess.TimeoutExpired:
                    process.kill()  # what is spooled stays
                    process.wait()
            yield
        finally:
            with self._changed:
                self._resting = False
                self._changed.notify_all()

    def close(self, seconds: float = STOP_SECONDS) -> None:
        """Let the worker take what waits and store what is spooled, then end it."""
        deadline = time.monotonic() + seconds
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(seconds)
        process = self._process
        if process is not None:
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()  # what is spooled stays, and the next start stores it
                process.wait()

    # --- steps ---------------------------------------------------------------------------------

    def _keep(self) -> None:
        """Run workers one after the other until the end."""
        pause, last, careful = RESTART_SECONDS, False, False
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closing or not self._resting)
            began = time.monotonic()
            before = len(self._frames)
            careful = self._feed([CAREFUL] if careful else [])  # after one that died
            if careful and not self._resting:
                self._blame()
            with self._changed:
                if self._resting and not self._closing:
                    self._sent = 0
                    continue
                if self._closing and (not self._frames or (last and len(self._frames) >= before)):
                    return
                last = self._closing  # further workers for what is left only as long as they get on with it
                self._restarts += 1
                self._sent = 0
                if time.monotonic() - began > 60:
                    pause = RESTART_SECONDS
                logger.warning("the worker exited; starting another one in %.1f s", pause)
                self._changed.wait_for(lambda: self._closing, pause)
            pause = min(60.0, pause * 2)

    def _blame(self) -> None:
        """Count a worker's death at the frame it was on; lay that aside if it was the second one."""
        with self._changed:
            if not self._begun:
                return
            self._deaths += 1
            if self._deaths < MOST_DEATHS:
                return
            frame = self._frames.popleft()
            self._bytes -= len(frame)
            self._deaths, self._begun = 0, False
            self._aside += 1
        logger.warning("an exchange of %d bytes crashed %d workers; it was set aside", len(frame), MOST_DEATHS)
        try:
            self._lay_aside(frame)
        except Exception as error:  # a full disk: it is counted, and the next worker goes on
            logger.warning("what was set aside could not be recorded: %s", type(error).__name__)

    def _feed(self, more: Sequence[str] = ()) -> bool:
        """Start a worker and give it frames until it dies or nothing more comes; returns whether it died."""
        self._begun = False
        with self._handing() as key:
            process = subprocess.Popen([*self._command, *more], stdin=subprocess.PIPE, stdout=subprocess.PIPE, **key)
        assert process.stdin is not None
        self._process = process
        acks = threading.Thread(target=self._hear, args=(process,), name="scribe-acks", daemon=True)
        acks.start()
        with suppress(OSError), process.stdin:  # it died, and closing would write once more
            while (frame := self._next(process)) is not None:
                process.stdin.write(LENGTH.pack(len(frame)))
                process.stdin.write(frame)
                process.stdin.flush()
        acks.join()
        return process.returncode != 0

    def _next(self, process: subprocess.Popen[bytes]) -> bytes | None:
        """The next frame to give, as soon as there is one; None when there will be none."""

        def is_over() -> bool:
            return self._closing or self._resting or process.poll() is not None

        with self._changed:
            self._changed.wait_for(lambda: self._sent < len(self._frames) or is_over())
            if process.poll() is not None or self._resting or self._sent >= len(self._frames):
                return None
            self._sent += 1
            return self._frames[self._sent - 1]

    def _hear(self, process: subprocess.Popen[bytes]) -> None:
        """Two bytes a frame, when it is begun and when it is spooled; the end of them is the end of the worker."""
        assert process.stdout is not None
        with process.stdout:
            while told := process.stdout.read(1):
                with self._changed:
                    self._begun = told == BEGUN
                    if told == DONE:
                        frame = self._frames.popleft()
                        self._sent -= 1
                        self._bytes -= len(frame)
                        self._deaths = 0
                        self._changed.notify_all()
        process.wait()
        with self._changed:
            self._changed.notify_all()
