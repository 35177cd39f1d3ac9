"""Runs the steward: plans from one state of the store, and performs the acts that only retire or archive segments."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..store.acts import act_of, acts_of_kind, add_act
from ..store.store import ARCHIVED, FORGOTTEN, LIVE, RETIRED, Store, encode_keys
from .consolidate import CONSOLIDATE, consolidations
from .merge import MOST_PAIRS, Alike, find_similar_pairs, merges
from .plan import (
    KINDS,
    Seen,
    StewardPlan,
    StewardRules,
    StewardStep,
    Vetoes,
    live_notes,
    old_sessions,
    unchanged,
    within_limits,
)
from .prune import expiries, prunings

STATE_AFTER = {"expire": RETIRED, "prune": RETIRED, "merge": RETIRED, "consolidate": RETIRED, "archive": ARCHIVED}
REFUSE = "refuse"  # acts.kind: somebody does not want what was proposed
JOINING = ("merge", "differ")  # proposals about two notes, of which one stays


@dataclass(frozen=True, slots=True)
class Compared:
    """The pairs of similar notes at some change of the store: comparing all with all is what a run costs."""

    change: int
    floor: float
    keys: tuple[int, ...]
    pairs: Alike


def plan(
    store: Store, rules: StewardRules, known: Compared | None = None, barred: Vetoes | None = None
) -> tuple[StewardPlan, Compared]:
    """Everything that is due, each note in one step at most as the one that goes; and what was compared for it."""
    with store.snapshot():
        notes = live_notes(store)
        vetoes = barred or vetoes_of(store)
        compared = _compare(store, notes, min(rules.merge_floor, CONSOLIDATE), known)
        texts = texts_of(store, compared)
        most = store.one("steward_most_hits")
        assert most is not None
        by_key = {note.key: note for note in notes}
        steps = expiries(notes, rules, vetoes)
        due = collect_step_keys(steps)
        steps += prunings([note for note in notes if note.key not in due], int(most[0]), rules, vetoes)
        steps += merges(notes, _without(compared, collect_step_keys(steps)), texts, rules, vetoes)
        taken = collect_step_keys(steps) | {step.into.key for step in steps if isinstance(step.into, Seen)}
        steps += consolidations(notes, compared.pairs, texts, taken, rules, vetoes)
        taken |= collect_step_keys(steps)
        steps += [step for step in old_sessions(store, rules, by_key, vetoes) if not taken & set(step.keys)]
    kept, left_out = within_limits(steps, rules.limits)
    return StewardPlan(kept, left_out, len(notes)), compared


def collect_step_keys(steps: list[StewardStep]) -> set[int]:
    return {key for step in steps for key in step.keys}


def vetoes_of(store: Store, with_reviews: bool = True) -> Vetoes:
    """Acts of the steward that were undone, and proposals that were refused: whoever did that does not want it done
    tomorrow. Without reviews, what was accepted in the review queue and taken back may be asked for once more."""
    found: dict[str, set[frozenset[str]]] = {}
    undone = [act_of(row) for row in store.all("acts_undone", kinds=json.dumps(KINDS))]
    for act in (*undone, *acts_of_kind(store, REFUSE)):
        if not with_reviews and act.kind != REFUSE and act.detail.get("reviewed"):
            continue
        kind = act.detail.get("kind", "") if act.kind == REFUSE else act.kind
        ids = [*act.detail.get("ids", ()), *([act.detail["into"]] if kind in JOINING and "into" in act.detail else [])]
        found.setdefault(kind, set()).add(frozenset(ids))
    return Vetoes({kind: frozenset(sets) for kind, sets in found.items()})


def _compare(store: Store, notes: list[Seen], floor: float, known: Compared | None) -> Compared:
    """The similar ones among the notes: as known, unless vectors came or went since."""
    keys = tuple(note.key for note in notes)
    change = store.last_change()
    if known is not None and known.floor == floor:
        if (known.change, known.keys) == (change, keys):
            return known
        if (left := narrowed(store, known, keys, change)) is not None:
            return left
    dimension = store.meta("embedder_dimension") or 0
    stored, vectors = store.vectors("embeddings_by_keys", dimension, keys=encode_keys(keys))
    wanted = np.array(keys, dtype=np.int64)
    there = np.isin(wanted, stored)
    rows = np.zeros((len(wanted), dimension), np.float16)  # one that waits for its vector is like no other
    rows[there] = vectors[np.searchsorted(stored, wanted[there])]
    return Compared(change, floor, keys, find_similar_pairs(rows, floor))


def narrowed(store: Store, known: Compared, keys: tuple[int, ...], change: int) -> Compared | None:
    """What was compared, less the notes that went since; None if a note came or changed, so that all is compared."""
    at = {key: place for place, key in enumerate(keys)}
    touched = {row["key"] for row in store.all("changes_since", seq=known.change)}
    if change < known.change or not at.keys() <= set(known.keys) or at.keys() & touched:
        return None
    if len(known.pairs.one) >= MOST_PAIRS:
        return None  # there were more
    places = np.array([at.get(key, -1) for key in known.keys], dtype=np.int64)
    one, other = places[known.pairs.one], places[known.pairs.other]
    both = (one >= 0) & (other >= 0)
    return Compared(change, known.floor, keys, Alike(one[both], other[both], known.pairs.cosines[both]))


def _without(compared: Compared, gone: set[int]) -> Alike:
    """The pairs neither of which is about to go."""
    pairs = compared.pairs
    stays = np.array([key not in gone for key in compared.keys], dtype=np.bool_)
    both = stays[pairs.one] & stays[pairs.other] if len(pairs.one) else np.empty(0, dtype=np.bool_)
    return Alike(pairs.one[both], pairs.other[both], pairs.cosines[both])


def texts_of(store: Store, compared: Compared) -> dict[int, str]:
    """The words of the notes that are similar to some other."""
    places = np.union1d(compared.pairs.one, compared.pairs.other).tolist()
    return {key: s.text for key, s in store.hydrate([compared.keys[at] for at in places]).items()}


# --- acting ----------------------------------------------------------------------------------------------


def lay_aside(store: Store, step: StewardStep, detail: Mapping[str, Any]) -> int | None:
    """Move the segments of a step and write down the act, inside the caller's transaction.

    None, and nothing is done, if they are no longer as the plan saw them.
    """
    states = {row["key"]: row["state"] for row in store.all("states_by_keys", keys=encode_keys(step.keys))}
    if any(states.get(key) != LIVE for key in step.keys) or not unchanged(store, step):
        return None
    store.set_states(dict.fromkeys(step.keys, STATE_AFTER[step.kind]))
    return add_act(store, step.kind, step.reason, {"ids": list(step.ids), **detail})


def revive_segments(store: Store, keys: list[int], kind: str) -> None:
    """Segments that an act set aside are live again; what was forgotten meanwhile stays so."""
    states = {row["key"]: row["state"] for row in store.all("states_by_keys", keys=encode_keys(keys))}
    store.set_states(
        {key: LIVE | (state & FORGOTTEN) for key, state in states.items() if state & ~FORGOTTEN == STATE_AFTER[kind]}
    )
