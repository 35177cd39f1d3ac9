"""The read side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from .talk import Origin, Spoken

CandidateRole = Literal["entry", "expanded"]

MOST_HOPS = 2  # of neighbours
MOST_NEIGHBORS = 20  # takizen's cap


@dataclass(frozen=True, slots=True)
class Path:
    """The edge that led from an entry to an expanded neighbour, or the typed link that changed an entry.

    `outward`: a typed link points from `from_segment` to here; `gain` is what it added to an entry's score.
    """

    kind: Literal["lateral", "vertical", "link"]
    edge: str
    from_segment: str
    weight: float
    steps: int = 1
    outward: bool = True
    gain: float = 0.0


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a channel put a segment: its rank, from 1, and the channel's own score."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A segment that recall brought back, with its score, its role and how it was reached.

    `turn_ids` are the turns of it that the query is after: where somebody asks of themself, of an exchange only the
    message, unless the answer adds half of what is asked for; `text` and `spoken` are of the whole segment.
    `channels` says where each channel put it, `evidence` what each kind of evidence added to its score,
    `links` which typed links support or contradict it: between an entry and what else was brought back. `spoken` says
    who said which part of the text, `origin` how it came into the memory, `title` what its conversation is called.
    `matched` has the passages that fit the query, as places in the text: one a part at most, the best first.
    """

    segment_id: str
    session_id: str
    conversation_id: str
    turn_ids: tuple[str, ...]
    speakers: tuple[str, ...]
    said_at: datetime
    text: str
    score: float
    role: CandidateRole
    path: Path | None = None
    channels: Mapping[str, Standing] = field(default_factory=dict)
    evidence: Mapping[str, float] = field(default_factory=dict)
    links: tuple[Path, ...] = ()
    spoken: tuple[Spoken, ...] = ()
    origin: Origin = "api"
    title: str | None = None
    matched: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The three similarities that decide what counts as related, and how they were found."""

    floor: float
    edge: float
    dedup: float
    mode: Literal["fixed", "auto"]
    background: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Trace:
    """What recall did: the recipe, its thresholds, counts per stage, notes, and milliseconds per stage.

    `degraded` says why words alone were asked: the embedder was away.
    """

    recipe: str
    thresholds: Thresholds | None
    counts: Mapping[str, int]
    notes: tuple[str, ...]
    timings_ms: Mapping[str, float]
    degraded: str | None = None


@dataclass(frozen=True, slots=True)
class Recall:
    """The answer to a query: a context block to hand over, its candidates, and the trace.

    `candidates` lists the entries best first, then the expanded neighbours; `context` shows the best first as well,
    each with its neighbours, as much of them as its budget takes; `shown` names the segments that it shows.
    """

    query: str
    context: str
    candidates: tuple[Candidate, ...]
    trace: Trace
    tokens: int = 0
    shown: tuple[str, ...] = ()

    @property
    def entries(self) -> tuple[Candidate, ...]:
        return tuple(c for c in self.candidates if c.role == "entry")


@dataclass(frozen=True, slots=True)
class Neighbor:
    """A segment reached along edges: how near, over how many, the last one's kind, and the ids on the way.

    `path` begins with the segment it was reached from and ends with its own id.
    """

    id: str
    text: str
    speakers: tuple[str, ...]
    said_at: datetime
    hops: int
    proximity: float
    kind: str
    path: tuple[str, ...]
