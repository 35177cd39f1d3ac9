"""Slips of the fingers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.language.spelling import (
    LetterCounts,
    are_beside,
    are_likely_slips,
    is_likely_slip,
    is_slip_in_name,
    is_slip_of_fingers,
    is_within_one_slip,
    keeps_its_letters,
    most_slips,
    share_in_order,
    slips,
)

WORD = st.text("abcdefgh", min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("typed", "meant", "count"),
    [
        ("playlist", "playlist", 0),
        ("playlst", "playlist", 1),
        ("plyalist", "playlist", 1),
        ("playliist", "playlist", 1),
        ("plailist", "playlist", 1),
        ("plyalst", "playlist", 2),
        ("soup", "playlist", 3),
    ],
)
def test_slips_are_counted(typed, meant, count):
    assert slips(typed, meant, 2) == count
    assert slips(meant, typed, 2) == count


def test_the_longer_a_word_the_more_slips():
    assert [most_slips(word) for word in ("cat", "cats", "kitten", "kittens")] == [0, 1, 1, 2]


def test_another_name_is_no_slip():
    assert is_slip_in_name("melanei", "melanie")
    assert is_slip_in_name("melaniee", "melanie")
    assert is_slip_in_name("carolime", "caroline"), "n and m lie beside each other"
    for one, other in (("carolina", "caroline"), ("maren", "marin"), ("ann", "ann"), ("melissa", "melanie")):
        assert not is_slip_in_name(one, other)


def test_slips_of_the_fingers():
    slipped = ("meetor", "meteor"), ("photoo", "photo"), ("phto", "photo"), ("phoyo", "photo"), ("pphoto", "photo")
    assert all(is_slip_of_fingers(typed, meant) for typed, meant in slipped)
    odd = ("meetor", "mentor"), ("dancres", "dances"), ("photon", "photo"), ("aphoto", "photo"), ("photo", "photo")
    assert not any(is_slip_of_fingers(typed, meant) for typed, meant in odd)


@pytest.mark.parametrize(
    ("typed", "meant", "count", "is_likely", "keeps"),
    [
        ("playlst", "playlist", 1, True, True),
        ("quire", "quite", 1, True, False),  # the key beside
        ("scone", "scene", 1, False, False),  # by ear, but short
        ("seperate", "separate", 1, True, True),
        ("tommorow", "tomorrow", 2, True, True),
        ("snoring", "sharing", 2, True, False),
        ("colander", "commander", 2, False, False),
    ],
)
def test_likely_slips_are_told_from_other_words(typed, meant, count, is_likely, keeps):
    assert slips(typed, meant, 2) == count
    assert are_likely_slips(typed, meant, count) == is_likely
    assert keeps_its_letters(typed, meant, count) == keeps


def test_keys_beside_each_other():
    assert are_beside("g", "h") and are_beside("g", "t") and are_beside("g", "b")
    assert not are_beside("a", "e") and not are_beside("ä", "a")


@given(WORD, st.lists(WORD, max_size=30), st.integers(1, 2))
def test_no_word_within_reach_is_missed(word, words, most):
    expected = sorted((count, other) for other in words if (count := slips(word, other, most)) <= most)
    assert LetterCounts(words).near(word, most) == expected


def test_no_words_at_all():
    assert LetterCounts([]).near("playlist", 2) == []


NEAR = st.text("aab", max_size=7)  # few letters, so that many pairs are near


@given(NEAR, NEAR)
def test_one_slip_is_told_without_counting(one, other):
    assert is_within_one_slip(one, other) == (slips(one, other, 2) <= 1)


@given(NEAR | st.text(max_size=70), NEAR | st.text(max_size=70))
def test_the_share_of_letters_in_order_is_that_of_the_longest_common_row(one, other):
    before = [0] * (len(other) + 1)
    for letter in one:
        row = [0]
        for j, there in enumerate(other, 1):
            row.append(before[j - 1] + 1 if letter == there else max(before[j], row[-1]))
        before = row
    letters = len(one) + len(other)
    assert share_in_order(one, other) == (2 * before[-1] / letters if letters else 1.0)


def test_shares_of_names():
    assert round(share_in_order("sara", "sarah"), 2) == 0.89
    assert round(share_in_order("austin", "justin"), 2) == 0.83
    assert share_in_order("", "") == share_in_order("anna", "anna") == 1.0 and share_in_order("", "anna") == 0.0


@pytest.mark.parametrize(
    ("typed", "meant", "is_likely"),
    [("fesetival", "festival", True), ("starling", "staring", False), ("banana", "banna", False)],
)
def test_a_letter_typed_again_two_places_on_is_a_slip_in_a_long_word(typed, meant, is_likely):
    assert is_likely_slip(typed, meant) is is_likely
