"""The recipes by their own numbers, on vectors whose cosines can be worked out by hand; PMG has its own file.

cos 34° = 0.829, cos 36° = 0.809, cos 40° = 0.766, cos 41° = 0.755, cos 42° = 0.743, cos 50° = 0.643.
Questions point to a fraction of a degree, so that no number in them is a word of a turn.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest

from engramma import Config, Memory
from engramma.recall.recipes import EVIDENCE, RECIPES
from tests.conftest import START, talk
from tests.fakes import AngleEmbedder, HashEmbedder

pytestmark = pytest.mark.on("postgres", "encrypted")

NO_FLOOR = replace(RECIPES["default"], thresholds="none")


@pytest.fixture
def angles(tmp_path):
    with Memory.open(tmp_path / "store", embedder=AngleEmbedder()) as opened:
        yield opened


def said(memory, **sessions):
    """Sessions of one turn, a day apart, by name."""
    for day, (name, text) in enumerate(sessions.items()):
        memory.remember_session("c", name, talk(f"Ana: {text}", day=day))


def entries(found):
    return [c.session_id for c in found.entries]


def scores(found):
    return {c.session_id: c.score for c in found.candidates}


# --- pgmemory -----------------------------------------------------------------------------------------------

TRAINS = {"soup": "soup @10", "red": "red train @20", "train": "train @60", "rain": "rain @110"}
# By vector: soup, red, train, rain. By words ("train" stands in half of all, "red" in one): red, train.
FUSED = {"red": 1 / 62 + 1 / 61, "train": 1 / 63 + 1 / 62, "soup": 1 / 61, "rain": 1 / 64}


def test_pgmemory_adds_1_over_60_plus_rank_of_vector_and_text(angles):
    said(angles, **TRAINS)
    found = angles.recall("red train @0.25", recipe="pgmemory")
    assert scores(found) == pytest.approx(FUSED, abs=1e-8)
    ranks = {c.session_id: {name: at.rank for name, at in c.channels.items()} for c in found.candidates}
    assert ranks == {
        "soup": {"semantic": 1},
        "red": {"semantic": 2, "lexical": 1},
        "train": {"semantic": 3, "lexical": 2},
        "rain": {"semantic": 4},
    }


def test_pgmemory_prefers_by_mmr_what_says_something_new(angles):
    """Third place, relevance against likeness to red (20°) and train (60°): soup 0.7 x 0.504 - 0.3 x cos 10°
    = 0.057, rain 0.7 x 0.480 - 0.3 x cos 50° = 0.144."""
    said(angles, **TRAINS)
    plan = RECIPES["pgmemory"]
    assert entries(angles.recall("red train @0.25", recipe=plan)) == ["red", "train", "rain", "soup"]
    assert entries(angles.recall("red train @0.25", k=3, recipe=plan)) == ["red", "train", "rain"]
    assert entries(angles.recall("red train @0.25", recipe=replace(plan, mmr=1.0))) == ["red", "train", "soup", "rain"]
    assert entries(angles.recall("red train @0.25", recipe=replace(plan, mmr=None))) == ["red", "train", "soup", "rain"]


# --- takizen ------------------------------------------------------------------------------------------------


def test_takizen_adds_the_ranks_of_meaning_and_of_the_graph(angles):
    """Edges a-b 0.829 and b-c 0.809, of which half is passed on, and a second hop halves again. Each is as near to
    itself as its share of the best one's cosine; d has none."""
    said(angles, a="one @10", b="two @44", c="three @80", d="four @130")
    share = {"a": 1.0, "b": 0.7331, "c": 0.1807}  # cos(44° - 0.25°) / cos(10° - 0.25°), and so on
    ab, bc = 0.829 / 2, 0.809 / 2
    found = angles.recall("@0.25", recipe="takizen")
    graph = {c.session_id: c.channels["graph"] for c in found.candidates if "graph" in c.channels}
    assert {name: at.rank for name, at in graph.items()} == {"a": 1, "b": 2, "c": 3, "d": 4}
    expected = {
        "a": share["a"] + ab * share["b"] + ab * bc / 2 * share["c"],
        "b": share["b"] + ab * share["a"] + bc * share["c"],
        "c": share["c"] + bc * share["b"] + ab * bc / 2 * share["a"],
        "d": 0.0,
    }
    assert {name: at.score for name, at in graph.items()} == pytest.approx(expected, abs=0.003)
    assert scores(found) == pytest.approx({"a": 2 / 61, "b": 2 / 62, "c": 2 / 63, "d": 2 / 64}, abs=1e-8)


def test_takizen_follows_edges_of_075_and_more(angles):
    said(angles, seed="one @0", near="two @41", far="three @-42")
    assert angles.recall("@0.25", k=1, recipe="takizen").trace.counts["graph"] == 2, "the seed and one more"


def test_takizen_goes_two_hops(angles):
    said(angles, **{f"s{n}": f"word{n} @{36 * n}" for n in range(5)})
    assert angles.recall("@0.25", k=1, recipe="takizen").trace.counts["graph"] == 1 + 2
    one_hop = replace(RECIPES["takizen"], hops=1)
    assert angles.recall("@0.25", k=1, recipe=one_hop).trace.counts["graph"] == 1 + 1


def test_takizen_takes_at_most_20_by_the_graph(angles):
    said(angles, **{f"s{n}": f"word{n} @{n}" for n in range(40)})
    for k, seeds in ((1, 1), (10, 10), (30, 10)):
        assert angles.recall("@0.25", k=k, recipe="takizen").trace.counts["graph"] == seeds + 20
    assert angles.recall("@0.25", k=10, recipe=replace(RECIPES["takizen"], cap=5)).trace.counts["graph"] == 10 + 5


# --- pocketpaw ----------------------------------------------------------------------------------------------


def test_pocketpaw_takes_the_8_nearest_however_far(angles):
    said(angles, **{f"s{n:02}": f"word{n} @{80 + n}" for n in range(12)})
    assert entries(angles.recall("@0.25", k=10, recipe="pocketpaw")) == [f"s{n:02}" for n in range(8)]
    assert len(angles.recall("@0.25", k=3, recipe="pocketpaw").entries) == 3


def test_pocketpaw_expands_along_two_hops(angles):
    said(angles, **{f"s{n}": f"word{n} @{50 * n}" for n in range(4)})
    found = angles.recall("@0.25", k=1, recipe="pocketpaw")
    assert entries(found) == ["s0"]
    paths = {c.session_id: (c.path.kind, c.path.steps, c.path.from_segment) for c in found.candidates if c.path}
    assert paths == {"s1": ("lateral", 1, "seg_c/s0_0"), "s2": ("lateral", 2, "seg_c/s0_0")}
    assert scores(found) == pytest.approx({"s0": 1.0, "s1": 0.643, "s2": 0.643 * 0.643}, abs=0.002)


# --- bm25, vector, age --------------------------------------------------------------------------------------


def test_bm25_goes_by_words_alone(angles):
    said(angles, near="soup @0", words="the red train @180", fewer="a train @0", other="rain @0", more="tea @0")
    found = angles.recall("red trains? @0.25", recipe="bm25")
    assert entries(found) == ["words", "fewer"]
    assert all(set(c.channels) == {"lexical"} and c.score == c.channels["lexical"].score for c in found.candidates)


@pytest.mark.parametrize("recipe", ["vector", "pmg", "bm25", "pgmemory"])
def test_a_score_halves_with_every_half_life(angles, recipe):
    said(
        angles, **{f"s{n}": f"train number{n} @0" for n in range(3)}, other="soup @90", more="tea @90", last="rain @90"
    )
    plan = replace(RECIPES[recipe], mmr=None, entries=None, floor=-1.0, lateral=0, vertical=0)
    now = START + timedelta(days=10, minutes=1)
    plain = scores(angles.recall("number0 number1 number2 @0.25", recipe=plan))
    aged = angles.recall("number0 number1 number2 @0.25", recipe=replace(plan, half_life_days=2.0), asked_at=now)
    expected = {name: score * 0.5 ** ((10 - int(name[1:])) / 2) for name, score in plain.items() if name[0] == "s"}
    found = {name: score for name, score in scores(aged).items() if name in expected}
    assert len(found) == 3 and found == pytest.approx(expected, rel=1e-3, abs=1e-6)


def test_the_young_comes_up_from_below_what_was_asked_for(angles):
    said(angles, **{f"old{n}": f"word{n} @{n + 10}" for n in range(20)}, young="new @70")
    for recipe in ("vector", "takizen"):
        plan = replace(RECIPES[recipe], half_life_days=0.5)
        assert entries(angles.recall("@0.25", k=1, recipe=plan)) == ["young"]
    assert entries(angles.recall("@0.25", k=1, recipe="vector")) == ["old0"]


def test_diversity_works_for_a_single_channel_too(angles):
    said(angles, first="one @10", again="two @20", new="three @80")
    assert entries(angles.recall("@0.25", k=2, recipe="vector")) == ["first", "again"]
    assert entries(angles.recall("@0.25", k=2, recipe=replace(RECIPES["vector"], mmr=0.3))) == ["first", "new"]


# --- settings -----------------------------------------------------------------------------------------------


def test_a_store_sets_the_numbers_of_a_recipe(tmp_path):
    text = """
        [recipes.pgmemory]
        mmr = 1
        rrf_k = 5
        entries = 2
        [recipes.vector]
        channels = ["lexical", "graph", "semantic"]
        fusion = "rrf"
        [recipes.default]
        thresholds = "none"
        [recipes.default.weights]
        meaning = 0
    """
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "config.toml").write_text(text, encoding="utf-8")
    with Memory.open(tmp_path / "store", embedder=AngleEmbedder()) as memory:
        said(memory, **TRAINS)
        found = memory.recall("red train @0.25", recipe="pgmemory")
        assert scores(found) == pytest.approx({"red": 1 / 7 + 1 / 6, "train": 1 / 8 + 1 / 7}, abs=1e-8)
        best = memory.recall("red train @0.25", recipe="vector").candidates[0]
        assert best.session_id == "red" and set(best.channels) == {"semantic", "lexical", "graph"}
        evidence = {name for c in memory.recall("red train @0.25").candidates for name in c.evidence}
        assert "meaning" not in evidence and "session_words" in evidence, "the other weights stay"


def test_the_channels_may_be_weighed_in_any_combination(tmp_path):
    for number, channels in enumerate([["semantic"], ["lexical"], ["semantic", "graph"], ["lexical", "graph"]]):
        config = Config(recipes={"default": {"channels": channels, "thresholds": "none"}})
        with Memory.open(tmp_path / str(number), embedder=AngleEmbedder(), config=config) as memory:
            said(memory, **TRAINS)
            found = memory.recall("red train @0.25")
            assert "red" in entries(found)[:2]
            assert {name for c in found.candidates for name in c.channels} == set(channels)


# --- evidence -----------------------------------------------------------------------------------------------


def best(found):
    return found.candidates[0]


def place(found, session, number):
    return [c.segment_id for c in found.entries].index(f"seg_c/{session}_{number}")


def test_a_neighbours_match_lifts_a_turn(memory):
    memory.remember_session("c", "soup", talk("Ana: the soup is too hot", "Ben: yes, much better"))
    memory.remember_session("c", "train", talk("Ana: the night train to Vienna", "Ben: yes, much better", day=1))
    found = memory.recall("night train to Vienna", recipe=NO_FLOOR)
    assert best(found).segment_id == "seg_c/train_0"
    assert place(found, "train", 1) < place(found, "soup", 1)


@pytest.mark.parametrize(("name", "number"), [("Ana", 0), ("Ben", 2)])
def test_the_turn_of_who_is_named_beats_the_same_words_of_another(memory, name, number):
    memory.remember_session("c", "s", talk("Ana: I bought a boat", "Cleo: really", "Ben: I bought a boat"))
    found = memory.recall(f"Which boat was bought by {name}?", recipe=NO_FLOOR)
    assert best(found).segment_id == f"seg_c/s_{number}"
    others = {c.segment_id: c.evidence.get("other_speaker", 0.0) for c in found.entries}
    assert others.pop(f"seg_c/s_{number}") == 0 and set(others.values()) == {EVIDENCE["other_speaker"]}


def test_who_is_named_but_was_not_there_speaks_against_a_session(memory):
    memory.remember_session("c", "with", talk("Ana: the boat is blue", "Ben: fine"))
    memory.remember_session("d", "without", talk("Ana: the boat is blue", "Cleo: fine"))
    found = memory.recall("Did Ben see the blue boat?", recipe=NO_FLOOR)
    assert best(found).session_id == "with"
    assert {c.session_id for c in found.entries if "absent" in c.evidence} == {"without"}


def test_the_date_in_a_question_finds_the_session_of_that_day(memory):
    for month in range(6):  # 5 January, 4 February, 6 March, 5 April, 5 May, 4 June
        memory.remember_session("c", f"s{month}", talk("Ana: lunch was fine", day=30 * month))
    for question, expected in (("What about lunch on 6 March 2026?", "s2"), ("lunch on 5 May", "s4")):
        found = memory.recall(question, recipe=NO_FLOOR)
        assert best(found).session_id == expected and best(found).evidence["in_time"] == EVIDENCE["in_time"]
    asked_at = START + timedelta(days=31)
    assert best(memory.recall("lunch yesterday", recipe=NO_FLOOR, asked_at=asked_at)).session_id == "s1"
    last = best(memory.recall("lunch today", recipe=NO_FLOOR))
    assert last.session_id == "s5", "unless somebody says when it is asked, it is the day of the last turn"


def test_a_question_for_when_prefers_a_turn_that_tells_a_time(memory):
    lines = ("Ana: I moved the piano quite slowly", "Ben: hm", "Ana: I moved the piano last Friday")
    memory.remember_session("c", "s", talk(*lines))
    found = memory.recall("When did Ana move the piano?", recipe=NO_FLOOR)
    assert best(found).segment_id == "seg_c/s_2" and best(found).evidence["tells_when"] == EVIDENCE["tells_when"]
    found = memory.recall("How did Ana move the piano?", recipe=NO_FLOOR)
    assert all("tells_when" not in c.evidence for c in found.candidates)


def test_candidates_say_which_channels_brought_them(angles):
    said(angles, both="red train @10", meaning="soup @20", words="red tea @170")
    found = angles.recall("red train @0.25", recipe=NO_FLOOR)
    assert {c.session_id: set(c.channels) for c in found.candidates} == {
        "both": {"semantic", "lexical"},
        "meaning": {"semantic"},
        "words": {"semantic", "lexical"},
    }
    (only,) = angles.recall("red train @0.25", k=1, recipe=replace(NO_FLOOR, lateral=0, pool=1)).candidates
    assert only.channels["semantic"].rank == only.channels["lexical"].rank == 1


def test_scores_are_shares_and_follow_the_evidence(memory):
    for day in range(6):
        memory.remember_session("c", f"s{day}", talk(f"Ana: train {day}", "Ben: is it late?", "Ana: no", day=day))
    found = memory.recall("Is the train late?", k=50, recipe=NO_FLOOR)
    sums = [sum(c.evidence.values()) for c in found.entries]
    assert len(sums) == 18 and all(a >= b - 1e-3 for a, b in pairwise(sums))
    assert sum(c.score for c in found.entries) == pytest.approx(1, abs=1e-4)
    assert all(set(c.evidence) <= set(EVIDENCE) for c in found.entries)


def test_what_neither_means_nor_names_it_is_not_shown(tmp_path):
    """`default` keeps silent when nothing is near, unless the words themselves are there."""
    with Memory.open(tmp_path / "s", embedder=HashEmbedder()) as memory:
        for day in range(30):
            memory.remember_session("c", f"s{day}", talk(*(f"Ana: w{day}x{n} z{n}y{day}" for n in range(10)), day=day))
        nothing = memory.recall("Which interest rate does the bank set?")
        assert nothing.candidates == () and "similar enough" in nothing.trace.notes[0]
        assert best(memory.recall("w3x4")).segment_id == "seg_c/s3_4"
