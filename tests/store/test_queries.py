"""The SQL: every query is bound to a namespace, compiles, and seeks instead of walking."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter

import pytest

from engramma.store.database import read_queries
from engramma.store.dialect import in_postgres
from engramma.store.migrate import list_migrations, split_statements
from engramma.store.sqlite.database import load_sqlite_queries, query

WHOLE_STORE = {
    "meta_get",
    "meta_put",
    "meta_keep",
    "meta_delete",
    "namespace_key",
    "namespace_add",
    "namespace_names",
    "namespaces_listed",
    "namespace_name",
    "namespace_rename",
    "namespace_drop_meta",
    "namespace_drop_namespaces",
    "store_integrity",
    "archive_forget",
    *(name for name in load_sqlite_queries() if name.startswith(("reindex_", "team_"))),
}
# Every table with rows of a namespace.
TABLES = {
    found[1]
    for _, sql in list_migrations()
    for found in re.finditer(r"CREATE TABLE (\w+) \((.*?)\n\)", sql, re.DOTALL)
    if re.search(r"\bns +INTEGER NOT NULL", found[2])
}
HOT = (
    "turns_by_segments",
    "turns_elsewhere",
    "turns_under",
    "segments_by_keys",
    "segments_spoken",
    "words_by_segments",
    "places_of_sessions",
    "sessions_of_keys",
    "neighbours_semantic",
    "neighbours_chain",
    "walk",
    "near_get",
    "embeddings_by_keys",
    "keys_of_conversations",
    "keys_of_sessions",
    "keys_unlinked",
    "changes_since",
    "change_last",
    "edges_of",
    "edges_delete_ways",
    "chains_of",
    "edges_drop_in",
    "segment_key",
    "words_has",
    "words_search",
    "words_counts",
    "extraction_waiting",
    "extraction_changes",
    "extraction_turns",
    "claims_by_keys",
    "claim_speakers",
    "claim_keys_of_facts",
    "claim_keys_of_subjects",
    "claim_keys_of_objects",
    "claim_keys_of_relation",
    "claim_keys_of_turns",
    "claim_keys_of_session",
    "claim_next",
    "entity_next",
    "entity_get",
    "entities_by_keys",
    "entities_beside",
    "forms_find",
    "names_of_entities",
    "names_kept",
    "mentions_of_block",
)


@pytest.fixture(scope="module")
def connection():
    """All tables, without a row: what is asked here explains queries and runs none."""
    opened = sqlite3.connect(":memory:")
    for _, sql in list_migrations():
        for statement in split_statements(sql):
            opened.execute(statement)
    for name in ("words_create", "words_create_terms", "cold_create"):
        opened.execute(sql_of(name))
    yield opened
    opened.close()


def sql_of(name: str) -> str:
    """A query as the namespace 1 runs it."""
    return query(name, {"ns": 1})


def parameters(sql: str) -> dict[str, int]:
    return dict.fromkeys(re.findall(r":(\w+)", sql), 1)


@pytest.mark.parametrize("name", sorted(set(load_sqlite_queries()) - WHOLE_STORE))
def test_every_query_is_bound_to_a_namespace(name):
    sql = load_sqlite_queries()[name]
    tables = TABLES & set(re.findall(r"\b(?:FROM|JOIN|INTO|UPDATE)\s+(\w+)\b", sql))
    own = re.findall(r"\b(?:words|cold|terms)_\{ns\}", sql)
    assert ":ns" in sql if tables else own


@pytest.mark.parametrize("name", sorted(set(read_queries("shared")) - WHOLE_STORE))
def test_every_table_of_a_shared_query_is_bound_to_a_namespace(name):
    """PostgreSQL's keys begin with it, so it would walk a table that is joined by its key alone."""
    sql = in_postgres(read_queries("shared")[name])
    made_here = set(re.findall(r"\b(\w+) AS (?:MATERIALIZED )?\(", sql))
    found = re.findall(r"\b(?:FROM|JOIN|UPDATE) (\w+)(?: ([a-z]\w*))?", sql)
    named = Counter(alias for table, alias in found if table in TABLES - made_here)
    bound = Counter(re.findall(r"(?:\b(\w+)\.)?\bns = ", sql)) + Counter(re.findall(r"= (\w+)\.ns\b", sql))
    assert {alias: number for alias, number in named.items() if bound[alias] < number} == {}


def test_a_query_is_written_once_or_once_for_each_database():
    shared, sqlite, postgres = (set(read_queries(place)) for place in ("shared", "sqlite", "postgres"))
    assert sqlite == postgres
    assert not shared & sqlite


@pytest.mark.parametrize("name", sorted(read_queries("sqlite")))
def test_a_query_that_could_be_shared_is(name):
    try:
        said = in_postgres(read_queries("sqlite")[name])
    except ValueError:  # of a type that no shared query has
        return
    assert bare(said) != bare(read_queries("postgres")[name])


def bare(sql: str) -> str:
    """Without comments, and with no space that means nothing."""
    return re.sub(r"\s*([(),;])\s*", r"\1", re.sub(r"\s+", " ", re.sub(r"--[^\n]*", "", sql))).strip()


@pytest.mark.parametrize("place", ["shared", "sqlite", "postgres"])
def test_a_query_ends_where_it_ends(place):
    for name, sql in read_queries(place).items():
        assert re.sub(r"--[^\n]*|'[^']*'", "", sql).count(";") == sql.endswith(";") == 1, name


@pytest.mark.parametrize("name", sorted(load_sqlite_queries()))
def test_a_placeholder_stands_for_nothing_but_the_number_of_a_namespace(name):
    sql = load_sqlite_queries()[name]
    assert re.sub(r"\b(words|cold|terms)_\{ns\}", "", sql).count("{") == 0
    if "{ns}" in sql:
        assert name not in WHOLE_STORE
        for hostile in ("1; DROP TABLE turns", "x", None, "1_docsize"):
            with pytest.raises((ValueError, TypeError)):
                query(name, {"ns": hostile})


@pytest.mark.parametrize("name", sorted(load_sqlite_queries()))
def test_every_query_compiles(connection, name):
    sql = sql_of(name)
    connection.execute(f"EXPLAIN {sql}", parameters(sql)).fetchall()


@pytest.mark.parametrize("name", HOT)
def test_hot_queries_never_walk_a_namespace(connection, name):
    sql = sql_of(name)
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", parameters(sql))]
    walks = [
        step for step in plan if re.match(r"SCAN (?!k VIRTUAL|n$|\(|CONSTANT|\w+ VIRTUAL)", step) or "(ns=?)" in step
    ]
    allowed = {"SEARCH s USING INDEX sessions_pending (ns=?)", "SEARCH changes USING PRIMARY KEY (ns=?)"}
    allowed |= {"SCAN found", "SCAN b"}  # of words_search: what has the words, and the best of it
    allowed |= {"SCAN w", "SCAN ways", "SCAN json_each VIRTUAL TABLE INDEX 1:"}  # of walk: what it has reached
    allowed |= {f"SEARCH {table} USING PRIMARY KEY (ns=?)" for table in ("claims", "entities")}  # their last key
    allowed |= {"SCAN m"}  # some turns
    assert set(walks) - allowed == set()
