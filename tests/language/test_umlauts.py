"""Umlauts that tell two German words apart, and those that only make a plural."""

from __future__ import annotations

import pytest

from engramma.language.umlauts import are_two_words, may_be_mistaken, says_only_another


@pytest.mark.parametrize(("asked", "said"), [("Kuchen", "Küche"), ("Küche", "Kuchen")])
def test_a_word_in_en_and_one_with_an_umlaut_in_e_are_two(asked: str, said: str) -> None:
    assert may_be_mistaken(asked)
    assert are_two_words(asked, said)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        *(("Haus", "Häuser"), ("Garten", "Gärten"), ("Kuh", "Kühe"), ("Vertrag", "Verträge"), ("Kuchen", "Kuchens")),
        *(("kuche", "Küche"), ("Küche", "kuche"), ("fahren", "fährt"), ("Mutter", "Mütter")),
    ],
)
def test_plurals_and_words_typed_without_umlauts_are_the_same(asked: str, said: str) -> None:
    assert not are_two_words(asked, said)


def test_a_text_that_has_the_word_as_well_is_not_about_another() -> None:
    assert says_only_another("kuchen", "Die Wände der Küche")
    assert not says_only_another("kuchen", "Kuchen in der Küche")
    assert not says_only_another("kuchen", "Ich backe Butterkuchen")
    assert not says_only_another("kuche", "Die Wände der Küche")
