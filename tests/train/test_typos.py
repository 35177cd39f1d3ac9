"""Slips of the keyboard."""

from __future__ import annotations

import random

from train.person import SELF

from train import typos


def test_some_words_change_and_their_first_letters_stay() -> None:
    text = "Where did the gardener plant those yellow tulips yesterday?"
    for seed in range(50):
        slipped = typos.typed(text, random.Random(seed))
        before, after = text.split(), slipped.split()
        changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
        assert len(changed) <= 2
        assert all(a[0] == b[0] and abs(len(a) - len(b)) <= 1 for a, b in changed)


def test_names_to_be_filled_in_and_short_words_stay() -> None:
    assert typos.typed("Is it so?", random.Random(1)) == "Is it so?"
    for seed in range(50):
        assert SELF in typos.typed(f"What did {SELF} paint at the harbour?", random.Random(seed))


def test_the_same_chance_gives_the_same_slips() -> None:
    text = "What was the name of my teacher in Lisbon?"
    assert typos.typed(text, random.Random(3)) == typos.typed(text, random.Random(3))
