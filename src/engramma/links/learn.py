"""Weights that learn: a link that led to something used gains, one that was followed for nothing fades.

Both steps go a fixed share of the way that is left, so a weight never leaves FLOOR..CEILING (one that was set below
FLOOR stays where it is), and the weight of a link is a function of its first weight and of the answers since.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from functools import reduce

from ..records import Path, Recall

GAIN = 0.2  # of the way up to CEILING: one use makes good for about four times unused at 0.5
FADE = 0.05  # of the way down to FLOOR: most of what is shown is not used, and that says little
FLOOR = 0.05  # so faded, a link still leads to its other end when nothing better does
CEILING = 1.0

LinkName = tuple[str, str, str]  # source id, kind, target id


def gained(weight: float) -> float:
    """The weight of a link after it led to something used."""
    return weight + GAIN * (CEILING - weight)


def faded(weight: float) -> float:
    """The weight of a link after it was followed for nothing."""
    return weight - FADE * max(0.0, weight - FLOOR)


def learnt(weight: float, answers: Iterable[bool]) -> float:
    """A weight after some answers, each of which says whether the link was of use."""
    return reduce(lambda held, used: gained(held) if used else faded(held), answers, weight)


def lessons(found: Recall, used: AbstractSet[str], shown: AbstractSet[str]) -> dict[LinkName, bool]:
    """The links that a recall followed, and whether each led to something used.

    A link whose end was not shown (it did not fit into the context) has nothing to answer for unless it was used.
    """
    led_to = ends_of(found)
    return {name: bool(ends & used) for name, ends in sorted(led_to.items()) if ends & (used | shown)}


def ends_of(found: Recall) -> dict[LinkName, set[str]]:
    """Each followed link with the segments it led to: along a procedure also those further on."""
    paths = {c.segment_id: c.path for c in found.candidates if c.path is not None and c.path.kind == "link"}
    led_to: dict[LinkName, set[str]] = defaultdict(set)
    for candidate in found.candidates:
        for link in candidate.links:
            if link.gain:
                led_to[_name_of(link, candidate.segment_id)].add(candidate.segment_id)
        at, seen = candidate.segment_id, set[str]()
        while (path := paths.get(at)) is not None and at not in seen:
            led_to[_name_of(path, at)].add(candidate.segment_id)
            seen.add(at)
            at = path.from_segment
    return led_to


def _name_of(path: Path, here: str) -> LinkName:
    """The link that a path went along, whichever way."""
    return (path.from_segment, path.edge, here) if path.outward else (here, path.edge, path.from_segment)
