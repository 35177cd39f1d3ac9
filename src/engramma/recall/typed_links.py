"""Typed links in recall: whom each brings, what it moves, and which order it asks for.

What each kind is worth is in recall/link_kinds.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import fsum

from ..language.times import to_micros
from ..records import Path
from ..store.store import Store, encode_keys
from .expand import May, Reached
from .fuse import Ranked
from .link_kinds import FOLLOWED, SUPPORT, WORTH

BACKING = 0.25  # of its own score, for an entry that something supports, found or not; of all together at most SUPPORT

TEMPORAL = ("before", "after")
MARKED = ("contradicts", "supports")  # said of an entry, too

# How a link reads from where it begins, and from where it points.
TOLD: dict[str, tuple[str, str]] = {
    "related_to": ("related to", "related to"),
    "supports": ("supports", "supported by"),
    "contradicts": ("contradicts", "contradicted by"),
    "part_of": ("part of", "whole of"),
    "caused_by": ("caused by", "cause of"),
    "before": ("before", "after"),
    "after": ("after", "before"),
    "extends": ("extends", "extended by"),
    "supersedes": ("supersedes", "superseded by"),
}


@dataclass(frozen=True, slots=True)
class End:
    """A typed link as one of its ends sees it; `outward`: it begins here."""

    here: int
    other: int
    kind: str
    outward: bool
    weight: float
    tie: int  # of the other end

    @property
    def is_next(self) -> bool:
        """Whether the other end comes later in a procedure."""
        return self.outward == (self.kind == "before")


@dataclass(frozen=True, slots=True)
class Mark:
    """A link that says something of an entry: its kind, its other end, and what it added to the score."""

    end: End
    gain: float = 0.0


@dataclass(frozen=True, slots=True)
class Order:
    """One segment belongs before another, says a link of this weight."""

    earlier: str
    later: str
    weight: float


@dataclass(frozen=True, slots=True)
class LinkEffects:
    """What typed links do to entries: their new order, their labels, and which segments each brings in."""

    entries: list[Ranked]
    is_any: bool = False  # whether the namespace has links at all
    marks: Mapping[int, tuple[Mark, ...]] = field(default_factory=dict)
    brought: Mapping[int, list[Reached]] = field(default_factory=dict)


def describe_link(path: Path) -> str:
    """How a candidate stands to the other end of a link, in words: "contradicts", "supported by"."""
    return TOLD[path.edge][path.outward]


def linked(store: Store, entries: list[Ranked], most: int, may: May, before: datetime | None = None) -> LinkEffects:
    """Follow the typed links at the entries, those made by a time. A namespace without links costs one seek."""
    if not most or not entries or store.one("links_some") is None:
        return LinkEffects(entries)
    keys = [entry.key for entry in entries]
    ends = ends_at(store, keys, before)
    marks = _marks_of(entries, ends, may)
    moved = strengthened(entries, {key: fsum(mark.gain for mark in found) for key, found in marks.items()})
    brought = {
        entry.key: bring(store, entry, ends.get(entry.key, ()), frozenset(keys), most, may, before) for entry in moved
    }
    for key, reached in brought.items():
        against = {r.key for r in reached if r.edge == "contradicts"}
        found = [Mark(end) for end in ends.get(key, ()) if end.kind == "contradicts" and end.other in against]
        listed = (*marks.get(key, ()), *found)
        marks[key] = tuple(sorted(listed, key=lambda mark: MARKED.index(mark.end.kind)))
    return LinkEffects(moved, True, marks, brought)


def ends_at(store: Store, keys: Sequence[int], before: datetime | None) -> dict[int, list[End]]:
    """The typed links at some segments, as each of them sees them: one a kind and other end, the strongest."""
    found: dict[int, dict[tuple[str, int], End]] = {key: {} for key in keys}
    for row in store.all("links_near", keys=encode_keys(keys), before=micros(before)):  # the strongest first
        src, kind, dst, weight = row["src"], row["kind"], row["dst"], row["weight"]
        if not WORTH.get(kind):
            continue
        if src in found:
            found[src].setdefault((kind, dst), End(src, dst, kind, True, weight, row["dst_tie"]))
        if dst in found:
            found[dst].setdefault((kind, src), End(dst, src, kind, False, weight, row["src_tie"]))
    return {key: list(ends.values()) for key, ends in found.items() if ends}


def _marks_of(entries: Sequence[Ranked], ends: Mapping[int, Sequence[End]], may: May) -> dict[int, tuple[Mark, ...]]:
    """What links say of entries: that they contradict each other, and what supports add to their scores as found."""
    scores = {entry.key: entry.score for entry in entries}
    backers = {e.other for found in ends.values() for e in found if is_backing(e)} - scores.keys()
    there = scores.keys() | (may(sorted(backers)) if backers else set())
    marks: dict[int, tuple[Mark, ...]] = {}
    for key, found in ends.items():
        told, left = list[Mark](), SUPPORT
        for end in found:  # the strongest first
            if end.kind == "supports" and (end.other in scores or (is_backing(end) and end.other in there)):
                share = min(left, BACKING * end.weight) if is_backing(end) else 0.0
                left -= share
                gain = passed_on(end, scores.get(end.other, 0.0)) + share * scores[key]
                told.append(Mark(end, round(gain, 6)))
            elif end.kind == "contradicts" and end.other in scores:
                told.append(Mark(end))
        marks[key] = tuple(told)
    return marks


def is_backing(end: End) -> bool:
    """Whether the other end supports this one."""
    return end.kind == "supports" and not end.outward


def passed_on(end: End, score: float) -> float:
    """What a link passes on of a score."""
    return round(WORTH[end.kind] * end.weight * score, 6)


def strengthened(entries: list[Ranked], gains: Mapping[int, float]) -> list[Ranked]:
    """Entries with what supports added; one that gained moves up past those that are now worth less."""
    placed: list[Ranked] = []
    for entry in entries:
        at = len(placed)
        if gain := gains.get(entry.key, 0.0):
            entry = replace(entry, score=round(entry.score + gain, 6))
            while at and placed[at - 1].score < entry.score:
                at -= 1
        placed.insert(at, entry)
    return placed


def bring(
    store: Store,
    entry: Ranked,
    ends: Sequence[End],
    entries: frozenset[int],
    most: int,
    may: May,
    before: datetime | None,
) -> list[Reached]:
    """Whom an entry brings, each once: counterpoints first, then what is worth most."""
    ways = [end for end in ends if end.outward in FOLLOWED[end.kind]]
    first = followed([(end, entry.key, entry.score) for end in ways], 1, entries, may)
    found, steps = list(first), [pair for pair in first if pair[0].kind in TEMPORAL]
    seen = entries | {end.other for end, _ in steps}
    for number in range(2, most + 1):  # a procedure goes on: what comes after the next, before the previous
        if not steps:
            break
        further = ends_at(store, [reached.key for _, reached in steps], before)
        onward = [
            (end, reached.key, reached.score)
            for last, reached in steps
            for end in further.get(reached.key, ())
            if end.kind in TEMPORAL and end.is_next == last.is_next
        ]
        steps = followed(onward, number, seen, may)
        seen |= {end.other for end, _ in steps}
        found += steps
    best: dict[int, Reached] = {}
    for _, reached in sorted(found, key=by_worth):
        best.setdefault(reached.key, reached)
    return list(best.values())[:most]


def followed(
    ways: Iterable[tuple[End, int, float]], number: int, taken: frozenset[int], may: May
) -> list[tuple[End, Reached]]:
    """Where links lead from segments of some score, but not to what is taken or may not be shown."""
    open_ways = [(end, key, score) for end, key, score in ways if end.other not in taken]
    shown = may([end.other for end, _, _ in open_ways]) if open_ways else set()
    return [
        (end, Reached(end.other, key, "link", end.kind, end.weight, number, passed_on(end, score), end.outward))
        for end, key, score in open_ways
        if end.other in shown
    ]


def by_worth(pair: tuple[End, Reached]) -> tuple[bool, float, int, int, str, bool]:
    end, reached = pair
    return reached.edge != "contradicts", -reached.score, reached.steps, end.tie, end.kind, end.outward


def orders(store: Store, ids: Mapping[int, str], before: datetime | None = None) -> list[Order]:
    """Which of some segments belong before which, by the temporal links among them; the strongest link first."""
    found = []
    for row in store.all("links_in_order", keys=encode_keys(sorted(ids)), before=micros(before)):
        ends = (row["src"], row["dst"]) if row["kind"] == "before" else (row["dst"], row["src"])
        if WORTH[row["kind"]]:
            found.append(Order(ids[ends[0]], ids[ends[1]], row["weight"]))
    return sorted(found, key=lambda order: (-order.weight, order.earlier, order.later))


def path_of(mark: Mark, other: str) -> Path:
    """A mark as a candidate shows it, with the other end's id."""
    return Path("link", mark.end.kind, other, mark.end.weight, 1, not mark.end.outward, mark.gain)


def micros(time: datetime | None) -> int | None:
    return None if time is None else to_micros(time)
