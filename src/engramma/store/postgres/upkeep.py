"""What a server needs now and then: what its planner knows of tables, and the index of a namespace that has grown."""

from __future__ import annotations

from psycopg import errors as pg

from .statements import StoreConnection, fetch_rows, statement


def analysed(connection: StoreConnection, schema: str) -> None:
    asked = statement("outgrown", "postgres_engine.sql")
    for row in fetch_rows(connection, asked.sql, asked.values({"schema": schema})):
        connection.execute(f'ANALYZE (SKIP_LOCKED) "{row["name"]}"')  # a table of ours


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
            for setting in ("maintenance_work_mem", "statement_timeout", "max_parallel_maintenance_workers"):
                connection.execute(f"RESET {setting}")
