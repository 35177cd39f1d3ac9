"""The cache file: what was saved comes back, and a file that cannot be trusted is not used."""

from __future__ import annotations

import mmap
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engramma.index.cache import PAGE, load_index, save
from engramma.index.scan import FaissIndex
from tests.conftest import some
from tests.index.truth import clustered, keys_of, pairs

STAMP = {"seq": 1234, "model": "mini-0 ü"}
COUNT, DIMENSION = 700, 100
MAPPED = {"exact_limit": 50}  # fewer than the rows, so that vectors stay in the file


@pytest.fixture(scope="module")
def vectors():
    return clustered(COUNT, DIMENSION, clusters=9)


@pytest.fixture
def index(vectors):
    index = FaissIndex(DIMENSION)
    index.add(np.arange(COUNT) * 3, vectors)
    index.remove(keys_of([0, 30, 33]))
    return index


@pytest.fixture
def file(index, tmp_path):
    path = tmp_path / "default.index"
    save(index, path, stamp=STAMP)
    return path


def answers(index, vectors):
    return [pairs(index.search(query, 15)) for query in vectors[:5]]


@pytest.mark.parametrize("limit", [{}, MAPPED], ids=["in memory", "mapped"])
def test_a_saved_index_comes_back_with_its_stamp(index, file, vectors, limit):
    loaded, stamp = load_index(file, DIMENSION, thorough=True, **limit)
    assert stamp == STAMP
    assert len(loaded) == COUNT - 3
    assert 30 not in loaded
    assert answers(loaded, vectors) == answers(index, vectors)
    assert bool(len(loaded.rows.mapped)) == bool(limit)


@pytest.mark.parametrize("limit", [{}, MAPPED], ids=["in memory", "mapped"])
def test_a_loaded_index_can_be_changed_and_saved_again(file, vectors, limit, tmp_path):
    loaded, _ = load_index(file, DIMENSION, **limit)
    model = {key: vectors[key // 3] for key in range(0, COUNT * 3, 3) if key not in (0, 30, 33)}
    for key, row in ((5000, 1), (7, 2), (9, 3)):  # behind all, between two, and in place of one
        loaded.add(keys_of([key]), vectors[row : row + 1])
        model[key] = vectors[row]
    loaded.remove(keys_of([12, 15, 404]))
    del model[12], model[15]
    fresh = FaissIndex(DIMENSION)
    fresh.add(keys_of(sorted(model)), np.array([model[key] for key in sorted(model)]))
    assert answers(loaded, vectors) == answers(fresh, vectors)
    assert np.array_equal(loaded.vectors(keys_of(sorted(model))), fresh.vectors(keys_of(sorted(model))))
    save(loaded, file, stamp={"seq": 2})  # over the very file that is mapped
    assert answers(loaded, vectors) == answers(fresh, vectors)
    again, stamp = load_index(file, DIMENSION, **limit)
    assert (answers(again, vectors), stamp) == (answers(fresh, vectors), {"seq": 2})
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_an_empty_index_comes_back_empty(tmp_path):
    save(FaissIndex(8), tmp_path / "x", stamp={})
    loaded, stamp = load_index(tmp_path / "x", 8)
    assert (len(loaded), stamp) == (0, {})
    loaded.add(keys_of([1]), np.eye(8, dtype=np.float16)[:1])
    assert len(loaded) == 1


def test_a_missing_file_another_shape_or_a_folder_is_not_used(file, tmp_path):
    assert load_index(tmp_path / "nothing", DIMENSION) is None
    assert load_index(file, DIMENSION + 1) is None
    assert load_index(file, DIMENSION * 2) is None
    assert load_index(tmp_path, DIMENSION) is None


@given(st.floats(0, 1, exclude_max=True))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_truncated_file_is_not_used(file, share):
    whole = file.read_bytes()
    torn = file.with_suffix(".torn")
    torn.write_bytes(whole[: int(len(whole) * share)])
    assert load_index(torn, DIMENSION, **MAPPED) is None


def test_a_file_with_more_at_its_end_is_not_used(file):
    file.write_bytes(file.read_bytes() + b"\0")
    assert load_index(file, DIMENSION) is None


@given(st.data())
@settings(deadline=None, max_examples=some(200), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_flipped_bit_is_noticed(file, data):
    whole = bytearray(file.read_bytes())
    header = whole.index(b"}}") + 2
    codes = PAGE * 3  # behind a page of header and two of keys
    vectors = len(whole) - (COUNT - 3) * DIMENSION * 2
    parts = [(0, header), (PAGE, PAGE + (COUNT - 3) * 8), (codes, codes + (COUNT - 3) * 16), (vectors, len(whole))]
    start, stop = data.draw(st.sampled_from(parts))
    at = data.draw(st.integers(start, stop - 1))
    whole[at] ^= 1 << data.draw(st.integers(0, 7))
    broken = file.with_suffix(".broken")
    broken.write_bytes(whole)
    assert load_index(broken, DIMENSION, thorough=at >= vectors) is None


def test_a_stretch_of_lost_vectors_is_noticed_without_reading_all(file):
    whole = bytearray(file.read_bytes())
    whole[-4 * PAGE :] = bytes(4 * PAGE)  # what a crash leaves where blocks never reached the disk
    file.write_bytes(whole)
    assert load_index(file, DIMENSION) is None


def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(index, file, tmp_path, monkeypatch):
    before = file.read_bytes()
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space"):
        save(index, file, stamp={})
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_vectors_begin_on_a_page_and_are_not_copied(file):
    loaded, _ = load_index(file, DIMENSION, **MAPPED)
    mapped = loaded.rows.mapped
    assert not mapped.flags.writeable
    assert isinstance(mapped.base, mmap.mmap)
    assert mapped.ctypes.data % PAGE == 0
