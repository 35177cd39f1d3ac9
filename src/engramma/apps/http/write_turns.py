"""Writers of one process take turns: SQLite lets only one in anyway, and its own waiting is by sleeping and unfair."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from ...memory import Memory
from ...records import RememberReport, Turn


class Writes:
    """A fair lock: the longest waiting thread gets it next."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: deque[threading.Event] = deque()
        self._taken = False

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else in this process writes meanwhile."""
        self._take()
        try:
            yield
        finally:
            self._pass_on()

    def _take(self) -> None:
        with self._guard:
            if not self._taken:
                self._taken = True
                return
            mine = threading.Event()
            self._waiting.append(mine)
        mine.wait()

    def _pass_on(self) -> None:
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._taken = False


def remember_turns(
    writes: Writes, memory: Memory, conversation: str, session: str, turns: Sequence[Turn], *, close: bool
) -> tuple[list[str], RememberReport]:
    """As `Memory.remember_session`, but embedded before it is this writer's turn; also returns the turns' ids."""
    draft = memory.ingest.draft(conversation, session, turns, close=close)
    with writes.alone():
        report = draft.store()
    return draft.ids, report


def follow_live(
    writes: Writes, memory: Memory, conversation: str, turns: Sequence[Turn], *, close: bool
) -> tuple[str, list[str], RememberReport]:
    """Turns of a sitting that has no name: silence decides which one. Returns its id, theirs, and what was added."""
    memory.ingest.check(turns)  # all or none of them
    with writes.alone():
        live = memory.session(conversation)
        ids = [live.add(t.speaker, t.text, t.said_at or datetime.now(UTC), t.id, t.role) for t in turns]
        if close:
            live.close()
    assert live.id is not None
    return live.id, ids, live.report
