"""match_memories_hybrid gives what the Python call gives, row for row; an old store gets it when it is opened."""

from __future__ import annotations

import random
from datetime import timedelta

import numpy as np
import pytest

from engramma import Memory
from engramma.recall import link_kinds
from engramma.recall.search import edge_worth
from engramma.store.postgres import schema
from engramma.store.postgres.address import parse_address
from engramma.store.postgres.database import Postgres
from engramma.store.postgres.values import vector_text
from tests.conftest import START, talk
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.engines

WORDS = ["harbour", "crane", "boat", "rope", "pier", "cat", "gull", "storm", "net", "lamp", "tide", "fish"]
ASKED = ("a crane at the harbour", "the cat and the gull", "rope", "storm over the pier tonight")


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as opened:
        chance = random.Random(7)
        for day in range(25):
            lines = [f"{chance.choice(('Ann', 'Bob'))}: {' '.join(chance.sample(WORDS, 4))}" for _ in range(6)]
            opened.remember_session("talk", f"s{day}", talk(*lines, day=day, prefix=f"t{day}-"))
        for number in range(12):
            opened.remember(f"note {number}: {' '.join(chance.sample(WORDS, 3))}", at=START + timedelta(days=number))
        ids = [segment.id for segment in opened.graph()[0]]
        for _ in range(60):
            source, target = chance.sample(ids, 2)
            kind = chance.choice(("related_to", "supports", "contradicts", "part_of", "caused_by", "before", "after"))
            opened.links.add(source, kind, target, weight=round(chance.uniform(0.5, 1.0), 3))
        yield opened


def asked_in_sql(memory, text, count, **more):
    vector = np.asarray(memory._core.embedder.embed([text], "query")[0], dtype="<f2").tobytes()
    named = "".join(f", {name} => {value}" for name, value in more.items())
    sql = f"SELECT * FROM match_memories_hybrid(%s::vector, 'default', match_count => {count}{named})"  # noqa: S608
    return memory._core.store.database._with_connection(
        lambda c: [tuple(row) for row in c.execute(sql, (str(vector_text(vector)),)).fetchall()]
    )


@pytest.mark.parametrize("text", ASKED)
@pytest.mark.parametrize("count", [1, 5, 10, 40])
def test_sql_gives_what_python_gives(memory, text, count):
    found = memory.links.match_hybrid(text, count)
    rows = asked_in_sql(memory, text, count)
    assert [row[0] for row in rows] == [c.segment_id for c in found]
    for row, c in zip(rows, found, strict=True):
        means, near = c.channels.get("semantic"), c.channels.get("graph")
        assert row[2] == pytest.approx(c.score, abs=1e-9)
        assert (row[5], row[6]) == (means and means.rank, near and near.rank)
        assert row[3] == (None if means is None else pytest.approx(means.score, abs=1e-6))
        assert row[4] == (None if near is None else pytest.approx(near.score, abs=1e-5))  # each step is rounded
    assert any(row[5] and row[6] for row in rows), "rows have both ranks"


def test_numbers_of_ones_own_are_the_plans(memory):
    from dataclasses import replace

    from engramma.recall.recipes import RECIPES

    plan = replace(RECIPES["takizen"], hops=1, cap=3, edge=0.6, rrf_k=10)
    found = memory.recall(ASKED[0], k=8, recipe=plan).entries
    rows = asked_in_sql(memory, ASKED[0], 8, rrf_k=10, hops=1, cap=3, edge_floor=0.6)
    assert [row[0] for row in rows] == [c.segment_id for c in found]


def test_a_note_whose_time_is_up_is_not_there(memory):
    kept = memory.remember("a crane at the harbour, for a moment", ttl=timedelta(days=1), at=START).note
    assert kept.id not in [row[0] for row in asked_in_sql(memory, "a crane at the harbour, for a moment", 10)]


def test_kinds_are_worth_the_same_in_sql(memory):
    kinds = {*link_kinds.WORTH, *link_kinds.EDGE_WORTH, "unheard"}
    wanted = {(kind, way): edge_worth(kind, way) for kind in kinds for way in (True, False)}
    sql = "SELECT link_worth(%s, %s::bigint::int::boolean)"
    found = memory._core.store.database._with_connection(
        lambda c: {one: c.execute(sql, one).fetchone()[0] for one in wanted}
    )
    assert found == wanted


def test_an_old_store_gets_the_new_function(schemas, monkeypatch):
    address = parse_address(schemas.address("before_hybrid"))

    def columns():
        opened = Postgres(address, busy_seconds=20)
        try:
            sql = "SELECT * FROM match_memories_hybrid('[1,2,3]'::vector)"
            return opened._with_connection(lambda c: [one.name for one in c.execute(sql).description])
        finally:
            opened.close()

    with monkeypatch.context() as before:
        steps = [step for step in schema.list_postgres_migrations() if step[0] < 14]
        before.setattr(schema, "list_postgres_migrations", lambda: steps)
        old = columns()
    assert old == ["id", "content", "score", "similarity", "proximity"]
    assert columns() == [*old, "similarity_rank", "proximity_rank"]
