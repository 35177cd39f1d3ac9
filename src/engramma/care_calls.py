"""What a memory does with the steward, and how acts are looked up and taken back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from .errors import BadInput, EmbedderAway, EngrammaError
from .index.faiss import FaissIndex
from .index.joined import JoinedIndex
from .ingest.archive import archive_pending, remove_archive
from .ingest.link import unlink
from .ingest.note_rows import put_note
from .ingest.notes import note_id, put_link
from .ingest.pipeline import Request, draft, write
from .models.segments import embed_or_wait
from .parts import ARCHIVE_FOLDER
from .records import Act, Recall, StewardAct, StewardReport, Turn
from .steward.plan import KINDS, MOST_ACTS, Canonical, Rules, Seen, Step
from .steward.run import Compared, bring_back, lay_aside, plan
from .store.acts import act_of, get_act, latest_acts
from .store.store import FORGOTTEN, SessionRow, as_json
from .text import NOTES, labelled
from .times import format_time, from_micros, to_micros
from .waiting_calls import WaitingCalls

STEWARD = "steward"  # who makes its notes and links
SUPERSEDES = "supersedes"
SOURCE = "source"  # what a canonical note's links to its sources are labelled
COUNT_AFTER = 20  # recalled notes are counted in the store this many at a time


class Changed(Exception):
    """What an act rests on is no longer as the plan saw it."""


class CareCalls(WaitingCalls):
    """Calls about the steward and about acts."""

    _compared: Compared | None = None

    def steward(
        self,
        now: datetime | None = None,
        apply: bool = False,
        limits: int | Mapping[str, int] = MOST_ACTS,
    ) -> StewardReport:
        """Look after the notes: expire, prune, merge and consolidate them, and archive what is old.

        Without `apply` nothing is changed and the report is a plan. `limits` is the most acts of each kind,
        one number or one a kind. Every act is one transaction, with its reason in `acts()`, and can be undone.
        """
        moment = now or datetime.now(UTC)
        if not isinstance(moment, datetime) or moment.utcoffset() is None:
            raise BadInput("now must be a datetime with a time zone, such as datetime.now(UTC).")
        self.count_recalled()
        if apply:
            self.embed_waiting()  # what has no vector is like no other note
        found, self._compared = plan(self.store, self._rules(moment, limits), self._compared)
        acts = [StewardAct(s.kind, s.reason, s.ids, self._into(s)) for s in found.steps]  # type: ignore[arg-type]
        done = acts
        if apply:
            numbers = [self._act(step) for step in found.steps]
            done = [replace(act, act=number) for act, number in zip(acts, numbers, strict=True) if number is not None]
            self._sweep()
            archive_pending(self._archive_folder, self.store)
        counts = {kind: sum(act.kind == kind for act in done) for kind in KINDS}
        gone = sum(id.startswith("note_") for act in done for id in act.ids)
        left = found.notes - gone + counts["consolidate"]
        skipped = len(acts) - len(done)
        return StewardReport(moment, apply, tuple(done), counts, found.left_out, skipped, found.notes, left)

    def acts(self, limit: int = 50) -> list[Act]:
        """What was done to this memory beside writing, with its reasons, the newest first."""
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise BadInput(f"limit must be a number from 1, not {limit!r:.80}.")
        return latest_acts(self.store, limit)

    def undo(self, act_id: int) -> Act:
        """Take an act back: everything is as if it had not been done. Returns the act, marked as undone."""
        if not isinstance(act_id, int) or isinstance(act_id, bool) or not 0 < act_id < 2**63:
            raise BadInput(f"An act's id is its number in `acts`, not {act_id!r:.80}.")
        if self.embedder.known is None:
            with suppress(EmbedderAway):  # a new store takes its embedder in a transaction of its own
                self.embedder.reach()
        try:
            with self.store.transaction():
                act = self._standing(act_id)
                take_back = getattr(self, f"_undo_{act.kind}", None)
                if take_back is None:
                    raise BadInput(f"Act {act_id} ({act.kind}) cannot be undone.")
                take_back(act)
                now = to_micros(datetime.now(UTC))
                self.store.run("act_undone", id=act_id, at=now)
                self.store.run("reviewed_drop", act=act_id)
        except BaseException:
            if self._index is not None:
                self._index.reach.forget()  # it may have learnt from what was rolled back
            raise
        if act.kind == "consolidate":
            self._sweep([act])
        archive_pending(self._archive_folder, self.store)
        return replace(act, undone_at=from_micros(now))

    def undo_all(self, kind: str | None = None, since: datetime | None = None) -> list[Act]:
        """Undo acts, the newest first: all of the steward's, or of one kind, or since a time.

        What cannot be undone because something rests on it is left as it is.
        """
        if since is not None and (not isinstance(since, datetime) or since.utcoffset() is None):
            raise BadInput("since must be a datetime with a time zone, such as datetime.now(UTC).")
        if kind is not None and not hasattr(self, f"_undo_{kind}"):
            raise BadInput(f"There are no acts of kind {kind!r:.80} that can be undone.")
        kinds = json.dumps(KINDS if kind is None else [kind])
        rows = self.store.all("acts_standing", kinds=kinds, since=0 if since is None else to_micros(since))
        undone = []
        for row in rows:
            with suppress(BadInput):
                undone.append(self.undo(row["id"]))
        return undone

    def count_recalled(self) -> None:
        """Write down how often notes were recalled. Best effort: what others keep from being written waits."""
        counted, self._recalled = self._recalled, {}
        if not counted:
            return
        try:
            rows = ({"key": self._segment_key(id), "hits": hits, "at": at} for id, (hits, at) in counted.items())
            known = [row for row in rows if row["key"] is not None]
            with self.store.transaction(wait=False):
                self.store.many("use_add", known)
        except EngrammaError:
            for id, (hits, at) in counted.items():
                self._count(id, hits, at)

    # --- acting --------------------------------------------------------------------------------------

    def _rules(self, now: datetime, limits: int | Mapping[str, int]) -> Rules:
        wanted = limits if isinstance(limits, Mapping) else dict.fromkeys(KINDS, limits)
        for kind, most in wanted.items():
            if kind not in KINDS:
                raise BadInput(f"There is no kind of act {kind!r:.80}; limits take {', '.join(KINDS)}.")
            if not isinstance(most, int) or isinstance(most, bool) or most < 0:
                raise BadInput(f"A limit must be a number from 0, not {most!r:.80}.")
        config = self.config
        return Rules(
            now=to_micros(now),
            prune_below=config.prune_below,
            grace_days=config.grace_days,
            merge_floor=config.merge_floor,
            consolidate_days=config.consolidate_days,
            archive_after_days=config.archive_after_days,
            longest_text=config.max_turn_bytes,
            limits=wanted,
        )

    def _into(self, step: Step) -> str | None:
        if isinstance(step.into, Canonical):
            return canonical_id(step.into)
        return None if step.into is None else step.into.id

    def _act(self, step: Step, **why: Any) -> int | None:
        """One step in one transaction; returns the act's number, or None if it was too late for it. `why`: what else
        the act is to say."""
        if isinstance(step.into, Canonical):
            return self._consolidate(step, step.into, why)
        with self.store.transaction():
            if not isinstance(step.into, Seen):
                return lay_aside(self.store, step, why)
            kept, lost = step.into, step.keys[0]
            is_new = self.store.one("link_get", src=kept.key, kind=SUPERSEDES, dst=lost) is None
            detail = {**why, "into": kept.id, "similarity": step.similarity, "is_linked": is_new}
            number = lay_aside(self.store, step, detail)
            if number is not None and is_new:
                self._supersede(kept.key, lost, step.similarity or 0.0, step.reason)
            return number

    def _consolidate(self, step: Step, canonical: Canonical, why: Mapping[str, Any]) -> int | None:
        """Write the canonical note, link it to its sources and lay them aside: all or nothing."""
        id = canonical_id(canonical)
        turn = Turn(STEWARD, canonical.text, from_micros(canonical.said_at), id)
        made = embed_or_wait(self.embedder, [(labelled([(STEWARD, canonical.text)]),)])
        vectors = self._vectors(step.keys)
        if made is None or len(vectors) < len(step.keys):
            return None  # the embedder is away: the next run consolidates them
        vector = made[0]
        number: int | None = None

        def also(keys: Sequence[int]) -> None:
            nonlocal number
            (key,) = keys
            number = lay_aside(self.store, step, {**why, "into": id})
            if number is None:
                raise Changed
            put_note(self.store, key, turn, tags=canonical.tags, strength=canonical.strength)
            if canonical.hits:
                self.store.run("use_add", key=key, hits=canonical.hits, at=canonical.last_at)
            for source in step.keys:
                cosine = float(vector.astype(np.float64) @ vectors[source])
                self._supersede(key, source, min(1.0, max(0.0, round(cosine, 4))), step.reason, SOURCE)

        if self._segment_key(id) is not None:
            return None
        with suppress(Changed):
            request = Request(NOTES, id, [turn])
            sha256, fresh = self.embedder.sha256, self._fresh_index().fresh
            write(self.store, fresh, self._linker(), sha256, draft(self.store, request), vector[None], also)
        return number

    def _vectors(self, keys: Sequence[int]) -> dict[int, np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
        found, vectors = self.store.vectors("embeddings_by_keys", self.embedder.dimension, keys=as_json(keys))
        return dict(zip(found.tolist(), vectors.astype(np.float64), strict=True))

    def _supersede(self, key: int, other: int, weight: float, why: str, label: str | None = None) -> None:
        now = to_micros(datetime.now(UTC))
        put_link(self.store, key, SUPERSEDES, other, weight, STEWARD, why, now, label)

    def _standing(self, act_id: int) -> Act:
        act = get_act(self.store, act_id)
        if act is None:
            raise BadInput(f"There is no act {act_id} in this memory. `engramma acts` lists them.")
        if act.undone_at is not None:
            raise BadInput(f"Act {act_id} ({act.kind}) was undone already, on {format_time(act.undone_at)}.")
        return act

    # --- taking back: each inside the transaction of `undo` --------------------------------------------

    def _undo_expire(self, act: Act) -> None:
        bring_back(self.store, self._keys_in(act), act.kind)

    _undo_prune = _undo_archive = _undo_expire

    def _undo_merge(self, act: Act) -> None:
        keys = self._keys_in(act)
        kept = self._segment_key(act.detail.get("into", ""))
        if kept is not None and act.detail.get("is_linked"):
            for lost in keys:
                for name in ("edge_delete", "link_delete"):
                    self.store.run(name, src=kept, kind=SUPERSEDES, dst=lost)
        bring_back(self.store, keys, act.kind)

    def _undo_consolidate(self, act: Act) -> None:
        sources = self._keys_in(act)
        id = act.detail.get("into", "")
        if (key := self._segment_key(id)) is not None:
            self._remove_canonical(act, id, key, sources)
        bring_back(self.store, sources, act.kind)

    def _remove_canonical(self, act: Act, id: str, key: int, sources: Sequence[int]) -> None:
        """The canonical note goes as if it had never been; what repeated it goes to its newest source."""
        resting = self.store.all("acts_resting_on", id=act.id, named=json.dumps(id))
        if resting:
            named = ", ".join(f"{row['id']} ({row['kind']})" for row in resting[:5])
            raise BadInput(f"Act {act.id} made {id}, on which later acts rest: {named}. Undo those first.")
        (row,) = self.store.all("segments_by_keys", keys=as_json([key]))
        if row["state"] & FORGOTTEN:
            raise BadInput(f"Act {act.id} made {id}, which was forgotten since. Undo that first.")
        unlink(self.store, self._linker(), self._everything(), [key])
        if sources:
            self.store.run("repeats_copy", key=key, to=sources[-1])
        self.store.remove_segment(key)
        self.store.run("canonical_turns_delete", session=row["session"])
        self.store.run("canonical_session_delete", session=row["session"])

    def _everything(self) -> JoinedIndex:
        """What is live and what is not: near lists hold both."""
        live, _ = self._fresh_index().fresh()
        apart = FaissIndex(live.dimension)
        keys = as_json(self.store.keys("keys_not_live").tolist())
        apart.add(*self.store.vectors("embeddings_by_keys", live.dimension, keys=keys))
        return JoinedIndex(live, apart)

    def _keys_in(self, act: Act) -> list[int]:
        """The segments an act laid aside that are still stored."""
        keys = (self._segment_key(id) for id in act.detail.get("ids", ()))
        return [key for key in keys if key is not None]

    def _sweep(self, acts: Sequence[Act] | None = None) -> None:
        """Remove the text files of canonical notes that are no more; also what an interrupted undo left."""
        if acts is None:
            acts = [act_of(row) for row in self.store.all("acts_undone", kinds=json.dumps(["consolidate"]))]
        for id in (act.detail.get("into") for act in acts):
            if id and self.store.session(NOTES, id) is None:
                gone = SessionRow(0, NOTES, id, 0, 0, closed=True, linked=True, archived=True)
                with suppress(OSError):
                    remove_archive(self.path / ARCHIVE_FOLDER, self.namespace, gone)

    # --- recalls -----------------------------------------------------------------------------------------

    def _note_recalled(self, found: Recall) -> None:
        """Count the notes among the entries; now and then the store learns of it."""
        now = to_micros(datetime.now(UTC))
        for entry in found.entries:
            if entry.conversation_id == NOTES:
                self._count(entry.segment_id, 1, now)
        if sum(hits for hits, _ in list(self._recalled.values())) >= COUNT_AFTER:
            self.count_recalled()

    def _count(self, id: str, hits: int, at: int) -> None:
        before = self._recalled.get(id, (0, 0))
        self._recalled[id] = (before[0] + hits, max(before[1], at))


def canonical_id(canonical: Canonical) -> str:
    return note_id(STEWARD, format_time(from_micros(canonical.said_at)), canonical.text, None, None)
