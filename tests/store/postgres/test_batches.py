"""Many rows in one statement, and a planner that knows of a table that has just grown."""

from __future__ import annotations

import pytest

from engramma import Memory
from engramma.store.postgres import database as postgres
from engramma.store.postgres.values import Statement
from tests.conftest import talk
from tests.fakes import HashEmbedder
from tests.store.test_tallies import wrong

pytestmark = pytest.mark.engines


def test_an_insert_takes_several_rows_and_shares_what_is_outside_its_values():
    asked = Statement("INSERT INTO t (ns, key, n) VALUES (%(ns)s, %(key)s, (SELECT 1)) ON CONFLICT (ns) DO NOTHING;")
    sql, values = asked.together([{"ns": 1, "key": 5}, {"ns": 1, "key": 6}])
    assert sql == (
        "INSERT INTO t (ns, key, n) VALUES (%(ns__0)s, %(key__0)s, (SELECT 1)), (%(ns__1)s, %(key__1)s, (SELECT 1)) "
        "ON CONFLICT (ns) DO NOTHING;"
    )
    assert {name: values[name] for name in ("ns__0", "key__0", "ns__1", "key__1")} == {
        "ns__0": 1, "key__0": 5, "ns__1": 1, "key__1": 6,
    }  # fmt: skip


@pytest.mark.parametrize("at_once", [1, 7, 100])
def test_however_many_go_together_the_store_is_the_same(at_once, monkeypatch, tmp_path):
    monkeypatch.setattr(postgres, "AT_ONCE", at_once)
    lines = [f"{'Ann' if n % 2 else 'Ben'}: sentence number {n} of a long talk" for n in range(40)]
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        memory.remember_session("c", "s", talk(*lines))
        memory.remember_session("c", "t", talk(*reversed(lines)))
        assert wrong(memory) == 0
        keys = {
            s: [row.key for row in memory._core.store.segments(memory._core.store.session("c", s).key)] for s in "st"
        }
        assert all(found == sorted(found) for found in keys.values()), "keys follow the talk"
        assert memory._core.store.document_counts(["long"]) == {"long": len(keys["s"]) + len(keys["t"])}
        assert memory._core.store._segment_count() == len(keys["s"]) + len(keys["t"])
        assert "number 17" in memory.recall("sentence number 17").candidates[0].text


def test_the_planner_learns_of_tables_while_they_grow(tmp_path):
    """Else a fresh store's imports go through whole tables for each segment until the server looks, once a minute."""
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        said = memory._core.store.database._with_connection
        said(lambda c: c.execute("ALTER TABLE turns SET (autovacuum_enabled = off)"))
        known = "SELECT reltuples FROM pg_class WHERE oid = 'turns'::regclass"
        for n in range(30):
            memory.remember_session("c", f"s{n}", talk(*(f"Ann: sentence number {n} {k} of a talk" for k in range(20))))
        assert said(lambda c: c.execute(known).fetchone()[0]) >= 300
