"""The vector of a segment: a message with its answers, or a long text window by window."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.models.segments import MOST_WINDOWS, REPLY, embed_segments, windows
from tests.fakes import HashEmbedder


class Narrow(HashEmbedder):
    window = 40


def test_an_answer_counts_less_than_the_message():
    model = HashEmbedder()
    message, answer, more = model.embed(["one two", "three", "four five"])
    expected = message + REPLY * (answer + more) / 2
    (found,) = embed_segments(model, [("one two", "three", "four five")])
    assert np.allclose(found, expected / np.linalg.norm(expected), atol=2e-3)


def test_a_long_text_is_the_mean_of_its_windows():
    model = Narrow()
    text = "Ann: " + "alpha beta gamma delta. " * 4
    parts = windows(text, 40)
    assert len(parts) > 2 and all(part.startswith("Ann: ") and len(part) <= 40 for part in parts)
    expected = model.embed(parts).mean(axis=0)
    (found,) = embed_segments(model, [(text,)])
    assert np.allclose(found, expected / np.linalg.norm(expected), atol=2e-3)
    (short,) = embed_segments(model, [("Ann: alpha",)])
    assert np.allclose(short, model.embed(["Ann: alpha"])[0], atol=2e-3)
    (exchange,) = embed_segments(model, [(text, "Ben: yes")])
    assert np.allclose(exchange, embed_segments(HashEmbedder(), [(text, "Ben: yes")])[0], atol=2e-3)


@given(st.text(alphabet="ab .!?\n:", max_size=400), st.integers(10, 60))
def test_windows_hold_every_word_in_order_and_never_more_than_fits(text, size):
    parts = windows(text, size)
    assert len(parts) <= MOST_WINDOWS
    label = text[: text.find(": ", 0, 300) + 2] if len(text) > size and text.find(": ", 0, 300) >= 0 else ""
    joined = "".join(part[len(label) :] for part in parts)
    whole = text[len(label) :]
    squeezed, all_of_it = "".join(joined.split()), "".join(whole.split())
    assert all_of_it.startswith(squeezed)
    if len(parts) < MOST_WINDOWS:
        assert squeezed == all_of_it
    for part in parts:
        assert len(part) - len(label) <= max(size - len(label), size // 2) or len(text) <= size


@pytest.mark.parametrize("size", [100, 1_000])
def test_the_packaged_encoder_says_how_much_it_reads(size):
    from engramma.models.load import load

    model = load()
    words = " ".join(f"word{n}" for n in range(20_000))
    assert 900 <= model.window <= 1_100
    assert len(windows(words, size)) == MOST_WINDOWS
