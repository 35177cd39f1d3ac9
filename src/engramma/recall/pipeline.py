"""The read side: query -> entries -> graph expansion -> context. One named value a stage, each timed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from ..errors import BadInput
from ..index.index import VectorIndex
from ..lexical import terms
from ..models.embed import Embedder
from ..records import Candidate, Path, Recall, Segment, Standing, Thresholds, Trace, Turn
from ..store.store import Store, as_json
from ..text import labelled
from ..times import from_micros
from .assemble import assemble
from .evidence import Background, asked, weigh
from .expand import May, Reached, expand
from .fuse import Ranked, alone, diverse, reciprocal
from .recipes import Plan
from .search import SPARE, Bounds, Hit, graph, lexical, semantic, settled
from .thresholds import gate

MAX_QUERY = 20_000  # characters; an encoder reads the first few hundred words, the rest would be read in vain
MAX_K = 10_000
COVERED = 0.5  # share of a query's words, by rarity, from which on words alone are reason enough to answer
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
    asked_at: datetime | None = None


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
    known_for: Callable[[VectorIndex], Background],
    query: Query,
) -> Recall:
    """Answer a query by one plan."""
    watch = Stopwatch()
    given, query = query.text, replace(query, text=checked_query(query, watch))
    with watch.stage("embed"):
        vector, context = embed_query(embedder, query.text, query.active_context)
    with watch.stage("catch_up"):
        fresh()
    with watch.stage("thresholds"):
        thresholds = NO_THRESHOLDS if plan.thresholds == "none" else thresholds_for(plan)
    with steady(store, fresh) as index:
        watch.notes += remarks(store, query)
        with watch.stage("search"):
            may = bounds(store, index, query, context, thresholds.dedup)
            rest = (store, index, plan, thresholds, query, vector, context, watch)
            if plan.channels == ("semantic",) and plan.fusion == "none":
                entries = nearest_entries(*rest)
            else:
                entries = fused_entries(*rest, lambda: known_for(index), may)
        with watch.stage("expand"):
            reached = expand(store, [(entry.key, entry.score) for entry in entries], plan, thresholds.edge, may)
        with watch.stage("read"):
            candidates = to_candidates(store, entries, reached)
    with watch.stage("assemble"):
        budget = query.budget_tokens if query.budget_tokens is not None else plan.budget_tokens
        block, tokens, left_out = assemble(candidates, budget)
    watch.counts |= {"entries": len(entries), "expanded": len(reached), "left_out_of_context": left_out}
    shown = None if plan.thresholds == "none" else thresholds
    trace = Trace(plan.name, shown, watch.counts, tuple(watch.notes), watch.timings)
    return Recall(given, block, candidates, trace, tokens)


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


def nearest_entries(
    store: Store,
    index: VectorIndex,
    plan: Plan,
    thresholds: Thresholds,
    query: Query,
    vector: NDArray[np.float16],
    context: NDArray[np.float16],
    watch: Stopwatch,
) -> list[Ranked]:
    """The nearest segments by cosine alone that pass the recipe's filters, best first."""
    wanted = looked_at(plan, query)
    bounds = bounds_of(store, query)
    fetch = wanted + SPARE
    while True:
        keys, similarities = index.search(vector, fetch, allowed=bounds.allowed, excluded=bounds.excluded)
        above = similarities >= thresholds.floor
        repeats = too_similar(index, keys, context, thresholds.dedup)
        good = above & ~repeats
        last = similarities[good][wanted - 1] if good.sum() >= wanted else thresholds.floor
        if len(keys) < fetch or similarities[-1] < last:
            break
        fetch *= 2  # the active context took places, or equals go on beyond the end: look further
    watch.counts |= {
        "searched": len(index) if bounds.allowed is None else len(bounds.allowed),
        "below_floor": int((~above[:wanted]).sum()),
        "in_active_context": int((repeats & (similarities >= last)).sum()),
    }
    if not good.any() and len(keys) and not above[0]:
        watch.notes.append(below(similarities[0], thresholds.floor, "floor"))
    pairs = settled(store, keys[good], similarities[good])[:wanted]
    ranked = [Ranked(key, score, {"semantic": Standing(rank, score)}) for rank, (key, score) in enumerate(pairs, 1)]
    return reordered(store, index, plan, query, ranked, watch)


def fused_entries(
    store: Store,
    index: VectorIndex,
    plan: Plan,
    thresholds: Thresholds,
    query: Query,
    vector: NDArray[np.float16],
    context: NDArray[np.float16],
    watch: Stopwatch,
    known: Callable[[], Background],
    may: May,
) -> list[Ranked]:
    """Several channels' hits as one list, best first."""
    wanted = wanted_entries(plan, query)
    pool = max(plan.pool, wanted)
    bounds, channels = bounds_of(store, query), {}
    if "semantic" in plan.channels:
        with watch.stage("semantic"):
            channels["semantic"] = semantic(store, index, vector, 2 * pool, bounds)
    if "lexical" in plan.channels:
        with watch.stage("lexical"):
            channels["lexical"] = lexical(store, query.text, 2 * pool, bounds)
    if "graph" in plan.channels:
        with watch.stage("graph"):
            seeds = next(iter(channels.values()))[:wanted]
            channels["graph"] = graph(store, seeds, plan.hops, plan.cap, thresholds.edge, may)
    watch.counts |= {"searched": len(index) if bounds.allowed is None else len(bounds.allowed)}
    watch.counts |= {name: len(hits) for name, hits in channels.items()}
    if (remark := nothing_near(store, index, channels, query.text, gate(thresholds))) is not None:
        watch.notes.append(remark)
        return []
    with watch.stage("fuse"):
        if plan.fusion == "evidence":
            at, floor = query.asked_at or newest(store), thresholds.floor
            question = asked(query.text, vector, at)
            most = looked_at(plan, query)
            ranked = weigh(store, index, known(), question, channels, pool, most, plan.weights, may, floor)
        else:
            is_fused = plan.fusion == "rrf"
            ranked = reciprocal(channels, plan.rrf_k, ties_of(store, channels)) if is_fused else alone(channels)
            shown = may([found.key for found in ranked])
            ranked = [found for found in ranked if found.key in shown]
    return reordered(store, index, plan, query, ranked, watch)


def wanted_entries(plan: Plan, query: Query) -> int:
    return query.k if plan.entries is None else min(query.k, plan.entries)


def looked_at(plan: Plan, query: Query) -> int:
    """How many the steps after ranking need: age and diversity may bring up what stands further down."""
    wanted = wanted_entries(plan, query)
    return wanted if plan.mmr is None and plan.half_life_days is None else 2 * max(plan.pool, wanted)


def reordered(
    store: Store, index: VectorIndex, plan: Plan, query: Query, ranked: Sequence[Ranked], watch: Stopwatch
) -> list[Ranked]:
    """The entries: the first of the ranked, once age and diversity have had their say."""
    wanted = wanted_entries(plan, query)
    if plan.half_life_days is not None:
        ranked = aged(store, ranked, plan.half_life_days, query.asked_at or newest(store))
    if plan.mmr is not None:
        with watch.stage("diversify"):
            first = ranked[: looked_at(plan, query)]
            ranked = diverse(first, index.vectors(np.array([r.key for r in first], np.int64)), plan.mmr, wanted)
    return list(ranked[:wanted])


def nothing_near(
    store: Store, index: VectorIndex, channels: Mapping[str, Sequence[Hit]], text: str, least: float
) -> str | None:
    """Why there is nothing to show: nothing means what is asked, and nothing has most of its words."""
    hits = channels.get("semantic", ())
    if "semantic" not in channels or least <= -1 or (hits and hits[0].score >= least):
        return None
    words = channels.get("lexical", ())
    if words and covered(store, len(index), text, words[0].score) >= COVERED:
        return None
    return below(hits[0].score, least, "gate") if hits else "nothing is remembered within these bounds"


def covered(store: Store, segments: int, text: str, score: float) -> float:
    """How much of the query's words, weighed by their rarity, the best segment by words has: 1 is all of them once."""
    counts = store.document_counts(terms(text)).values()
    whole = sum(max(1e-6, math.log((segments - count + 0.5) / (count + 0.5))) for count in counts)
    return score / whole if whole else 0.0


def below(nearest: float, least: float, name: str) -> str:
    return f"the nearest segment ({nearest:.3f}) lies below the {name} ({least:.3f}); recipe vector shows it"


def newest(store: Store) -> datetime:
    """When something was last said: what "last week" in a question counts from, unless it says when it is asked."""
    row = store.one("last_said")
    return from_micros(row[0]) if row is not None and row[0] is not None else datetime.now(UTC)


def ties_of(store: Store, channels: Mapping[str, Sequence[Hit]]) -> dict[int, int]:
    keys = {hit.key for hits in channels.values() for hit in hits}
    return {row["key"]: row["tie"] for row in store.all("segments_by_keys", keys=as_json(sorted(keys)))}


def aged(store: Store, ranked: Sequence[Ranked], half_life: float, now: datetime) -> list[Ranked]:
    """Scores that halve with every half-life between when it was said and now."""
    listed = as_json(found.key for found in ranked)
    days = {
        row["key"]: max(0.0, (now - from_micros(row["said_at"])).total_seconds() / 86_400)
        for row in store.all("segments_by_keys", keys=listed)
    }
    faded = [replace(r, score=round(r.score * 0.5 ** (days.get(r.key, 0.0) / half_life), 6)) for r in ranked]
    return sorted(faded, key=lambda found: -found.score)


def bounds_of(store: Store, query: Query) -> Bounds:
    allowed = store.keys("keys_of_conversation", conversation=query.conversation) if query.conversation else None
    return Bounds(allowed, excluded_keys(store, query))


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


def to_candidates(store: Store, entries: Sequence[Ranked], reached: list[Reached]) -> tuple[Candidate, ...]:
    """Entries best first, then the neighbours, best first; a segment deleted meanwhile is left out."""
    segments = store.hydrate([entry.key for entry in entries] + [r.key for r in reached])
    found = [candidate(segments[entry.key], entry) for entry in entries if entry.key in segments]
    neighbours = [
        candidate(
            segments[r.key],
            Ranked(r.key, r.score),
            Path(r.kind, r.edge, segments[r.origin].id, r.weight, r.steps),
        )
        for r in reached
        if r.key in segments and r.origin in segments
    ]
    neighbours.sort(key=lambda c: (-c.score, c.said_at, c.segment_id))
    return (*found, *neighbours)


def candidate(segment: Segment, ranked: Ranked, path: Path | None = None) -> Candidate:
    return Candidate(
        segment_id=segment.id,
        session_id=segment.session_id,
        conversation_id=segment.conversation_id,
        turn_ids=segment.turn_ids,
        speakers=segment.speakers,
        said_at=segment.said_at,
        text=segment.text,
        score=ranked.score,
        role="entry" if path is None else "expanded",
        path=path,
        channels=ranked.standings,
        evidence=ranked.evidence,
    )
