"""PMG by its own numbers, on vectors whose cosines can be worked out by hand.

cos 20° = 0.94, cos 30° = 0.87, cos 32° = 0.848, cos 50° = 0.64, cos 53° = 0.602, cos 54° = 0.588.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from engramma import Config, Memory, Turn
from tests.conftest import START, talk
from tests.fakes import AngleEmbedder


@pytest.fixture
def angles(tmp_path):
    with Memory.open(tmp_path / "store", embedder=AngleEmbedder()) as opened:
        yield opened


def session(memory, name, *degrees, day=0):
    memory.remember_session("c", name, talk(*(f"Ana: word {n} @{d}" for n, d in enumerate(degrees)), day=day))


def entries(found):
    return [c.segment_id for c in found.entries]


def expanded(found):
    return {c.segment_id for c in found.candidates if c.role == "expanded"}


def test_the_similarity_floor_is_06(angles):
    session(angles, "near", 53)
    session(angles, "far", 54, day=1)
    assert entries(angles.recall("@0", recipe="pmg")) == ["seg_c/near_0"]


def test_three_entries_the_most_similar_first(angles):
    session(angles, "s", 10, 40, 0, 30, 20)
    assert entries(angles.recall("@0", recipe="pmg")) == ["seg_c/s_2", "seg_c/s_0", "seg_c/s_4"]


def test_the_current_session_is_excluded_also_from_expansion(angles):
    session(angles, "old", 0)
    session(angles, "now", 1, day=1)
    found = angles.recall("@0", recipe="pmg", exclude_session="now")
    assert entries(found) == ["seg_c/old_0"] and expanded(found) == set()


def test_what_the_active_context_says_already_is_dropped_at_085(angles):
    session(angles, "a", 0)
    session(angles, "b", 45, day=1)
    found = angles.recall("@20", recipe="pmg", active_context=["@31"])  # cos 31° = 0.857 to a; cos 14° to b
    assert entries(found) == []
    found = angles.recall("@20", recipe="pmg", active_context=[Turn("Ana", "@-32")])  # cos 32° = 0.848 to a
    assert entries(found) == ["seg_c/b_0", "seg_c/a_0"] or entries(found) == ["seg_c/a_0", "seg_c/b_0"]


def test_vertical_expansion_takes_two_steps_before_and_after(angles):
    session(angles, "s", 90, 90, 90, 0, 90, 90, 90)
    found = angles.recall("@0", recipe="pmg")
    assert entries(found) == ["seg_c/s_3"]
    assert expanded(found) == {f"seg_c/s_{n}" for n in (1, 2, 4, 5)}
    assert {c.path.kind for c in found.candidates if c.path} == {"vertical"}


def test_lateral_expansion_takes_the_three_strongest_edges_both_ways(angles):
    """The entry stands in the middle of time: edges come in from newer sessions and go out to older ones."""
    session(angles, "oldest", 60, day=0)  # 40° from the entry: cos 0.766
    session(angles, "older", 65, day=1)  # 45°: 0.707
    session(angles, "entry", 20, day=2)  # 20° from the question
    session(angles, "newer", 70, day=3)  # 50°: 0.643
    session(angles, "newest", 72, day=4)  # 52°: 0.616, the fourth
    found = angles.recall("@0", k=1, recipe="pmg")
    assert entries(found) == ["seg_c/entry_0"]
    assert expanded(found) == {"seg_c/oldest_0", "seg_c/older_0", "seg_c/newer_0"}
    weights = {c.segment_id: c.path.weight for c in found.candidates if c.path}
    assert weights["seg_c/oldest_0"] == pytest.approx(0.766, abs=0.002)


def test_semantic_edges_need_06_and_point_from_newer_to_older(angles):
    session(angles, "a", 0, day=0)
    session(angles, "b", 53, day=1)
    session(angles, "c", 107, day=2)  # 54° from b, 107° from a
    _, edges = angles.graph()
    assert [(a, b, kind) for a, b, kind, _ in edges] == [("seg_c/b_0", "seg_c/a_0", "semantic")]
    assert edges[0][3] == pytest.approx(0.602, abs=0.002)


def test_a_session_imported_late_is_still_the_older_one(angles):
    session(angles, "new", 0, day=5)
    session(angles, "old", 10, day=0)
    _, edges = angles.graph()
    assert [(a, b) for a, b, kind, _ in edges] == [("seg_c/new_0", "seg_c/old_0")]


def test_no_segment_has_more_than_20_edges_and_they_are_its_strongest(angles):
    for number in range(30):
        session(angles, f"s{number:02}", number, day=number)
    _, edges = angles.graph()
    degree: dict[str, list[float]] = {}
    for a, b, _, weight in edges:
        degree.setdefault(a, []).append(weight)
        degree.setdefault(b, []).append(weight)
    assert max(len(weights) for weights in degree.values()) == 20
    middle = degree["seg_c/s15_0"]
    assert min(middle) >= 0.98, "the nearest in angle stay"


def test_the_block_is_best_first_whatever_the_order_of_saying(angles):
    session(angles, "late", 5, day=9)
    session(angles, "early", 20, day=1)
    found = angles.recall("@0", recipe="pmg")
    assert entries(found) == ["seg_c/late_0", "seg_c/early_0"]
    assert found.context.index("[2026-01-14") < found.context.index("[2026-01-06")


def test_every_number_of_the_recipe_can_be_set(tmp_path):
    config = Config(recipes={"pmg": {"floor": 0.3, "entries": 1, "vertical": 0, "lateral": 0}}, edge_cap=2)
    with Memory.open(tmp_path / "s", embedder=AngleEmbedder(), config=config) as memory:
        for number in range(6):
            session(memory, f"s{number}", 60 + number, day=number)
        found = memory.recall("@0", recipe="pmg")
        assert len(found.candidates) == 1
        _, edges = memory.graph()
        assert len(edges) <= 6


def test_a_turn_is_searchable_right_after_it_is_added_and_linked_when_the_session_closes(angles):
    session(angles, "before", 0)
    live = angles.session("c", "live")
    live.add("Ana", "first @5", START + timedelta(days=1))
    live.add("Ana", "second @80", START + timedelta(days=1, minutes=1))
    assert angles.recall("@5", recipe="vector", k=1).candidates[0].session_id == "live"
    assert angles.graph()[1] == []
    live.close()
    assert {(a, b, kind) for a, b, kind, _ in angles.graph()[1]} == {
        ("seg_c/live_0", "seg_c/before_0", "semantic"),
        ("seg_c/live_0", "seg_c/live_1", "chain"),
        ("seg_c/live_1", "seg_c/live_0", "chain"),
    }


def test_what_may_not_be_shown_takes_no_place_among_the_neighbours(angles):
    session(angles, "old", 40, day=0)  # 0.766 from the entry
    session(angles, "entry", 0, day=1)
    for number in range(1, 4):  # three stronger neighbours, of the session at hand
        angles.remember_session("c", "now", talk(f"Ana: now {number} @{10 * number}", day=5, prefix=f"n{number}-"))
    found = angles.recall("@-40", k=1, recipe="pmg", exclude_session="now")
    assert entries(found) == ["seg_c/entry_0"]
    assert expanded(found) == {"seg_c/old_0"}


def test_the_active_context_is_not_repeated_by_neighbours_either(angles):
    session(angles, "s", 0, 90, 45)
    found = angles.recall("@-40", k=1, recipe="pmg", active_context=["@85"])
    assert entries(found) == ["seg_c/s_0"] and expanded(found) == {"seg_c/s_2"}


def test_a_session_to_exclude_may_be_named_with_its_conversation(angles):
    for conversation in ("a", "b"):
        angles.remember_session(conversation, "s", talk(f"Ana: {conversation} @5"))
    assert entries(angles.recall("@0", recipe="pmg", exclude_session="a/s")) == ["seg_b/s_0"]
    both = angles.recall("@0", recipe="pmg", exclude_session="s")
    assert entries(both) == [] and "2 conversations" in both.trace.notes[0]
    nobody = angles.recall("@0", recipe="pmg", exclude_session="nobody", conversation="nowhere")
    assert len(nobody.trace.notes) == 2
