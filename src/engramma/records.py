"""The nouns: frozen records, a sentence each. Behaviour lives in functions elsewhere.

Times are timezone-aware and in UTC; `similarity` means higher is better, `rank` starts at 1,
and `score` exists only after ranking. Words are explained in docs/glossary.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from .redaction.rule import Redaction

Role = Literal["user", "assistant", "system", "tool"]
CandidateRole = Literal["entry", "expanded"]
SegmentKind = Literal["exchange", "utterance", "note", "chunk"]


# --- what was said -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Turn:
    """One message by one speaker: the atom of evidence. `id` is the caller's and comes back unchanged.

    `meta` is what its source says beside the words: model, branch, ids of its own.
    """

    speaker: str
    text: str
    said_at: datetime | None = None
    id: str | None = None
    role: Role | None = None
    meta: Mapping[str, str] = field(default_factory=dict, hash=False)
    redactions: tuple[Redaction, ...] = field(default=(), compare=False)  # what was masked in it just now


@dataclass(frozen=True, slots=True)
class Session:
    """An unbroken sitting in a conversation, closed explicitly or after an idle gap."""

    id: str
    turns: tuple[Turn, ...]
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Conversation:
    """A thread with its sessions, as an importer hands it over."""

    id: str
    sessions: tuple[Session, ...]
    title: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """What is embedded, searched, ranked and cited: an exchange, or one utterance of a talk."""

    id: str
    session_id: str
    conversation_id: str
    index: int
    kind: SegmentKind
    turn_ids: tuple[str, ...]
    speakers: tuple[str, ...]
    said_at: datetime
    text: str


# --- what an import met ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Problem:
    """A record an import could not take: where it stands and why."""

    path: str
    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class RememberReport:
    """What one write added; zeros mean that everything was known already."""

    conversations: int = 0
    sessions: int = 0
    turns: int = 0
    segments: int = 0
    edges: int = 0
    known_turns: int = 0
    purged_turns: int = 0  # were purged before, so they stay out
    problems: tuple[Problem, ...] = ()


# --- the read side -----------------------------------------------------------------------------


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

    `channels` says where each channel put it, `evidence` what each kind of evidence added to its score,
    `links` which typed links support or contradict it: between an entry and what else was brought back.
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
    """What recall did: the recipe, its thresholds, counts a stage, notes, and milliseconds a stage."""

    recipe: str
    thresholds: Thresholds | None
    counts: Mapping[str, int]
    notes: tuple[str, ...]
    timings_ms: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Recall:
    """The answer to a query: a context block to hand over, its candidates, and the trace.

    `candidates` lists the entries best first, then the expanded neighbours; `context` shows them in the
    order in which they were said, as many as its budget takes.
    """

    query: str
    context: str
    candidates: tuple[Candidate, ...]
    trace: Trace
    tokens: int = 0

    @property
    def entries(self) -> tuple[Candidate, ...]:
        return tuple(c for c in self.candidates if c.role == "entry")


# --- notes, links and acts ---------------------------------------------------------------------

State = Literal["live", "archived", "retired", "forgotten"]
LinkKind = Literal["related_to", "supports", "contradicts", "part_of", "caused_by", "before", "after"]


@dataclass(frozen=True, slots=True)
class Note:
    """Something kept on purpose: its words, who wrote it when, and what is known of its use."""

    id: str
    text: str
    speaker: str
    created: datetime
    tags: tuple[str, ...]
    strength: float
    quality: float
    source: str | None
    session: str | None
    recalls: int
    last_recalled: datetime | None
    expires_at: datetime | None
    repeats: int
    state: State


@dataclass(frozen=True, slots=True)
class Repeat:
    """What was said again and counted at the note it repeats: verbatim, with its source."""

    id: str
    note: str
    speaker: str
    text: str
    said_at: datetime
    source: str | None
    session: str | None
    similarity: float


@dataclass(frozen=True, slots=True)
class Link:
    """A typed edge between two segments. `first_weight` is its weight before anything was learnt."""

    source: str
    kind: str
    target: str
    weight: float
    first_weight: float
    label: str | None
    author: str
    provenance: str | None
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of a note: stored anew, or counted as a repeat of one that says the same."""

    note: Note
    is_new: bool
    similarity: float | None = None
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Act:
    """Something done to the memory, with its reason; `undone_at` says that it was taken back."""

    id: int
    at: datetime
    kind: str
    reason: str
    detail: Mapping[str, Any]
    undone_at: datetime | None = None


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


@dataclass(frozen=True, slots=True)
class NamespaceInfo:
    """A namespace of a store and how much is in it; `text_bytes` counts what was said, in UTF-8."""

    name: str
    created: datetime
    segments: int
    notes: int
    text_bytes: int


@dataclass(frozen=True, slots=True)
class StewardAct:
    """What the steward would do or did: the segments it lays aside, why, and the note that stands in their place."""

    kind: Literal["expire", "prune", "merge", "consolidate", "archive"]
    reason: str
    ids: tuple[str, ...]
    into: str | None = None
    act: int | None = None  # its number in the log, once done


@dataclass(frozen=True, slots=True)
class StewardReport:
    """A run of the steward: its acts, or a plan of them; what its limits left out, what had changed meanwhile."""

    at: datetime
    is_applied: bool
    acts: tuple[StewardAct, ...]
    counts: Mapping[str, int]
    left_out: Mapping[str, int]
    skipped: int
    notes: int  # live ones before
    notes_left: int  # live ones after, or as the plan would have it


# --- what a source document holds ----------------------------------------------------------------

DocumentKind = Literal["markdown", "text", "html", "pdf", "code"]
BlockKind = Literal["paragraph", "list", "code", "table", "quote"]


@dataclass(frozen=True, slots=True)
class Block:
    """One unit of a document, a paragraph or a whole list, and the headings above it, outermost first."""

    text: str
    headings: tuple[str, ...] = ()
    kind: BlockKind = "paragraph"


@dataclass(frozen=True, slots=True)
class Document:
    """A file as it was read: its blocks in order, and notes on what a reader of them should know."""

    name: str
    kind: DocumentKind
    blocks: tuple[Block, ...]
    title: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a document that is stored and found as one, under its headings; `position` counts from 0."""

    text: str
    headings: tuple[str, ...]
    position: int


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What forgetting takes or took away: how much, its first turns as a sample, and the act to undo it by.

    `act` is None for a preview. After a purge nothing is left to undo.
    """

    act: int | None
    turns: int
    segments: int
    sessions: int
    repeats: int
    sample: tuple[str, ...]
    purged: bool = False


@dataclass(frozen=True, slots=True)
class RedactReport:
    """What redaction finds in what is stored, or masked there: how often by rule, how much, and in which segments.

    Never the secrets. `unfinished`: rows were masked, and some file may still hold what stood there.
    """

    is_applied: bool
    rules: Mapping[str, int]
    turns: int
    segments: int
    sessions: int
    repeats: int
    titles: int
    links: int
    acts: int
    places: tuple[str, ...]
    unfinished: bool = False


# --- topics --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Topic:
    """Segments that hang together, named by their most telling terms; `strongest` are ids of the most linked ones."""

    id: int
    name: str
    terms: tuple[str, ...]
    size: int
    first_said_at: datetime
    last_said_at: datetime
    made_at: datetime
    strongest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ingested:
    """What reading documents did, in chunks; `purged` stay out because they were purged before."""

    documents: int = 0
    added: int = 0
    unchanged: int = 0
    removed: int = 0
    purged: int = 0
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Extra:
    """A line of an export beside the talk: what is known of a note, a repeat, or a typed link."""

    kind: Literal["note", "repeat", "link"]
    fields: Mapping[str, Any]
    where: str
