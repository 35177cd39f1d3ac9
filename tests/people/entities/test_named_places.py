"""Places are things that were spoken of, also where nothing is claimed of them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engramma import Memory, Turn
from engramma.people.entities.named_places import LONGEST, MOST, named_places

AT = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("It rained in San Francisco and Los Angeles.", ["San Francisco", "Los Angeles"]),
        ("We crossed the Golden Gate Bridge in New York City.", ["Golden Gate Bridge", "New York City"]),
        ("I miss Japan's trains, and Japan.", ["Japan"]),
        ("Lovely in Central Park today", ["Central Park"]),
        ("Turkey is dry. We had turkey in Turkey!", ["Turkey"]),
        ("Jordan and Georgia came along.", []),  # given names
        ("Manchester City won.", []),
        ("Sí, es de Torben. La recojo el miércoles", []),
        ("LA is far. We went to La Paz.", ["LA", "La Paz"]),
        ("me han dado la plaza en La Fe, y él vive en La Rochelle", []),
        ("I read The Secret Garden.", []),
        ("reading in reading", []),
        ("", []),
    ],
)
def test_places_are_told_from_other_names(text: str, places: list[str]):
    assert named_places(text) == places


def test_a_list_of_places_and_what_stands_far_behind_is_left_alone():
    from engramma.people.entities.known_names import place_names

    many = [name.title() for name in sorted(place_names()) if " " not in name]
    assert named_places(", ".join(many[: 4 * MOST])) == []
    assert named_places("so " * LONGEST + "in Japan") == []


def test_a_place_is_listed_and_found_without_a_claim(tmp_path):
    with Memory.open(tmp_path) as memory:
        said = [Turn("Ana", "It always rains in San Francisco.", AT, "t1"), Turn("Bo", "Not in Japan!", AT, "t2")]
        said += [Turn("AI", "Consider Norway.", AT, "t3", role="assistant")]
        memory.remember_session("talk", "s", said)
        listed = {(one.name, one.type) for one in memory.entities.page()[0]}
        assert {("San Francisco", "place"), ("Japan", "place")} <= listed and "Norway" not in {n for n, _ in listed}
        found = memory.claims.entity("San Francisco")
        assert found is not None and found.entity.mentions == 1
        memory.purge(["t1"])
        assert memory.claims.entity("San Francisco") is None
