"""What recall does: a recipe as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Plan:
    """What recall does for one recipe."""

    name: str
    purpose: str
    channels: tuple[str, ...] = ("semantic",)
    fusion: Literal["none", "rrf", "evidence"] = "none"  # how the channels' hits become one list
    pool: int = 60  # hits per channel that are weighed against each other; twice as many are considered
    rrf_k: int = 60  # what dampens the first ranks in reciprocal rank fusion
    weights: Mapping[str, float] = field(default_factory=dict)  # of each kind of evidence
    rerank: int = 0  # how many of the top-ranked are read beside the query, at least, and reordered; 0: none
    second_round: int = 0  # places behind the first hit for a second search, if a question describes whom it means
    mmr: float | None = None  # balance of relevance (1) and diversity (0)
    per_topic: int | None = None  # maximum entries of one topic, the others follow; None: topics do not matter
    half_life_days: float | None = None  # a score halves with every such period of age; None: age does not matter
    entries: int | None = None  # most entry segments; None: the caller's k
    thresholds: Literal["fixed", "auto", "none"] = "none"  # none: no floor, no edge or dedup threshold
    floor: float = 0.6  # least similarity of an entry, when fixed
    edge: float = 0.6  # least weight of an edge followed, when fixed
    dedup: float = 0.85  # similarity to the active context at which a candidate is dropped, when fixed
    lateral: int = 0  # semantic neighbours followed from an entry
    hops: int = 1  # semantic edges followed one after the other
    cap: int = 20  # segments the graph channel may bring
    vertical: int = 0  # chain steps before and after an entry
    typed: int = 0  # segments that an entry may bring in along typed links (recall/typed_links.py); 0: links do nothing
    facts: int = 0  # facts of the knowledge graph shown below the segments, within the budget; 0: none
    budget_tokens: int | None = None  # size of the context block; None: no limit
