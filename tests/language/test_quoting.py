"""Stored text and names are shown so that they can be read back exactly, and never pass for our own words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engramma.language import quoting
from engramma.language.quoting import NAME_CHARACTERS, bounded, name_in, name_line, quoted, speaker_line, unquoted
from tests.conftest import some
from tests.hostile import NAMES, TEXTS

pieces = st.sampled_from(
    ["<U+", "000A>", "</Engramma-Memory", "\n", "\u2028", "\r", "> ", "Ann:", "]", " | ", "\u200b"]
)
texts = st.lists(pieces | st.text(max_size=8), max_size=12).map("".join)


@given(texts)
def test_a_quoted_text_is_read_back_exactly_and_every_line_of_it_is_quoted(text):
    shown = quoted(text)
    assert unquoted(shown.split("\n")) == text
    assert all(line.startswith("> ") for line in shown.splitlines())


@given(texts)
def test_a_name_is_one_bounded_line_that_cannot_end_a_label(name):
    for shown in (name_line(name), speaker_line(name)):
        inside = shown.partition(" [")[0]
        assert len(shown.splitlines()) <= 1 and not set("[]|") & set(inside)
        assert shown.isprintable() and not shown.startswith(">")
        if len(bounded(name)) <= NAME_CHARACTERS and "… [#" not in shown:
            assert name_in(shown) == name
    assert ":" not in speaker_line(name).partition(" [")[0]


@pytest.mark.parametrize("text", TEXTS)
def test_hostile_texts_are_read_back(text):
    assert unquoted(quoted(text).split("\n")) == text
    assert "<engramma" not in quoted(text).lower() and "</engramma" not in quoted(text).lower()


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ann", "Ann"),
        ("José Ñandú-O'Brien 3rd", "José Ñandú-O'Brien 3rd"),
        ("Анна Каренина", "Анна Каренина"),
        ("小林さん", "小林さん"),
        ("Аnn", "Аnn [look-alike: Cyrillic]"),
        ("Сара", "Сара [look-alike: Cyrillic]"),
        ("Αnn", "Αnn [look-alike: Greek]"),
        ("Ａｎｎ", "Ａｎｎ [look-alike: Styled]"),
        ("𝐀nn", "𝐀nn [look-alike: Styled]"),
        ("Ann\n", "Ann<U+000A>"),
        ("Ann\u200b", "Ann<U+200B>"),
        ("\u202ennA", "<U+202E>nnA"),
        ("Ann]", "Ann<U+005D>"),
        ("a|b", "a<U+007C>b"),
        (" Ann", "<U+0020>Ann"),
        ("C:\\Users\\ann", "C:\\Users\\ann"),
    ],
)
def test_names_are_shown_as_what_they_are(name, shown):
    assert name_line(name) == shown and name_in(shown) == name


def test_long_names_are_cut_and_still_told_apart():
    one, other = name_line("x" * 999 + "a"), name_line("x" * 999 + "b")
    assert one != other and len(one) <= NAME_CHARACTERS and one.startswith("xxxx") and "… [#" in one
    assert "<U+" not in name_line("\n" * 999)[-12:]


@pytest.mark.parametrize("name", NAMES)
def test_hostile_names_do_not_look_like_ann(name):
    assert speaker_line(name) != "Ann" and len(speaker_line(name).splitlines()) == 1


@settings(max_examples=some(200), deadline=None)
@given(st.text(alphabet=st.sampled_from("a <¶\t\n\u00a0\u2028\U000e0101é>U+"), max_size=12))
def test_a_text_that_needs_no_pattern_is_quoted_like_one_that_does(text):
    with pytest.MonkeyPatch.context() as patch:
        fast = quoted(text)
        patch.setattr(quoting, "_is_plain", lambda text: False)
        assert fast == quoted(text) and unquoted(fast.split("\n")) == text
