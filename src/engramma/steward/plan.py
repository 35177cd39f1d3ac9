"""What the steward would do: a plan is data, made from one state of the store, with the reason of every step.

Only notes expire, are pruned, merged and consolidated. What was said in a conversation or stands in a document
is never touched, except that old sessions as a whole may be laid into the archive.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..language.text import DOCUMENTS, NOTES, segment_id
from ..store.sqlite.database import Row
from ..store.store import ARCHIVED, Store, encode_keys
from .score import DAY, days_since

KINDS = ("expire", "prune", "merge", "consolidate", "archive")  # in the order in which they are planned and done
MOST_ACTS = 1_000  # of each kind in one run
PINNED = "pinned"  # a note with this tag is never set aside, unless its time has passed


@dataclass(frozen=True, slots=True)
class StewardRules:
    """The numbers of a run: thresholds from the settings, the most acts of each kind, and what "now" is."""

    now: int
    prune_below: float
    grace_days: float
    merge_floor: float
    consolidate_days: float
    archive_after_days: float | None
    longest_text: int
    limits: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Seen:
    """A live note as the plan saw it; if any of this has changed, the plan no longer holds for it."""

    key: int
    id: str
    tie: int
    speaker: str
    tags: tuple[str, ...]
    strength: float
    quality: float
    made_at: int
    expires_at: int | None
    hits: int
    last_at: int | None
    repeats: int
    by_hand: bool  # somebody linked it

    @property
    def active_at(self) -> int:
        return max(self.made_at, self.last_at or self.made_at)

    @property
    def held(self) -> bool:
        """It says to be left as it is: pinned, or joined by hand to something."""
        return PINNED in self.tags or self.by_hand


@dataclass(frozen=True, slots=True)
class Canonical:
    """The note that will replace several: made of their sentences."""

    text: str
    tags: tuple[str, ...]
    strength: float
    said_at: int
    hits: int
    last_at: int | None


@dataclass(frozen=True, slots=True)
class StewardStep:
    """One planned act: which segments are retired or archived and why, and what replaces them."""

    kind: str
    reason: str
    keys: tuple[int, ...]
    ids: tuple[str, ...]
    seen: tuple[Seen, ...] = ()  # the notes it rests on
    into: Seen | Canonical | None = None
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class StewardPlan:
    """The steps of a run, and how many of each kind its limits leave for the next."""

    steps: tuple[StewardStep, ...]
    left_out: Mapping[str, int]
    notes: int  # live ones, when it was made


@dataclass(frozen=True, slots=True)
class Vetoes:
    """What was undone once and is not done again: sets of ids of each kind."""

    of: Mapping[str, frozenset[frozenset[str]]]

    def bars(self, kind: str, *ids: str) -> bool:
        return frozenset(ids) in self.of.get(kind, frozenset())

    def names(self, kind: str) -> frozenset[str]:
        return frozenset(id for ids in self.of.get(kind, ()) for id in ids)


def live_notes(store: Store, keys: Sequence[int] | None = None) -> list[Seen]:
    """The live notes, or those of them among some keys, oldest first."""
    wanted = store.keys("note_keys", below=ARCHIVED).tolist() if keys is None else keys
    return [seen_of(row) for row in store.all("steward_notes", keys=encode_keys(wanted))]


def seen_of(row: Row) -> Seen:
    return Seen(
        key=row["key"],
        id=row["id"],
        tie=row["tie"],
        speaker=row["speaker"],
        tags=tuple(json.loads(row["tags"])),
        strength=row["strength"],
        quality=row["quality"],
        made_at=row["made_at"],
        expires_at=row["expires_at"],
        hits=row["hits"],
        last_at=row["last_at"],
        repeats=row["repeats"],
        by_hand=bool(row["by_hand"]),
    )


def unchanged(store: Store, step: StewardStep) -> bool:
    """Do the notes of a step still stand as the plan saw them? Asked under the write lock."""
    now = {note.key: note for note in live_notes(store, [note.key for note in step.seen])}
    return all(now.get(note.key) == note for note in step.seen)


def old_sessions(store: Store, rules: StewardRules, notes: Mapping[int, Seen], vetoes: Vetoes) -> list[StewardStep]:
    """Sessions in which nothing was said for so long that they go into the archive, the oldest first."""
    if rules.archive_after_days is None:
        return []
    before = rules.now - int(rules.archive_after_days * DAY)
    steps = []
    for row in store.all("steward_old_sessions", before=before):
        keys = tuple(sorted(json.loads(row["keys"])))
        ids = tuple(segment_id(row["conversation"], row["id"], idx) for idx in sorted(json.loads(row["places"])))
        own = tuple(notes[key] for key in keys if key in notes)
        if vetoes.bars("archive", *ids) or any(note.held for note in own):
            continue
        what = {NOTES: "a note", DOCUMENTS: "a document"}.get(row["conversation"], "a session")
        age = days_since(row["last_at"], rules.now)
        reason = f"{what} of {age:.1f} days ago, more than {rules.archive_after_days:g}"
        steps.append(StewardStep("archive", reason, keys, ids, own))
    return steps


def within_limits(
    steps: Sequence[StewardStep], limits: Mapping[str, int]
) -> tuple[tuple[StewardStep, ...], dict[str, int]]:
    """The first steps of each kind, as many as its limit takes, and how many of each are left out."""
    kept: list[StewardStep] = []
    left_out: dict[str, int] = {}
    for kind in KINDS:
        own = [step for step in steps if step.kind == kind]
        most = limits.get(kind, MOST_ACTS)
        kept += own[:most]
        if len(own) > most:
            left_out[kind] = len(own) - most
    return tuple(kept), left_out
