"""Hybrid search: ranks of meaning and of the graph in one list, by kinds of links."""

from __future__ import annotations

import pytest

from engramma import Memory
from engramma.recall.link_kinds import FOLLOWED, WORTH
from engramma.recall.search import edge_worth
from tests.conftest import talk
from tests.fakes import AngleEmbedder

pytestmark = pytest.mark.on("postgres", "encrypted")


@pytest.fixture
def angles(tmp_path):
    with Memory.open(tmp_path / "store", embedder=AngleEmbedder()) as opened:
        yield opened


def said(memory, **sessions):
    for day, (name, text) in enumerate(sessions.items()):
        memory.remember_session("c", name, talk(f"Ana: {text}", day=day))


def ranks(memory, query, k):
    found = memory.links.match_hybrid(query, k)
    return {c.session_id: {name: at.rank for name, at in c.channels.items()} for c in found}


def test_what_meaning_finds_has_both_ranks(angles):
    said(angles, **{f"s{n}": f"word{n} @{n}" for n in range(30)})
    assert all(set(found) == {"semantic", "graph"} for found in ranks(angles, "@0.25", 10).values())


def test_seeds_that_nothing_joins_stay_in_their_order(angles):
    said(angles, **{f"s{n}": f"word{n} @{44 * n}" for n in range(4)})  # cos 44° = 0.719: no edge is followed
    assert list(ranks(angles, "@0.25", 4)) == ["s0", "s1", "s2", "s3"]


@pytest.mark.parametrize("kind", sorted(set(WORTH) - {"extends", "supersedes"}))
@pytest.mark.parametrize("outward", [True, False])
def test_a_link_brings_as_much_as_its_kind_is_worth(angles, kind, outward):
    """Both are as far from the question; what is joined to the seed comes first if its link is followed this way."""
    said(angles, seed="one @0", joined="two @100", alone="three @-100")
    ends = ("seg_c/seed_0", "seg_c/joined_0")
    angles.links.add(*((ends[0], kind, ends[1]) if outward else (ends[1], kind, ends[0])))
    found = {c.session_id: c.channels.get("graph") for c in angles.links.match_hybrid("@0.25", 1 + 2)}
    assert edge_worth(kind, outward) == (WORTH[kind] if outward in FOLLOWED[kind] else 0.0)
    # Every one of the three is a seed: the two that are far from the question count nothing by themselves.
    assert found["joined"].score == pytest.approx(edge_worth(kind, outward), abs=1e-6)
    assert found["alone"].score == pytest.approx(0.0, abs=1e-6)


def test_kinds_put_what_they_join_in_an_order(angles):
    said(angles, seed="one @0", counter="two @100", support="three @101", part="four @102")
    for kind, name in (("contradicts", "counter"), ("supports", "support"), ("part_of", "part")):
        angles.links.add("seg_c/seed_0", kind, f"seg_c/{name}_0")
    found = ranks(angles, "@0.25", 4)
    by_graph = sorted(found, key=lambda name: found[name]["graph"])
    assert by_graph == ["seed", "counter", "part", "support"]  # 1.0, 0.7, 0.5


def test_the_turns_beside_a_seed_come_in_by_the_chain(angles):
    angles.remember_session("c", "talk", talk("Ana: one @0", "Ben: two @120", "Ana: three @150"))
    found = {c.segment_id: c.channels["graph"].score for c in angles.links.match_hybrid("@0.25", 3)}
    assert found["seg_c/talk_1"] == pytest.approx(0.7, abs=1e-3) and found["seg_c/talk_2"] == pytest.approx(
        0.245, abs=1e-3
    )
