"""The context block: chronological, every segment with its time, session and role, within a budget."""

from __future__ import annotations

from collections.abc import Sequence

from ..records import Candidate
from ..text import estimate_tokens, place_of
from ..times import readable

NOTHING = "No memory matches this."
CUT = "\n[… cut to fit; the whole is in {id}]"


def assemble(candidates: Sequence[Candidate], budget_tokens: int | None) -> tuple[str, int, int]:
    """(block, its tokens, candidates left out). Expanded neighbours are left out before entries, the last first."""
    kept, blocks = list(candidates), {c.segment_id: block(c) for c in candidates}
    if budget_tokens is not None:
        costs = {c.segment_id: estimate_tokens(blocks[c.segment_id]) + 1 for c in candidates}
        total = sum(costs.values())
        for role in ("expanded", "entry"):
            for candidate in reversed(candidates):
                if total <= budget_tokens or len(kept) == 1:
                    break
                if candidate.role == role:
                    kept.remove(candidate)
                    total -= costs[candidate.segment_id]
        if total > budget_tokens and kept:  # one entry that is larger than the whole budget
            only = kept[0]
            blocks[only.segment_id] = shortened(only, blocks[only.segment_id], budget_tokens)
    ordered = sorted(kept, key=lambda c: (c.said_at, c.conversation_id, c.session_id, place(c.segment_id)))
    text = "\n\n".join(blocks[c.segment_id] for c in ordered) if ordered else NOTHING
    return text, estimate_tokens(text), len(candidates) - len(kept)


def block(candidate: Candidate) -> str:
    """One segment under its label."""
    how = candidate.role if candidate.path is None else f"{candidate.role}, {candidate.path.kind}"
    label = (
        f"[{readable(candidate.said_at)} UTC | session {candidate.session_id} | {candidate.conversation_id} | {how}]"
    )
    if len(candidate.turn_ids) == 1:
        return f"{label}\n{candidate.speakers[0]}: {candidate.text}"
    return f"{label}\n{candidate.text}"


def shortened(candidate: Candidate, text: str, budget_tokens: int) -> str:
    ending = CUT.format(id=candidate.segment_id)
    room = max(0, budget_tokens - estimate_tokens(ending))
    low, high = 0, min(len(text), room * 4)
    while low < high:  # the longest beginning that fits; tokens grow with length
        middle = (low + high + 1) // 2
        low, high = (middle, high) if estimate_tokens(text[:middle]) <= room else (low, middle - 1)
    return text[:low] + ending


def place(segment_id: str) -> int:
    """Where in its session a segment stands."""
    found = place_of(segment_id)
    return 0 if found is None else found[2]
