"""Pictures of the graph as the server makes them: around anybody and anything, of any size, the same each time."""

from __future__ import annotations

import numpy as np
import pytest

from engramma.apps.dashboard.ego_graph import PictureRequest, ego_of
from engramma.apps.dashboard.groups import groups_in, ties_of
from engramma.apps.dashboard.layout import EXACT, place_by_forces
from engramma.errors import BadInput
from tests.conftest import talk
from tests.topics.test_topics import fill


def test_around_a_thing_are_what_names_it_and_what_facts_say_of_it(memory):
    memory.remember_session("c", "s", talk("Ana: I work at Fernwood.", "Ben: Is Fernwood far?", "Ana: I love chess."))
    memory.claims.extract()
    found = ego_of(memory, PictureRequest(name="Fernwood", most=20))
    (seed,) = (node for node in found["nodes"] if node["seed"])
    assert (seed["kind"], seed["label"]) == ("hub", "Fernwood")
    edges = [
        (found["nodes"][a]["label"], kind, found["nodes"][b]["label"], label)
        for a, b, kind, _, label in found["edges"]
        if kind != "chain"
    ]
    assert ("Ana", "fact", "Fernwood", "works at") in edges
    naming = {"I work at Fernwood.", "Is Fernwood far?"}
    assert {line[0] for line in edges if line[1] == "named" and line[2] == "Fernwood"} == naming
    assert all(np.isfinite([node["x"], node["y"]]).all() for node in found["nodes"])


def test_a_picture_around_nobody_says_so(memory):
    with pytest.raises(BadInput, match="of this name"):
        ego_of(memory, PictureRequest(name="Nobody"))
    with pytest.raises(BadInput, match="not known"):
        ego_of(memory, PictureRequest(ids=["entity:77"]))


def test_what_is_forgotten_is_in_no_picture(memory):
    memory.remember_session("c", "s", talk("Ana: I work at Fernwood.", "Ben: I love chess."))
    memory.claims.extract()
    memory.forget(query="Fernwood")
    with pytest.raises(BadInput):
        ego_of(memory, PictureRequest(name="Fernwood"))
    assert "Fernwood" not in str(ego_of(memory, PictureRequest(person="Ben", most=20)))


def test_a_large_picture_keeps_communities_together_and_is_the_same_each_time():
    size, around = EXACT * 4, 40
    random = np.random.default_rng(1)
    group = np.arange(size) // around
    ends = [(int(n), int(g * around + random.integers(around))) for n, g in enumerate(group) for _ in range(4)]
    ties = ties_of((a, b, 0.8) for a, b in ends if a != b)
    at = place_by_forces(size, ties)
    assert np.isfinite(at).all() and np.array_equal(at, place_by_forces(size, ties))
    middle = np.array([at[group == g].mean(axis=0) for g in range(group[-1] + 1)])
    within = np.linalg.norm(at - middle[group], axis=1).mean()
    between = np.linalg.norm(middle[:, None] - middle[None], axis=2)
    assert within * 3 < between[between > 0].mean()
    assert len(np.unique(np.round(at, 2), axis=0)) > 0.95 * size  # no heap of dots on one spot
    found = groups_in(size, ties)
    assert sum(len(np.unique(found[group == g])) == 1 for g in range(group[-1] + 1)) > 0.8 * (group[-1] + 1)


@pytest.mark.long
def test_many_nodes_are_reached_step_by_step(memory):
    fill(memory, days=range(40))
    told = ego_of(memory, PictureRequest(hops=4, most=1_000))
    assert len(told["nodes"]) == memory._core.store.one("segments_live")[0] and not told["more"]
    assert len({node["id"] for node in told["nodes"]}) == len(told["nodes"])
