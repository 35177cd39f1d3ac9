"""The order of a context: as it was said, bent by counterpoints and by the steps of procedures."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.recall.assemble import FRAME_TOKENS, arranged, assemble
from engramma.recall.typed_links import Order
from engramma.records import Candidate, Path

START = datetime(2026, 1, 1, tzinfo=UTC)


def entry(number, *links):
    return made(number, None, links)


def brought(number, other, edge="contradicts", outward=True):
    return made(number, Path("link", edge, name(other), 1.0, outward=outward))


def made(number, path=None, links=()):
    role, at = ("entry" if path is None else "expanded"), START + timedelta(hours=number)
    return Candidate(name(number), "s", "c", (f"t{number}",), ("Ana",), at, "words " * 20, 0.5, role, path, links=links)


def name(number):
    return f"seg_c/s_{number}"


def against(other, outward=True):
    return Path("link", "contradicts", name(other), 1.0, outward=outward)


def order_of(candidates, *orders):
    found = arranged(candidates, [Order(name(a), name(b), weight) for a, b, weight in orders])
    return [int(c.segment_id.rpartition("_")[2]) for c in found]


def test_a_counterpoint_stands_right_after_its_entry_whatever_its_date():
    assert order_of([entry(1, against(4)), entry(2), entry(3), brought(4, 1)]) == [1, 4, 2, 3]
    assert order_of([entry(2), entry(4, against(1)), brought(1, 4), made(3)]) == [2, 3, 4, 1]


def test_several_counterpoints_of_an_entry_stand_in_the_order_they_were_said():
    assert order_of([entry(3), entry(5), brought(4, 3), brought(1, 3), brought(9, 3)]) == [3, 1, 4, 9, 5]


def test_of_two_entries_the_later_one_moves_to_the_earlier():
    candidates = [entry(4, against(1)), entry(1, against(4, outward=False)), entry(2), brought(9, 4)]
    assert order_of(candidates) == [1, 4, 9, 2]


def test_a_counterpoint_whose_entry_is_not_shown_stands_where_it_was_said():
    assert order_of([entry(2), brought(1, 7), brought(3, 7)]) == [1, 2, 3]


def test_steps_stand_in_turn_and_the_rest_as_it_was_said():
    """3 has to wait for 5 and then follows at once."""
    assert order_of([entry(n) for n in range(1, 7)], (5, 3, 1.0)) == [1, 2, 4, 5, 3, 6]
    assert order_of([entry(n) for n in range(1, 5)], (4, 3, 1.0), (3, 2, 1.0), (2, 1, 1.0)) == [4, 3, 2, 1]
    assert order_of([entry(n) for n in range(1, 4)], (1, 2, 1.0), (8, 1, 1.0)) == [1, 2, 3]


def test_of_a_circle_the_weakest_link_is_ignored():
    three = [entry(1), entry(2), entry(3)]
    assert order_of(three, (1, 2, 0.9), (2, 3, 0.8), (3, 1, 0.7)) == [1, 2, 3]
    assert order_of(three, (1, 2, 0.9), (2, 3, 0.1), (3, 1, 0.7)) == [3, 1, 2]
    assert order_of(three, (1, 2, 0.1), (2, 3, 0.8), (3, 1, 0.7)) == [2, 3, 1]
    assert order_of(three, (3, 1, 0.5), (1, 3, 0.5)) == [1, 2, 3], "equals: what was said first stays first"


def test_a_step_brings_its_counterpoint_along():
    assert order_of([entry(1, against(9)), entry(2), brought(9, 1)], (2, 1, 1.0)) == [2, 1, 9]
    assert order_of([entry(1, against(9)), entry(2), brought(9, 1)], (9, 2, 1.0)) == [1, 9, 2]


@given(
    st.integers(1, 9).flatmap(
        lambda n: st.tuples(st.just(n), st.lists(st.tuples(*[st.integers(0, n - 1)] * 2, st.floats(0.1, 1.0))))
    )
)
def test_every_candidate_stands_once_and_links_without_circles_hold(drawn):
    count, links = drawn
    found = order_of([entry(n) for n in range(count)], *links)
    assert sorted(found) == list(range(count))
    forward = [(a, b, w) for a, b, w in links if a < b]
    assert order_of([entry(n) for n in range(count)], *forward) == list(range(count))
    backward = [(b, a, w) for a, b, w in forward]
    place = {n: at for at, n in enumerate(order_of([entry(n) for n in range(count)], *backward))}
    assert all(place[a] < place[b] for a, b, _ in backward)


@pytest.mark.parametrize(
    ("room", "left"), [(5, {1, 2, 3, 4, 9}), (4, {1, 2, 4, 9}), (3, {1, 2, 9}), (2, {1, 2}), (1, {1})]
)
def test_a_counterpoint_is_the_last_of_the_expanded_to_be_left_out(room, left):
    candidates = [entry(1), entry(2), brought(9, 1), brought(4, 1, "supports"), brought(3, 1, "related_to")]
    cost = max(assemble([c], None)[1] for c in candidates) + 1 - FRAME_TOKENS
    block, _, left_out = assemble(candidates, FRAME_TOKENS + cost * room)
    assert left_out == 5 - room
    assert {n for n in (1, 2, 3, 4, 9) if f"0{n}:00 UTC" in block} == left


def test_labels_say_who_contradicts_whom():
    block, _, _ = assemble(
        [entry(1, against(9), Path("link", "supports", name(2), 1.0)), entry(2), brought(9, 1, outward=False)], None
    )
    labels = [line.rpartition(" | ")[2] for line in block.splitlines() if line.startswith("[")]
    assert labels == [
        "entry, contradicted by seg_c/s_9, supported by seg_c/s_2]",
        "expanded, contradicts seg_c/s_1]",
        "entry]",
    ]


def test_without_links_the_order_is_that_of_saying():
    found = order_of([entry(3), made(1, Path("vertical", "chain", name(3), 1.0)), entry(2)])
    assert found == [1, 2, 3] and all(a < b for a, b in pairwise(found))
