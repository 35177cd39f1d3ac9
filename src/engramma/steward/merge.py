"""Near-duplicates among notes: which are alike, and which of two stays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..language.text import same_facts
from .plan import PINNED, Seen, StewardRules, StewardStep, Vetoes

BLOCK = 1_024  # notes compared with all others at a time
EXACT_BLOCK = 65_536  # pairs whose exact cosine is worked out at a time
MOST_PAIRS = 1_000_000  # the most alike are kept if there are more: a run could not settle them all


@dataclass(frozen=True, slots=True)
class Alike:
    """Pairs of notes by position, the first before the second, with their cosines."""

    one: NDArray[np.int64]
    other: NDArray[np.int64]
    cosines: NDArray[np.float64]

    def strongest(self, most: int) -> Alike:
        order = np.lexsort((self.other, self.one, -self.cosines))[:most]
        return Alike(self.one[order], self.other[order], self.cosines[order])


def find_similar_pairs(vectors: NDArray[np.float16], floor: float, most: int = MOST_PAIRS) -> Alike:
    """Every pair of rows at least as similar as the floor, the most similar first.

    Float32 chooses with a margin that covers its error, float64 decides: that sum is exact, so the answer
    depends on no machine. Rows in an order of their own give the same answer whenever they were stored.
    """
    floats = vectors.astype(np.float32)
    parts: list[Alike] = []
    for start in range(0, len(floats), BLOCK):
        rough = floats[start : start + BLOCK] @ floats[start:].T
        one, other = np.nonzero(rough >= floor - vectors.shape[1] * 2.0**-22)
        ahead = other > one
        one, other = one[ahead] + start, other[ahead] + start
        for at in range(0, len(one), EXACT_BLOCK):
            a, b = one[at : at + EXACT_BLOCK], other[at : at + EXACT_BLOCK]
            exact = np.einsum("ij,ij->i", vectors[a].astype(np.float64), vectors[b].astype(np.float64))
            near = exact >= floor
            parts.append(Alike(a[near], b[near], np.minimum(exact[near], 1.0)))
        if sum(len(part.one) for part in parts) > most:
            parts = [_joined(parts).strongest(most)]
            floor = max(floor, float(parts[0].cosines[-1]))
    return _joined(parts).strongest(most)


def _joined(parts: Sequence[Alike]) -> Alike:
    """All pairs of several parts."""
    empty = Alike(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float64))
    every = (empty, *parts)
    return Alike(
        np.concatenate([part.one for part in every]),
        np.concatenate([part.other for part in every]),
        np.concatenate([part.cosines for part in every]),
    )


def signal(note: Seen) -> tuple[bool, int, float, int, float, int, int, int]:
    """Orders notes by what speaks for keeping them, the most first."""
    pinned = PINNED in note.tags
    return (not pinned, -note.hits, -note.strength, -note.repeats, -note.quality, note.made_at, note.tie, note.key)


SAYS = (
    "it is pinned",
    "more recalls ({0.hits} against {1.hits})",
    "more strength ({0.strength:g} against {1.strength:g})",
    "more repeats ({0.repeats} against {1.repeats})",
    "better content ({0.quality:g} against {1.quality:g})",
    "it is older",
    "chosen by its id",
    "it was stored first",
)


def _why(kept: Seen, lost: Seen, cosine: float, floor: float) -> str:
    """The numbers, and what decided which of the two stays."""
    decided = next(n for n, (a, b) in enumerate(zip(signal(kept), signal(lost), strict=True)) if a != b)
    return (
        f"cosine {cosine:.4f} (from {floor:g}) and the same facts; kept {kept.id}: {SAYS[decided].format(kept, lost)}"
    )


def may_replace(kept: Seen, lost: Seen) -> bool:
    """One note may stand for another of the same speaker that is not held and does not outlast it."""
    outlasted = kept.expires_at is not None and (lost.expires_at is None or lost.expires_at > kept.expires_at)
    return kept.speaker == lost.speaker and not lost.held and not outlasted


def merges(
    notes: Sequence[Seen], pairs: Alike, texts: Mapping[int, str], rules: StewardRules, vetoes: Vetoes
) -> list[StewardStep]:
    """Near-duplicates with the same facts go into the one with the most signal; the most alike first.

    A note that goes takes no other in: those that were like it are compared with what stays, in a later run too.
    """
    partners: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for one, other, cosine in zip(pairs.one.tolist(), pairs.other.tolist(), pairs.cosines.tolist(), strict=True):
        if cosine < rules.merge_floor:
            break  # they come the most alike first
        partners[one].append((other, cosine))
        partners[other].append((one, cosine))
    gone: set[int] = set()
    found = []
    for at in sorted(partners, key=lambda at: signal(notes[at])):
        if at in gone:
            continue
        kept = notes[at]
        for other, cosine in partners[at]:
            lost = notes[other]
            if other in gone or signal(lost) < signal(kept) or not may_replace(kept, lost):
                continue
            if vetoes.bars("merge", kept.id, lost.id) or not same_facts(texts[kept.key], texts[lost.key]):
                continue
            gone.add(other)
            reason = _why(kept, lost, cosine, rules.merge_floor)
            found.append(StewardStep("merge", reason, (lost.key,), (lost.id,), (lost, kept), kept, round(cosine, 4)))
    ties = {note.key: note.tie for note in notes}
    return sorted(found, key=lambda step: (-(step.similarity or 0), ties[step.keys[0]], step.keys[0]))
