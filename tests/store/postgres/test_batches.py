"""Many rows in one statement, and a planner that knows of a table that has just grown."""

from __future__ import annotations

import pytest

from engramma import Memory
from engramma.store.postgres import batches
from engramma.store.postgres.batches import (
    AT_ONCE,
    BYTES,
    INTEGER,
    MOST_CHARACTERS,
    REAL,
    TEXT,
    array_of,
    in_parts,
    join_rows,
)
from engramma.store.postgres.statements import fetch_rows
from engramma.store.postgres.values import Statement
from tests.conftest import talk
from tests.fakes import HashEmbedder
from tests.store.test_tallies import wrong

pytestmark = pytest.mark.engines


def test_an_insert_takes_several_rows_and_shares_what_is_outside_its_values():
    asked = Statement("INSERT INTO t (ns, key, text) VALUES (%(ns)s, %(key)s, %(text)s) ON CONFLICT (ns) DO NOTHING;")
    sql, values = join_rows(asked, [{"ns": 1, "key": 5, "text": "a"}, {"ns": 1, "key": 6, "text": None}])
    assert sql == (
        "INSERT INTO t (ns, key, text) SELECT %(ns)s, r.key, r.text FROM unnest(%(key)s::bigint[], %(text)s::text[]) "
        "WITH ORDINALITY r(key, text, place) ON CONFLICT (ns) DO NOTHING;"
    )
    assert values["ns"] == 1 and set(values) == {"ns", "key", "text"}


def test_neither_many_rows_nor_long_ones_go_together():
    """Where all go at once, the time that 250 MB of turns take grows with their square, and a server takes 1 GB."""
    short, long = {"key": 1, "text": "a"}, {"key": 2, "text": "a" * (MOST_CHARACTERS - 1)}
    assert [len(part) for part in in_parts([short] * (2 * AT_ONCE + 1))] == [AT_ONCE, AT_ONCE, 1]
    assert list(in_parts([short, long, long, short, short])) == [[short, long], [long, short], [short]]
    assert (
        list(in_parts([{"key": 3, "body__tsvector": 2 * long["text"]}] * 2))
        == [[{"key": 3, "body__tsvector": 2 * long["text"]}]] * 2
    )
    assert list(in_parts([])) == []


def test_rows_with_a_vector_keep_their_values():
    asked = Statement("INSERT INTO t (ns, key, vector) VALUES (%(ns)s, %(key)s, %(vector)s::vector);")
    two = [{"ns": 1, "key": key, "vector__vector": b"v"} for key in (5, 6)]
    sql, values = join_rows(asked, two)
    assert "VALUES (%(ns)s, %(key__0)s, %(vector__vector__0)s::vector), (%(ns)s, %(key__1)s," in sql
    assert (values["key__0"], values["key__1"]) == (5, 6)


def test_arrays_arrive_as_they_were(tmp_path):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        told = memory._core.store.database._with_connection
        for kind, items in (
            (INTEGER, [1, -(2**62), 0]),
            (INTEGER, [None, 3]),
            (REAL, [0.1, -0.0, 1e300]),
            (REAL, [None]),
            (TEXT, ["", "NULL", '"{}\\', "\0", "\U0010fffe", None, "żółw"]),
            (BYTES, [b"", b"\0\xff", None]),
        ):
            sql, sent = f"SELECT %(sent)s::{kind[0]}[] AS found", array_of(kind, items)
            rows = told(lambda c, sql=sql, sent=sent: fetch_rows(c, sql, {"sent": sent}))
            assert rows[0]["found"] == items


@pytest.mark.parametrize("at_once", [1, 7, 100])
def test_however_many_go_together_the_store_is_the_same(at_once, monkeypatch, tmp_path):
    monkeypatch.setattr(batches, "AT_ONCE", at_once)
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
