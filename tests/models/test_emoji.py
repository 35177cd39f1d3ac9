"""Emoji are left out for encoders that know none, and take no word with them."""

from __future__ import annotations

import numpy as np
import pytest

from engramma.models.emoji import blank_emoji
from engramma.models.load import load
from engramma.models.reader import Passage, load_reader


@pytest.mark.parametrize(
    ("text", "blanked"),
    [
        ("I am home now😋", "I am home now "),
        ("yes👍🏽!!", "yes  !!"),
        ("🧘‍♀️yoga", "    yoga"),
        ("1️⃣ first", "1   first"),
        ("🇨🇭 Bern", "   Bern"),
        ("→ 5 € – fine", "→ 5 € – fine"),
        ("ශ්\u200dරී ලංකාව 🇱🇰", "ශ්\u200dරී ලංකාව   "),
        ("\u200d👧 home", "   home"),  # cut within a family
        ("home 👨\u200d", "home   "),
        ("👍", "👍"),
        ("🎉🎉 !", "🎉🎉 !"),
        ("", ""),
    ],
)
def test_a_blank_for_each_sign(text, blanked):
    assert blank_emoji(text) == blanked
    assert len(blank_emoji(text)) == len(text)


def test_a_word_is_not_lost_with_the_emoji_at_its_end():
    with_emoji, plain, other = load(None).embed(["I picked up the keys🔑", "I picked up the keys", "I picked up the"])
    assert np.array_equal(with_emoji, plain)
    assert with_emoji @ other < 0.99


def test_a_text_of_emoji_alone_has_a_vector():
    vector = load(None).embed(["😂😂"])[0]
    assert np.isclose(vector @ vector, 1, atol=1e-5)


def test_the_reader_reads_the_word_and_gives_its_place():
    text = "🎉🎉 We moved to Lisbon🏡 last week😍"
    found = load_reader().read("Where did they move to?", [Passage(text, "Ann")])[0]
    assert "Lisbon" in text[found.start : found.end]
