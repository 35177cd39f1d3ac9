"""One recall over several namespaces: each answers on its own, and their answers become one.

A namespace's scores say how its own segments compare with each other (a share of all its evidence, a BM25 that counts
its own words), so the best of a namespace that knows nothing would stand beside the best of one that knows. What
means the same everywhere is the cosine between the question and a segment: one encoder made all vectors of a store.
So a namespace keeps the order that its own evidence gave, and across namespaces that order is fused with the order of
the cosines, by reciprocal ranks (docs/explanation/namespaces.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .memory import Memory
from .recall.assemble import NOTHING, assemble
from .records import Candidate, Recall, Trace
from .text import estimate_tokens

EVERY = "*"  # every namespace that whoever asks may read
SMOOTHING = 60  # of reciprocal ranks, as pgmemory's


@dataclass(frozen=True, slots=True)
class Placed:
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
    candidates: tuple[Placed, ...]
    namespaces: tuple[str, ...]
    traces: Mapping[str, Trace]
    tokens: int = 0


def recall_together(
    memories: Mapping[str, Memory], query: str, k: int = 10, *, budget_tokens: int | None = None, **bounds: Any
) -> Together:
    """Recall in each of the namespaces, and the best of all; `bounds` are those of `Memory.recall`."""
    found = {name: memory.recall(query, k, **bounds) for name, memory in memories.items()}
    return joined(query, found, k, budget_tokens)


def joined(query: str, found: Mapping[str, Recall], k: int, budget_tokens: int | None = None) -> Together:
    """Several answers to one question as one."""
    entries = ranked(found)[:k]
    kept = {(one.namespace, one.candidate.segment_id) for one in entries}
    beside = [
        Placed(name, candidate)
        for name, recalled in found.items()
        for candidate in recalled.candidates
        if candidate.path is not None and (name, candidate.path.from_segment) in kept
    ]
    candidates = (*entries, *beside)
    context, tokens = block(candidates, budget_tokens)
    traces = {name: recalled.trace for name, recalled in found.items()}
    return Together(query, context, candidates, tuple(found), traces, tokens)


def ranked(found: Mapping[str, Recall]) -> list[Placed]:
    """The entries of all, best first: by their rank at home and by their cosine among all."""
    entries = [(rank, Placed(name, c)) for name, recalled in found.items() for rank, c in enumerate(recalled.entries)]
    order = sorted(range(len(entries)), key=lambda n: (-cosine(entries[n][1].candidate), entries[n][0], n))
    by_cosine = {n: rank for rank, n in enumerate(order)}
    fused = [
        replace(one, candidate=replace(one.candidate, score=round(share(home) + share(by_cosine[n]), 6)))
        for n, (home, one) in enumerate(entries)
    ]
    return sorted(fused, key=lambda one: -one.candidate.score)


def cosine(candidate: Candidate) -> float:
    """How near a segment is to the question; one that no search by meaning found is nearer to nothing."""
    stood = candidate.channels.get("semantic")
    return -1.0 if stood is None else stood.score


def share(rank: int) -> float:
    return 1 / (SMOOTHING + rank + 1)


def block(candidates: Sequence[Placed], budget_tokens: int | None) -> tuple[str, int]:
    """The context: a part a namespace, in the order of their best candidates, each in the order of time."""
    parts = list[str]()
    left = budget_tokens
    for name in dict.fromkeys(one.namespace for one in candidates):
        own = [one.candidate for one in candidates if one.namespace == name]
        if left is not None and left < 20 and parts:
            break
        text, tokens, _ = assemble(own, None if left is None else max(1, left - estimate_tokens(head(name))))
        parts.append(f"{head(name)}\n{text}")
        left = None if left is None else left - tokens - estimate_tokens(head(name))
    text = "\n\n".join(parts) if parts else NOTHING
    return text, estimate_tokens(text)


def head(namespace: str) -> str:
    return f"[namespace {namespace}]"
