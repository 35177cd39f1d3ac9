"""The read side: query -> entries -> graph expansion -> context. One named value a stage, each timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..errors import BadInput
from ..index.index import VectorIndex
from ..models.embed import Embedder
from ..records import Candidate, Path, Recall, Segment, Thresholds, Trace, Turn
from ..store.store import Store, as_json
from ..text import labelled
from .assemble import assemble
from .expand import May, Reached, expand
from .recipes import Plan

MAX_QUERY = 20_000  # characters; an encoder reads the first few hundred words, the rest would be read in vain
MAX_K = 10_000
SPARE = 16  # more than asked for, so that equals at the end can be put in order
NO_THRESHOLDS = Thresholds(-1.0, -1.0, 2.0, "fixed")


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked, and within which bounds."""

    text: str
    k: int
    exclude_session: str | None = None
    active_context: Sequence[str | Turn] = ()
    conversation: str | None = None
    budget_tokens: int | None = None


@dataclass(slots=True)
class Stopwatch:
    """Counts and milliseconds a stage, for the trace."""

    timings: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.timings[name] = round((time.perf_counter() - start) * 1000, 3)


def recall(
    store: Store,
    embedder: Embedder,
    fresh: Callable[[], tuple[VectorIndex, int]],
    plan: Plan,
    thresholds_for: Callable[[Plan], Thresholds],
    query: Query,
) -> Recall:
    """Answer a query by one plan."""
    watch = Stopwatch()
    text = checked_query(query, watch)
    with watch.stage("embed"):
        vector, context = embed_query(embedder, text, query.active_context)
    with watch.stage("catch_up"):
        fresh()
    with watch.stage("thresholds"):
        thresholds = NO_THRESHOLDS if plan.thresholds == "none" else thresholds_for(plan)
    with steady(store, fresh) as index:
        watch.notes += remarks(store, query)
        with watch.stage("search"):
            entries = find_entries(store, index, plan, thresholds, query, vector, context, watch)
        with watch.stage("expand"):
            may = bounds(store, index, query, context, thresholds.dedup)
            reached = expand(store, entries, plan, thresholds.edge, may)
        with watch.stage("read"):
            candidates = to_candidates(store, entries, reached)
    with watch.stage("assemble"):
        budget = query.budget_tokens if query.budget_tokens is not None else plan.budget_tokens
        block, tokens, left_out = assemble(candidates, budget)
    watch.counts |= {"entries": len(entries), "expanded": len(reached), "left_out_of_context": left_out}
    shown = None if plan.thresholds == "none" else thresholds
    trace = Trace(plan.name, shown, watch.counts, tuple(watch.notes), watch.timings)
    return Recall(query.text, block, candidates, trace, tokens)


@contextmanager
def steady(store: Store, fresh: Callable[[], tuple[VectorIndex, int]]) -> Iterator[VectorIndex]:
    """One state of the database, and an index that knows exactly that state.

    Without it, a segment that another process replaces between the search and the reading of its text
    (an answer joins its question) would be found under its old key and read under its new one: not at all.
    """
    while True:
        with store.snapshot():
            index, seq = fresh()
            if seq == store.last_change():
                yield index
                return
        # another thread led the index past this state: take a newer one


def checked_query(query: Query, watch: Stopwatch) -> str:
    if not isinstance(query.text, str) or not query.text.strip():
        raise BadInput("The query is empty. Ask something.")
    if not isinstance(query.k, int) or not 1 <= query.k <= MAX_K:
        raise BadInput(f"k must be a number from 1 to {MAX_K:,}, not {query.k!r}.")
    text = query.text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
    if len(text) > MAX_QUERY:
        watch.notes.append(f"the query has {len(text):,} characters; the first {MAX_QUERY:,} were used")
        text = text[:MAX_QUERY]
    return text


def remarks(store: Store, query: Query) -> list[str]:
    """Bounds that do not mean what the caller may think."""
    found = []
    if query.conversation is not None and store.one("conversation_get", id=query.conversation) is None:
        found.append(f"there is no conversation {query.conversation!r}")
    if query.exclude_session is not None:
        name = query.exclude_session
        count = len(store.all("sessions_named", id=name, conversation=query.conversation))
        if count == 0:
            found.append(f"there is no session {name!r} to exclude")
        elif count > 1:
            found.append(
                f"{count} conversations have a session {name!r} and all were excluded; say CONVERSATION/SESSION"
            )
    return found


def embed_query(
    embedder: Embedder, text: str, active: Sequence[str | Turn]
) -> tuple[NDArray[np.float16], NDArray[np.float16]]:
    """The query's vector, and those of the turns that are in front of the assistant already."""
    vector = embedder.embed([text], "query")[0].astype(np.float16)
    texts = [labelled([(t.speaker, t.text)]) if isinstance(t, Turn) else str(t) for t in active]
    texts = [t for t in texts if t.strip()]
    context = embedder.embed(texts, "document") if texts else np.zeros((0, embedder.dimension), np.float32)
    return vector, context.astype(np.float16)


def find_entries(
    store: Store,
    index: VectorIndex,
    plan: Plan,
    thresholds: Thresholds,
    query: Query,
    vector: NDArray[np.float16],
    context: NDArray[np.float16],
    watch: Stopwatch,
) -> list[tuple[int, float]]:
    """The nearest segments that pass the recipe's filters, as (key, similarity), best first."""
    wanted = query.k if plan.entries is None else min(query.k, plan.entries)
    allowed = store.keys("keys_of_conversation", conversation=query.conversation) if query.conversation else None
    excluded = excluded_keys(store, query)
    fetch = wanted + SPARE
    while True:
        keys, similarities = index.search(vector, fetch, allowed=allowed, excluded=excluded)
        above = similarities >= thresholds.floor
        repeats = too_similar(index, keys, context, thresholds.dedup)
        good = above & ~repeats
        last = similarities[good][wanted - 1] if good.sum() >= wanted else thresholds.floor
        if len(keys) < fetch or similarities[-1] < last:
            break
        fetch *= 2  # the active context took places, or equals go on beyond the end: look further
    watch.counts |= {
        "searched": len(index) if allowed is None else len(allowed),
        "below_floor": int((~above[:wanted]).sum()),
        "in_active_context": int((repeats & (similarities >= last)).sum()),
    }
    if not good.any() and len(keys) and not above[0]:
        nearest, floor = similarities[0], thresholds.floor
        watch.notes.append(
            f"the nearest segment ({nearest:.3f}) lies below the floor ({floor:.3f}); recipe vector shows it"
        )
    return settle(store, keys[good], similarities[good])[:wanted]


def settle(store: Store, keys: NDArray[np.int64], similarities: NDArray[np.float64]) -> list[tuple[int, float]]:
    """Equal similarities in an order that comes from the segments themselves, not from when they were stored."""
    pairs = [(int(k), float(s)) for k, s in zip(keys, similarities, strict=True)]
    if len({s for _, s in pairs}) < len(pairs):
        ties = {row["key"]: row["tie"] for row in store.all("segments_by_keys", keys=as_json(k for k, _ in pairs))}
        pairs.sort(key=lambda pair: (-pair[1], ties.get(pair[0], 0)))
    return [(key, round(similarity, 6)) for key, similarity in pairs]


def excluded_keys(store: Store, query: Query) -> NDArray[np.int64] | None:
    """Segments of the session at hand, given by its id or as CONVERSATION/SESSION."""
    if query.exclude_session is None:
        return None
    rows = store.all("sessions_named", id=query.exclude_session, conversation=query.conversation)
    return store.keys("keys_of_sessions", sessions=as_json(row["key"] for row in rows))


def too_similar(
    index: VectorIndex, keys: NDArray[np.int64], context: NDArray[np.float16], dedup: float
) -> NDArray[np.bool_]:
    """Which of the keys say what the active context says already."""
    if not len(context) or not len(keys):
        return np.zeros(len(keys), dtype=bool)
    similarities = index.vectors(keys).astype(np.float64) @ context.astype(np.float64).T
    return np.asarray(similarities.max(axis=1) >= dedup)


def bounds(store: Store, index: VectorIndex, query: Query, context: NDArray[np.float16], dedup: float) -> May:
    """Which neighbours may be shown: not of the session at hand, not of another conversation than asked
    for, and nothing that the active context says already."""
    barred = excluded_keys(store, query)
    inside = store.keys("keys_of_conversation", conversation=query.conversation) if query.conversation else None

    def may(keys: list[int]) -> set[int]:
        if barred is None and inside is None and not len(context):
            return set(keys)
        asked = np.array(keys, dtype=np.int64)
        ok = ~too_similar(index, asked, context, dedup)
        if barred is not None:
            ok &= ~np.isin(asked, barred)
        if inside is not None:
            ok &= np.isin(asked, inside)
        return set(asked[ok].tolist())

    return may


def to_candidates(store: Store, entries: list[tuple[int, float]], reached: list[Reached]) -> tuple[Candidate, ...]:
    """Entries best first, then the neighbours, best first; a segment deleted meanwhile is left out."""
    segments = store.hydrate([key for key, _ in entries] + [r.key for r in reached])
    found = [candidate(segments[key], score, None) for key, score in entries if key in segments]
    neighbours = [
        candidate(segments[r.key], r.score, Path(r.kind, r.edge, segments[r.origin].id, r.weight, r.steps))
        for r in reached
        if r.key in segments and r.origin in segments
    ]
    neighbours.sort(key=lambda c: (-c.score, c.said_at, c.segment_id))
    return (*found, *neighbours)


def candidate(segment: Segment, score: float, path: Path | None) -> Candidate:
    return Candidate(
        segment_id=segment.id,
        session_id=segment.session_id,
        conversation_id=segment.conversation_id,
        turn_ids=segment.turn_ids,
        speakers=segment.speakers,
        said_at=segment.said_at,
        text=segment.text,
        score=score,
        role="entry" if path is None else "expanded",
        path=path,
    )
