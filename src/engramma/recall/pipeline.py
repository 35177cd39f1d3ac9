"""The read side: query -> entries -> graph expansion -> context. One named value a stage, each timed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.background import Background
from ..core.core import Core
from ..core.place_table import KeptPlaces
from ..core.views import until_of
from ..index.placeholders import PaddedIndex
from ..index.vector_index import VectorIndex
from ..language.described import description_in
from ..language.lexical import learn_stems, telling_terms, terms
from ..language.times import from_micros
from ..models.embed import MINI, PACKAGED
from ..records import Recall, Standing, Thresholds, Trace
from ..records.query import ENTRIES
from ..store.keys import context_key
from ..store.store import Store, encode_keys
from .asked_compounds import asked_compounds, without_other_words
from .assemble import assemble
from .candidates import to_candidates
from .evidence import read_question, weigh
from .expand import May, expand
from .fuse import Ranked, aged, diverse, rank_single_channel, reciprocal, taken_in_turn
from .identifiers import having, nobody_wrote
from .in_english import no_words, words_in_english
from .of_a_time import read_time_question, typical_entries
from .other_languages import is_asked_across, least_nearness, weights_across
from .passages import word_weights
from .query import Query, ShownWithin, bounds_of, checked_query, list_remarks, too_similar
from .query_vectors import embed_again, embed_each, embed_query, unasked
from .recipes import Plan
from .rerank import READ_ON, reranked
from .search import NO_COMPOUNDS, SPARE, ChannelHit, SearchBounds, lexical, search_graph, semantic, settled
from .second_round import KNOWN, with_second_round
from .silence import asks, describe_distance, nothing_near
from .stopwatch import Stopwatch
from .titles import called_by_all, nearest_within, unsaid_in_titles
from .topic_diversity import spread_topics
from .typed_links import linked, orders
from .typos import with_typos_read

if TYPE_CHECKING:  # its runtime must not cost those who never rerank
    from ..models.rerank import Reranker

GRAPH_SEEDS = 10  # most first hits from which the graph channel starts, however many entries are asked for
NO_THRESHOLDS = Thresholds(-1.0, -1.0, 2.0, "fixed")


@dataclass(frozen=True, slots=True)
class Looking:
    """One search: what is looked for, where, and what may be shown."""

    store: Store
    index: VectorIndex
    plan: Plan
    thresholds: Thresholds
    query: Query
    vector: NDArray[np.float16]
    context: NDArray[np.float16]  # of what the assistant sees already
    bounds: SearchBounds
    may: May
    known: Callable[[], Background]
    places: KeptPlaces
    embed: Callable[[str], NDArray[np.float16]]  # another question
    reranker: Reranker | None  # the user's own, if the plan reranks and there is one
    is_multilingual: bool  # the encoder reads other languages than English
    in_english: Callable[[str], tuple[str, ...]]  # what a question's words in another language mean, where it is known
    is_of_a_time: bool  # asked is what was said in a time, and nothing else
    watch: Stopwatch


def recall_by_plan(core: Core, plan: Plan, query: Query, *, is_shown: bool = True) -> Recall:
    """Answer a query by one plan. What nobody will be shown has neither a context nor the passages that fit."""
    store, watch, given = core.store, Stopwatch(), query.text
    reranker = core.reranker_for(plan)
    query, watch.notes = checked_query(query)
    learn_stems(query.text)
    query, of_time = read_time_question(store, query) if plan.fusion == "evidence" else (query, False)
    with watch.stage("typos"):
        query, otherwise = (query, []) if of_time else with_typos_read(store, query)
        watch.notes += otherwise
    with watch.stage("embed"):
        embedder = core.embedder
        plan, found, degraded = embed_query(embedder, plan, query)
        each = embed_each(embedder, plan, query, found)
    if degraded is not None:
        watch.notes.append(f"found by words only, because the embedder is unavailable: {degraded}")
    with watch.stage("catch_up"):
        _, seq = core.fresh_for(query)
    with watch.stage("thresholds"):
        thresholds = thresholds_of(core, plan, seq)
    with steady(core, query) as index:
        vector, context = found or unasked(index.dimension)
        if isinstance(index, PaddedIndex):
            watch.counts["waiting"] = len(index.waiting)
        watch.notes += list_remarks(store, query)
        with watch.stage("search"):
            bounds = bounds_of(store, query)
            may = ShownWithin(bounds, index, context, thresholds.dedup)
            known = partial(core.background_of, index)
            in_english = cache(partial(words_in_english, store, len(index))) if embedder.name == PACKAGED else no_words
            looking = Looking(
                store=store,
                index=index,
                plan=plan,
                thresholds=thresholds,
                query=query,
                vector=vector,
                context=context,
                bounds=bounds,
                may=may,
                known=known,
                places=core.places,
                embed=partial(embed_again, embedder, plan, vector),
                reranker=reranker,
                is_multilingual=embedder.name != MINI,
                in_english=in_english,
                is_of_a_time=of_time,
                watch=watch,
            )
            entries = found_entries(looking, each)
        if plan.fusion == "evidence" and not of_time:  # the other recipes are as they were published
            with watch.stage("titles"):
                entries = with_titled(looking, entries)
        with watch.stage("expand"):
            links = linked(store, entries, plan.typed, may, query.as_of)
            starts = [(entry.key, entry.score) for entry in links.entries]
            reached = expand(store, starts, plan, thresholds.edge, may, links.brought)
        with watch.stage("read"):
            named = {mark.end.other for marks in links.marks.values() for mark in marks}
            read = {*(key for key, _ in starts), *(r.key for r in reached), *named}
            segments, titles = store.hydrate_titled(sorted(read), query.as_of) if read else ({}, {})
            order = orders(store, {key: s.id for key, s in segments.items()}, query.as_of) if links.is_any else ()
            telling = is_shown and segments
            weights = word_weights(store, query.text, len(index), in_english(query.text)) if telling else {}
            candidates = to_candidates(segments, titles, query.text, weights, links.entries, reached, links.marks)
    with watch.stage("assemble"):
        budget = query.budget_tokens if query.budget_tokens is not None else plan.budget_tokens
        shown = candidates if is_shown else ()
        made = assemble(shown, budget, order, context_key(store) if shown else b"")
        left_out = made.left_out
        if query.fills_budget:  # nobody asked for what does not fit beyond the usual number
            candidates = tuple(one for one in candidates if one.segment_id in made.shown)
            left_out = min(left_out, max(0, ENTRIES - sum(one.role == "entry" for one in candidates)))
    watch.counts |= {"entries": len(entries), "expanded": len(reached), "left_out_of_context": left_out}
    used = None if plan.thresholds == "none" else thresholds
    trace = Trace(plan.name, used, watch.counts, tuple(watch.notes), watch.timings, degraded)
    return Recall(given, made.text, candidates, trace, made.tokens, made.shown)


@contextmanager
def steady(core: Core, query: Query) -> Iterator[VectorIndex]:
    """One state of the database, and an index that knows exactly that state.

    Without it, a segment that another process replaces between the search and the reading of its text
    (an answer joins its question) would be found under its old key and read under its new one: not at all.
    """
    while True:
        with core.store.snapshot():
            index, seq = core.fresh_for(query)
            if seq == core.store.last_change():
                yield index
                return
        # another thread led the index past this state: take a newer one


def thresholds_of(core: Core, plan: Plan, seq: int | None = None) -> Thresholds:
    """The plan's thresholds; none where they would have to be measured and the embedder is away."""
    if plan.thresholds == "none":
        return NO_THRESHOLDS
    return core.known_thresholds(plan, seq) or NO_THRESHOLDS


def found_entries(at: Looking, each: Mapping[str, NDArray[np.float16]]) -> list[Ranked]:
    """What is shown for a query, best first; for one that asks several things, of each in turn."""
    if at.is_of_a_time:
        return entries_of_a_time(at)
    by_cosine = at.plan.channels == ("semantic",) and at.plan.fusion == "none"
    find = nearest_entries if by_cosine else fused_entries
    if not each:
        return entries_of_one(at, find)
    alone = [
        entries_of_one(
            replace(at, query=replace(at.query, text=text), vector=vector if len(vector) else at.vector), find
        )
        for text, vector in each.items()
    ]
    return taken_in_turn([*alone, find(at)])[: wanted_entries(at.plan, at.query)]


def entries_of_one(at: Looking, find: Callable[[Looking], list[Ranked]]) -> list[Ranked]:
    """What one question finds; if it describes whom it asks about, also what a second search finds of them."""
    if not at.plan.second_round or not description_in(at.query.text):
        return find(at)
    wanted = wanted_entries(at.plan, at.query)
    wide = replace(at, query=replace(at.query, k=max(KNOWN, wanted)))
    beside = replace(wide, plan=replace(at.plan, rerank=0), watch=Stopwatch())

    def again(text: str) -> list[Ranked]:
        return find(replace(beside, query=replace(wide.query, text=text), vector=at.embed(text)))

    ranked = find(wide)
    with at.watch.stage("second_round"):
        found = with_second_round(at.store, len(at.index), at.query.text, ranked, at.plan.second_round, again)
    return found[:wanted]


def with_titled(at: Looking, entries: list[Ranked]) -> list[Ranked]:
    """The entries, in turn with those in talk that is called by a word nobody said, or by all words of no question."""
    text, titled = at.query.text, unsaid_in_titles(at.store, at.query.text)
    whole = () if titled or asks(text) else called_by_all(at.store, text)
    called = {*whole, *(one for listed in titled.values() for one in listed)}
    most = wanted_entries(at.plan, at.query)
    ranked = nearest_within(at.store, at.index, at.vector, called, at.bounds, at.may, most) if called else []
    if not ranked:
        return entries
    words = ", ".join(map(repr, titled)) or repr(text.strip())
    only = f" only stand{'s' * (len(titled) == 1)}" if titled else " stands"
    at.watch.notes.append(f"{words}{only} in a title: the conversations that are called so were looked through")
    first, place = entries[0].score if entries else 1.0, {one.key: number for number, one in enumerate(entries)}
    ranked.sort(key=lambda one: place.get(one.key, most))  # what is only near is behind what all the evidence found
    return taken_in_turn([[replace(one, score=min(first, one.score)) for one in ranked], entries])[:most]


def entries_of_a_time(at: Looking) -> list[Ranked]:
    """What was said in the time that is asked for, however near it is to the question."""
    asked_at = at.query.asked_at or newest(at.store)
    at.watch.counts["searched"] = _searched(at)
    found = typical_entries(at.store, at.index, at.query.text, asked_at, at.may, wanted_entries(at.plan, at.query))
    if not found:
        whose = "" if at.query.speaker is None else f" that {at.query.speaker} said"
        at.watch.notes.append(f"nothing{whose} is remembered of that time")
    return found


def nearest_entries(at: Looking) -> list[Ranked]:
    """The nearest segments by cosine alone that pass the recipe's filters, best first."""
    wanted, bounds, floor = looked_at(at.plan, at.query), at.bounds, at.thresholds.floor
    fetch = wanted + SPARE
    while True:
        keys, similarities = at.index.search(at.vector, fetch, allowed=bounds.allowed, excluded=bounds.excluded)
        above = similarities >= floor
        repeats = too_similar(at.index, keys, at.context, at.thresholds.dedup)
        good = above & ~repeats
        last = similarities[good][wanted - 1] if good.sum() >= wanted else floor
        if len(keys) < fetch or similarities[-1] < last:
            break
        fetch *= 2  # the active context took places, or equals go on beyond the end: look further
    at.watch.counts |= {
        "searched": _searched(at),
        "below_floor": int((~above[:wanted]).sum()),
        "in_active_context": int((repeats & (similarities >= last)).sum()),
    }
    if not good.any() and len(keys) and not above[0]:
        at.watch.notes.append(describe_distance(similarities[0], floor, "floor"))
    pairs = settled(at.store, keys[good], similarities[good])[:wanted]
    ranked = [Ranked(key, score, {"semantic": Standing(rank, score)}) for rank, (key, score) in enumerate(pairs, 1)]
    return reordered(at, ranked)


def fused_entries(at: Looking) -> list[Ranked]:
    """Several channels' hits as one list, best first."""
    store, plan, query, watch = at.store, at.plan, at.query, at.watch
    pool = max(plan.pool, wanted_entries(plan, query))
    in_english = at.in_english(query.text)
    is_ours = plan.fusion == "evidence"  # the others are as they were published
    asked = (telling_terms if is_ours else terms)(query.text)
    joined = asked_compounds(store, query.text, asked) if is_ours else NO_COMPOUNDS
    channels = searched_channels(at, pool, asked, in_english, joined)
    watch.counts |= {"searched": _searched(at), **{name: len(hits) for name, hits in channels.items()}}
    least = least_nearness(store, at.thresholds, query.text, channels, at.is_multilingual)
    remark = nothing_near(store, at.index, channels, query.text, least)
    if remark := remark or (nobody_wrote(store, query) if is_ours else None):
        watch.notes.append(remark)
        return []
    with watch.stage("fuse"):
        if plan.fusion == "evidence":
            asked_at = query.asked_at or newest(store)
            question = read_question(query.text, at.vector, asked_at, in_english, joined, store.word_languages())
            most, floor = looked_at(plan, query), at.thresholds.floor
            weights = plan.weights
            if at.is_multilingual and is_asked_across(store, len(at.index), query.text, channels):
                weights = weights_across(weights)
            ranked = weigh(
                store, at.places, at.index, at.known(), question, channels, pool, most, weights, at.may, floor
            )
            ranked = having(store, ranked, query.text)
        else:
            by_ranks = partial(reciprocal, k=plan.rrf_k, ties=_ties_of(store, channels))
            ranked = (by_ranks if plan.fusion == "rrf" else rank_single_channel)(channels)
            shown = at.may([found.key for found in ranked])
            ranked = [found for found in ranked if found.key in shown]
    return reordered(at, ranked)


def searched_channels(
    at: Looking,
    pool: int,
    asked: tuple[str, ...],
    in_english: tuple[str, ...],
    joined: Mapping[str, Sequence[str]],
) -> dict[str, tuple[ChannelHit, ...]]:
    """What each of the plan's channels finds; the graph starts from what the first one found."""
    store, plan, watch, channels = at.store, at.plan, at.watch, dict[str, tuple[ChannelHit, ...]]()
    if "semantic" in plan.channels:
        with watch.stage("semantic"):
            channels["semantic"] = semantic(store, at.index, at.vector, 2 * pool, at.bounds)
    if "lexical" in plan.channels:
        with watch.stage("lexical"):
            words = lexical(store, asked, 2 * pool, at.bounds, in_english, joined)
            channels["lexical"] = without_other_words(store, asked, words) if plan.fusion == "evidence" else words
    if "graph" in plan.channels:
        with watch.stage("graph"):
            seeds = next(iter(channels.values()))[: min(GRAPH_SEEDS, wanted_entries(plan, at.query))]
            wide, until = at.query.is_wide, until_of(at.query)
            channels["graph"] = search_graph(
                store, seeds, plan.hops, plan.cap, at.thresholds.edge, at.may, apart=wide, before=until
            )
    return channels


def _searched(at: Looking) -> int:
    return len(at.index) if at.bounds.allowed is None else len(at.bounds.allowed)


def wanted_entries(plan: Plan, query: Query) -> int:
    return query.most_entries if plan.entries is None else min(query.most_entries, plan.entries)


def looked_at(plan: Plan, query: Query) -> int:
    """How many the steps after ranking need: each of them may bring up what stands further down."""
    wanted = max(wanted_entries(plan, query), plan.rerank and max(plan.rerank, READ_ON))
    is_final = plan.mmr is None and plan.half_life_days is None and plan.per_topic is None
    return wanted if is_final else 2 * max(plan.pool, wanted)


def reordered(at: Looking, ranked: Sequence[Ranked]) -> list[Ranked]:
    """The entries: the first of the ranked, once the reranker, age and diversity have had their say."""
    plan, query = at.plan, at.query
    wanted = wanted_entries(plan, query)
    if plan.rerank and ranked:
        with at.watch.stage("rerank"):
            ranked = _reranked(at, ranked)
    if plan.half_life_days is not None:
        ranked = aged(at.store, ranked, plan.half_life_days, query.asked_at or newest(at.store))
    if plan.mmr is not None:
        with at.watch.stage("diversify"):
            first = ranked[: looked_at(plan, query)]
            vectors = at.index.vectors(np.array([found.key for found in first], np.int64))
            ranked = diverse(first, vectors, plan.mmr, wanted if plan.per_topic is None else len(first))
    if plan.per_topic is not None:
        ranked = spread_topics(at.store, ranked, plan.per_topic)
    return list(ranked[:wanted])


def _reranked(at: Looking, ranked: Sequence[Ranked]) -> list[Ranked]:
    """The first ranked in the order of the user's reranker, or of the packaged reader."""
    if at.reranker is not None:
        return reranked(at.store, at.reranker, at.query.text, ranked, at.plan.rerank)
    from ..models.reader import load_reader  # its runtime must not cost those who never rerank
    from .read_again import reorder_by_reading

    weights = word_weights(at.store, at.query.text, len(at.index), at.in_english(at.query.text))
    return reorder_by_reading(at.store, load_reader(), at.query.text, ranked, at.plan.rerank, weights)


def newest(store: Store) -> datetime:
    """When something was last said: what "last week" in a question counts from, unless it says when it is asked."""
    row = store.one("last_said")
    return from_micros(row[0]) if row is not None and row[0] is not None else datetime.now(UTC)


def _ties_of(store: Store, channels: Mapping[str, Sequence[ChannelHit]]) -> dict[int, int]:
    keys = {hit.key for hits in channels.values() for hit in hits}
    return {row["key"]: row["tie"] for row in store.all("segments_by_keys", keys=encode_keys(sorted(keys)))}
