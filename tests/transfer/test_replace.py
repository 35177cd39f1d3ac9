"""A backup in the place of the memory that is there: all of it or nothing, and what was there is kept."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zipfile
from contextlib import closing

import pytest
from typer.testing import CliRunner

from engramma import Memory
from engramma.admin.doctor import doctor
from engramma.apps.cli.main import app
from engramma.errors import BadInput, StoreBusy, StoreError, StoreNotFound, UnreadableSource
from engramma.store.copies import MANIFEST
from engramma.transfer.backup import backup
from engramma.transfer.replace import backup_named, backups_in, new_backup, replace_store
from tests.conftest import talk
from tests.fakes import HashEmbedder


@pytest.fixture
def store(tmp_path):
    """A store with a backup of its own, to which something was said since."""
    path = tmp_path / "store"
    with Memory.open(path, embedder=HashEmbedder()) as memory:
        memory.remember_session("a", "s1", talk("Ann: The heron stands in the pond."))
        memory.namespaces.create("work")
        backup(memory._core, new_backup(path))
        memory.remember_session("a", "s2", talk("Ann: The heron flew away.", day=1))
    return path


def said(store, name="default"):
    with Memory.open(store, name, embedder=HashEmbedder()) as memory:
        assert all(check.ok for check in doctor(memory._core)), [
            check for check in doctor(memory._core) if not check.ok
        ]
        return [turn.text for row in memory.sessions() for turn in memory.turns(row.conversation, row.id)]


def test_the_memory_becomes_what_it_was_and_what_was_there_is_kept(store):
    (source,) = backups_in(store)
    (store / "config.toml").write_text("idle_minutes = 7\n", encoding="utf-8")
    steps = []
    kept = replace_store(source, store, lambda step, part: steps.append((step, part)))
    assert said(store) == ["The heron stands in the pond."]
    assert not [path for path in (store / "archive").rglob("*.txt") if "flew" in path.read_text(encoding="utf-8")]
    assert [path.name for path in backups_in(store)] == [kept.name, source.name]
    assert steps[0][0] == "checking the backup" and ("putting it in place", 1.0) in steps
    with zipfile.ZipFile(kept) as archive:
        assert archive.read("config.toml") == b"idle_minutes = 7\n"
    again = replace_store(kept, store)
    assert said(store) == ["The heron stands in the pond.", "The heron flew away."] and again.exists()
    assert not [path for path in store.iterdir() if path.name.startswith((".restoring-", ".kept-"))]


def test_the_settings_of_the_backup_come_with_it_if_they_are_asked_for(store):
    (store / "config.toml").write_text("idle_minutes = 7\n", encoding="utf-8")
    with Memory.open(store, embedder=HashEmbedder()) as memory:
        backup(memory._core, store / "backups" / "seven.zip")
    (store / "config.toml").write_text("idle_minutes = 9\n", encoding="utf-8")
    replace_store(backup_named(store, "seven.zip"), store)
    assert (store / "config.toml").read_text(encoding="utf-8") == "idle_minutes = 9\n"
    replace_store(backup_named(store, "seven.zip"), store, with_config=True)
    assert (store / "config.toml").read_text(encoding="utf-8") == "idle_minutes = 7\n"


with closing(sqlite3.connect(":memory:")) as nothing:
    nothing.execute("VACUUM")  # writes the first page
    EMPTY = {"of no bytes": b"", "of no tables": nothing.serialize()}


def damaged(source, how):
    data = bytearray(source.read_bytes())
    if how == "flipped":
        data[len(data) // 2] ^= 0xFF
    elif how == "cut":
        data = data[: len(data) // 3]
    elif how == "empty":
        data = bytearray()
    found = source.with_name(f"{how}.zip")
    found.write_bytes(data)
    if how == "lying":
        with zipfile.ZipFile(source) as archive, zipfile.ZipFile(found, "w") as other:
            other.writestr(MANIFEST, json.dumps({"engramma": "1", "sha256": "0" * 64}))
            other.writestr("memory.db", archive.read("memory.db"))
    if how in EMPTY:
        with zipfile.ZipFile(found, "w") as other:
            told = hashlib.sha256(EMPTY[how]).hexdigest()
            other.writestr(MANIFEST, json.dumps({"engramma": "1", "sha256": told}))
            other.writestr("memory.db", EMPTY[how])
    if how == "foreign":
        with zipfile.ZipFile(found, "w") as other:
            other.writestr("hello.txt", "hello")
    return found


@pytest.mark.parametrize("how", ["flipped", "cut", "empty", "lying", "foreign", *EMPTY])
def test_a_damaged_backup_changes_nothing(store, how):
    (source,) = backups_in(store)
    before = said(store)
    with pytest.raises(UnreadableSource):
        replace_store(damaged(source, how), store)
    assert said(store) == before
    assert not [path for path in backups_in(store) if path.name.startswith("before-restore")]


def test_a_memory_that_somebody_has_open_is_not_replaced(store, monkeypatch):
    monkeypatch.setattr("engramma.transfer.replace.LET_GO_SECONDS", 0.2)
    (source,) = backups_in(store)
    with Memory.open(store, embedder=HashEmbedder()) as memory:
        with pytest.raises(StoreBusy, match="Another program has this memory open"):
            replace_store(source, store)
        memory.remember_session("a", "s3", talk("Ann: It came back.", day=2))
    assert said(store)[-1] == "It came back."


def test_a_failure_on_the_way_leaves_the_memory_and_its_settings(store, monkeypatch):
    (source,) = backups_in(store)
    before = said(store)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("engramma.transfer.replace.pack_backup", full)
    with pytest.raises(StoreError, match="The memory was not changed"):
        replace_store(source, store)
    assert said(store) == before


def test_the_command_line_replaces_only_when_told_to(store):
    (source,) = backups_in(store)
    refused = CliRunner().invoke(app, ["restore", str(source), "--store", str(store)])
    assert isinstance(refused.exception, BadInput) and said(store)[-1] == "The heron flew away."
    done = CliRunner().invoke(app, ["restore", str(source), "--replace", "--json", "--store", str(store)])
    assert done.exit_code == 0, (done.output, done.exception)
    assert json.loads(done.stdout)["turns"] == 1 and said(store) == ["The heron stands in the pond."]
    assert json.loads(done.stdout)["kept"] == str(backups_in(store)[0])


def test_only_backups_of_the_store_are_named(store, tmp_path):
    (tmp_path / "other.zip").write_bytes(b"")
    for name in ("../other.zip", "other.zip", "", "/etc/passwd"):
        with pytest.raises(BadInput):
            backup_named(store, name)
    with pytest.raises(StoreNotFound):
        replace_store(backups_in(store)[0], tmp_path / "nowhere")
