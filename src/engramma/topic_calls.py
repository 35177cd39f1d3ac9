"""What a memory does with topics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from .errors import BadInput
from .parts import Parts
from .records import Segment, Topic
from .steward import topics as steward
from .steward.topic_names import BETWEEN
from .store.sqlite import Row
from .times import from_micros

STRONGEST = 3  # segments that a topic is shown with


class TopicCalls(Parts):
    """Calls about topics."""

    def find_topics(self, progress: Callable[[int, int], None] | None = None) -> list[Topic]:
        """Find what the memory is about, or bring it up to date; a topic whose segments mostly stay keeps its id.

        Needs the extra `topics`. With nothing new it changes nothing.
        """
        graph = steward.find_topics(self.store, progress or (lambda done, total: None))
        with self.store.snapshot():
            return self._listed(STRONGEST, graph)

    def join_topics(self) -> int:
        """Put what came since the last run into the topics that are there; returns how many segments joined one."""
        return steward.join_topics(self.store)

    def topics(self, strongest: int = STRONGEST) -> list[Topic]:
        """The topics as they were last found, the largest first, each with so many of its strongest segments."""
        with self.store.snapshot():
            return self._listed(strongest, steward.read_graph(self.store) if strongest > 0 else None)

    def topic(self, id: int) -> tuple[Topic, list[Segment]] | None:
        """A topic by its id, with its segments: those most linked with the others first. None if there is none."""
        if not isinstance(id, int) or isinstance(id, bool) or not 0 < id < 2**63:
            raise BadInput(f"A topic's id is a whole number above 0, not {id!r:.80}.")
        with self.store.snapshot():
            rows = self.store.all("topics_listed", id=id)
            if not rows:
                return None
            graph = steward.graph_of_topic(self.store, id)
            keys = steward.by_strength(graph, np.full(len(graph.keys), id))[id]
            segments = self.store.hydrate(keys)
            (topic,) = self._topics(rows, {id: keys[:STRONGEST]})
            return topic, [segments[key] for key in keys if key in segments]

    # --- steps ---------------------------------------------------------------------------------

    def _listed(self, strongest: int, graph: steward.Graph | None) -> list[Topic]:
        """All topics; without a graph, none of their segments."""
        rows = self.store.all("topics_listed", id=None)
        if graph is None:
            return self._topics(rows, {})
        ranked = steward.by_strength(graph, steward.stored_topics(self.store, graph.keys))
        return self._topics(rows, {id: keys[:strongest] for id, keys in ranked.items()})

    def _topics(self, rows: Sequence[Row], strongest: Mapping[int, Sequence[int]]) -> list[Topic]:
        segments = self.store.hydrate([key for keys in strongest.values() for key in keys])
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
