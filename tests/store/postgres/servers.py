"""Several real servers on this machine: a primary, a standby that follows it, and one of its own."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch
from urllib.parse import urlencode

import psycopg

from engramma.store.postgres import server
from engramma.store.postgres.server import ServerPlace
from tests.store.postgres.schemas import FAST

SAFE = {**FAST, "synchronous_commit": "on", "max_connections": "60"}


class Servers:
    """Servers by name, in one folder that is gone afterwards."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._user = server.SYSTEM_USER if os.geteuid() == 0 else None

    def place(self, name: str) -> ServerPlace:
        return ServerPlace(self._folder / name / "data", self._folder / name / "socket", self._user)

    def start(self, name: str) -> ServerPlace:
        place = self.place(name)
        (self._folder / name).mkdir(mode=0o711, exist_ok=True)
        with patch.dict(server.SETTINGS, SAFE), server.changing(place):
            server.start_server(place)
        return place

    def follow(self, name: str, primary: str) -> ServerPlace:
        """Start a standby; the primary answers no COMMIT from now on that the standby has not written."""
        place, leader = self.place(name), self.place(primary)
        place.data.mkdir(mode=0o700, parents=True)
        (self._folder / name).chmod(0o711)
        if self._user:
            server.own(place.data, self._user)
        source = f"host={leader.sockets} port={server.PORT} user={server.USER} application_name={name}"
        server.run_server_program(
            place, "pg_basebackup", "-d", source, "-R", "-X", "stream", "-c", "fast", "-D", str(place.data)
        )
        self.start(name)
        self.sql(primary, f"ALTER SYSTEM SET synchronous_standby_names = '{name}'", "SELECT pg_reload_conf()")
        return place

    def sql(self, name: str, *statements: str) -> list[tuple[object, ...]]:
        with psycopg.connect(self.url(name), autocommit=True) as connection:
            for one in statements:
                found = connection.execute(one)
            return found.fetchall() if found.description else []

    def promote(self, name: str) -> None:
        place = self.place(name)
        server.run_server_program(place, "pg_ctl", "-D", str(place.data), "-w", "promote")

    def crash(self, name: str) -> None:
        """Stop it as a power cut would: no one is told, nothing is written down."""
        place = self.place(name)
        server.run_server_program(place, "pg_ctl", "-D", str(place.data), "-w", "-m", "immediate", "stop")

    def url(self, *names: str, **options: object) -> str:
        """The address of one server, or of several of which any may be asked."""
        hosts = ",".join(str(self.place(name).sockets) for name in names)
        ports = ",".join([str(server.PORT)] * len(names))
        return f"postgres://{server.USER}@/postgres?{urlencode({'host': hosts, 'port': ports, **options})}"


def until(condition: Callable[[], bool], seconds: float = 15.0) -> None:
    """Wait for something that others do."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


@contextmanager
def several() -> Iterator[Servers]:
    folder = Path(tempfile.mkdtemp(prefix="engramma-servers-"))
    folder.chmod(0o711)  # as root, the servers' own user has to come by
    servers = Servers(folder)
    try:
        yield servers
    finally:
        for made in folder.iterdir():
            server.stopped(servers.place(made.name))
        shutil.rmtree(folder, ignore_errors=True)
