"""One recall over several namespaces: each answers on its own, and their answers become one.

A namespace's scores say how its own segments compare with each other (a share of all its evidence, a BM25 that counts
its own words), so the best of a namespace that knows nothing would stand beside the best of one that knows. What
means the same everywhere is the cosine between the question and a segment: one encoder made all vectors of a store.
So a namespace keeps the order that its own evidence gave, and stands as near to the question as its best do
(docs/explanation/namespaces.md has what was measured).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ..language.fence import fenced
from ..language.quoting import name_line
from ..language.text import estimate_tokens
from ..records import Candidate, Plan, Query, Recall, Trace
from .assemble import FRAME_TOKENS, NOTHING, entries_within, joined_entries

EVERY = "*"  # every namespace that whoever asks may read
BEST = 3  # entries whose cosines say how near a namespace comes to a question
STEP = 0.01  # of cosine a rank: half or double of it changes what is found by 0.3 points (docs/log.md)
NOTHING_NEAR = -1.0  # the strength of a namespace in which nothing was found by meaning


@dataclass(frozen=True, slots=True)
class NamespacedCandidate:
    """A candidate and the namespace it is from."""

    namespace: str
    candidate: Candidate


@dataclass(frozen=True, slots=True)
class Together:
    """The answer of several namespaces: the best entries of all, then what hangs on them, each with its namespace.

    `score` of a candidate is that of the fused order; its channels and evidence are as its namespace gave them.
    """

    query: str
    context: str
    candidates: tuple[NamespacedCandidate, ...]
    namespaces: tuple[str, ...]
    traces: Mapping[str, Trace]
    tokens: int = 0


class NamespaceMemory(Protocol):
    """What is asked of each namespace's memory."""

    @property
    def fence_key(self) -> bytes: ...

    def recall(self, query: str | Query, k: int | None = None, recipe: str | Plan = "default") -> Recall: ...


def recall_together(
    memories: Mapping[str, NamespaceMemory],
    query: str | Query,
    k: int | None = None,
    recipe: str | Plan = "default",
    **bounds: Any,
) -> Together:
    """Recall in each of the namespaces, and the best of all; `bounds` are those of `Memory.recall`."""
    asked = query if isinstance(query, Query) else Query(query, k, **bounds)
    wide = replace(asked, k=asked.most_entries, budget_tokens=None)  # the budget is of what all of them bring
    found = {name: memory.recall(wide, recipe=recipe) for name, memory in memories.items()}
    key = next((memory.fence_key for memory in memories.values()), b"")
    return join_recalls(asked.text, found, asked.most_entries, asked.budget_tokens, key)


def join_recalls(
    query: str, found: Mapping[str, Recall], k: int, budget_tokens: int | None = None, key: bytes = b""
) -> Together:
    """Several answers to one question as one; their block is fenced with a key of the store."""
    entries = ranked(found)[:k]
    kept = {(one.namespace, one.candidate.segment_id) for one in entries}
    beside = [
        NamespacedCandidate(name, candidate)
        for name, recalled in found.items()
        for candidate in recalled.candidates
        if candidate.path is not None and (name, candidate.path.from_segment) in kept
    ]
    candidates = (*entries, *beside)
    context, tokens = _block(candidates, budget_tokens, key)
    traces = {name: recalled.trace for name, recalled in found.items()}
    return Together(query, context, candidates, tuple(found), traces, tokens)


def ranked(found: Mapping[str, Recall]) -> list[NamespacedCandidate]:
    """The entries of all, best first: how near their namespace comes, less a step for each before them there."""
    placed = [
        NamespacedCandidate(name, replace(candidate, score=round(near - STEP * rank, 6)))
        for name, recalled in found.items()
        for near in [strength(recalled.entries)]
        for rank, candidate in enumerate(recalled.entries)
    ]
    return sorted(placed, key=lambda one: -one.candidate.score)


def strength(entries: Sequence[Candidate]) -> float:
    """How near the best of a namespace are to the question."""
    cosines = sorted((c.channels["semantic"].score for c in entries if "semantic" in c.channels), reverse=True)[:BEST]
    return sum(cosines) / len(cosines) if cosines else NOTHING_NEAR


def _block(candidates: Sequence[NamespacedCandidate], budget_tokens: int | None, key: bytes) -> tuple[str, int]:
    """The context: a part a namespace, in the order of their best candidates, each in the order of time."""
    parts = list[str]()
    left = None if budget_tokens is None else budget_tokens - FRAME_TOKENS
    for name in dict.fromkeys(one.namespace for one in candidates):
        own = [one.candidate for one in candidates if one.namespace == name]
        if left is not None and left < 20 and parts:
            break
        room = None if left is None else max(1, left - estimate_tokens(write_namespace_head(name)))
        parts.append(f"{write_namespace_head(name)}\n{joined_entries(entries_within(own, room)[0])}")
        left = None if left is None else left - estimate_tokens(parts[-1]) - 1
    text = fenced("\n\n".join(parts), key) if parts else NOTHING
    return text, estimate_tokens(text)


def write_namespace_head(namespace: str) -> str:
    return f"[namespace {name_line(namespace)}]"
