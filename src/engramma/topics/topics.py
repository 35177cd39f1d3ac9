"""Topics: find them, keep them up to date, list them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.core import Core
from ..errors import BadInput
from ..language.times import from_micros
from ..records import Segment, Topic
from ..store.database import Row
from . import topic_store as kept
from .topic_names import BETWEEN

STRONGEST = 3  # segments that a topic is shown with


class Topics:
    """What the memory is about: communities of its graph, kept from run to run."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def find(self, progress: Callable[[int, int], None] | None = None) -> list[Topic]:
        """Find what the memory is about, or bring it up to date; a topic whose segments mostly stay keeps its id.

        Needs the extra `topics`. With nothing new it changes nothing.
        """
        graph = kept.find_topics(self._core.store, progress or (lambda done, total: None))
        with self._core.store.snapshot():
            return self._listed(STRONGEST, graph)

    def join(self) -> int:
        """Put what came since the last run into the topics that are there; returns how many segments joined one."""
        return kept.join_topics(self._core.store)

    def all(self, strongest: int = STRONGEST) -> list[Topic]:
        """The topics as they were last found, the largest first, each with so many of its strongest segments."""
        with self._core.store.snapshot():
            return self._listed(strongest, kept.read_graph(self._core.store) if strongest > 0 else None)

    def get(self, id: int) -> tuple[Topic, list[Segment]] | None:
        """A topic by its id, with its segments: those most linked with the others first. None if there is none."""
        if not isinstance(id, int) or isinstance(id, bool) or not 0 < id < 2**63:
            raise BadInput(f"A topic's id is a whole number above 0, not {id!r:.80}.")
        with self._core.store.snapshot():
            rows = self._core.store.all("topics_listed", id=id)
            if not rows:
                return None
            graph = kept.graph_of_topic(self._core.store, id)
            keys = kept.by_strength(graph, np.full(len(graph.keys), id))[id]
            segments = self._core.store.hydrate(keys)
            (topic,) = self._topics(rows, {id: keys[:STRONGEST]})
            return topic, [segments[key] for key in keys if key in segments]

    def names(self, limit: int) -> list[dict[str, Any]]:
        """The largest topics with their names and sizes, to choose one by."""
        return [dict(row) for row in self._core.store.all("topics_by_size", limit=limit)]

    # --- steps ---------------------------------------------------------------------------------

    def _listed(self, strongest: int, graph: kept.CommunityGraph | None) -> list[Topic]:
        """All topics; without a graph, none of their segments."""
        rows = self._core.store.all("topics_listed", id=None)
        if graph is None:
            return self._topics(rows, {})
        ranked = kept.by_strength(graph, kept.stored_topics(self._core.store, graph.keys))
        return self._topics(rows, {id: keys[:strongest] for id, keys in ranked.items()})

    def _topics(self, rows: Sequence[Row], strongest: Mapping[int, Sequence[int]]) -> list[Topic]:
        segments = self._core.store.hydrate([key for keys in strongest.values() for key in keys])
        return [
            Topic(
                id=row["id"],
                name=row["name"],
                terms=tuple(row["name"].split(BETWEEN)) if row["name"] else (),
                size=row["size"],
                first_said_at=from_micros(row["first_at"]),
                last_said_at=from_micros(row["last_at"]),
                made_at=from_micros(row["made_at"]),
                strongest=tuple(segments[key].id for key in strongest.get(row["id"], ()) if key in segments),
            )
            for row in rows
        ]
