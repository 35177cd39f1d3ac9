"""What a memory does with the graph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .errors import BadInput
from .parts import Parts
from .recall.walk import neighbours_of
from .records import Candidate, Neighbor, Recall
from .store.store import FORGOTTEN, as_json

MOST_HOPS = 2
MOST_NEIGHBORS = 20  # takizen's cap
MOST_SEEDS = 1_000


class GraphCalls(Parts):
    """Calls about the graph: takizen's match, neighbors and match_hybrid."""

    if TYPE_CHECKING:  # Memory's own call

        def recall(self, query: str, k: int = 10, recipe: str = "default") -> Recall: ...

    def match(self, query: str, k: int = 10) -> tuple[Candidate, ...]:
        """The k nearest segments by meaning alone (recipe vector), the nearest first."""
        return self.recall(query, k, "vector").entries

    def match_hybrid(self, query: str, k: int = 10) -> tuple[Candidate, ...]:
        """The k best by the ranks of meaning and of proximity in the graph together (recipe takizen)."""
        return self.recall(query, k, "takizen").entries

    def neighbors(self, ids: str | Iterable[str], hops: int = 1, cap: int = MOST_NEIGHBORS) -> tuple[Neighbor, ...]:
        """The nearest segments around some, along edges of every kind, either way; the nearest first.

        Proximity is the product of the weights on the best way, halved for a second hop. What is archived,
        retired or forgotten is neither shown nor passed, and the given ones are not their own neighbours.
        """
        if type(hops) is not int or not 1 <= hops <= MOST_HOPS:
            raise BadInput(f"hops must be 1 or {MOST_HOPS}, not {hops!r:.80}.")
        if type(cap) is not int or not 1 <= cap <= MOST_NEIGHBORS:
            raise BadInput(f"cap must be a whole number from 1 to {MOST_NEIGHBORS}, not {cap!r:.80}.")
        listed = list(dict.fromkeys([ids] if isinstance(ids, str) else ids))
        if len(listed) > MOST_SEEDS:
            raise BadInput(f"Give at most {MOST_SEEDS:,} segments to start from, not {len(listed):,}.")
        with self.store.snapshot():
            seeds = self._seeds(listed)
            steps = neighbours_of(self.store, list(seeds), hops, cap)
            segments = self.store.hydrate(sorted({key for step in steps for key in (step.origin, step.via, step.key)}))
        return tuple(
            Neighbor(
                id=segments[step.key].id,
                text=segments[step.key].text,
                speakers=segments[step.key].speakers,
                said_at=segments[step.key].said_at,
                hops=step.hops,
                proximity=round(step.proximity, 6),
                kind=step.kind,
                path=tuple(segments[key].id for key in dict.fromkeys((step.origin, step.via, step.key))),
            )
            for step in steps
        )

    def _seeds(self, ids: list[str]) -> dict[int, str]:
        """The segments to start from, by key; what was forgotten is as unknown as what never was."""
        seeds = {self._known_key(id): id for id in ids}
        for row in self.store.all("states_by_keys", keys=as_json(seeds)):
            if row["state"] >= FORGOTTEN:
                raise BadInput(f"There is no segment {seeds[row['key']]!r:.200} in this memory.")
        return seeds
