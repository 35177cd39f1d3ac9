"""The steward: maintains the notes, one act per transaction, each with its reason and undoable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from ..core.core import Core
from ..core.names import segment_key
from ..errors import BadInput
from ..ingest.archive import archive_pending
from ..ingest.link import linker_of
from ..ingest.note_repeats import note_id, put_link
from ..ingest.note_rows import put_note
from ..ingest.pipeline import Request, draft, write_draft
from ..ingest.waiting_segments import embed_waiting
from ..language.text import NOTES, labelled
from ..language.times import check_moment, format_time, from_micros, to_micros
from ..models.segments import embed_or_wait
from ..recall.count import count_recalled
from ..records import StewardAct, StewardReport, Turn
from ..store.store import encode_keys
from .plan import KINDS, MOST_ACTS, Canonical, Seen, StewardRules, StewardStep
from .proposals import Due, find_due_steps
from .run import Compared, lay_aside, plan
from .undo import SUPERSEDES, sweep_note_files

STEWARD = "steward"  # who makes its notes and links
SOURCE = "source"  # what a canonical note's links to its sources are labelled


class PlanOutdated(Exception):
    """What an act rests on is no longer as the plan saw it."""


class Steward:
    """Maintains the notes: expires, prunes, merges and consolidates them, and archives what is old."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._compared: Compared | None = None

    def run(
        self, now: datetime | None = None, apply: bool = False, limits: int | Mapping[str, int] = MOST_ACTS
    ) -> StewardReport:
        """Maintain the notes: expire, prune, merge and consolidate them, and archive what is old.

        Without `apply` nothing is changed and the report is a plan. `limits` is the maximum number of acts
        of each kind: one number, or one per kind. Every act is one transaction, with its reason in `acts()`, and can be
        undone.
        """
        moment = now or datetime.now(UTC)
        check_moment("now", moment)
        count_recalled(self._core)
        if apply:
            embed_waiting(self._core)  # what has no vector is like no other note
        found, self._compared = plan(self._core.store, self.rules(moment, limits), self._compared)
        acts = [StewardAct(s.kind, s.reason, s.ids, self.into(s)) for s in found.steps]  # type: ignore[arg-type]
        done = acts
        if apply:
            numbers = [self.act(step) for step in found.steps]
            done = [replace(act, act=number) for act, number in zip(acts, numbers, strict=True) if number is not None]
            sweep_note_files(self._core)
            archive_pending(self._core.archive_folder, self._core.store)
        counts = {kind: sum(act.kind == kind for act in done) for kind in KINDS}
        gone = sum(id.startswith("note_") for act in done for id in act.ids)
        left = found.notes - gone + counts["consolidate"]
        skipped = len(acts) - len(done)
        return StewardReport(moment, apply, tuple(done), counts, found.left_out, skipped, found.notes, left)

    def proposals(self, rules: StewardRules) -> list[Due]:
        """What a run by these rules would do, one step at a time for somebody to decide."""
        found, self._compared = find_due_steps(self._core.store, rules, self._compared)
        return found

    # --- acting --------------------------------------------------------------------------------------

    def rules(self, now: datetime, limits: int | Mapping[str, int]) -> StewardRules:
        wanted = limits if isinstance(limits, Mapping) else dict.fromkeys(KINDS, limits)
        for kind, most in wanted.items():
            if kind not in KINDS:
                raise BadInput(f"There is no kind of act {kind!r:.80}; limits take {', '.join(KINDS)}.")
            if not isinstance(most, int) or isinstance(most, bool) or most < 0:
                raise BadInput(f"A limit must be a number from 0, not {most!r:.80}.")
        config = self._core.config
        return StewardRules(
            now=to_micros(now),
            prune_below=config.prune_below,
            grace_days=config.grace_days,
            merge_floor=config.merge_floor,
            consolidate_days=config.consolidate_days,
            archive_after_days=config.archive_after_days,
            longest_text=config.max_turn_bytes,
            limits=wanted,
        )

    def into(self, step: StewardStep) -> str | None:
        if isinstance(step.into, Canonical):
            return canonical_id(step.into)
        return None if step.into is None else step.into.id

    def act(self, step: StewardStep, **why: Any) -> int | None:
        """One step in one transaction; returns the act's number, or None if it was too late for it. `why`: what else
        the act is to say."""
        if isinstance(step.into, Canonical):
            return self._consolidate(step, step.into, why)
        with self._core.store.transaction():
            if not isinstance(step.into, Seen):
                return lay_aside(self._core.store, step, why)
            kept, lost = step.into, step.keys[0]
            is_new = self._core.store.one("link_get", src=kept.key, kind=SUPERSEDES, dst=lost) is None
            detail = {**why, "into": kept.id, "similarity": step.similarity, "is_linked": is_new}
            number = lay_aside(self._core.store, step, detail)
            if number is not None and is_new:
                self._supersede(kept.key, lost, step.similarity or 0.0, step.reason)
            return number

    def _consolidate(self, step: StewardStep, canonical: Canonical, why: Mapping[str, Any]) -> int | None:
        """Write the canonical note, link it to its sources and lay them aside: all or nothing."""
        id = canonical_id(canonical)
        turn = Turn(STEWARD, canonical.text, from_micros(canonical.said_at), id)
        made = embed_or_wait(self._core.embedder, [(labelled([(STEWARD, canonical.text)]),)])
        vectors = self._vectors(step.keys)
        if made is None or len(vectors) < len(step.keys):
            return None  # the embedder is away: the next run consolidates them
        vector = made[0]
        number: int | None = None

        def also(keys: Sequence[int]) -> None:
            nonlocal number
            (key,) = keys
            number = lay_aside(self._core.store, step, {**why, "into": id})
            if number is None:
                raise PlanOutdated
            put_note(self._core.store, key, turn, tags=canonical.tags, strength=canonical.strength)
            if canonical.hits:
                self._core.store.run("use_add", key=key, hits=canonical.hits, at=canonical.last_at)
            for source in step.keys:
                cosine = float(vector.astype(np.float64) @ vectors[source])
                self._supersede(key, source, min(1.0, max(0.0, round(cosine, 4))), step.reason, SOURCE)

        if segment_key(self._core, id) is not None:
            return None
        with suppress(PlanOutdated):
            request = Request(NOTES, id, [turn])
            sha256, fresh = self._core.embedder.sha256, self._core.live_index().fresh
            write_draft(
                self._core.store,
                fresh,
                linker_of(self._core),
                sha256,
                draft(self._core.store, request),
                vector[None],
                also,
            )
        return number

    def _vectors(self, keys: Sequence[int]) -> dict[int, np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
        found, vectors = self._core.store.vectors(
            "embeddings_by_keys", self._core.embedder.dimension, keys=encode_keys(keys)
        )
        return dict(zip(found.tolist(), vectors.astype(np.float64), strict=True))

    def _supersede(self, key: int, other: int, weight: float, why: str, label: str | None = None) -> None:
        now = to_micros(datetime.now(UTC))
        put_link(self._core.store, key, SUPERSEDES, other, weight, STEWARD, why, now, label)


def canonical_id(canonical: Canonical) -> str:
    return note_id(STEWARD, format_time(from_micros(canonical.said_at)), canonical.text, None, None)
