"""Chunks of talk: by count, by silence, and by topic."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.people.claims.chunks import LEAST, MOST, cut_turns
from engramma.records import Turn

START = datetime(2023, 5, 8, tzinfo=UTC)


def talk(n: int, silence_before: int = -1) -> list[Turn]:
    """Turns a minute apart, with an hour of silence before one of them."""
    gaps = (timedelta(hours=1) if 0 <= silence_before <= i else timedelta(0) for i in range(n))
    return [Turn("Ann", str(i), START + timedelta(minutes=i) + gap) for i, gap in enumerate(gaps)]


def on_topics(*sizes: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Vectors of turns on one topic after another, with some noise."""
    noise = np.random.default_rng(8).normal(0, 0.15, (sum(sizes), 16))
    topics = np.eye(16)[np.repeat(np.arange(len(sizes)), sizes)]
    return topics + noise


def sizes(found: tuple[tuple[Turn, ...], ...]) -> list[int]:
    return [len(chunk) for chunk in found]


def test_weekend_career_and_family_are_three_chunks():
    assert sizes(cut_turns(talk(20), vectors=on_topics(8, 7, 5))) == [8, 7, 5]


def test_a_fixed_count_cuts_every_so_many_turns():
    assert sizes(cut_turns(talk(20), "turns", size=8)) == [8, 8, 4]


def test_silence_begins_a_chunk():
    assert sizes(cut_turns(talk(20, silence_before=6), "gaps")) == [6, 14]
    assert sizes(cut_turns(talk(10, silence_before=6), "hybrid", vectors=on_topics(10))) == [6, 4]


def test_a_hybrid_without_vectors_goes_by_count():
    assert sizes(cut_turns(talk(30))) == [10, 10, 10]


def test_an_unknown_way_is_refused_by_name():
    with pytest.raises(ValueError, match="hybrid, turns or gaps"):
        cut_turns(talk(3), "best")  # type: ignore[arg-type]


def test_vectors_must_be_as_many_as_turns():
    with pytest.raises(ValueError, match="3 turns need as many vectors, not 2"):
        cut_turns(talk(3), vectors=on_topics(2))


@given(st.integers(0, 60), st.sampled_from(["hybrid", "turns", "gaps"]), st.integers(0, 2**32 - 1), st.integers(-1, 60))
def test_every_turn_is_in_one_chunk_in_order(n: int, way: str, seed: int, silence: int):
    turns = talk(n, silence)
    vectors = np.random.default_rng(seed).normal(size=(n, 4)) if seed % 3 else None
    found = cut_turns(turns, way, vectors)  # type: ignore[arg-type]
    assert [turn for chunk in found for turn in chunk] == turns
    assert all(found)
    if way == "hybrid":
        assert all(len(chunk) <= MOST for chunk in found)
        assert n < LEAST or silence >= 0 or all(len(chunk) >= LEAST for chunk in found)
