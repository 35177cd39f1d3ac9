"""The engines a store may be on: `pytest --engine NAME` runs what is marked `on` it once more, unchanged, there.

A module of the contract says `pytestmark = pytest.mark.on("postgres", "encrypted")`; a test of it that looks into
SQLite's own file says `@pytest.mark.not_on(...)`. Without --engine everything runs on SQLite.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

ENGINES = ("postgres", "encrypted")
OPEN = "engramma.namespaces.open.open_database"
MARKS = ("on", "engines")  # a file that uses one of them says so in these words: pytest.mark.on, pytest.mark.engines
WHOLE_FILE_IS_LONG = "\npytestmark = pytest.mark.long\n"


def is_wanted(item: pytest.Item, engine: str) -> bool:
    chosen = {name for mark in item.iter_markers("on") for name in mark.args}
    refused = {name for mark in item.iter_markers("not_on") for name in mark.args}
    if unknown := (chosen | refused) - set(ENGINES):
        raise pytest.UsageError(f"{item.nodeid}: no engine is called {', '.join(sorted(unknown))}")
    return engine in chosen - refused


def is_left_out(file: Path, engine: str, expression: str) -> bool:
    """Whether no test of a file can be wanted, told without importing it."""
    if engine != "sqlite":
        return not says(file, "on")
    if "not long" in expression and WHOLE_FILE_IS_LONG in file.read_text(encoding="utf-8"):
        return True
    return expression == "engines" and not says(file, "engines")


def says(file: Path, mark: str) -> bool:
    return f"pytest.mark.{mark}" in file.read_text(encoding="utf-8")


def unseen(items: Sequence[pytest.Item]) -> str | None:
    """What to say of a test with a mark that its file does not spell out: it would be left out."""
    for name in MARKS:
        marked = {item.path: item.nodeid for item in items if item.get_closest_marker(name)}
        for file, test in marked.items():
            if not says(file, name):
                return f"{test}: its file has to say pytest.mark.{name} itself (tests/engines.py)"
    return None


@contextmanager
def encrypted_stores() -> Iterator[None]:
    """Give every store that a test makes a key before its database is made."""
    from engramma.encryption.access import known
    from engramma.encryption.keys import is_encrypted, new_keys, wrap, write_record
    from engramma.store.engine import DATABASE_FILE, open_database

    def opened(folder, settings, *, busy_seconds, create):
        if create and not is_encrypted(folder) and not (folder / DATABASE_FILE).exists():
            keys = new_keys()
            write_record(folder, wrap(keys, "file", b"a key file that these tests never read"))
            known[keys.id] = keys
        return open_database(folder, settings, busy_seconds=busy_seconds, create=create)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OPEN, opened)
        yield


@contextmanager
def postgres_stores(schemas) -> Iterator[None]:
    """Give every store that a test makes a schema of the private server."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OPEN, schemas.open)
        yield
