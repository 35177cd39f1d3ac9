"""Communities: planted groups are found, the same every time, whatever the order and wherever they start from."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.errors import BadInput
from engramma.topics.communities import NONE, communities, join_edges, renumbered
from engramma.topics.topic_store import kept_numbers


def planted(groups: int, size: int, seed: int = 1):
    """Dense groups with a few weak edges between them; a node's group is its number modulo the groups."""
    random = np.random.default_rng(seed)
    nodes = groups * size
    pairs = [(a, b) for a in range(nodes) for b in range(a + 1, nodes)]
    inside = [(a, b) for a, b in pairs if a % groups == b % groups and random.random() < 0.7]
    between = [(a, b) for a, b in pairs if a % groups != b % groups and random.random() < 0.02]
    one, other = np.array(inside + between).T
    weight = np.array([0.8] * len(inside) + [0.6] * len(between))
    return join_edges(nodes, one, other, weight)


def same_groups(found, groups: int) -> bool:
    return all(
        (found[a] == found[b]) == (a % groups == b % groups) for a in range(len(found)) for b in range(len(found))
    )


def test_planted_groups_are_found():
    found = communities(planted(6, 12), None, 1.0, 5)
    assert same_groups(found, 6) and set(found) == set(range(6))


def test_the_same_edges_in_another_order_or_direction_give_the_same_communities():
    edges = planted(5, 10)
    order = np.random.default_rng(2).permutation(len(edges.first))
    turned = join_edges(edges.nodes, edges.second[order], edges.first[order], edges.weight[order])
    for name in ("first", "second", "weight"):
        assert np.array_equal(getattr(edges, name), getattr(turned, name))
    assert np.array_equal(communities(edges, None, 1.0, 5), communities(turned, None, 1.0, 5))


@pytest.mark.long
def test_another_process_finds_the_same():
    code = (
        "from tests.topics.test_communities import planted, communities;"
        "print(communities(planted(5, 10, 3), None, 2.0, 5).tolist())"
    )
    runs = {subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout for _ in range(2)}
    assert runs == {f"{communities(planted(5, 10, 3), None, 2.0, 5).tolist()}\n"}


def test_a_pair_is_as_close_as_its_strongest_edge():
    one, other = np.array([0, 1, 1, 2, 2, 0]), np.array([1, 0, 2, 1, 2, 2])
    edges = join_edges(3, one, other, np.array([0.2, 0.7, 0.5, 0.4, 0.9, 0.0]))
    assert list(zip(edges.first.tolist(), edges.second.tolist(), edges.weight.tolist(), strict=True)) == [
        (0, 1, 0.7),  # the stronger of both directions
        (1, 2, 0.5),  # nothing joins a node with itself, and an edge without weight joins nobody
    ]
    assert edges.total == pytest.approx(2.4)


def test_a_node_without_edges_is_in_no_community():
    found = communities(join_edges(4, np.array([1]), np.array([3]), np.array([0.8])), None, 1.0, 5)
    assert found.tolist() == [NONE, 0, NONE, 0]
    nothing = np.zeros(0, dtype=np.int64)
    assert communities(join_edges(2, nothing, nothing, np.zeros(0)), None, 1.0, 5).tolist() == [NONE, NONE]
    assert communities(join_edges(0, nothing, nothing, np.zeros(0)), None, 1.0, 5).tolist() == []


def test_communities_are_numbered_by_size_and_then_by_their_smallest_node():
    assert renumbered(np.array([7, 3, 3, 9, 7, NONE, 3, 2])).tolist() == [1, 0, 0, 2, 1, NONE, 0, 3]


def test_a_start_that_is_good_already_is_kept_and_new_nodes_find_their_place():
    edges = planted(4, 10)
    start = np.arange(40) % 4 + 100
    start[[5, 12, 39]] = NONE
    assert same_groups(communities(edges, start, 1.0, 5), 4)


def test_without_the_extra_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "graspologic_native", None)
    with pytest.raises(BadInput, match=r"pip install 'engramma\[topics\]'"):
        communities(planted(2, 4), None, 1.0, 5)


def numbered(before: list[int], after: list[int]) -> list[int]:
    return kept_numbers(np.array(before), np.array(after)).tolist()


def test_a_topic_keeps_its_number_while_half_of_it_stays_together():
    assert numbered([7, 7, 7, 7], [0, 0, 1, NONE]) == [7, 7, -2, NONE]  # two of four
    assert numbered([7, 7, 7, 7], [0, 1, 2, 3]) == [-2, -3, -4, -5]  # one of four
    assert numbered([NONE, NONE, 7, 7], [0, 0, 0, 0]) == [7, 7, 7, 7]  # it grew
    assert numbered([3, 3, 3, 9, 9], [0, 0, 0, 0, 0]) == [3, 3, 3, 3, 3]  # two became one: the larger goes on
    assert numbered([4, 4, 4, 4], [1, 1, 0, 0]) == [-2, -2, 4, 4]  # of two equal halves the first goes on


@given(st.lists(st.tuples(st.integers(-1, 6), st.integers(-1, 6)), max_size=40))
def test_numbers_are_given_once_and_communities_stay_whole(pairs):
    before = np.array([b for b, _ in pairs] or [NONE])
    after = renumbered(np.array([a for _, a in pairs] or [NONE]))
    numbers = kept_numbers(before, after)
    assert len(set(zip(after.tolist(), numbers.tolist(), strict=True))) == len(set(after.tolist()))
    assert len(set(numbers.tolist())) == len(set(after.tolist()))
    assert ((numbers == NONE) == (after == NONE)).all()
