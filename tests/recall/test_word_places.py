"""Words that are numbered once are found where a pattern finds them."""

from __future__ import annotations

import gc
import os
import signal
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engramma.language.lexical import stems
from engramma.language.text_memo import TextMemo
from engramma.recall import payload, word_places
from engramma.recall.passages import best_passage, find_telling
from engramma.recall.word_places import places_in, places_of
from tests.conftest import some

WORDS = (
    *("kiln", "Kilns", "kill", "glaze", "glazed", "a", "an", "x", "été", "Über", "naïve", "don't", "o'clock", "_k_iln"),
    *(
        "кошка",
        "кошками",
        "रोटी",
        "猫が好き",
        "ไทย",
        "３４",
        "42nd",
        "4",
        "ｋｉｌｎ",
        "İstanbul",
        "ﬁre",
        "²",
        "e\u0301te",
    ),
)
texts = st.lists(st.sampled_from(WORDS) | st.text(max_size=6), max_size=25).map(" ".join)
letters = st.sampled_from("abcdefghij")
wanted = st.lists(st.sampled_from(WORDS), max_size=6).map(lambda words: {s for w in words for s in stems(w)})


@settings(max_examples=some(150), deadline=None)
@given(st.lists(texts, max_size=6), wanted)
def test_numbered_words_stand_where_the_pattern_finds_them(said, sought):
    assert [list(one) for one in places_in(said, sought)] == [list(places_of(text, sought)) for text in said]


def test_a_full_book_begins_anew_and_finds_the_same(monkeypatch):
    monkeypatch.setattr(word_places, "MOST_WORDS", 20)
    monkeypatch.setattr(word_places, "_book", word_places.WordBook())
    for number in range(200):
        said = [f"the kiln {number} was hot", f"number{number} and kilns"]
        assert places_in(said, {"kiln"}) == [[(4, "kiln")], [(said[1].index("kilns"), "kiln")]]
    assert len(word_places._book.words) < 40


def test_a_blob_is_not_numbered():
    book = word_places.WordBook()
    assert book.read("x" * 500) == () and not book.words


@settings(max_examples=some(100), deadline=None)
@given(texts, wanted)
def test_a_passage_is_worth_something_only_if_a_sentence_has_a_word_of_the_question(text, sought):
    weights = dict.fromkeys(sorted(sought), 1.0)
    worth, (start, end) = best_passage(text, weights)
    assert (worth > 0) == bool(find_telling(text[start:end], weights))


@settings(max_examples=some(150), deadline=None)
@given(
    st.lists(st.sampled_from("abcdefgh"), min_size=18, max_size=26), st.lists(st.sampled_from("abcdefghij"), max_size=3)
)
def test_marks_refuse_no_text_that_says_nearly_the_same(words, more):
    one, other = " ".join(words), " ".join([*words[len(more) :], *more])
    (count, marks), (_, others) = payload._words_in(one), payload._words_in(other)
    shared = (Counter(one.split()) & Counter(other.split())).total()
    assert count - (marks & ~others).bit_count() >= shared


def test_a_memo_is_bounded_and_holds_no_text():
    lengths = TextMemo(len, 5)
    said = [f"a text with the number {number}" for number in range(30)]
    assert [lengths(text) for text in said + said] == [len(text) for text in said + said]
    assert len(lengths) == 5
    held = [thing for known in gc.get_referents(lengths._known) for thing in gc.get_referents(known)]
    assert not [thing for thing in held if isinstance(thing, str)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # newer Pythons warn of forks; that they happen is the point
def test_a_child_that_was_forked_while_words_were_numbered_does_not_wait_for_ever():
    with word_places.open_book()._lock:  # as another thread has it
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            found = places_in(["the kiln was hot"], frozenset({"kiln"}))
            os._exit(0 if found == [[(4, "kiln")]] else 1)
    assert os.waitpid(child, 0)[1] == 0
