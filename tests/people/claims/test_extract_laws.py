"""Laws of extraction: any text is read without harm, quotes stand where they say, and twice is once."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from engramma.people.claims.extract import extract
from engramma.people.claims.relations import RELATIONS
from engramma.people.grammar.words import read_words, split_words
from engramma.records import Turn
from tests.conftest import some

SAID_AT = datetime(2023, 5, 8, tzinfo=UTC)
PIECES = st.sampled_from(
    [
        "I",
        "you",
        "she",
        "my",
        "sister",
        "Ines",
        "'m",
        "'ve",
        "don't",
        "went",
        "to",
        "love",
        "have",
        "a",
        "dog",
        "named",
        "Max",
        "and",
        ",",
        ".",
        "!",
        "?",
        "yesterday",
        "if",
        "because",
        "\n",
        "that",
        '"',
        "“",
        "”",
        "-",
        "was",
        "been",
        "going",
        "Porto",
        "Mel’s",
        "'s",
        "is",
        "the",
        "😀",
        "ﬁ",
        "İ",
        "been",
        "told",
        "me",
        "her",
        "kids",
        "in",
        "2019",
        "#42",
        "C++",
        "```",
        "would",
    ]
)
TEXTS = st.one_of(
    st.text(max_size=300), st.lists(PIECES, max_size=40).map(" ".join), st.lists(PIECES, max_size=20).map("".join)
)
TURNS = st.lists(
    st.builds(
        Turn,
        st.sampled_from(["Ann", "Ben", "Melanie Smith", "İpek", ""]),
        TEXTS,
        st.sampled_from([SAID_AT, None, datetime(9999, 12, 31, tzinfo=UTC), datetime(1, 1, 1, tzinfo=UTC)]),
        st.none(),
        st.sampled_from([None, "user", "assistant", "system"]),
    ),
    max_size=5,
)


@settings(max_examples=some(300), deadline=None)
@given(TURNS)
def test_any_talk_gives_claims_whose_quotes_stand_where_they_say(turns: list[Turn]):
    claims = extract(turns, "c", "s")
    for claim in claims:
        turn = turns[int(claim.turn_ids[0])]
        assert turn.text[claim.start : claim.start + len(claim.quote)] == claim.quote != ""
        assert claim.speaker == turn.speaker
        assert claim.subject
        assert claim.value
        assert 0 < claim.confidence <= 1
        assert claim.relation in RELATIONS
        assert claim.valid_from is None or claim.valid_to is None or claim.valid_from <= claim.valid_to
    assert len({claim.id for claim in claims}) == len(claims)


@settings(max_examples=some(180), deadline=None)
@given(TURNS)
def test_extracting_twice_is_extracting_once(turns: list[Turn]):
    assert extract(turns, "c", "s") == extract(turns, "c", "s")


@settings(max_examples=some(200), deadline=None)
@given(TEXTS)
def test_words_stand_where_they_say_and_sentences_do_not_overlap(text: str):
    words = read_words(text)
    assert all(words.text[a:b] == word for word, a, b in zip(words.as_is, words.start, words.end, strict=True))
    found = list(split_words(words))
    assert all(before.last <= after.first for before, after in pairwise(found))


def test_a_huge_turn_is_read_in_time():
    text = "I went to the lake and we had a picnic, " * 50_000
    started = time.perf_counter()
    claims = extract(
        [Turn("Ann", text, SAID_AT), Turn("Ben", "“" * 100_000, SAID_AT), Turn("Ben", "a " * 100_000)], "c", "s"
    )
    assert claims
    assert time.perf_counter() - started < 5
