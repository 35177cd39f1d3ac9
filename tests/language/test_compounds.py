"""Compounds of a word: what ends or begins with it, with a part of its own beside it."""

from __future__ import annotations

from engramma.language.compounds import MOST, CompoundIndex, told_apart

WORDS = (
    "butterkuch",
    "kuch",
    "kuchenform",
    "schwein",
    "rotwein",
    "schuldig",
    "schuljahr",
    "automat",
    "haselnussallergi",
)


def test_words_that_end_or_begin_with_a_stem_are_its_compounds() -> None:
    index = CompoundIndex(WORDS)
    assert index.find("kuch") == ["butterkuch"]
    assert index.find("kuchen") == ["kuchenform"]
    assert index.find("haselnuss") == ["haselnussallergi"]
    assert index.find("allergi") == ["haselnussallergi"]


def test_what_only_happens_to_have_the_letters_is_none() -> None:
    index = CompoundIndex(WORDS)
    assert index.find("wein") == ["rotwein"]  # not schwein
    assert index.find("schul") == ["schuljahr"]  # not schuldig
    assert index.find("auto") == []  # too short to begin others
    assert index.find("rot") == []


def test_words_that_came_since_are_found_and_their_number_is_bounded() -> None:
    index = CompoundIndex(WORDS).with_words(["nusskuch", "butterkuch"])
    assert index.find("kuch") == ["nusskuch", "butterkuch"]
    many = CompoundIndex(f"x{'abcdefghij'[n % 10]}{'aeiou'[n // 10]}kuch" for n in range(50))
    assert len(many.find("kuch")) == MOST


def test_a_text_is_read_with_its_compounds_as_the_word_asked_for() -> None:
    said = "Ich backe Butterkuchen in der Küche, kein Kuchenblech."
    assert told_apart(said, {"kuchen": ["butterkuch"]}, ("de",)) == "Ich backe kuchen in der Küche, kein Kuchenblech."
    assert told_apart(said, {}, ("de",)) == said
