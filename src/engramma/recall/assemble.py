"""The context block: chronological, every segment with its time, origin, place and role, within a budget.

Typed links bend the order: what contradicts an entry stands right after it, and the steps of a procedure stand in
the order that its links give.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush

from ..language.fence import fenced
from ..language.quoting import ID_CHARACTERS, name_line
from ..language.text import estimate_tokens, parse_segment_id
from ..records import Candidate
from .context import CUT as CUT_LINE
from .context import cut_said, label, places, quotes, said_in
from .typed_links import Order, describe_link

NOTHING = "No memory matches this."
CUT = "cut to fit; the whole is in {id}"
FRAME_TOKENS = estimate_tokens(fenced("", b""))


def assemble(
    candidates: Sequence[Candidate],
    budget_tokens: int | None,
    orders: Sequence[Order] = (),
    key: bytes = b"",
    most: int | None = None,
) -> tuple[str, int, int]:
    """(block, its tokens, candidates left out), fenced with a key of the store. Left out are first the expanded
    neighbours, counterpoints last of them, then entries, and of each the last first; `most` characters are shown of
    one."""
    if not candidates:
        return NOTHING, estimate_tokens(NOTHING), 0
    room = None if budget_tokens is None else budget_tokens - FRAME_TOKENS
    body, left_out = assemble_body(candidates, room, orders, most)
    text = fenced(body, key)
    return text, estimate_tokens(text), left_out


def assemble_body(
    candidates: Sequence[Candidate], budget_tokens: int | None, orders: Sequence[Order] = (), most: int | None = None
) -> tuple[str, int]:
    """What stands inside the fence, and how many candidates are left out of it."""
    kept, blocks = list(candidates), {c.segment_id: block(c, most) for c in candidates}
    if budget_tokens is not None:
        costs = {c.segment_id: estimate_tokens(blocks[c.segment_id]) + 1 for c in candidates}
        total, left_out = sum(costs.values()), set[str]()
        for candidate in (c for level in range(3) for c in reversed(candidates) if dearness(c) == level):
            if total <= budget_tokens or len(left_out) + 1 == len(candidates):
                break
            left_out.add(candidate.segment_id)
            total -= costs[candidate.segment_id]
        kept = [c for c in candidates if c.segment_id not in left_out]
        if total > budget_tokens and kept:  # one entry that is larger than the whole budget
            only = kept[0]
            blocks[only.segment_id] = _shortened(only, budget_tokens)
    text = "\n\n".join(blocks[c.segment_id] for c in arranged(kept, orders))
    return text, len(candidates) - len(kept)


def dearness(candidate: Candidate) -> int:
    """How late a candidate is left out."""
    if candidate.role == "entry":
        return 2
    return 1 if is_counterpoint(candidate) else 0


def is_counterpoint(candidate: Candidate) -> bool:
    return candidate.path is not None and candidate.path.kind == "link" and candidate.path.edge == "contradicts"


# --- the order ---------------------------------------------------------------------------------


def arranged(candidates: Sequence[Candidate], orders: Sequence[Order] = ()) -> list[Candidate]:
    """In the order in which they were said, with counterpoints beside what they contradict and steps in turn."""
    said = sorted(candidates, key=lambda c: (c.said_at, c.conversation_id, c.session_id, _place(c.segment_id)))
    beside = counterpoints(said)
    if not beside and not orders:
        return said
    head = {c.segment_id: head_of(c.segment_id, beside) for c in said}
    after: dict[str, list[Candidate]] = defaultdict(list)
    for c in said:
        if c.segment_id in beside:
            after[beside[c.segment_id]].append(c)
    first = [c for c in said if c.segment_id not in beside]
    lifted = [Order(head[o.earlier], head[o.later], o.weight) for o in orders if {o.earlier, o.later} <= head.keys()]
    return [c for leading in in_turn(first, lifted) for c in with_counterpoints(leading, after)]


def counterpoints(said: Sequence[Candidate]) -> dict[str, str]:
    """Whom each counterpoint stands beside: the entry that brought it; of two entries, the later one moves."""
    places = {c.segment_id: number for number, c in enumerate(said)}
    beside: dict[str, str] = {}
    for number, c in enumerate(said):
        if c.path is not None and is_counterpoint(c) and c.path.from_segment in places:
            beside[c.segment_id] = c.path.from_segment
        elif c.role == "entry":
            others = [link.from_segment for link in c.links if link.edge == "contradicts"]
            entries = [places[o] for o in others if o in places and said[places[o]].role == "entry"]
            if earlier := [at for at in entries if at < number]:
                beside[c.segment_id] = said[max(earlier)].segment_id
    return beside


def head_of(segment_id: str, beside: Mapping[str, str]) -> str:
    while segment_id in beside:  # a later entry stands beside an earlier one: this ends
        segment_id = beside[segment_id]
    return segment_id


def with_counterpoints(candidate: Candidate, after: Mapping[str, Sequence[Candidate]]) -> list[Candidate]:
    return [candidate, *(c for other in after.get(candidate.segment_id, ()) for c in with_counterpoints(other, after))]


def in_turn(said: Sequence[Candidate], orders: Sequence[Order]) -> list[Candidate]:
    """Candidates so that each step of a procedure follows the one before it, else as they were said.

    Where links go round in a circle, the one that would close it is ignored: the weakest, since the strongest
    are heard first.
    """
    places = {c.segment_id: number for number, c in enumerate(said)}
    later: dict[int, set[int]] = defaultdict(set)
    for order in sorted(orders, key=lambda o: (-o.weight, places[o.earlier], places[o.later])):
        earlier, then = places[order.earlier], places[order.later]
        if not leads_to(then, earlier, later):
            later[earlier].add(then)
    waiting = dict.fromkeys(range(len(said)), 0)
    for follow in later.values():
        for number in follow:
            waiting[number] += 1
    ready = [number for number, count in waiting.items() if not count]
    heapify(ready)
    found = []
    while ready:
        number = heappop(ready)
        found.append(said[number])
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


# --- the words ---------------------------------------------------------------------------------


def block(candidate: Candidate, most: int | None = None) -> str:
    """One segment under its label; of more than so many characters the beginning, and where the whole is."""
    said = said_in(candidate)
    if most is None or sum(len(one.text) for one in said) <= most:
        return f"{_head_line(candidate)}\n{quotes(said, candidate.said_at)}"
    ending = CUT_LINE.format(what=CUT.format(id=name_line(candidate.segment_id, ID_CHARACTERS)))
    return f"{_head_line(candidate)}\n{quotes(cut_said(said, most), candidate.said_at)}\n{ending}"


def _head_line(candidate: Candidate) -> str:
    return label(candidate.said_at, *places(candidate), how(candidate))


def how(candidate: Candidate) -> str:
    """What a candidate is to the query, and by typed links to others."""
    path = candidate.path
    if path is None:
        said = [f"{describe_link(link)} {name_line(link.from_segment, ID_CHARACTERS)}" for link in candidate.links]
        return ", ".join(["entry", *dict.fromkeys(said)])
    if path.kind == "link":
        return f"{candidate.role}, {describe_link(path)} {name_line(path.from_segment, ID_CHARACTERS)}"
    return f"{candidate.role}, {path.kind}"


def _shortened(candidate: Candidate, budget_tokens: int) -> str:
    """The beginning of one segment that fits, and where the whole is."""
    low, high = 0, min(len(candidate.text) - 1, max(0, budget_tokens) * 4)
    while low < high:  # the longest beginning that fits; tokens grow with length
        middle = (low + high + 1) // 2
        fits = estimate_tokens(block(candidate, middle)) < budget_tokens
        low, high = (middle, high) if fits else (low, middle - 1)
    return block(candidate, low)


def _place(segment_id: str) -> int:
    """Where in its session a segment stands."""
    found = parse_segment_id(segment_id)
    return 0 if found is None else found[2]
