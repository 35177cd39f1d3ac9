"""What Engramma writes is for its owner only, from the first moment, and a purge names the copies it does not reach."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from engramma import Memory
from engramma.admin.doctor import doctor
from engramma.apps.daemon.folder import place_in, token_of
from engramma.apps.daemon.spool import Spool
from engramma.files.private_files import write_private
from engramma.transfer.backup import backup
from engramma.transfer.replace import new_backup
from tests.apps.http.conftest import served
from tests.commands import ran
from tests.conftest import talk
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes of files")


@pytest.fixture(autouse=True)
def usual_mask():
    """What most people have: others may read what nobody thought of."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_store_is_private_whoever_makes_it_first(tmp_path):
    token_of(place_in(tmp_path / "by-daemon"))
    Spool(place_in(tmp_path / "by-hook").spool).put("turns", {"a": 1})
    ran("pause", "--store", tmp_path / "by-pause")
    ran("init", "--store", tmp_path / "by-init")
    for name in ("by-daemon", "by-hook", "by-pause", "by-init"):
        if name != "by-pause" or (tmp_path / name).exists():
            for path in ((tmp_path / name), *(p for p in (tmp_path / name).rglob("*") if p.is_dir())):
                assert mode(path) == 0o700, path


def test_exports_are_private(tmp_path):
    store = tmp_path / "store"
    with Memory.open(store, embedder=HashEmbedder()) as memory:
        memory.remember_session("c", "s", talk("Ana: I live in Lyon.", "Ben: I live in Oslo."))
    for command, name in (("export-graph", "g.json"), ("export-graph", "g.graphml"), ("export", "e.jsonl")):
        done = ran(command, tmp_path / name, "--store", store)
        assert done.returncode == 0, done.stderr
        assert mode(tmp_path / name) == 0o600, name
    (tmp_path / "open.json").write_text("{}")
    ran("export-graph", tmp_path / "open.json", "--store", store)
    assert mode(tmp_path / "open.json") == 0o600
    (tmp_path / "link.json").symlink_to(tmp_path / "target.json")
    write_private(tmp_path / "link.json", "x")
    assert (tmp_path / "link.json").is_symlink() and mode(tmp_path / "target.json") == 0o600
    assert [path.name for path in tmp_path.glob(".writing-*")] == []


def test_doctor_tells_of_a_folder_that_others_may_look_into_and_closes_it(tmp_path):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        memory.path.chmod(0o755)
        found = {check.name: check for check in doctor(memory._core)}["folder is private"]
        assert not found.ok and "0755" in found.detail and "--fix" in found.detail
        assert all(check.ok for check in doctor(memory._core, fix=True))
        assert mode(memory.path) == 0o700


@pytest.fixture
def purgeable(tmp_path):
    store = tmp_path / "place" / "store"
    with Memory.open(store) as memory:
        memory.remember_session("c", "s", talk("Ana: The code word is marzipan.", "Ben: Fine."))
        backup(memory._core, new_backup(store))
        backup(memory._core, store.parent / "mine.zip")
    (store / "memory.db.rescued").write_bytes(b"x")
    (store.parent / "other.zip").write_bytes(b"PK no backup")
    return store


def test_a_purge_names_the_backups_that_still_hold_the_text(purgeable):
    shown = ran("purge", "--query", "marzipan", "--yes", "--store", purgeable)
    assert shown.returncode == 0, shown.stderr
    (inside,) = (purgeable / "backups").glob("*.zip")
    for path in (inside, purgeable.parent / "mine.zip", purgeable / "memory.db.rescued"):
        assert str(path) in shown.stderr
    assert "still contain it" in shown.stderr and "other.zip" not in shown.stderr


def test_it_names_them_as_data_and_over_http_too(purgeable):
    told = json.loads(ran("purge", "--query", "marzipan", "--yes", "--json", "--store", purgeable).stdout)
    assert len(told["backups"]) == 3 and told["purged"] is True
    with served(purgeable) as api:
        api.daemon.memories._embedder = None  # the store's own
        answer = api.post("/api/purge", json={"speaker": "Ben", "confirm": True})
        assert answer.status_code == 200 and len(answer.json()["backups"]) == 3


def test_a_purge_without_backups_reminds_of_those_elsewhere(tmp_path):
    with Memory.open(tmp_path / "a" / "store") as memory:
        memory.remember_session("c", "s", talk("Ana: The code word is marzipan."))
    shown = ran("purge", "--query", "marzipan", "--yes", "--store", tmp_path / "a" / "store")
    assert "keep elsewhere" in shown.stderr


def test_the_servers_socket_lies_in_a_folder_of_ours_only(tmp_path, monkeypatch):
    pytest.importorskip("psycopg")
    from engramma.errors import StoreError
    from engramma.store.postgres.server import ServerPlace, changing, check_private

    ours = tmp_path / "ours"
    ours.mkdir(mode=0o755)
    check_private(ours, None)
    assert mode(ours) == 0o700
    (tmp_path / "link").symlink_to(ours)
    place = ServerPlace(tmp_path / "data", tmp_path / "link", None)
    with pytest.raises(StoreError, match="is not your folder"), changing(place):
        pass
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)  # a folder that somebody else made first
    with pytest.raises(StoreError, match="is not your folder"):
        check_private(ours, None)
