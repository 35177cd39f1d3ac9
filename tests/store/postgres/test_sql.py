"""The SQL of PostgreSQL beside SQLite's: the same queries and parameters, keys that begin with the namespace."""

from __future__ import annotations

import re
import sqlite3

import pytest

from engramma.store import migrate
from engramma.store.database import queries
from engramma.store.migrate import split_statements
from engramma.store.postgres import schema as postgres_schema
from engramma.store.postgres.address import parse_address
from engramma.store.postgres.database import Postgres, statement

pytestmark = pytest.mark.engines

# Where a row is known by its key, PostgreSQL needs no text to take it out; counts need no list.
# What only PostgreSQL takes: an unfinished word is part of what SQLite matches.
MORE = {"words_sessions": {"start"}}
FEWER = {"words_remove": {"body"}, "cold_remove": {"body"}}


@pytest.fixture(scope="module")
def database(schemas):
    opened = Postgres(parse_address(schemas.address("asked")), busy_seconds=20)
    yield opened
    opened.close()


def test_both_databases_have_the_same_queries():
    assert set(queries("postgres")) == set(queries("sqlite"))


@pytest.mark.parametrize("name", sorted(queries("sqlite")))
def test_a_query_takes_the_same_parameters(name):
    asked = set(re.findall(r"(?<![:\w]):([a-z_]\w*)", queries("sqlite")[name]))
    if "{ns}" in queries("sqlite")[name]:
        asked.add("ns")
    found = set(re.findall(r"%\((\w+)\)s", queries("postgres")[name]))
    asked |= MORE.get(name, set())
    assert found | FEWER.get(name, set()) == asked or found == asked | {"ns"}


def test_both_schemas_have_the_same_version_and_columns(database):
    assert postgres_schema.list_postgres_migrations()[-1][0] == migrate.list_migrations()[-1][0]
    connection = sqlite3.connect(":memory:")
    for _, sql in migrate.list_migrations():
        for one in split_statements(sql):
            connection.execute(one)
    names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    expected = {
        name: {row[1] for row in connection.execute(f"PRAGMA table_info({name})")} | {"ns"} for (name,) in names
    }
    connection.close()
    rows = database._with_connection(
        lambda c: c.execute(
            "SELECT table_name::text, column_name::text FROM information_schema.columns WHERE table_schema = 'asked'"
        ).fetchall()
    )
    found: dict[str, set[str]] = {}
    for table, column in rows:
        found.setdefault(table, set()).add(column)
    own = {"words", "word_totals", "word_counts", "tenants"}
    assert set(found) - own == set(expected)
    assert {name: found[name] - {"embedding"} for name in expected} == expected


def test_every_primary_and_foreign_key_begins_with_the_namespace(database):
    rows = database._with_connection(
        lambda c: c.execute(
            "SELECT c.conrelid::regclass::text, c.contype::text, a.attname::text FROM pg_constraint c "
            "JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1] "
            "WHERE c.connamespace = 'asked'::regnamespace AND c.contype IN ('p', 'f', 'u')"
        ).fetchall()
    )
    assert len([row for row in rows if row[1] == "p"]) == len(database.tables())
    # The names of namespaces are unique in the store: a reference table, which is on every node.
    assert [tuple(row) for row in rows if row[2] != "ns"] == [("namespaces", "u", "name")]


def test_every_query_compiles(database):
    def compile(connection):
        wrong = []
        for name in queries("postgres"):
            names: list[str] = []
            sql = re.sub(r"%\((\w+)\)s", lambda m, names=names: f"${place(names, m[1])}", statement(name).sql)
            sql = sql.replace("%%", "%")
            try:
                connection.execute(f"PREPARE it AS {sql}")
                connection.execute("DEALLOCATE it")
            except Exception as error:
                wrong.append(f"{name}: {error}")
        return wrong

    def place(names, name):
        if name not in names:
            names.append(name)
        return names.index(name) + 1

    assert database._with_connection(compile) == []


def test_texts_sort_by_their_bytes(database):
    rows = database._with_connection(
        lambda c: c.execute(
            "SELECT c.relname::text, a.attname::text FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
            "WHERE c.relnamespace = 'asked'::regnamespace AND c.relkind = 'r' AND a.atttypid = 'text'::regtype "
            "AND a.attcollation <> (SELECT oid FROM pg_collation WHERE collname = 'C')"
        ).fetchall()
    )
    assert rows == []
