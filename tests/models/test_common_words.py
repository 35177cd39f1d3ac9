"""Ordinary English words, and those that English makes of them."""

from __future__ import annotations

import pytest

from engramma.models.common_words import is_english, is_well_formed


@pytest.mark.parametrize(
    "word",
    [
        *("train", "templates", "studying", "planners", "leveraging", "overloading", "workflow", "checkout"),
        *("dataset", "backend", "frontend", "churches", "repositories", "explainable"),
    ],
)
def test_words_made_of_words_are_english(word):
    assert is_english(word)


@pytest.mark.parametrize("word", ["", "s", "playlst", "restaurnt", "inspireed", "namees", "copetition", "trian"])
def test_mistyped_words_are_not(word):
    assert not is_english(word)


@pytest.mark.parametrize("word", ["quire", "snoring", "muslin", "colander", "stent"])
def test_a_rare_word_is_well_formed(word):
    assert is_well_formed(word)


@pytest.mark.parametrize("word", ["playlst", "swimmimg", "jmaes", "restautant"])
def test_many_slips_are_not(word):
    assert not is_well_formed(word)


@pytest.mark.parametrize("word", ["wrok", "restuarant"])
def test_some_are_and_so_this_alone_tells_no_slip(word):
    assert is_well_formed(word)
