"""What `doctor` asks a PostgreSQL server: version, extensions, rights, whether vectors work on its processor."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from pathlib import Path

import psycopg

from ..database import Database
from .database import Postgres
from .pool import Connection
from .schema import NEEDED
from .statements import fetch_rows, statement

VECTOR_NEEDED = (0, 8)

Finding = tuple[str, bool, str]  # what was looked at, whether it is well, what was found


def probe(database: Database, dimension: int) -> Iterator[Finding]:
    """Every finding about the server under a store, one after the other."""
    assert isinstance(database, Postgres)
    about = database.ask("about")[0]
    role = "a standby, which accepts no writes" if about["standby"] else "takes writes"
    yield "database server", about["number"] >= NEEDED, f"PostgreSQL {about['version']}, {role}"
    yield extensions(database)
    yield rights(database)
    if not about["standby"]:
        yield _vectors(database, dimension)
    yield processor(database)


def extensions(database: Postgres) -> Finding:
    there = {row["name"]: row["version"] for row in database.ask("extensions")}
    version = there.get("vector")
    if version is None:
        return "extensions", False, "no pgvector; have a superuser run CREATE EXTENSION vector"
    ok = tuple(int(part) for part in version.split(".")[:2]) >= VECTOR_NEEDED
    words = (
        f"btree_gin {there['btree_gin']}"
        if "btree_gin" in there
        else "no btree_gin: words of all namespaces in one index"
    )
    return "extensions", ok, f"pgvector {version}{'' if ok else ', which is older than 0.8'}; {words}"


def rights(database: Postgres) -> Finding:
    row = database.ask("rights", schema=database.address.schema)[0]
    if row["closed"]:
        return "rights", False, f"{row['closed']} tables of the schema are not accessible to this user"
    if row["unguarded"]:
        return "rights", False, f"{row['unguarded']} tables have no row-level security; run SELECT guard_tables()"
    made = "" if row["may_create"] else "; may not create tables, so an upgrade needs the schema's owner"
    return "rights", True, f"all tables accessible, each with row-level security{made}"


def _vectors(database: Postgres, dimension: int) -> Finding:
    """Compare and index vectors there. A processor that cannot ends the server's process, which then starts anew."""

    def ask(connection: Connection) -> float:
        make, look = (statement(name, "postgres_engine.sql") for name in ("probe_make", "probe_ask"))
        connection.execute("BEGIN")
        try:
            connection.execute(make.sql, make.values({"dimension": dimension}))
            connection.execute(
                f"CREATE INDEX ON engramma_probe USING hnsw ((embedding::vector({int(dimension)})) vector_cosine_ops)"
            )
            return float(fetch_rows(connection, look.sql, {})[0]["distance"])
        finally:
            if not connection.closed:
                connection.execute("ROLLBACK")

    try:
        distance = database._with_connection(ask)
    except psycopg.Error as error:
        return "vectors on the server", False, f"cannot be compared there: {str(error).splitlines()[0]}"
    return "vectors on the server", distance == 0.0, f"compared and indexed, {dimension} dimensions"


def processor(database: Postgres) -> Finding:
    """pgvector's halfvec and bit indexes need instructions (SVE) that not every ARM processor has."""
    risky = [row["name"] for row in database.ask("risky_indexes", schema=database.address.schema)]
    if risky:
        return "processor", False, f"{', '.join(risky)} may stop the server: make HNSW indexes over vector only"
    if platform.machine() in ("aarch64", "arm64") and not has_sve():
        return (
            "processor",
            True,
            "no SVE here: HNSW over halfvec or bit or built in parallel would stop the server; none is",
        )
    return "processor", True, "no index that needs special instructions"


def has_sve() -> bool:
    try:
        return " sve" in Path("/proc/cpuinfo").read_text()
    except OSError:
        return False
