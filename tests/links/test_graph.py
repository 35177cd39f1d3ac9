"""match, neighbors and match_hybrid: what they return, in which order, and that nothing else is reached."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest

from engramma import BadInput
from engramma.core.names import known_key
from engramma.ingest.note_repeats import put_link
from engramma.recall.search import ChannelHit, edge_worth, in_order, search_graph
from engramma.recall.walk import HOP_DECAY, best_ways, neighbours_of, walk_graph
from engramma.store.store import ARCHIVED, FORGOTTEN, RETIRED
from tests.conftest import talk

pytestmark = pytest.mark.on("postgres", "encrypted")


@pytest.fixture
def islands(memory):
    """Six sessions that have nothing in common, of one segment each: every edge between them is ours."""
    for number, word in enumerate(("apricot", "bicycle", "cathedral", "dolphin", "elevator", "fountain")):
        memory.remember_session("c", word, talk(f"Ann: {word} {word}s {number}", day=number, prefix=word))
    assert memory.graph()[1] == []
    return memory


def at(name: str) -> str:
    return f"seg_c/{name}_0"


def join(memory, source, kind, target, weight):
    with memory._core.store.transaction():
        ends = [known_key(memory._core, at(name)) for name in (source, target)]
        put_link(memory._core.store, ends[0], kind, ends[1], weight, "test", None, 0)


def found(neighbours):
    return [(n.id.removeprefix("seg_c/").removesuffix("_0"), n.hops, n.proximity, n.kind) for n in neighbours]


# --- neighbors ---------------------------------------------------------------------------------------------------


def test_proximity_is_the_product_of_the_weights_halved_for_the_second_hop(islands):
    join(islands, "apricot", "supports", "bicycle", 0.8)
    join(islands, "cathedral", "contradicts", "bicycle", 0.6)
    join(islands, "dolphin", "related_to", "apricot", 0.3)
    assert found(islands.links.neighbors(at("apricot"))) == [
        ("bicycle", 1, 0.8, "supports"),
        ("dolphin", 1, 0.3, "related_to"),
    ]
    assert found(islands.links.neighbors([at("apricot")], hops=2)) == [
        ("bicycle", 1, 0.8, "supports"),
        ("dolphin", 1, 0.3, "related_to"),
        ("cathedral", 2, 0.24, "contradicts"),  # .8 x .6 x .5
    ]
    reached = islands.links.neighbors([at("apricot")], hops=2)[2]
    assert reached.path == (at("apricot"), at("bicycle"), at("cathedral"))
    assert all(n.text == islands.segment(n.id)[0].text for n in islands.links.neighbors([at("apricot")], hops=2))
    assert (reached.text, reached.speakers) == ("cathedral cathedrals 2", ("Ann",))
    assert reached.said_at == islands.segment(at("cathedral"))[0].said_at


def test_two_strong_edges_are_nearer_than_a_weak_one(islands):
    join(islands, "apricot", "related_to", "cathedral", 0.1)
    join(islands, "apricot", "related_to", "bicycle", 0.9)
    join(islands, "bicycle", "part_of", "cathedral", 0.9)
    assert found(islands.links.neighbors([at("apricot")], 2)) == [
        ("bicycle", 1, 0.9, "related_to"),
        ("cathedral", 2, 0.405, "part_of"),
    ]
    assert found(islands.links.neighbors([at("apricot")], 1))[1] == ("cathedral", 1, 0.1, "related_to")


def test_of_several_seeds_the_nearest_counts_and_no_seed_is_a_neighbour(islands):
    join(islands, "apricot", "related_to", "bicycle", 0.9)
    join(islands, "apricot", "related_to", "cathedral", 0.4)
    join(islands, "bicycle", "related_to", "cathedral", 0.7)
    seeds = [at("apricot"), at("bicycle")]
    (only,) = islands.links.neighbors(seeds, 2)
    assert (only.id, only.proximity, only.path) == (at("cathedral"), 0.7, (at("bicycle"), at("cathedral")))
    assert islands.links.neighbors(list(reversed(seeds)), 2) == (only,)


def test_chains_are_followed_and_superseded_notes_are_not(memory):
    memory.remember_session("c", "s", talk("Ann: one red kite", "Bob: two blue boats", "Ann: three old clocks"))
    ids = [segment.id for segment in memory.graph()[0]]
    assert [(n.id, n.hops, n.proximity, n.kind) for n in memory.links.neighbors(ids[0], 2)] == [
        (ids[1], 1, 1.0, "chain"),
        (ids[2], 2, 0.5, "chain"),
    ]
    first, second = (memory.remember(text).note.id for text in ("walnut desk", "the granite quarry opens at dawn"))
    with memory._core.store.transaction():
        keys = [known_key(memory._core, id) for id in (second, first)]
        put_link(memory._core.store, keys[0], "supersedes", keys[1], 1.0, "steward", None, 0)
    assert memory.links.neighbors([first, second], 2) == memory.links.neighbors(first, 2) == ()


@pytest.mark.parametrize("state", [ARCHIVED, RETIRED, FORGOTTEN])
def test_what_is_not_live_is_neither_shown_nor_passed(islands, state):
    join(islands, "apricot", "related_to", "bicycle", 0.9)
    join(islands, "bicycle", "related_to", "cathedral", 0.9)
    with islands._core.store.transaction():
        islands._core.store.set_states({known_key(islands._core, at("bicycle")): state})
    assert islands.links.neighbors([at("apricot")], 2) == ()


def test_a_seed_may_be_laid_aside_but_not_forgotten(islands):
    join(islands, "apricot", "related_to", "bicycle", 0.9)
    key = known_key(islands._core, at("apricot"))
    for state in (ARCHIVED, RETIRED):
        with islands._core.store.transaction():
            islands._core.store.set_states({key: state})
        assert found(islands.links.neighbors([at("apricot")])) == [("bicycle", 1, 0.9, "related_to")]
    with islands._core.store.transaction():
        islands._core.store.set_states({key: FORGOTTEN})
    with pytest.raises(BadInput, match="There is no segment 'seg_c/apricot_0'"):
        islands.links.neighbors([at("apricot")])


def test_at_most_twenty_the_nearest_and_equals_by_their_identity(memory):
    for number in range(30):
        memory.remember_session(
            "c", f"s{number}", talk(f"Ann: word{number} only{number}", day=number, prefix=f"p{number}_")
        )
    with memory._core.store.transaction():
        hub, *others = (known_key(memory._core, f"seg_c/s{number}_0") for number in range(30))
        for key in others[:15]:
            put_link(memory._core.store, hub, "part_of", key, 0.5, "test", None, 0)
        for key in others[15:]:
            put_link(memory._core.store, key, "part_of", hub, 0.5, "test", None, 0)
    ties = {row["key"]: row["tie"] for row in memory._core.store.all("segments_by_keys", keys=str(others))}
    ranked = sorted(others, key=ties.__getitem__)
    names = {key: segment.id for key, segment in memory._core.store.hydrate(others).items()}
    assert [n.id for n in memory.links.neighbors("seg_c/s0_0")] == [names[key] for key in ranked[:20]]
    assert [n.id for n in memory.links.neighbors("seg_c/s0_0", cap=3)] == [names[key] for key in ranked[:3]]


def test_a_segment_on_two_ways_has_its_words_once(islands):
    key = known_key(islands._core, at("apricot"))
    assert islands._core.store.hydrate([key, key]) == islands._core.store.hydrate([key])


@pytest.mark.parametrize("wrong", [{"hops": 0}, {"hops": 3}, {"hops": 1.0}, {"hops": True}, {"cap": 0}, {"cap": 21}])
def test_other_hops_and_caps_are_refused(islands, wrong):
    with pytest.raises(BadInput, match=f"{next(iter(wrong))} must be"):
        islands.links.neighbors([at("apricot")], **wrong)


def test_an_unknown_seed_is_refused_and_none_reach_nothing(islands):
    with pytest.raises(BadInput, match="There is no segment 'seg_c/zeppelin_0'"):
        islands.links.neighbors([at("apricot"), at("zeppelin")])
    with pytest.raises(BadInput, match="at most 1,000"):
        islands.links.neighbors([f"note_{n}" for n in range(1_001)])
    assert islands.links.neighbors([]) == ()


# --- the walk against one that looks at everything ------------------------------------------------------------------


@pytest.fixture
def tangle(memory):
    """Sixty segments with four hundred random edges of all kinds and few different weights, so that many are equal."""
    draw = random.Random(5)
    for number in range(60):
        memory.remember_session(
            "c", f"s{number}", talk(f"Ann: word{number} only{number}", day=number, prefix=f"p{number}_")
        )
    keys = [known_key(memory._core, f"seg_c/s{number}_0") for number in range(60)]
    kinds = ("semantic", "related_to", "supports", "supersedes", "before")
    with memory._core.store.transaction():
        for _ in range(400):
            src, dst = draw.sample(keys, 2)
            weight = draw.choice((0.05, 0.1, 0.3, 0.5, 0.8, 1.0))
            memory._core.store.run("edge_put", src=src, kind=draw.choice(kinds), dst=dst, weight=weight)
        memory._core.store.set_states(
            {key: draw.choice((ARCHIVED, RETIRED, FORGOTTEN)) for key in draw.sample(keys, 8)}
        )
    return memory, keys


def everything(store, seeds, hops, followed):
    """The best proximity of every live segment, by looking at every way there is."""
    live = {row["key"] for row in store.all("segment_states") if row["state"] == 0}
    joined = defaultdict(list)
    for row in store.all("edges_all"):
        if followed(row["kind"], row["weight"]):
            joined[row["src"]].append((row["dst"], row["weight"]))
            joined[row["dst"]].append((row["src"], row["weight"]))
    best: dict[int, float] = {}
    ways = [(seed, 1.0) for seed in seeds]
    for hop in range(hops):
        ways = [
            (other, value * weight * (HOP_DECAY if hop else 1.0))
            for key, value in ways
            for other, weight in joined[key]
            if other in live and other not in seeds
        ]
        for key, value in ways:
            best[key] = max(best.get(key, 0.0), value)
    return best


@pytest.mark.parametrize("hops", [1, 2])
@pytest.mark.parametrize("cap", [1, 5, 20])
def test_the_walk_finds_what_looking_at_everything_finds(tangle, hops, cap):
    memory, keys = tangle
    draw = random.Random(hops * 100 + cap)
    for _ in range(25):
        seeds = draw.sample(keys, draw.choice((1, 2, 10)))
        expected = everything(memory._core.store, seeds, hops, lambda kind, _: kind != "supersedes")
        nearest = neighbours_of(memory._core.store, seeds, hops, cap)
        assert [s.proximity for s in nearest] == pytest.approx(sorted(expected.values(), reverse=True)[:cap])
        assert all(s.proximity == pytest.approx(expected[s.key]) for s in nearest)
        assert nearest == best_ways(memory._core.store, seeds, hops, cap), (
            "what is left out early would not have come in"
        )
        assert nearest == neighbours_of(memory._core.store, seeds[::-1], hops, cap)


def test_the_graph_channel_adds_up_what_each_seed_reaches(tangle):
    """The channel as it was before it became one query: segment by segment, hop by hop."""
    memory, keys = tangle
    store, draw, floor, cap = memory._core.store, random.Random(9), 0.3, 6

    def slow(seeds, hops):
        joined = defaultdict(dict)
        for row in store.all("edges_all"):
            if row["kind"] == "supersedes" or row["weight"] < floor:
                continue
            for own, other, outward in ((row["src"], row["dst"], True), (row["dst"], row["src"], False)):
                passed = min(row["weight"], 1.0) * edge_worth(row["kind"], outward)
                if passed > 0:
                    joined[own][other] = max(joined[own].get(other, 0.0), passed)
        live = {row["key"] for row in store.all("segment_states") if row["state"] == 0}
        near: dict[int, float] = defaultdict(float, shares(seeds))
        for seed in seeds:
            frontier, seen = {seed: 1.0}, {seed}
            for _ in range(hops):
                reached: dict[int, float] = {}
                for key, value in frontier.items():
                    for other, weight in joined[key].items():
                        if other in live and other not in seen:
                            reached[other] = max(reached.get(other, 0.0), value * weight)
                frontier = dict(in_order(store, reached)[:cap])
                seen |= frontier.keys()
                for key, value in frontier.items():
                    near[key] += shares(seeds)[seed] * value
                frontier = {key: value * HOP_DECAY for key, value in frontier.items()}
        brought = dict(in_order(store, {key: value for key, value in near.items() if key not in seeds})[:cap])
        return in_order(store, brought | {key: near[key] for key in seeds})

    def shares(seeds):
        return {key: 1 - rank / 16 for rank, key in enumerate(seeds)}

    for _ in range(25):
        seeds = draw.sample(keys, draw.choice((1, 3, 10)))
        hits = [ChannelHit(key, shares(seeds)[key], rank) for rank, key in enumerate(seeds, 1)]
        for hops in (1, 2):
            got = search_graph(store, hits, hops, cap, floor, set)
            wanted = slow(seeds, hops)
            assert [hit.key for hit in got] == [key for key, _ in wanted]
            assert [hit.score for hit in got] == pytest.approx([score for _, score in wanted], abs=5e-6)


def ranked_by_graph(memory, query, **options):
    """How many the graph brings to the one nearest segment."""
    return memory.recall(query, k=1, recipe="takizen", **options).trace.counts["graph"] - 1


def test_recall_as_of_a_day_follows_no_link_made_later(islands):
    join(islands, "cathedral", "supports", "fountain", 0.9)  # made at the beginning of all times
    last = islands.segment(at("fountain"))[0].said_at
    query = "cathedral cathedrals"
    assert ranked_by_graph(islands, query, as_of=last) == ranked_by_graph(islands, query) == 1
    key = known_key(islands._core, at("cathedral"))
    assert len(walk_graph(islands._core.store, [key], 1, 10, before=0)) == 1
    assert walk_graph(islands._core.store, [key], 1, 10, before=-1) == []
    islands.links.remove(at("cathedral"), "supports", at("fountain"))
    islands.links.add(at("cathedral"), "supports", at("fountain"))  # now, after everything was said
    assert ranked_by_graph(islands, query) == 1
    assert ranked_by_graph(islands, query, as_of=last) == 0


def test_the_graph_channel_reaches_what_was_archived_when_that_is_asked_for(islands):
    join(islands, "cathedral", "supports", "fountain", 0.9)
    join(islands, "fountain", "supports", "dolphin", 0.9)
    with islands._core.store.transaction():
        islands._core.store.set_states({known_key(islands._core, at("fountain")): ARCHIVED})
    assert ranked_by_graph(islands, "cathedral cathedrals") == 0
    assert ranked_by_graph(islands, "cathedral cathedrals", archived=True) == 2
    with islands._core.store.transaction():
        islands._core.store.set_states({known_key(islands._core, at("fountain")): RETIRED})
    assert ranked_by_graph(islands, "cathedral cathedrals", archived=True) == 0, "a retired one is no bridge either"


# --- match and match_hybrid ---------------------------------------------------------------------------------------


def test_match_is_the_nearest_by_meaning(islands):
    matched = islands.links.match("cathedral cathedrals", k=3)
    assert matched == islands.recall("cathedral cathedrals", k=3, recipe="vector").candidates
    assert matched[0].segment_id == at("cathedral") and len(matched) == 3


def test_match_hybrid_lifts_what_is_linked_to_what_was_found(islands):
    join(islands, "cathedral", "related_to", "fountain", 1.0)
    plain = [c.segment_id for c in islands.links.match("cathedral cathedrals", k=6)]
    hybrid = islands.links.match_hybrid("cathedral cathedrals", k=6)
    assert hybrid == islands.recall("cathedral cathedrals", k=6, recipe="takizen").entries
    standing = next(c for c in hybrid if c.segment_id == at("fountain"))
    rank = plain.index(at("fountain")) + 1
    assert standing.score == pytest.approx(1 / (60 + rank) + 1 / (60 + standing.channels["graph"].rank), abs=1e-6)


@pytest.mark.parametrize("call", ["match", "match_hybrid"])
def test_an_empty_query_is_refused(islands, call):
    with pytest.raises(BadInput, match="query is empty"):
        getattr(islands.links, call)("  ")
