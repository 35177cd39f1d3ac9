from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engramma.language.text import (
    MAX_TITLE,
    estimate_tokens,
    file_name,
    fit_title,
    fold_text,
    infer_role,
    segment_id,
    shorten,
)

names = st.text(min_size=1, max_size=60).filter(lambda s: s.strip())


@given(names, names, st.integers(0, 99), names, names, st.integers(0, 99))
def test_segment_ids_are_unique_for_any_names(c1, s1, i1, c2, s2, i2):
    if (c1, s1, i1) != (c2, s2, i2):
        assert segment_id(c1, s1, i1) != segment_id(c2, s2, i2)


def test_a_segment_id_reads_well():
    assert segment_id("conv-26", "session_1", 4) == "seg_conv-26/session_1_4"


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1, max_size=300))
def test_any_id_makes_a_safe_file_name(identifier):
    name = file_name(identifier)
    assert name not in ("", ".", "..") and "/" not in name and "\\" not in name and "\0" not in name
    assert len(name.encode()) <= 200


def test_file_names_that_differ_only_in_case_stay_apart():
    assert file_name("Talk").lower() != file_name("talk").lower()


def test_roles_follow_from_speakers_names():
    assert infer_role("User", None) == "user"
    assert infer_role("human", None) == "user"
    assert infer_role("assistant", None) == "assistant"
    assert infer_role("Caroline", None) is None
    assert infer_role("Caroline", "user") == "user"


def test_token_estimates_grow_with_text():
    assert estimate_tokens("") == 0
    assert estimate_tokens("word" * 10) == 10
    assert estimate_tokens("日本語") == 3


def test_shortened_text_fits_its_line():
    assert shorten("a  b\nc", 10) == "a b c"
    assert len(shorten("word " * 50, 20)) <= 20


def test_a_long_title_is_cut_behind_a_word_and_says_so():
    assert fit_title("The heron\nis back") == "The heron\nis back"
    assert fit_title("The heron is back at the lake", 20) == "The heron is back…"
    assert fit_title("The heron is back at", 18) == "The heron is back…"
    assert fit_title("x" * 50, 20) == "x" * 19 + "…"
    assert fit_title("family 👨‍👩‍👧‍👦" * 3, 10) == "family…"
    assert fit_title("नमस्ते" * 10, 12) == "नमस्तेनम…"


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=900))
def test_no_title_is_longer_than_the_store_keeps(title):
    found = fit_title(title)
    assert len(found) <= MAX_TITLE
    assert fit_title(found) == found
    assert found == title or len(title) > MAX_TITLE


def test_words_are_compared_whatever_their_case_spaces_and_accents():
    for one, other in [("  Óscar\n", "oscar"), ("O\u0301SCAR", "óscar"), ("Łukasz", "lukasz"), ("Ёлка", "елка")]:
        assert fold_text(one) == fold_text(other)
    assert fold_text("l’été") == "l'ete" and fold_text("Straße") == "strasse"
    assert fold_text("한국") == "한국" and "하" not in fold_text("한국"), "no piece of a letter"
    assert fold_text("ガ") != fold_text("カ") and fold_text("नि") != fold_text("न"), "other letters, no accents"
