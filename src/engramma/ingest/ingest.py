"""Writes in steps: embeds sessions before storing them, stores captured exchanges, and embeds what waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.core import Core
from ..records import RememberReport, Turn
from .backlog import Backlog, store_backlog
from .capture import keep_out, store_exchange
from .pipeline import PreparedDrafts, Request
from .remember import prepare_requests, remember_prepared
from .validate import check_name, check_talk, checked_turns
from .waiting_segments import embed_waiting, finish_pending


class SessionDraft:
    """Turns of a session, checked and embedded: all that is left to do is to store them."""

    def __init__(self, core: Core, ids: Sequence[str], prepared: PreparedDrafts) -> None:
        self.ids = list(ids)  # of the turns, in their order
        self._core, self._prepared = core, prepared

    def store(self) -> RememberReport:
        """Store them, in one transaction."""
        return remember_prepared(self._core, self._prepared)


class Ingest:
    """The steps of the write side, for who has to wait between them."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def check(self, turns: Sequence[Turn]) -> list[Turn]:
        """The turns as they would be stored, masked; BadTurn if one of them cannot be."""
        return checked_turns(turns, self._core.config.max_turn_bytes, self._core.mask)

    def draft(self, conversation: str, session: str, turns: Sequence[Turn], *, close: bool) -> SessionDraft:
        """The first half of `Memory.remember_session`: check and embed; `store` of the draft is the second."""
        check_talk(conversation)
        check_name(session, "session")
        good = self.check(turns)
        prepared = prepare_requests(self._core, [Request(conversation, session, good, close)])
        return SessionDraft(self._core, [turn.id or "" for turn in good], prepared)

    def store_exchange(self, item: Mapping[str, Any]) -> RememberReport:
        """Store what is new of an exchange that was captured. A second time it adds nothing."""
        return store_exchange(self._core, dict(item))

    def keep_out(self, item: Mapping[str, Any]) -> None:
        """Note an exchange by keyed hashes alone: it counts as known from now on, and nothing of it is stored."""
        keep_out(self._core, dict(item))

    def embed_waiting(self, most: int | None = None) -> int:
        """Embed segments that were stored while the embedder was away, so many at most; returns how many."""
        return embed_waiting(self._core, most)

    def finish_pending(self, most: int | None = None) -> RememberReport:
        """Finish what a crash or an outage left: vectors (so many at most), closed sessions that are in no graph."""
        return finish_pending(self._core, most)

    def store_backlog(self) -> Backlog:
        """How much waits for the embedder in all namespaces of the store, and since when it is away."""
        return store_backlog(self._core.path, self._core.store.database)
