"""What the default index promises at sizes where it stops looking at every row."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from engramma.errors import BadInput
from engramma.index.scan import EXACT_LIMIT, FaissIndex
from engramma.index.vector_index import VectorIndex
from tests.index.truth import clustered, keys_of, nearest, pairs, similarity, unit

pytestmark = pytest.mark.long

LARGE = 30_000
assert LARGE > EXACT_LIMIT


@pytest.fixture(scope="module")
def vectors():
    return clustered(LARGE, 384, clusters=30, seed=1)


@pytest.fixture(scope="module")
def queries(vectors):
    """Rows with some noise of their own: near a cluster, equal to nothing."""
    return unit(vectors[::300].astype(np.float32) + clustered(100, 384, clusters=1, seed=8) / 2)


@pytest.fixture(scope="module")
def exact(vectors, queries):
    """The similarity of every query to every row."""
    return queries.astype(np.float64) @ vectors.astype(np.float64).T


@pytest.fixture(scope="module")
def large(vectors):
    index = FaissIndex(384)
    index.add(np.arange(LARGE), vectors)
    return index


def ranked(similarities, keys=None):
    """The truth for one query: keys and similarities in order."""
    keys = np.arange(len(similarities)) if keys is None else keys
    order = np.lexsort((keys, -similarities[keys]))
    return keys[order], similarities[keys][order]


def first(k, found):
    return tuple(part[:k] for part in found)


def recall(answers, truths):
    return float(np.mean([np.isin(found[0], truth[0]).mean() for found, truth in zip(answers, truths, strict=True)]))


def test_the_index_is_a_vector_index():
    index: VectorIndex = FaissIndex(8)
    assert len(index) == 0


def test_a_large_index_finds_at_least_99_of_100_nearest(large, queries, exact):
    truths = [first(10, ranked(row)) for row in exact]
    assert recall([large.search(query, 10) for query in queries], truths) >= 0.99


def test_similarities_are_exact_however_a_row_was_found(large, queries, exact):
    for query, row in zip(queries, exact, strict=True):
        keys, similarities = large.search(query, 10)
        assert similarities.tolist() == row[keys].tolist()
        assert sorted(zip(-similarities, keys, strict=True)) == list(zip(-similarities, keys, strict=True))


def test_a_large_index_answers_the_same_whatever_the_order_of_adding(large, vectors, queries):
    other = FaissIndex(384)
    for part in np.array_split(np.random.default_rng(0).permutation(LARGE), 5):
        other.add(part, vectors[part])
    assert [pairs(other.search(query, 10)) for query in queries[:20]] == [
        pairs(large.search(query, 10)) for query in queries[:20]
    ]


def test_excluded_rows_never_come_back_and_others_take_their_places(large, queries, exact):
    for query, row in zip(queries[:10], exact, strict=False):
        keys, values = ranked(row)
        found = large.search(query, 10, excluded=keys[:5])
        assert pairs(found) == pairs((keys[5:15], values[5:15]))
        most = large.search(query, 10, excluded=keys[: LARGE - 7])  # all but seven
        assert most[0].tolist() == keys[LARGE - 7 :].tolist()


def test_rows_behind_thousands_of_excluded_ones_are_found():
    vectors = clustered(60_000, 32, clusters=500, seed=4)
    vectors[::10] = vectors[0]
    index = FaissIndex(32)
    index.add(np.arange(60_000), vectors)
    rest = np.setdiff1d(np.arange(60_000), np.arange(0, 60_000, 10))
    truth = ranked(vectors.astype(np.float64) @ vectors[0].astype(np.float64), rest)
    found = index.search(vectors[0], 10, excluded=np.arange(0, 60_000, 10))
    assert recall([found], [first(10, truth)]) >= 0.9


def test_many_allowed_rows_are_searched_through_their_codes(large, queries, exact):
    allowed = np.flatnonzero(np.arange(LARGE) % 5)
    assert len(allowed) > EXACT_LIMIT
    truths = [first(10, ranked(row, allowed)) for row in exact]
    answers = [large.search(query, 10, allowed=allowed) for query in queries]
    assert all(np.isin(keys, allowed).all() for keys, _ in answers)
    assert recall(answers, truths) >= 0.99


def test_more_results_than_the_codes_propose_are_exact(large, queries, exact):
    keys, _ = large.search(queries[0], LARGE + 5)
    assert keys.tolist() == ranked(exact[0])[0].tolist()


def test_a_namespace_of_300_among_100_000_is_found_exactly():
    vectors = clustered(100_000, 64, clusters=500, seed=2)
    index = FaissIndex(64)
    index.add(np.arange(100_000), vectors)
    namespace = np.sort(np.random.default_rng(7).choice(100_000, 300, replace=False))
    rows = {int(key): vectors[key] for key in namespace}
    for query in clustered(20, 64, clusters=500, seed=3):
        assert pairs(index.search(query, 10, allowed=namespace)) == nearest(rows, query, 10)


def test_of_many_equal_rows_the_smallest_keys_come_first():
    vectors = clustered(LARGE, 64, clusters=50, seed=4)
    vectors[::4] = vectors[0]
    index = FaissIndex(64)
    index.add(np.arange(LARGE) + 10, vectors)
    keys, similarities = index.search(vectors[0], 100)
    assert keys.tolist() == (np.arange(100) * 4 + 10).tolist()
    assert len(set(similarities.tolist())) == 1


def test_within_a_large_index_misses_few_and_invents_none(vectors, queries, exact):
    index = FaissIndex(384, exact_limit=1_000)  # exact within only up to five times this
    index.add(np.arange(LARGE), vectors)
    found = expected = 0
    for query, row, answer in zip(queries, exact, index.within_many(queries, 0.6), strict=True):
        assert pairs(answer) == pairs(index.within(query, 0.6))
        assert row[answer[0]].tolist() == answer[1].tolist()
        found, expected = found + len(answer[0]), expected + int((row >= 0.6).sum())
        assert (answer[1] >= 0.6).all()
    assert expected > 500
    assert found >= 0.98 * expected


def test_searches_are_right_while_other_threads_add_and_remove():
    vectors = clustered(12_000, 32, clusters=40, seed=6)
    index = FaissIndex(32, exact_limit=4_000)
    index.add(np.arange(500), vectors[:500])
    problems: list[str] = []
    stop = threading.Event()

    def search(seed: int) -> None:
        random = np.random.default_rng(seed)
        while not stop.is_set():
            query = vectors[random.integers(0, 500)]
            keys, similarities = index.search(query, 10)
            exact = [similarity(vectors[key], query) for key in keys]
            if similarities.tolist() != exact or len(set(keys.tolist())) != 10:
                problems.append(f"{keys} {similarities}")

    readers = [threading.Thread(target=search, args=(seed,)) for seed in range(3)]
    for reader in readers:
        reader.start()
    try:
        for start in range(500, 12_000, 100):
            index.add(np.arange(start, start + 100), vectors[start : start + 100])
            index.remove(np.arange(start, start + 30))
            index.add(np.arange(start - 50, start), vectors[start - 50 : start])  # again: replaced
    finally:
        stop.set()
        for reader in readers:
            reader.join()
    assert not problems
    kept = [key for key in range(12_000) if key in index]
    fresh = FaissIndex(32, exact_limit=4_000)
    fresh.add(keys_of(kept), vectors[kept])
    assert pairs(index.search(vectors[3], 50)) == pairs(fresh.search(vectors[3], 50))


def test_rows_that_float32_cannot_tell_apart_are_ordered_exactly():
    random = np.random.default_rng(0)
    vectors = np.repeat(clustered(1, 384, clusters=1), 2_000, axis=0)
    vectors[:, ::2] *= np.float16(1e-3)
    vectors[:, ::2] += (random.integers(-8, 9, (2_000, 192)) * 2.0**-24).astype(np.float16)
    index = FaissIndex(384)
    index.add(np.arange(2_000), vectors)
    query = vectors[0]
    expected = nearest(dict(enumerate(vectors)), query)
    assert 0 < expected[0][1] - expected[-1][1] < 1e-7
    assert pairs(index.search(query, 10)) == expected[:10]
    assert pairs(index.within(query, expected[40][1])) == [pair for pair in expected if pair[1] >= expected[40][1]]


def test_what_a_search_began_with_stays_as_it_was():
    index = FaissIndex(4)
    index.add(keys_of([1, 2]), np.eye(4, dtype=np.float16)[:2])
    before = index.rows
    index.add(keys_of([2, 3]), np.eye(4, dtype=np.float16)[2:])
    index.remove(keys_of([1]))
    assert before.keys.tolist() == [1, 2]
    assert before.vectors(slice(None)).tolist() == np.eye(4)[:2].tolist()


def test_an_index_that_shrinks_is_scanned_whole_again():
    vectors = clustered(50, 16, clusters=3)
    index = FaissIndex(16, exact_limit=20)
    index.add(np.arange(50), vectors)
    assert index.rows.floats is None
    index.remove(np.arange(40))
    assert index.rows.floats is not None
    assert pairs(index.search(vectors[0], 3)) == nearest({key: vectors[key] for key in range(40, 50)}, vectors[0], 3)


@pytest.mark.parametrize(
    "wrong",
    [np.zeros((2, 5), np.float16), np.zeros(4, np.float16), np.full((2, 4), np.nan, np.float16), np.full((2, 4), 1e9)],
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_vectors_that_cannot_be_compared_are_refused(wrong):
    index = FaissIndex(4)
    with pytest.raises(BadInput):
        index.add(keys_of([1, 2]), wrong)
    assert len(index) == 0


def test_each_vector_needs_a_key():
    with pytest.raises(BadInput, match="one key"):
        FaissIndex(4).add(keys_of([1]), np.zeros((2, 4), np.float16))


def test_an_unknown_key_has_no_vector():
    with pytest.raises(KeyError, match="9"):
        FaissIndex(4).vectors(keys_of([9]))


def test_nothing_is_nearest_in_an_empty_index_or_among_no_rows():
    index, query = FaissIndex(4), np.eye(4, dtype=np.float16)[0]
    assert pairs(index.search(query, 3)) == []
    assert pairs(index.within(query, -1.0)) == []
    index.add(keys_of([1]), query[None])
    assert pairs(index.search(query, 0)) == []
    assert pairs(index.search(query, 3, allowed=keys_of([]))) == []
    assert pairs(index.search(query[None], 3)) == [(1, 1.0)]
