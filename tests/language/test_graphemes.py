"""A cut text ends where a character ends, as people see characters, and English is cut as it always was."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.apps.hits import cut
from engramma.language import graphemes
from engramma.language.graphemes import JOINER, LONGEST_CLUSTER, cut_place, cut_places, first_characters
from engramma.language.quoting import bounded
from engramma.language.text import shorten
from engramma.recall.passages import passage_within

WHOLE = (
    "e\u0301",  # é in two
    "👨\u200d👩\u200d👧\u200d👦",  # a family
    "👍🏽",  # a skin tone
    "❤\ufe0f",  # a variation selector
    "🇩🇪",  # a flag
    "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",  # a flag of tags
    "कि",  # a vowel sign
    "क्षि",  # a conjunct
    "ที่",  # a vowel and a tone
    "น้ำ",  # sara am
    "நி",  # Tamil
    "בְּ",  # points
    "\u1100\u1161\u11a8",  # Hangul by letters
    "\r\n",
)


@pytest.mark.parametrize("cluster", WHOLE, ids=[f"{ord(cluster[0]):04x}" for cluster in WHOLE])
def test_no_cut_goes_through_a_character(cluster: str):
    text = f"a{cluster}b"
    inside = range(2, 1 + len(cluster))
    assert [cut_place(text, at) for at in inside] == [1] * len(inside)
    assert cut_place(text, 1) == 1 and cut_place(text, 1 + len(cluster)) == 1 + len(cluster)


def test_flags_are_cut_between_flags():
    assert [cut_place("🇩🇪🇫🇷🇮🇹", at) for at in range(7)] == [0, 0, 2, 2, 4, 4, 6]


clusters = st.lists(st.one_of(st.sampled_from(WHOLE), st.sampled_from("ab é中語한กд ")), max_size=40)


@given(clusters, st.integers(0, 120))
def test_what_is_cut_is_a_beginning_in_whole_characters(parts: list[str], most: int):
    text = "".join(parts)
    kept = first_characters(text, most)
    assert text.startswith(kept) and len(kept) <= most
    assert not kept.endswith(JOINER)
    after = text[len(kept) : len(kept) + 1]
    assert not after or unicodedata.category(after) not in ("Mn", "Mc", "Me")


@given(st.text(alphabet=st.characters(codec="ascii", exclude_characters="\r"), max_size=300), st.integers(0, 300))
def test_english_is_cut_where_it_was(text: str, most: int):
    assert first_characters(text, most) == text[:most]


@given(st.text(max_size=300), st.integers(-5, 400))
def test_any_text_is_cut_near_the_place(text: str, at: int):
    place = cut_place(text, at)
    assert 0 <= place <= max(0, at) and (place == 0 or min(at, len(text)) - place <= LONGEST_CLUSTER)


def test_a_text_of_marks_alone_is_cut_all_the_same():
    assert cut_place("a" + "\u0301" * 10_000, 5_000) == 5_000


HINDI = "क्षि" * 200


def test_lines_names_passages_and_hits_are_cut_between_characters():
    assert set(shorten(HINDI, 61).removesuffix("…").replace("क्षि", "")) == set()
    assert set(bounded(HINDI).partition("…")[0].replace("क्षि", "")) == set()
    assert set(cut(HINDI, 42).removesuffix("…").replace("क्षि", "")) == set()
    start, end = passage_within(HINDI, (0, 10), 101)
    assert (start, end) == (0, 100)


many_marks = st.builds(lambda marks: "ก" + "\u0e48" * marks, st.integers(0, 2 * LONGEST_CLUSTER))


@given(st.lists(st.one_of(clusters.map("".join), many_marks), max_size=4).map("".join))
def test_the_places_of_a_text_are_those_where_it_is_cut(text: str):
    assert cut_places(text) == [at for at in range(len(text) + 1) if cut_place(text, at) == at]


def test_two_characters_beside_each_other_are_looked_at_once(monkeypatch: pytest.MonkeyPatch):
    looked = list[str]()
    goes_on = graphemes._goes_on
    monkeypatch.setattr(graphemes, "_goes_on", lambda sign: looked.append(sign) or goes_on(sign))
    graphemes._are_apart.cache_clear()
    for _ in range(500):
        cut_places("น้ำและที่นี่")
    assert len(looked) == 10
