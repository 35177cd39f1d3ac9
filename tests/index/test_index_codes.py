"""One-bit codes: what they hold, and that a scan over them does not depend on threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engramma.index import codes, workers
from engramma.index.codes import long_code, long_width, proposed, short_code, short_width, sign_code
from engramma.index.scan import FaissIndex
from tests.index.truth import clustered

matrices = st.tuples(st.integers(0, 5), st.sampled_from([1, 8, 20, 64, 100, 256, 384, 600]), st.integers(0, 99))


@given(matrices)
@settings(deadline=None)
def test_a_sign_code_says_which_dimensions_are_positive(shape):
    count, dimension, seed = shape
    vectors = np.random.default_rng(seed).choice([-1.5, -0.0, 0.0, 6e-8, 2], (count, dimension)).astype(np.float16)
    code = sign_code(vectors)
    assert code.shape == (count, -(-dimension // 8))
    assert np.array_equal(np.unpackbits(code, axis=1, count=dimension), vectors > 0)
    assert np.array_equal(code, sign_code(vectors.astype(np.float32)))
    assert np.array_equal(long_code(vectors)[:, : code.shape[1]], code)


@given(matrices)
@settings(deadline=None)
def test_codes_of_rows_do_not_depend_on_their_neighbours(shape):
    count, dimension, seed = shape
    vectors = clustered(count, dimension, clusters=2, seed=seed)
    for code, width in ((short_code, short_width(dimension)), (long_code, long_width(dimension))):
        alone = [code(vectors[row : row + 1])[0] for row in range(count)]
        assert np.array_equal(code(vectors), np.array(alone, dtype=np.uint8).reshape(count, width))
        assert width % 8 == 0


def test_a_short_code_hears_every_dimension():
    vector = np.full((1, 384), -0.01, dtype=np.float16)
    vector[0, 300] = 0.9
    assert np.unpackbits(short_code(vector)[0]).nonzero()[0].tolist() == [300 - 256]


@pytest.mark.parametrize("count", [1, 50, 400, 5_000])
def test_a_scan_proposes_the_nearest_codes_in_order(count):
    vectors = clustered(5_000, 64, clusters=30, seed=9)
    shorts, longs, query = short_code(vectors), long_code(vectors), vectors[17]
    found = proposed(shorts, longs, query, count)
    apart = np.unpackbits(shorts ^ short_code(query[None]), axis=1).sum(axis=1)
    both = apart + np.unpackbits(longs ^ long_code(query[None]), axis=1).sum(axis=1)
    assert len(found) >= count
    assert apart[found].max() < np.delete(apart, found).min(initial=10_000)
    assert found.tolist() == sorted(found.tolist(), key=lambda row: (both[row], row))


@given(st.integers(0, 40), st.sampled_from([8, 16, 32, 48, 96]), st.integers(0, 99))
@settings(deadline=None)
def test_distances_are_the_bits_that_differ_with_faiss_and_without(count, width, seed):
    given = np.random.default_rng(seed).integers(0, 256, (count, width), dtype=np.uint8)
    query = given[0] if count else np.zeros(width, np.uint8)
    given[1:2] = ~query  # all of them
    given[2:3, : codes.BLOCK] = ~query[: codes.BLOCK]  # all of a block, which faiss takes for none on ARM
    expected = np.unpackbits(given ^ query, axis=1).sum(axis=1)
    library = codes.faiss_library()
    assert library is not None, "the tests need the extra"
    assert np.array_equal(codes._counted(given, query), expected)
    assert np.array_equal(codes._hammings(library, given, query), expected)


@pytest.mark.parametrize("dimension", [64, 384])
def test_an_index_finds_the_same_with_faiss_and_without(monkeypatch, dimension):
    vectors = clustered(40_000, dimension, clusters=50, seed=3)
    index = FaissIndex(dimension, exact_limit=1_000)
    index.add(np.arange(len(vectors)), vectors)

    def found() -> list[list[float]]:
        some = np.arange(0, len(vectors), 3)
        asked = [index.search(query, 10) for query in vectors[:20]]
        asked += [index.search(query, 10, allowed=some, excluded=some[::5]) for query in vectors[:20]]
        asked += index.within_many(vectors[:3], 0.8)
        return [[*keys.tolist(), *similarities.tolist()] for keys, similarities in asked]

    assert codes.faiss_library() is not None
    with_faiss = found()
    monkeypatch.setattr(codes, "faiss_library", lambda: None)
    assert found() == with_faiss


def test_threads_do_not_change_what_is_proposed(monkeypatch):
    vectors = clustered(20_000, 64, clusters=30, seed=9)
    shorts, longs = short_code(vectors), long_code(vectors)
    alone = [proposed(shorts, longs, query, 500).tolist() for query in vectors[:5]]
    monkeypatch.setattr(codes, "SCAN_CHUNK", 777)
    monkeypatch.setattr(workers, "worker_count", lambda: 4)
    assert [proposed(shorts, longs, query, 500).tolist() for query in vectors[:5]] == alone


def test_a_sample_that_misleads_is_corrected():
    # the sampled run of rows at the start of each stretch is near the query, everything else far away
    near, far = clustered(2, 64, clusters=2, seed=1)
    vectors = np.repeat(far[None], 10_000, axis=0)
    vectors[np.arange(10_000) % (10_000 // codes.SAMPLE_RUNS) < codes.SAMPLE_RUN] = near
    assert len(proposed(short_code(vectors), long_code(vectors), near, 5_000)) >= 5_000


def test_a_failure_in_a_helper_reaches_the_caller(monkeypatch):
    monkeypatch.setattr(workers, "worker_count", lambda: 3)

    def work(chunk: slice) -> int:
        raise RuntimeError(f"no {chunk.start}")

    with pytest.raises(RuntimeError, match="no "):
        workers.in_chunks(work, 100, 10)


def test_chunks_come_back_in_order(monkeypatch):
    monkeypatch.setattr(workers, "worker_count", lambda: 3)
    assert workers.in_chunks(lambda chunk: (chunk.start, chunk.stop), 25, 10) == [(0, 10), (10, 20), (20, 25)]
    assert workers.in_chunks(lambda chunk: chunk, 0, 10) == []
