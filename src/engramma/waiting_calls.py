"""What a memory does with segments that wait for their vectors: embed them when the embedder is back, and say so."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from .backlog import Backlog, backlog_of
from .errors import EmbedderAway, EngrammaError
from .ingest.archive import archive_pending, remove_archive
from .ingest.notes import DUPLICATE, EXTENDS, MOST_RELATED, auto_link, duplicate_in, extend, extended_in, kin_of
from .ingest.pipeline import Request
from .ingest.waiting import Waiting, first_waiting, fold_note, put_vectors, unchecked_note, waiting_sessions
from .models.exchange import Refused
from .models.segments import embed_segments
from .note_calls import NoteCalls
from .parts import ARCHIVE_FOLDER
from .recall.recipes import Plan
from .records import RememberReport, Thresholds
from .records.team import OWNER
from .store.audit import acting
from .store.store import RETIRED
from .times import to_micros

BATCH = 32  # segments embedded together: what an interruption can cost
IN_PASSING = 8  # segments that a write or a recall embeds on its way: nobody should have to wait for many
PAUSE_SECONDS = 60.0  # until the next try in passing, after one that embedded nothing


class WaitingCalls(NoteCalls):
    """Calls about what waits for its vectors."""

    _passing_again = 0.0  # before this moment nothing is embedded in passing

    def embed_waiting(self, most: int | None = None) -> int:
        """Embed segments that were stored while the embedder was away, and link their sessions; returns how many.

        Ends early where the embedder is (still) away. A note that turns out to repeat another becomes a repeat of it.
        """
        if not self._catching_up.acquire(blocking=False):
            return 0  # another thread does it, or this one is just storing what it embedded
        try:
            done = self._embed_batches(most)
            if done:
                self._link_sessions()
            return done
        finally:
            self._catching_up.release()

    def backlog(self) -> Backlog:
        """How much waits for the embedder, and since when it is away."""
        return backlog_of(self.path, len(self._waiting_keys(self.store.last_change(), RETIRED)))

    def known_thresholds(self, plan: Plan | None = None) -> Thresholds | None:
        """A plan's thresholds; None where they would have to be measured and the embedder is away."""
        try:
            return self.thresholds(plan)
        except EmbedderAway:
            return None

    def finish_pending(self, most: int | None = None) -> RememberReport:
        """Finish what a crash or an outage left: segments without vectors (so many at most), closed sessions that are
        not in the graph or not in the archive."""
        self.embed_waiting(most)
        return self._link_sessions()

    def embed_in_passing(self) -> None:
        """Embed a few that wait, now that the embedder has just answered. Best effort: nobody asked for it."""
        if time.monotonic() < self._passing_again or not len(self._waiting_keys(self.store.last_change(), RETIRED)):
            return
        with suppress(EngrammaError), acting(OWNER, "embedding"):
            if self.embed_waiting(IN_PASSING):
                return
        self._passing_again = time.monotonic() + PAUSE_SECONDS

    # --- steps ---------------------------------------------------------------------------------

    def _embed_batches(self, most: int | None) -> int:
        done, after = 0, -1
        while most is None or done < most:
            left = BATCH if most is None else min(BATCH, most - done)
            if not (batch := first_waiting(self.store, after, left)):
                break
            try:
                made = self._embedded([one for one in batch if one.texts])
            except EmbedderAway:
                break
            done += self._store_vectors(made)
            after = batch[-1].key
        return done

    def _embedded(self, batch: Sequence[Waiting]) -> dict[Waiting, NDArray[np.float16]]:
        """Their vectors. Where the server refuses some text, the others get theirs one by one and that one waits on."""
        try:
            return dict(zip(batch, embed_segments(self.embedder, [one.texts for one in batch]), strict=True))
        except EmbedderAway as error:
            if not isinstance(error.__cause__, Refused) or len(batch) < 2:
                if isinstance(error.__cause__, Refused):
                    return {}
                raise
        found: dict[Waiting, NDArray[np.float16]] = {}
        for one in batch:
            found |= self._embedded([one])
        return found

    def _store_vectors(self, made: dict[Waiting, NDArray[np.float16]]) -> int:
        """Store vectors; notes one by one, since each may repeat the one before it."""
        sha256 = self.embedder.sha256
        unchecked = [one for one in made if unchecked_note(self.store, one)]
        done = put_vectors(self.store, sha256, {one: v for one, v in made.items() if one not in unchecked})
        for one in unchecked:
            done += self._settle_note(one, made[one], sha256)
        return done

    def _settle_note(self, one: Waiting, vector: NDArray[np.float16], sha256: str) -> int:
        """What `remember` would have done with a note had the embedder been there."""
        index, _ = self._fresh_index().fresh()
        related_from = self._related_from()
        kin = kin_of(self.store, index, vector, min(EXTENDS, related_from, DUPLICATE))
        segment = self.store.hydrate([one.key]).get(one.key)
        repeated = None if segment is None else duplicate_in(self.store, kin, segment.text)
        gone = None if repeated is None else fold_note(self.store, one, repeated)
        if gone is not None:
            with suppress(OSError):
                remove_archive(self.path / ARCHIVE_FOLDER, self.namespace, gone)
            return 1
        now = to_micros(datetime.now(UTC))
        related = [k for k in kin if k.similarity >= related_from][:MOST_RELATED]

        def also(key: int) -> None:
            extend(self.store, key, extended_in(kin), now)
            auto_link(self.store, key, related, now)

        return put_vectors(self.store, sha256, {one: vector}, also)

    def _link_sessions(self) -> RememberReport:
        """Closed sessions enter the graph, those whose segments all have their vectors."""
        waiting = waiting_sessions(self.store)
        rows = [row for row in self.store.sessions_pending() if row.closed and not row.linked]
        ready = [Request(row.conversation, row.id, ()) for row in rows if row.key not in waiting]
        if not ready:
            archive_pending(self._archive_folder, self.store)
            return RememberReport()
        return self.remember_requests(ready)
