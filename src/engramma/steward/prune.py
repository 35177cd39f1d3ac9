"""Finds notes that have expired, and notes that are no longer worth keeping."""

from __future__ import annotations

from collections.abc import Sequence

from ..language.times import from_micros, readable
from .plan import Seen, StewardRules, StewardStep, Vetoes
from .score import days_since, half_life, quality_score

KEPT_STRENGTH = 0.9  # a note that matters so much to its writer is never pruned


def expiries(notes: Sequence[Seen], rules: StewardRules, vetoes: Vetoes) -> list[StewardStep]:
    """Notes that were worth keeping up to a time that has passed, the longest gone first."""
    due = [
        (note.expires_at, note)
        for note in notes
        if note.expires_at is not None and note.expires_at <= rules.now and not vetoes.bars("expire", note.id)
    ]
    return [
        StewardStep("expire", f"kept until {readable(from_micros(at))} UTC", (note.key,), (note.id,), (note,))
        for at, note in sorted(due, key=lambda pair: (pair[0], pair[1].tie, pair[1].key))
    ]


def prunings(notes: Sequence[Seen], max_hits: int, rules: StewardRules, vetoes: Vetoes) -> list[StewardStep]:
    """Notes past their grace whose score is below the floor, the lowest first.

    Where nothing was ever recalled a score says nothing of any note, so none is pruned.
    """
    if max_hits < 1:
        return []
    found = []
    for note in notes:
        if note.strength >= KEPT_STRENGTH or note.held or vetoes.bars("prune", note.id):
            continue
        if days_since(note.made_at, rules.now) < rules.grace_days:
            continue
        score = score_of(note, max_hits, rules.now)
        if score < rules.prune_below:
            found.append((score, note))
    found.sort(key=lambda pair: (pair[0], pair[1].made_at, pair[1].tie, pair[1].key))
    return [
        StewardStep("prune", _why(note, score, max_hits, rules), (note.key,), (note.id,), (note,))
        for score, note in found
    ]


def score_of(note: Seen, max_hits: int, now: int) -> float:
    return quality_score(note.hits, max_hits, days_since(note.active_at, now), half_life(note.quality))


def _why(note: Seen, score: float, max_hits: int, rules: StewardRules) -> str:
    return (
        f"score {score:.4f} below {rules.prune_below:g}: recalled {note.hits} times (the most: {max_hits}), "
        f"active {days_since(note.active_at, rules.now):.1f} days ago, half-life {half_life(note.quality):.1f} days"
    )
