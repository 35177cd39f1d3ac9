"""Row-level security by namespace, asked with raw SQL, and the functions for any SQL client."""

from __future__ import annotations

import psycopg
import pytest

from engramma import Memory
from engramma.store.postgres.address import parse_address
from engramma.store.postgres.values import vector_text
from tests.conftest import talk
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.engines

SCHEMA = "tenancy"
STORE_WIDE = {"meta", "tenants", "users", "tokens", "grants", "audit"}


@pytest.fixture(scope="module")
def address(schemas):
    return schemas.address(SCHEMA)


@pytest.fixture(scope="module")
def owner(address, tmp_path_factory):
    """A store with two namespaces and a tenant's role for each; the raw connection of its owner."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ENGRAMMA_STORE", str(tmp_path_factory.mktemp("local")))
        from engramma.store.engine import open_database

        patch.setattr("engramma.namespaces.open.open_database", open_database)
        for name in ("red", "blue"):
            with Memory.open(address, name, embedder=HashEmbedder()) as memory:
                memory.remember_session("talk", "s1", talk(f"Ann: the {name} harbour has a crane", "Bob: and a cat"))
                memory.remember_session("a/b", "s%2", talk(f"Ann: a crane over the {name} harbour", day=1, prefix="u"))
    with connected(address) as connection:
        for name in ("red", "blue"):
            connection.execute("SELECT add_tenant(%s, %s)", (f"tenant_{name}", name))
        yield connection


def connected(address, user=None):
    parameters = parse_address(address).parameters | ({"user": user} if user else {})
    return psycopg.connect(**parameters, autocommit=True, options=f"-c search_path={SCHEMA},public")


@pytest.fixture
def red(owner, address):
    with connected(address, "tenant_red") as connection:
        yield connection


def guarded(connection):
    rows = connection.execute(
        "SELECT tablename FROM pg_policies WHERE schemaname = current_schema() AND policyname = 'tenant' ORDER BY 1"
    )
    return [name for (name,) in rows]


def test_every_table_is_behind_the_wall(owner):
    rows = owner.execute(
        "SELECT relname, relrowsecurity AND relforcerowsecurity FROM pg_class "
        "WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'"
    ).fetchall()
    assert [name for name, forced in rows if not forced] == []
    assert {name for name, _ in rows} - set(guarded(owner)) == STORE_WIDE


def test_a_tenant_that_names_no_namespace_sees_nothing_and_writes_nothing(owner, red):
    for table in guarded(owner):
        assert red.execute(f'SELECT count(*) FROM "{table}"').fetchone() == (0,)  # noqa: S608
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        red.execute("INSERT INTO conversations (ns, id) VALUES (1, 'x')")


def test_a_tenant_sees_its_own_namespace_whatever_it_asks(owner, red):
    red.execute("SET engramma.ns = 'red'")
    own = owner.execute("SELECT ns FROM namespaces WHERE name = 'red'").fetchone()
    for table in guarded(owner):
        assert set(red.execute(f'SELECT DISTINCT ns FROM "{table}"')) <= {own}  # noqa: S608
    assert red.execute("SELECT count(*) FROM turns").fetchone() == (3,)
    assert red.execute("SELECT count(*) FROM turns WHERE text LIKE '%blue%'").fetchone() == (0,)


@pytest.mark.parametrize("named", ["blue", "default", "", "1", "red' OR true --", "no such"])
def test_naming_anothers_namespace_shows_nothing(red, named):
    red.execute("SELECT set_config('engramma.ns', %s, false)", (named,))
    assert red.execute("SELECT count(*) FROM turns").fetchone() == (0,)
    assert red.execute("SELECT count(*) FROM namespaces").fetchone() == (0,)


def test_a_tenant_cannot_write_into_another_namespace(owner, red):
    other = owner.execute("SELECT ns FROM namespaces WHERE name = 'blue'").fetchone()[0]
    red.execute("SET engramma.ns = 'red'")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        red.execute("INSERT INTO conversations (ns, id) VALUES (%s, 'intruder')", (other,))
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        red.execute("UPDATE conversations SET ns = %s", (other,))
    assert red.execute("UPDATE turns SET text = 'x' WHERE ns = %s", (other,)).rowcount == 0
    assert red.execute("DELETE FROM turns WHERE ns = %s", (other,)).rowcount == 0
    assert owner.execute("SELECT count(*) FROM turns WHERE ns = %s", (other,)).fetchone() == (3,)


def test_a_tenant_reads_no_keys_tokens_or_lists_of_tenants_and_opens_no_door(red):
    red.execute("SET engramma.ns = 'red'")
    for table in sorted(STORE_WIDE):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            red.execute(f"SELECT * FROM {table}")  # noqa: S608
    for act in (
        "SELECT add_tenant('tenant_red', 'blue')",
        "ALTER TABLE turns DISABLE ROW LEVEL SECURITY",
        "SET row_security = off; SELECT count(*) FROM turns",
        "SET ROLE engramma",
        "CREATE POLICY mine ON turns USING (true)",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            red.execute(act)


def test_a_tenant_writes_its_own_rows_and_triggers_count_them(red):
    red.execute("SET engramma.ns = 'red'")
    before = red.execute("SELECT count FROM tallies WHERE kind = 'turns'").fetchone()[0]
    row = red.execute("SELECT session, max(position), ns FROM turns GROUP BY session, ns LIMIT 1")
    session, place, ns = row.fetchone()
    red.execute(
        "INSERT INTO turns (ns, session, position, id, speaker, said_at, text) "
        "VALUES (%s, %s, %s, 'raw', 'Ann', 1, 'hello')",
        (ns, session, place + 1),
    )
    assert red.execute("SELECT count FROM tallies WHERE kind = 'turns'").fetchone()[0] == before + 1
    red.execute("DELETE FROM turns WHERE id = 'raw'")


def embedded(text):
    return str(vector_text(HashEmbedder().embed([text], "query").astype("<f2")[0].tobytes()))


def test_match_memories_finds_by_meaning_within_a_namespace(owner, red):
    rows = owner.execute(
        "SELECT * FROM match_memories(%s::vector, 'red', 0.3, 5)", (embedded("crane harbour"),)
    ).fetchall()
    assert {row[0] for row in rows} == {"seg_talk/s1_0", "seg_a%2Fb/s%252_0"}
    assert all("red harbour" in row[1] and row[2] >= 0.3 for row in rows)
    assert [row[2] for row in rows] == sorted((row[2] for row in rows), reverse=True)
    assert red.execute("SELECT * FROM match_memories(%s::vector, 'red')", (embedded("crane"),)).fetchall() == []
    red.execute("SET engramma.ns = 'red'")
    asked = "SELECT count(*) FROM match_memories(%s::vector, %s, -1)"
    assert red.execute(asked, (embedded("crane"), "red")).fetchone() == (3,)
    assert red.execute(asked, (embedded("crane"), "blue")).fetchone() == (0,)


def test_neighbours_and_fusion_follow_the_graph(owner):
    around = owner.execute("SELECT * FROM get_memory_neighbors(ARRAY['seg_talk/s1_1'], 'red', 2, 20)").fetchall()
    assert (around[0][0], *around[0][2:]) == ("seg_talk/s1_0", 1, 1.0)
    fused = owner.execute(
        "SELECT * FROM match_memories_hybrid(%s::vector, 'red', 0.3)", (embedded("crane harbour"),)
    ).fetchall()
    assert {row[0] for row in fused} == {"seg_talk/s1_0", "seg_a%2Fb/s%252_0", "seg_talk/s1_1"}
    assert {row[0]: row[3] is None for row in fused}["seg_talk/s1_1"]  # the graph alone brought it
    assert fused[0][2] == pytest.approx(2 / 61), "first by meaning and first by the graph"


def test_an_index_over_one_namespace_is_made_and_used(owner):
    owner.execute("SELECT index_memories('red')")
    ns = owner.execute("SELECT ns FROM namespaces WHERE name = 'red'").fetchone()[0]
    owner.execute("UPDATE word_totals SET documents = documents + 50000 WHERE ns = %s AND cold = 0", (ns,))
    try:
        rows = owner.execute(
            "SELECT id FROM match_memories(%s::vector, 'red', 0.3)", (embedded("crane harbour"),)
        ).fetchall()
    finally:
        owner.execute("UPDATE word_totals SET documents = documents - 50000 WHERE ns = %s AND cold = 0", (ns,))
    assert {id for (id,) in rows} == {"seg_talk/s1_0", "seg_a%2Fb/s%252_0"}
