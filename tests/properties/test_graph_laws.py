"""Laws of the store that hold for any set of conversations, in any order of arrival."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engramma import Config, Memory, Turn
from engramma.admin.doctor import doctor
from engramma.apps.render import as_json
from engramma.language.fence import unfenced
from engramma.recall.recipes import RECIPES
from engramma.transfer.export import export_lines
from tests.conftest import START, some
from tests.fakes import HashEmbedder

WORDS = ["cat", "dog", "rain", "train", "soup"]  # few words: many equal and similar texts
turn = st.tuples(
    st.sampled_from([("Ana", None), ("Ben", None), ("user", "user"), ("assistant", "assistant"), ("tool", "tool")]),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join),
)
sessions = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 5), st.lists(turn, min_size=1, max_size=6)),
    min_size=1,
    max_size=8,
)
# Every recipe, and what their floors would hide; a small cap is reached by small examples.
PLANS = (
    *RECIPES.values(),
    replace(RECIPES["default"], thresholds="none", mmr=0.5, half_life_days=3.0),
    replace(RECIPES["takizen"], cap=2),
)
CONFIG = Config(edge_cap=3, busy_seconds=5)  # a small cap is reached by small examples
relaxed = settings(max_examples=some(30), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def named(raw):
    """(conversation, session, turns) with times and ids; sessions may begin at the same time."""
    found = []
    for number, (conversation, day, turns) in enumerate(raw):
        said = [
            Turn(speaker, text, START + timedelta(days=day, seconds=n), f"t{n}", role)
            for n, ((speaker, role), text) in enumerate(turns)
        ]
        found.append((conversation, f"s{number}", said))
    return found


def graph_of(memory):
    segments, edges = memory.graph()
    return segments, sorted(edges)


def untimed(found):
    """All that recall says but how long it took, and the tag that is made with a key of the store's own."""
    return replace(found, trace=replace(found.trace, timings_ms={}), context=unfenced(found.context))


def remembered(order, split=None):
    """Export, graph and recall after remembering the sessions in this order."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(folder, embedder=HashEmbedder(), config=CONFIG) as memory,
    ):
        for conversation, session, turns in order:
            if split is not None and len(turns) > 1:
                cut = split % len(turns)
                if cut:
                    memory.remember_session(conversation, session, turns[:cut], close=bool(split % 2))
            memory.remember_session(conversation, session, turns)
        checks = [c for c in doctor(memory._core) if not c.ok and c.name != "embedder works"]
        recalled = [as_json(untimed(memory.recall("cat rain", k=k, recipe=plan))) for plan in PLANS for k in (1, 5)]
        return list(export_lines(memory._core)), graph_of(memory), recalled, checks


@pytest.mark.long
@relaxed
@given(sessions, st.randoms(), st.integers(0, 7))
def test_the_order_of_arrival_changes_nothing(raw, random, split):
    first = named(raw)
    second = first[:]
    random.shuffle(second)
    one, other = remembered(first), remembered(second, split)
    assert one[3] == [] and other[3] == []
    assert one[0] == other[0], "the export"
    assert one[1] == other[1], "the graph"
    assert one[2] == other[2], "what is recalled"


@relaxed
@given(sessions)
def test_the_graph_keeps_its_laws(raw):
    order = named(raw)
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(folder, embedder=HashEmbedder(), config=CONFIG) as memory,
    ):
        for conversation, session, turns in order:
            memory.remember_session(conversation, session, turns)
        segments, edges = memory.graph()
        starts = {(c, s): (turns[0].said_at, c, s) for c, s, turns in order}
        place = {s.id: s for s in segments}

        said = [(c, s, t.id) for c, s, turns in order for t in turns]
        covered = [(s.conversation_id, s.session_id, id) for s in segments for id in s.turn_ids]
        assert sorted(covered) == sorted(said), "segments cover every turn exactly once"

        degree: dict[str, int] = {}
        chains = set()
        for a, b, kind, weight in edges:
            x, y = place[a], place[b]
            if kind == "chain":
                assert weight == 1.0
                chains.add((a, b))
                continue
            degree[a] = degree.get(a, 0) + 1
            degree[b] = degree.get(b, 0) + 1
            assert weight >= 0.6
            older = starts[y.conversation_id, y.session_id]
            assert starts[x.conversation_id, x.session_id] > older, "edges point to an older session"
        assert max(degree.values(), default=0) <= CONFIG.edge_cap, "no node over its cap"

        adjacent = set()
        for conversation, session, _ in order:
            own = sorted(
                (s for s in segments if (s.conversation_id, s.session_id) == (conversation, session)),
                key=lambda s: s.index,
            )
            for x, y in pairwise(own):
                adjacent |= {(x.id, y.id), (y.id, x.id)}
        assert chains == adjacent, "chains are exactly adjacent"


@pytest.mark.long
@relaxed
@given(sessions)
def test_remembering_twice_changes_nothing(raw):
    order = named(raw)
    assert remembered(order)[:3] == remembered([*order, *order])[:3]
