"""The blocks of a context, best first: what was said one after the other stands under one label.

Typed links bend the order: what contradicts an entry stands right after it, and the steps of a procedure stand in
the order that its links give.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from ..language.text import NOTES, parse_segment_id
from ..records import Candidate
from .typed_links import Order


@dataclass(frozen=True, slots=True)
class TalkBlock:
    """Segments of one session that follow each other, in the order they were said; the best one gives the label."""

    head: Candidate
    members: tuple[Candidate, ...]

    @property
    def ids(self) -> list[str]:
        return [one.segment_id for one in self.members]


def arranged(candidates: Sequence[Candidate], orders: Sequence[Order] = ()) -> list[TalkBlock]:
    """The blocks of some candidates: best first, neighbours after their entry, counterpoints beside what they
    contradict, steps in turn."""
    ranks = ranks_of(candidates)
    blocks = sorted(joined(candidates, ranks), key=lambda b: min([ranks[id] for id in b.ids]))
    steps = {id for order in orders for id in (order.earlier, order.later)}
    beside = standing_beside(blocks, steps)
    if not beside and not orders:
        return blocks
    home = {id: block.head.segment_id for block in blocks for id in block.ids}
    after: dict[str, list[TalkBlock]] = defaultdict(list)
    for block in blocks:
        if block.head.segment_id in beside:
            after[beside[block.head.segment_id]].append(block)
    first = [block for block in blocks if block.head.segment_id not in beside]
    lead = {id: head_of(head, beside) for id, head in home.items()}
    lifted = [Order(lead[o.earlier], lead[o.later], o.weight) for o in orders if {o.earlier, o.later} <= lead.keys()]
    apart = [order for order in lifted if order.earlier != order.later]
    return [block for leading in in_turn(first, apart) for block in with_counterpoints(leading, after)]


def ranks_of(candidates: Sequence[Candidate]) -> dict[str, tuple[int, int, int]]:
    """Where each candidate stands: the place of its entry, whether it is that entry, and its own place."""
    entries = {c.segment_id: n for n, c in enumerate(candidates) if c.role == "entry"}
    paths = {c.segment_id: c.path.from_segment for c in candidates if c.path is not None}
    ranks = dict[str, tuple[int, int, int]]()
    for number, one in enumerate(candidates):
        root, steps = one.segment_id, 0
        while root not in entries and root in paths and steps < len(candidates):
            root, steps = paths[root], steps + 1
        ranks[one.segment_id] = entries.get(root, len(candidates)), int(one.segment_id not in entries), number
    return ranks


def joined(candidates: Sequence[Candidate], ranks: Mapping[str, tuple[int, int, int]]) -> list[TalkBlock]:
    """Candidates that follow each other in a session as one block each; linked ones and notes stand alone."""
    blocks, talks = list[TalkBlock](), dict[tuple[str, str], dict[int, Candidate]]()
    for one in candidates:
        place = parse_segment_id(one.segment_id)
        if place is None or place[0] == NOTES or is_linked(one):
            blocks.append(TalkBlock(one, (one,)))
        else:
            talks.setdefault(place[:2], {})[place[2]] = one
    for talk in talks.values():
        run = list[Candidate]()
        for index in sorted(talk):
            if run and index - 1 not in talk:
                blocks.append(_block_of(run, ranks))
                run = []
            run.append(talk[index])
        blocks.append(_block_of(run, ranks))
    return blocks


def _block_of(run: Sequence[Candidate], ranks: Mapping[str, tuple[int, int, int]]) -> TalkBlock:
    best = run[0] if len(run) == 1 else min(run, key=lambda one: ranks[one.segment_id])
    return TalkBlock(best, tuple(run))


def is_linked(candidate: Candidate) -> bool:
    """Whether a label has to say how it stands to others."""
    return bool(candidate.links) or (candidate.path is not None and candidate.path.kind == "link")


def is_counterpoint(candidate: Candidate) -> bool:
    return candidate.path is not None and candidate.path.kind == "link" and candidate.path.edge == "contradicts"


def standing_beside(blocks: Sequence[TalkBlock], steps: AbstractSet[str] = frozenset()) -> dict[str, str]:
    """Beside which head each neighbour stands: of what brought it; of two contradicting entries, the later.

    A step of a procedure stands in its turn instead, unless it contradicts.
    """
    places = {id: number for number, block in enumerate(blocks) for id in block.ids}
    beside: dict[str, str] = {}
    for number, block in enumerate(blocks):
        head = block.head
        if head.path is not None:
            earlier_place = places.get(head.path.from_segment, number)
            if earlier_place >= number or (head.segment_id in steps and not is_counterpoint(head)):
                continue
            beside[head.segment_id] = blocks[places[head.path.from_segment]].head.segment_id
        elif head.role == "entry":
            others = [link.from_segment for link in head.links if link.edge == "contradicts"]
            entries = [places[o] for o in others if o in places and blocks[places[o]].head.role == "entry"]
            if earlier := [at for at in entries if at < number]:
                beside[head.segment_id] = blocks[max(earlier)].head.segment_id
    return beside


def head_of(segment_id: str, beside: Mapping[str, str]) -> str:
    while segment_id in beside:  # a later block stands beside an earlier one: this ends
        segment_id = beside[segment_id]
    return segment_id


def with_counterpoints(block: TalkBlock, after: Mapping[str, Sequence[TalkBlock]]) -> list[TalkBlock]:
    beside = after.get(block.head.segment_id, ())
    return [block, *(one for other in beside for one in with_counterpoints(other, after))]


def in_turn(blocks: Sequence[TalkBlock], orders: Sequence[Order]) -> list[TalkBlock]:
    """Blocks so that each step of a procedure follows the one before it, else as they are.

    Where links go round in a circle, the one that would close it is ignored: the weakest, since the strongest
    are heard first.
    """
    places = {block.head.segment_id: number for number, block in enumerate(blocks)}
    later: dict[int, set[int]] = defaultdict(set)
    for order in sorted(orders, key=lambda o: (-o.weight, places[o.earlier], places[o.later])):
        earlier, then = places[order.earlier], places[order.later]
        if not leads_to(then, earlier, later):
            later[earlier].add(then)
    waiting = dict.fromkeys(range(len(blocks)), 0)
    for follow in later.values():
        for number in follow:
            waiting[number] += 1
    ready = [number for number, count in waiting.items() if not count]
    heapify(ready)
    found = []
    while ready:
        number = heappop(ready)
        found.append(blocks[number])
        for then in later.get(number, ()):
            waiting[then] -= 1
            if not waiting[then]:
                heappush(ready, then)
    return found


def leads_to(start: int, end: int, later: Mapping[int, set[int]]) -> bool:
    """Whether a way of steps leads from one to the other, which may be the same."""
    seen, frontier = {start}, [start]
    while frontier:
        if (number := frontier.pop()) == end:
            return True
        fresh = later.get(number, set()) - seen
        seen |= fresh
        frontier += fresh
    return False
