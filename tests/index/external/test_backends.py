"""One contract for all engines: whoever finds the neighbours, the answers are the same to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engramma.language.fence import unfenced
from tests.index.external.engines import DIMENSION, PLACES, ROWS
from tests.index.truth import keys_of, nearest, pairs

pytestmark = pytest.mark.engines

QUERIES = (0, 57, 100)  # the last one has equals
LESS = ("all", "some allowed", "one allowed", "none allowed", "near excluded", "many excluded", "both")


def bounds(kind: str, live: list[int], query: int) -> tuple[np.ndarray | None, np.ndarray | None]:
    dice = np.random.default_rng(query)
    near = [key for key, _ in nearest({key: PLACES[n] for n, key in enumerate(live)}, PLACES[query], 20)]
    return {
        "all": (None, None),
        "some allowed": (keys_of(sorted(dice.choice(live, 40, replace=False).tolist())), None),
        "one allowed": (keys_of([live[query // 2]]), None),
        "none allowed": (keys_of([10**9]), None),
        "near excluded": (None, keys_of(near)),
        "many excluded": (None, keys_of(live[: ROWS - 12])),
        "both": (keys_of(near), keys_of(near[:7])),
    }[kind]


@pytest.mark.parametrize("kind", LESS)
@pytest.mark.parametrize("k", [1, 7, 16, ROWS + 5])
@pytest.mark.parametrize("query", QUERIES)
def test_the_nearest_are_those_of_a_scan_in_float64(engine, query, k, kind):
    live = engine.live()
    allowed, excluded = bounds(kind, list(live), query)
    chosen = set(live if allowed is None else allowed.tolist()) - set(() if excluded is None else excluded.tolist())
    wanted = nearest({key: vector for key, vector in live.items() if key in chosen}, PLACES[query], k)
    with engine.memory._core.store.snapshot():
        assert pairs(engine.index.search(PLACES[query], k, allowed=allowed, excluded=excluded)) == wanted
    engine.check_asked()


def test_an_engine_is_really_asked(engine):
    backed = engine.memory._core.engine()
    if backed is None:
        pytest.skip("the built-in scan is in this process")
    engine.index  # noqa: B018  # brings it up to date
    asked = backed.follower.nearest(PLACES[3], 5)
    assert backed.follower.health().state == "ready"
    assert asked is not None and len(asked[0]) == 5
    assert float(asked[1].max()) == pytest.approx(nearest(engine.live(), PLACES[3], 1)[0][1], abs=1e-3)


@pytest.mark.parametrize("floor", [0.2, 0.8, 0.99])
def test_everything_within_a_floor_is_found(engine, floor):
    wanted = [pair for pair in nearest(engine.live(), PLACES[5]) if pair[1] >= floor]
    with engine.memory._core.store.snapshot():
        assert pairs(engine.index.within(PLACES[5], floor)) == wanted
        assert [pairs(one) for one in engine.index.within_many(PLACES[5:6], floor)] == [wanted]


def test_vectors_come_back_as_they_are_stored(engine):
    live = engine.live()
    keys = list(live)
    with engine.memory._core.store.snapshot():
        index = engine.index
        assert len(index) == len(live) and index.dimension == DIMENSION
        assert np.array_equal(index.vectors(keys_of(keys[5:1:-1])), np.array([live[key] for key in keys[5:1:-1]]))
        assert index.holds(keys_of([keys[0], 10**9, keys[3]])).tolist() == [True, False, True]
        assert keys[0] in index and 10**9 not in index
        with pytest.raises(KeyError):
            index.vectors(keys_of([10**9]))


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=st.lists(st.sets(st.integers(0, ROWS - 1), max_size=30), min_size=1, max_size=3), query=st.integers(0, 99))
def test_whatever_comes_and_goes_the_answers_are_those_of_the_database(engine, steps, query):
    keys = engine.memory._core.store.keys("keys_all").tolist()
    for gone in steps:
        engine.take_back()
        engine.lay_aside([keys[n] for n in gone])
        with engine.memory._core.store.snapshot():
            assert pairs(engine.index.search(PLACES[query], 9)) == nearest(engine.live(), PLACES[query], 9)
        engine.check_asked()
    engine.take_back()


@pytest.mark.parametrize("recipe", ["default", "vector", "pmg", "pgmemory", "takizen", "pocketpaw"])
@pytest.mark.parametrize("text", ["v3", "v100", "what about v57"])
def test_a_recall_is_the_same_behind_every_engine(engine, built_in, recipe, text):
    one, other = (store.memory.recall(text, recipe=recipe) for store in (engine, built_in))
    assert unfenced(one.context) == unfenced(other.context), "but for the tag, which each store makes with its own key"
    assert one.candidates == other.candidates
    engine.check_asked()


def test_the_graph_is_the_same_behind_every_engine(engine, built_in):
    assert engine.memory.graph() == built_in.memory.graph()


@pytest.fixture(scope="module")
def built_in(tmp_path_factory):
    from tests.index.external.engines import Store

    store = Store(tmp_path_factory.mktemp("plain") / "store", {})
    yield store
    store.memory.close()
