"""Characters told apart without a pattern, and patterns that are compiled late."""

from __future__ import annotations

import re

import pytest

from engramma.language.lexical import UNSPACED
from engramma.models.character_ranges import CHINESE
from engramma.patterns import SignRanges


@pytest.mark.parametrize("ranges", [UNSPACED, CHINESE, "x-za-c"])
def test_ranges_hold_what_a_pattern_of_them_finds(ranges: str) -> None:
    told, pattern = SignRanges(ranges), re.compile(f"[{ranges}]")
    assert [sign for sign in map(chr, range(0x110000)) if told.any_in(sign)] == [
        sign for sign in map(chr, range(0x110000)) if pattern.match(sign)
    ]


def test_one_such_character_is_enough() -> None:
    last_letters = SignRanges("x-z")
    assert last_letters.any_in("a box")
    assert not last_letters.any_in("a bow")
    assert not last_letters.any_in("")
