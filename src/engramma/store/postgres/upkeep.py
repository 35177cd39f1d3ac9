"""What a server needs now and then: what its planner knows of tables, the index of a namespace that has grown, and to
forget what was deleted."""

from __future__ import annotations

from contextlib import suppress

from psycopg import errors as pg

from .pool import STATEMENT_SECONDS
from .statements import StoreConnection, fetch_rows, statement

BOUNDED = f"SET statement_timeout = '{STATEMENT_SECONDS}s'"  # RESET would leave the connection without a bound


def analysed(connection: StoreConnection, schema: str) -> None:
    asked = statement("outgrown", "postgres_engine.sql")
    for row in fetch_rows(connection, asked.sql, asked.values({"schema": schema})):
        connection.execute(f'ANALYZE (SKIP_LOCKED) "{row["name"]}"')  # a table of ours


def rewritten(connection: StoreConnection, schema: str, *, is_alone: bool) -> None:
    """Write every table anew, and what the planner knows of it, which has words and names from it. On a server that
    nobody else uses nothing of what was before is left in its own tables and its log either."""
    asked = statement("tables", "postgres_engine.sql")
    connection.execute("SET statement_timeout = 0")
    try:
        if is_alone:  # an empty table would keep what is known of it
            fetch_rows(connection, statement("forget_tables", "postgres_engine.sql").sql, {"schema": schema})
        for row in fetch_rows(connection, asked.sql, asked.values({"schema": schema})):
            connection.execute(f'VACUUM (FULL, ANALYZE) "{row["name"]}"')  # a table of ours
        if is_alone:
            connection.execute("VACUUM FULL pg_catalog.pg_statistic")
            fetch_rows(connection, statement("next_log", "postgres_engine.sql").sql, {})  # the one before goes then
        with suppress(pg.InsufficientPrivilege):
            connection.execute("CHECKPOINT")
    finally:
        connection.execute(BOUNDED)


def indexed(connection: StoreConnection, name: str, ns: int, dimension: int) -> None:
    """Make a namespace's index while others write. One whose making was broken off is made anew."""
    fetch_rows(connection, statement("near_builder", "postgres_engine.sql").sql, {})
    try:
        connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
        connection.execute(
            f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON embeddings USING hnsw "
            f"((embedding::vector({dimension})) vector_cosine_ops) WHERE ns = {ns}"
        )
    except (pg.InsufficientPrivilege, pg.DeadlockDetected, pg.LockNotAvailable):
        return  # the tables are another's, or somebody else makes it just now
    finally:
        if not connection.closed:
            for setting in ("maintenance_work_mem", "max_parallel_maintenance_workers"):
                connection.execute(f"RESET {setting}")
            connection.execute(BOUNDED)
