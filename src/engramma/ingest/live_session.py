"""A session while it is being said: turn by turn, searchable at once, closed at the end or by silence."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import TracebackType

from ..core.core import Core
from ..core.names import find_session
from ..errors import SessionClosed
from ..language.times import check_moment, from_micros, shifted, to_micros
from ..records import RememberReport, Role, Turn
from ..store.store import session_row
from .pipeline import Request, add_reports
from .remember import remember_requests
from .validate import checked_turns

AHEAD = timedelta(days=1)  # how far clocks of several machines may differ


def close_session(core: Core, conversation: str, session: str) -> RememberReport:
    """Close an open session: its segments enter the graph and its text the archive."""
    find_session(core, conversation, session)
    return remember_requests(core, [Request(conversation, session, (), close=True)])


def close_idle(core: Core, now: datetime | None = None) -> RememberReport:
    """Close open sessions in which nothing was said for the idle gap, or that a clock gone wrong left far ahead."""
    moment = now or datetime.now(UTC)
    check_moment("now", moment)
    least = to_micros(shifted(moment, -timedelta(minutes=core.config.idle_minutes)))
    most = to_micros(shifted(datetime.now(UTC), AHEAD))
    rows = [row for row in core.store.sessions_pending() if not (row.closed or least <= row.last_at <= most)]
    return remember_requests(core, [Request(row.conversation, row.id, ()) for row in rows])


class LiveSession:
    """Add turns with `add`, end with `close` (or leave the `with` block).

    Without a session id, the conversation's open session goes on if the silence since its last turn
    is shorter than the idle gap; otherwise that one is closed and a new one begins.
    """

    def __init__(self, core: Core, conversation: str, session: str | None) -> None:
        self._core = core
        self.conversation = conversation
        self.id = session
        self._named = session is not None
        self._last: datetime | None = None
        self._closed = False
        self.report = RememberReport()  # what `add` has added so far

    def add(
        self, speaker: str, text: str, said_at: datetime | None = None, id: str | None = None, role: Role | None = None
    ) -> str:
        """Remember one turn; it can be recalled as soon as this returns. Returns the turn's id."""
        if self._closed:
            raise SessionClosed(
                f"Session {self.id!r} is closed. Open it again with Memory.session({self.conversation!r}, {self.id!r}) "
                "to extend it."
            )
        turn = Turn(speaker, text, said_at or datetime.now(UTC), id, role)
        (turn,) = checked_turns([turn], self._core.config.max_turn_bytes, self._core.mask)
        assert turn.said_at is not None and turn.id is not None
        if not self._named:
            self._follow_silence(turn.said_at)
        assert self.id is not None
        made = remember_requests(self._core, [Request(self.conversation, self.id, [turn], close=False)])
        self.report = add_reports(self.report, made)
        self._last = turn.said_at
        return turn.id

    def close(self) -> RememberReport:
        """Nothing more will be said: build the graph for this session and archive it. Closing twice is fine."""
        if self._closed or self.id is None:
            self._closed = True
            return RememberReport()
        self._closed = True
        if self._core.store.session(self.conversation, self.id) is None:
            return RememberReport()  # nothing was ever said
        return close_session(self._core, self.conversation, self.id)

    def _follow_silence(self, said_at: datetime) -> None:
        """Settle which session a turn belongs to."""
        gap = timedelta(minutes=self._core.config.idle_minutes)
        if self.id is None:
            rows = self._core.store.all("sessions_of_conversation", conversation=self.conversation)
            for row in (session_row(r) for r in rows):
                if not row.closed:
                    self.id, self._last = row.id, from_micros(row.last_at)
        if self.id is not None and self._last is not None and said_at - self._last > gap:
            close_session(self._core, self.conversation, self.id)
            self.id = None
        if self.id is None:
            self.id = said_at.strftime("%Y%m%dT%H%M%S.%fZ")

    def __enter__(self) -> LiveSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
