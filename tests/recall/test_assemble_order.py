"""The order of a context: best first, bent by counterpoints and by the steps of procedures."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.language.handles import handle_of
from engramma.recall.assemble import FRAME_TOKENS, assemble
from engramma.recall.blocks import arranged
from engramma.recall.typed_links import Order
from engramma.records import Candidate, Path

START = datetime(2026, 1, 1, tzinfo=UTC)


def entry(number, *links):
    return made(number, None, links)


def brought(number, other, edge="contradicts", outward=True):
    return made(number, Path("link", edge, name(other), 1.0, outward=outward))


def made(number, path=None, links=()):
    role, at = ("entry" if path is None else "expanded"), START + timedelta(hours=number)
    text = f"{number} words of what Ana said, " * 5
    return Candidate(name(number), f"s{number}", "c", ("t",), ("Ana",), at, text, 0.5, role, path, links=links)


def name(number):
    return f"seg_c/s{number}_0"  # each in a session of its own: none follows another


def against(other, outward=True):
    return Path("link", "contradicts", name(other), 1.0, outward=outward)


def order_of(candidates, *orders):
    found = arranged(candidates, [Order(name(a), name(b), weight) for a, b, weight in orders])
    return [int(block.head.session_id[1:]) for block in found]


def test_the_best_stands_first_whatever_its_date_and_neighbours_after_their_entry():
    aside = Path("lateral", "semantic", name(7), 0.9)
    assert order_of([entry(9), entry(7), entry(8), made(1, aside)]) == [9, 7, 1, 8]


def test_a_counterpoint_stands_right_after_its_entry_whatever_its_date():
    assert order_of([entry(1, against(4)), entry(2), entry(3), brought(4, 1)]) == [1, 4, 2, 3]
    assert order_of([entry(2), entry(4, against(1)), entry(3), brought(1, 4)]) == [2, 4, 1, 3]


def test_several_counterpoints_of_an_entry_stand_in_their_own_order():
    assert order_of([entry(3), entry(5), brought(4, 3), brought(1, 3), brought(9, 3)]) == [3, 4, 1, 9, 5]


def test_of_two_entries_the_worse_one_moves_to_the_better():
    candidates = [entry(4, against(1)), entry(2), entry(1, against(4, outward=False)), brought(9, 4)]
    assert order_of(candidates) == [4, 9, 1, 2]


def test_a_counterpoint_whose_entry_is_not_shown_stands_last():
    assert order_of([entry(2), brought(1, 7), brought(3, 7)]) == [2, 1, 3]


def test_steps_stand_in_turn_and_the_rest_best_first():
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
    cost = max(assemble([c], None).tokens for c in candidates) + 2 - FRAME_TOKENS
    found = assemble(candidates, FRAME_TOKENS + cost * room)
    assert found.left_out == 5 - room
    assert {n for n in (1, 2, 3, 4, 9) if f"0{n}:00 UTC" in found.text} == left
    assert set(found.shown) == set(map(name, left))


def test_labels_say_who_contradicts_whom():
    found = assemble(
        [entry(1, against(9), Path("link", "supports", name(2), 1.0)), entry(2), brought(9, 1, outward=False)], None
    )
    labels = [line.rpartition(" | ")[2] for line in found.text.splitlines() if line.startswith("[")]
    one, two, nine = (handle_of(name(n)) for n in (1, 2, 9))
    assert labels == [f"contradicted by {nine}, supported by {two}]", f"contradicts {one}]", f"{two}]"]
