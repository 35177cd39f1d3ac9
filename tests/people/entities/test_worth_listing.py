"""Lists show people and what is worth a page; the rest is kept."""

from __future__ import annotations

import pytest

from engramma.people.entities.worth_listing import is_listed


@pytest.mark.parametrize(
    ("name", "type", "owner", "mentions"),
    [
        ("Rachel", "person", 0, 1),
        ("sister", "person", 7, 2),
        ("Trello", "tool", 0, 1),
        ("Instagram", "thing", 0, 2),
        ("The Marvelous Mrs. Maisel", "work", 0, 1),
        ("support group", "organisation", 0, 3),
        ("deployment issue #42", "thing", 0, 1),
        ("Luna", "pet", 7, 1),
    ],
)
def test_people_and_things_worth_a_page_are_listed(name, type, owner, mentions):
    assert is_listed(name, type, owner, mentions)


@pytest.mark.parametrize(
    ("name", "type", "owner", "mentions"),
    [
        ("assistant", "person", 0, 900),
        ("friends", "person", 7, 30),
        ("friend", "person", 7, 30),
        ("IRL friends", "person", 0, 3),
        ("$20", "thing", 0, 5),
        ("10 laps", "thing", 0, 5),
        ("two more", "thing", 0, 5),
        ("ideas", "thing", 0, 11),
        ("AI-powered news platform", "thing", 0, 4),
        ("American author", "thing", 0, 4),
        ("Salt", "unknown", 0, 9),
        ("software engineer", "role", 0, 9),
        ("Anacharis", "thing", 0, 1),
        ("Provenance/Story", "thing", 0, 8),
    ],
)
def test_amounts_kinds_and_words_are_not(name, type, owner, mentions):
    assert not is_listed(name, type, owner, mentions)


def test_who_speaks_is_listed_however_the_name_is_written():
    assert is_listed("user", "person", 0, 1, speaks=True) and not is_listed("kiddo", "person", 0, 1)
