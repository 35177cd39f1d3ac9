"""Pieces of sentences are values of claims and no things; what is written like a name stays a thing."""

from __future__ import annotations

import pytest

from engramma.people.claims.value_pieces import is_piece_of_sentence
from tests.conftest import talk

PIECES = """
    dogs more|four of our cinnamon buns|2,980 thing|Epson V600 costs about 190|so many|phone less|talking to you
    even better|me some bubble tea|lot of games|making sure veterans are supported|sometimes equate|him the push
""".replace("\n", "|").split("|")
THINGS = """
    Epson V600|The Lord of the Rings|Me Before You
    Toy Story 4|Ministry of Sound|7 Eleven|Some Like It Hot|5K charity run
    first marathon|photo of Hawaii|game of the year|non-fiction books about gardens|lentil soup|poetry reading
""".replace("\n", "|").split("|")


@pytest.mark.parametrize("value", [piece.strip() for piece in PIECES if piece.strip()])
def test_a_piece_of_a_sentence_names_no_thing(value):
    assert is_piece_of_sentence(value, "thing")


@pytest.mark.parametrize("value", [thing.strip() for thing in THINGS if thing.strip()])
def test_things_and_names_stay(value):
    assert not is_piece_of_sentence(value, "thing")


def test_people_and_pets_are_counted_as_ever():
    assert not is_piece_of_sentence("three dogs", "pet") and not is_piece_of_sentence("my sister", "person")


def test_a_piece_stays_the_value_of_its_claim(memory):
    memory.remember_session(
        "c", "s", talk("Ann: I love dogs more than cats.", "Ann: I use an Epson V600 costs about 190.")
    )
    assert {one.value for one in memory.claims.all("Ann")} == {"dogs more", "Epson V600 costs about 190"}
    assert [one.name for one in memory.entities.all(everything=True)] == ["Ann"]
