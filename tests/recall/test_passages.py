"""Passages: which sentences of a long text are shown."""

from __future__ import annotations

from engramma.recall.passages import with_blank_ends


def test_blanks_at_an_end_are_no_words_left_out() -> None:
    text = "We met in Ghent.\x1d\x1e"
    assert with_blank_ends(text, (0, 16)) == (0, 18)
    assert with_blank_ends("  " + text, (2, 18)) == (0, 20)
    assert with_blank_ends("It rained. " + text, (11, 27)) == (11, 29)
    assert with_blank_ends("We met." + " " * 500, (0, 7)) == (0, 7), "a flood of blanks is told of as left out"
