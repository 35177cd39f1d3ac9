"""A private server for a whole test session, and a schema of it for each store that a test opens."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import psycopg

from engramma.errors import StoreNotFound
from engramma.store.postgres import server
from engramma.store.postgres.address import parse_address, socket_address
from engramma.store.postgres.database import Postgres

# Nothing of a test has to survive a power cut.
FAST = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off", "shared_buffers": "64MB"}
KEPT = ("meta",)  # emptied but for the version of the tables
# What empties a schema, a statement a row: sent together, they are one question to the server.
LEFTOVERS = """
SELECT format(CASE relkind
    WHEN 'r' THEN 'DELETE FROM %%I' || CASE WHEN relname = ANY(%(kept)s) THEN ' WHERE key <> %%L' ELSE '' END
    WHEN 'S' THEN 'ALTER SEQUENCE %%I RESTART'
    ELSE 'DROP INDEX %%I' END, relname, 'schema_version')
FROM pg_class
WHERE relnamespace = %(schema)s::regnamespace
AND (relkind IN ('r', 'S') OR relkind = 'i' AND starts_with(relname, 'embeddings_near_'))
ORDER BY relkind = 'i'
"""


@contextmanager
def private_server():
    """The address of a server that nobody else uses; it is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="engramma-contract-"))
    folder.chmod(0o711)  # as root, the server's own user has to come by
    user = server.SYSTEM_USER if os.geteuid() == 0 else None
    place = server.ServerPlace(folder / "data", folder / "socket", user)
    with patch.dict(server.SETTINGS, FAST), server.changing(place):
        server.start_server(place)
    try:
        yield socket_address(str(place.sockets), server.PORT, server.USER, "postgres")
    finally:
        server.stopped(place)
        shutil.rmtree(folder, ignore_errors=True)


class Schemas:
    """Hands out schemas: a store's folder always has the same one, and what a test opened is emptied after it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.used: dict[Path, str] = {}
        self._free: list[str] = []
        self._made = 0

    def address(self, schema: str) -> str:
        return f"{self.url}&schema={schema}"

    def open(self, folder: Path, settings, *, busy_seconds: float, create: bool) -> Postgres:
        """In the place of `open_database`."""
        folder = folder.resolve()
        if folder not in self.used:
            if not create:
                raise StoreNotFound(f"There is no memory at {folder}. Create one with `engramma init`.")
            self.used[folder] = self._free.pop() if self._free else self._new()
        return Postgres(parse_address(self.address(self.used[folder])), busy_seconds=busy_seconds, create=create)

    @contextmanager
    def emptied(self) -> Iterator[None]:
        """What is opened within is emptied at the end."""
        before = set(self.used)
        yield
        for folder in set(self.used) - before:
            self.empty(folder)

    def empty(self, folder: Path) -> None:
        """Leave nothing in a store's schema, and hand it to the next."""
        schema = self.used.pop(folder)
        parameters = parse_address(self.address(schema)).parameters
        with psycopg.connect(**parameters, autocommit=True, options=f"-c search_path={schema},public") as connection:
            made = connection.execute(LEFTOVERS, {"schema": schema, "kept": list(KEPT)}).fetchall()
            connection.execute("; ".join(["SET session_replication_role = replica", *(one for (one,) in made)]))
        self._free.append(schema)

    def _new(self) -> str:
        self._made += 1
        return f"test_{self._made}"
