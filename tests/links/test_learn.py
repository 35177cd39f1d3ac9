"""Weights that learn, worked out by hand, and which links a recall has to answer for."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.links.learn import CEILING, FADE, FLOOR, GAIN, faded, gained, learnt, lessons
from engramma.records import Candidate, Path, Recall, Trace

WEIGHTS = st.floats(0.0001, 1.0)


def test_the_constants_are_these():
    assert (GAIN, FADE, FLOOR, CEILING) == (0.2, 0.05, 0.05, 1.0)


@pytest.mark.parametrize(
    ("weight", "up", "down"),
    [
        (1.0, 1.0, 0.9525),  # 1 - 0.05 x 0.95
        (0.8, 0.84, 0.7625),  # 0.8 + 0.2 x 0.2, 0.8 - 0.05 x 0.75
        (0.5, 0.6, 0.4775),  # 0.5 + 0.2 x 0.5, 0.5 - 0.05 x 0.45
        (0.05, 0.24, 0.05),  # the floor: it fades no further
        (0.01, 0.208, 0.01),  # set below the floor: it stays there, fading does not lift it
    ],
)
def test_a_weight_goes_a_share_of_the_way_that_is_left(weight, up, down):
    assert gained(weight) == pytest.approx(up, abs=1e-9)
    assert faded(weight) == pytest.approx(down, abs=1e-9)


def test_answers_are_replayed_in_order():
    """0.5 -> 0.6 -> 0.5725 -> 0.658; the other way round: 0.5 -> 0.4775 -> 0.582 -> 0.6656."""
    assert learnt(0.5, [True, False, True]) == pytest.approx(0.658)
    assert learnt(0.5, [False, True, True]) == pytest.approx(0.6656)
    assert learnt(0.5, []) == 0.5


def test_one_use_makes_good_for_about_four_times_unused():
    assert learnt(0.5, [True, *[False] * 4]) == pytest.approx(0.497979, abs=1e-5)


@given(WEIGHTS, st.lists(st.booleans(), max_size=60))
def test_a_weight_stays_within_its_bounds(weight, answers):
    assert min(weight, FLOOR) <= learnt(weight, answers) <= CEILING
    assert faded(weight) <= weight <= gained(weight)


def candidate(id, path=None, links=()):
    role = "entry" if path is None else "expanded"
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return Candidate(id, "s", "c", (id,), ("Ana",), at, id, 0.5, role, path, links=links)


def recall_of(*candidates):
    return Recall("?", "", candidates, Trace("default", None, {}, (), {}))


def link(kind, other, outward=True, **more):
    return Path("link", kind, other, 1.0, outward=outward, **more)


FOUND = recall_of(
    candidate("a", links=(link("supports", "b", gain=0.2), link("contradicts", "x", outward=False))),
    candidate("b", links=(link("supports", "a", outward=False, gain=0.1),)),
    candidate("x", link("contradicts", "a")),
    candidate("n1", link("before", "b")),
    candidate("n2", link("after", "n1", outward=False, steps=2)),
    candidate("v", Path("vertical", "chain", "a", 1.0)),
)
ALL = {"a", "b", "x", "n1", "n2", "v"}


@pytest.mark.parametrize(
    ("used", "gaining"),
    [
        ({"x"}, {("a", "contradicts", "x")}),
        ({"n1"}, {("b", "before", "n1")}),
        ({"n2"}, {("b", "before", "n1"), ("n2", "after", "n1")}),  # the way there, too
        ({"a"}, {("b", "supports", "a")}),  # it moved a
        ({"b"}, {("b", "supports", "a")}),  # and b
        ({"v"}, set()),
        (set(), set()),
    ],
)
def test_what_led_to_something_used_gains_and_the_rest_fades(used, gaining):
    learned = lessons(FOUND, used, ALL)
    assert {name for name, is_used in learned.items() if is_used} == gaining
    followed = {("a", "contradicts", "x"), ("b", "before", "n1"), ("n2", "after", "n1"), ("b", "supports", "a")}
    assert set(learned) == followed


def test_a_link_to_what_was_not_shown_does_not_fade():
    assert lessons(FOUND, {"a"}, {"a", "b"}) == {("b", "supports", "a"): True}
    assert lessons(FOUND, {"x"}, {"a"}) == {("a", "contradicts", "x"): True, ("b", "supports", "a"): False}
