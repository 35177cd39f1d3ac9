"""The stems of what a text tells are those of the words that a question with that text would ask for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.language.lexical import MAX_TERMS, STOP_WORDS, stems, terms, told_stems

TEXTS = (
    "",
    "the of and",
    "I've moved to Bergen, and the cat's called Rosinante!",
    "See https://www.example.com/a%20b/parseHTTPHeader?x=1 and my_snake_case or camelCaseName2",
    "Call 0171-22.33 on 3/4/2024, it cost 1,299.50 or $20-30 for v2.0.1",
    "'quoted' rock'n'roll o'clock'''s don't'",
    "a" * 200 + " short " + "B" * 129,
    "tab\tand\x00null and\nlines",
    "Der Hund schläft, und die Katze auch.",
    "le chat est sur la table et le chien aussi",
    "ПРИВЕТ мир",
)


def asked_for(text: str) -> frozenset[str]:
    return frozenset(stem for word in terms(text) if word not in STOP_WORDS for stem in stems(word))


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_tells_the_stems_that_a_question_asks_for(text: str) -> None:
    assert told_stems(text) == asked_for(text)


def test_of_a_long_text_the_first_words_count_as_in_a_question() -> None:
    text = " ".join(f"word{number}" for number in range(3 * MAX_TERMS))
    assert len(told_stems(text)) == MAX_TERMS
    assert told_stems(text) == asked_for(text)


@given(st.text(alphabet="abcXYZ019 '_-./:%\n\t,ä", max_size=80))
def test_any_text_tells_them(text: str) -> None:
    assert told_stems(text) == asked_for(text)
