"""How texts are dealt out to the cores that embed them."""

from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.errors import ModelError
from engramma.models import local_embedder
from engramma.models.local_embedder import PILE, PILE_CHARACTERS, deal_piles, embed_with
from engramma.models.settings import EncoderSettings

SETTINGS = EncoderSettings("x")


@given(st.lists(st.text(max_size=400), min_size=1, max_size=200), st.integers(1, 9))
def test_every_text_is_in_one_pile_and_no_pile_is_empty(texts, workers):
    piles = deal_piles(texts, workers)
    assert sorted(text for pile in piles for text in pile) == sorted(texts)
    assert all(piles)


def test_piles_are_as_long_as_each_other_as_far_as_texts_can_be_dealt():
    texts = ["x" * (7 * n % 300) for n in range(150)]
    lengths = [sum(map(len, pile)) for pile in deal_piles(texts, 2)]
    assert max(lengths) - min(lengths) < 300
    assert len(lengths) % 2 == 0


def test_a_pile_is_short_enough_for_progress_to_be_seen():
    piles = deal_piles(["word " * 300] * 64, 2)
    assert all(sum(map(len, pile)) <= PILE_CHARACTERS + 1500 for pile in piles)
    assert all(len(pile) <= PILE for pile in deal_piles(["word"] * 1000, 2))


def test_rows_stand_where_their_texts_stood_and_progress_counts_repeats_too():
    told = []
    texts = ["b", "a", "b", "ccc", "a"] * 40

    def vectors_of(pile):
        return np.array([[len(text), ord(text[0])] for text in pile], np.float32)

    rows = embed_with(vectors_of, 2, SETTINGS, texts, "document", told.append)
    assert rows.tolist() == [[len(text), ord(text[0])] for text in texts]
    assert sum(told) == len(texts)


def test_an_error_of_one_pile_is_raised_and_nothing_goes_on_behind_it():
    begun, go_on = [], threading.Event()

    def vectors_of(pile):
        begun.append(pile)
        if len(begun) == 1:
            raise ModelError("cannot read")
        go_on.wait(30)
        return np.zeros((len(pile), 2), np.float32)

    try:
        with pytest.raises(ModelError, match="cannot read"):
            embed_with(vectors_of, 2, SETTINGS, [f"t{n} " * 900 for n in range(1000)], "document", None)
    finally:
        go_on.set()
    embed_with(vectors_of, 2, SETTINGS, ["after", "wards"], "document", None)  # comes behind whatever was left waiting
    assert len(begun) < 50


@pytest.mark.parametrize("may_start", [0, 1])
def test_where_no_thread_can_be_started_the_texts_are_embedded_all_the_same(monkeypatch, may_start):
    start, started = threading.Thread.start, []

    def start_few(thread):
        if len(started) >= may_start:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    def vectors_of(pile):
        return np.array([[len(text), 0] for text in pile], np.float32)

    local_embedder._pool.cache_clear()
    monkeypatch.setattr(local_embedder, "cores", lambda: 3)
    monkeypatch.setattr(threading.Thread, "start", start_few)
    try:
        rows = embed_with(vectors_of, 2, SETTINGS, ["x" * n for n in range(200)], "document", None)
    finally:
        local_embedder._pool.cache_clear()
    assert rows[:, 0].tolist() == list(range(200))


def test_a_thread_that_still_embeds_when_the_process_ends_gets_its_vectors():
    code = """
import threading, time
from engramma.models.packaged import load_mini
mini = load_mini()
def embed():
    threading.main_thread().join()
    time.sleep(0.1)
    print(len(mini.embed(["one", "two", "three"])))
threading.Thread(target=embed).start()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("3\n", "")
