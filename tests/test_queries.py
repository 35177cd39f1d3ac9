"""The SQL: every query is bound to a namespace, compiles, and seeks instead of walking."""

from __future__ import annotations

import re
import sqlite3

import pytest

from engramma.store.migrate import migrations, statements
from engramma.store.sqlite import queries

WHOLE_STORE = {
    "meta_get",
    "meta_put",
    "meta_delete",
    "namespace_key",
    "namespace_add",
    "namespace_names",
    "store_integrity",
    "archive_forget",
    *(name for name in queries() if name.startswith("reindex_")),
}
HOT = (
    "turns_by_segments",
    "segments_by_keys",
    "neighbours_semantic",
    "neighbours_chain",
    "near_get",
    "embeddings_by_keys",
    "keys_of_conversation",
    "keys_of_sessions",
    "keys_unlinked",
    "changes_since",
    "change_last",
    "edges_of",
    "edges_drop_in",
    "segment_key",
)


@pytest.fixture
def connection():
    opened = sqlite3.connect(":memory:")
    for _, sql in migrations():
        for statement in statements(sql):
            opened.execute(statement)
    yield opened
    opened.close()


def parameters(sql: str) -> dict[str, int]:
    return dict.fromkeys(re.findall(r":(\w+)", sql), 1)


@pytest.mark.parametrize("name", sorted(set(queries()) - WHOLE_STORE))
def test_every_query_is_bound_to_a_namespace(name):
    sql = queries()[name]
    tables = re.findall(
        r"\b(?:FROM|JOIN|INTO|UPDATE)\s+(conversations|sessions|turns|segments|embeddings|edges|near|changes)\b", sql
    )
    assert tables and ":ns" in sql


@pytest.mark.parametrize("name", sorted(queries()))
def test_every_query_compiles(connection, name):
    sql = queries()[name]
    connection.execute(f"EXPLAIN {sql}", parameters(sql)).fetchall()


@pytest.mark.parametrize("name", HOT)
def test_hot_queries_never_walk_a_namespace(connection, name):
    sql = queries()[name]
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", parameters(sql))]
    walks = [
        step for step in plan if re.match(r"SCAN (?!k VIRTUAL|n$|\(|CONSTANT|\w+ VIRTUAL)", step) or "(ns=?)" in step
    ]
    allowed = {"SEARCH s USING INDEX sessions_pending (ns=?)", "SEARCH changes USING PRIMARY KEY (ns=?)"}
    assert set(walks) - allowed == set()
