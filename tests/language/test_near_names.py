"""A name that nobody has is asked about: whom it may mean."""

from __future__ import annotations

import pytest

from engramma.language.near_names import did_you_mean, near_names

PEOPLE = ["Rhona Mackay", "Isla", "Morag", "Callum", "Jeanette", "Dan", "Zoë Brandt"]


@pytest.mark.parametrize(
    ("name", "near"),
    [("Rona", ["Rhona Mackay"]), ("morg", ["Morag"]), ("Calum", ["Callum"]), ("Zoe", ["Zoë Brandt"]), ("Dave", [])],
)
def test_a_misspelt_name_is_near_the_one_it_was_meant_for(name, near):
    assert near_names(name, PEOPLE) == near


def test_the_nearest_comes_first_and_few_are_told():
    assert near_names("Anna", ["Hanna", "Ana", "Anna Berg", "Annalena", "Banna"])[0] == "Anna Berg"
    assert len(near_names("Anna", ["Hanna", "Ana", "Anna Berg", "Annalena", "Banna"])) == 3


def test_a_question_names_all_of_them():
    assert did_you_mean(["Ann", "Ben", "Eva"]) == "Did you mean Ann, Ben or Eva?" and did_you_mean([]) == ""


def test_a_name_of_no_letters_is_near_nobody():
    assert near_names("!?", PEOPLE) == [] == near_names("Rona", ["…"])


def test_a_page_instead_of_a_name_is_looked_at_by_its_first_words():
    page = "rona " + "word " * 5_000
    assert near_names(page, ["Rhona", *(f"person {n}" for n in range(1_000))]) == ["Rhona"]
    assert near_names("word " * 6 + "rona", ["Rhona"]) == []
