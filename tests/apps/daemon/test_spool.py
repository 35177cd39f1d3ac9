"""The spool: complete or not there, oldest first, bounded, and nothing of it is lost by a crash."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engramma.apps.daemon.spool import MAX_FAILED, STALE_SECONDS, Spool


def kinds(spool: Spool) -> list[str]:
    return [item.kind for item in spool.items()]


def test_items_come_back_whole_and_in_order(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool")
    for number in range(5):
        assert spool.put(f"kind-{number}", {"text": "Grüße \U0001f408 \ud800", "number": number})
    found = list(spool.items())
    assert [item.value["number"] for item in found] == [0, 1, 2, 3, 4]
    assert found[0].value["text"] == "Grüße \U0001f408 \ud800"
    spool.done(found[0])
    spool.done(found[0])  # another process was faster
    assert kinds(spool) == ["kind-1", "kind-2", "kind-3", "kind-4"]


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool")
    spool.put("a", {})
    (item,) = spool.items()
    assert item.path.stat().st_mode & 0o777 == 0o600
    assert spool.folder.stat().st_mode & 0o777 == 0o700


def test_a_full_spool_takes_nothing_and_says_so(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool", max_items=2)
    assert [spool.put("a", {}) for _ in range(3)] == [True, True, False]
    small = Spool(tmp_path / "small", max_bytes=100)
    assert not small.put("a", {"text": "x" * 100})
    assert small.put("a", {"text": "x"})


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spool = Spool(tmp_path / "spool")
    spool.put("before", {})

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        spool.put("a", {"text": "x"})
    assert [path.suffix for path in spool.folder.iterdir()] == [".json"]


def test_what_is_no_item_is_laid_aside_and_the_rest_goes_on(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool")
    spool.put("good", {})
    (spool.folder / "0000.json").write_bytes(b'{"kind": "cut o')
    (spool.folder / "0001.json").write_bytes(b"\xff\xfe")
    (spool.folder / "0002.json").write_bytes(b'["not", "an", "item"]')
    assert kinds(spool) == ["good"]
    assert spool.failed() == 3
    for number in range(MAX_FAILED + 10):
        path = spool.folder / f"1{number:05d}.json"
        path.write_bytes(b"")
        spool.lay_aside(path)
    assert spool.failed() == MAX_FAILED


def test_only_old_temporary_files_are_tidied(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool")
    spool.put("a", {})
    old, young = spool.folder / "old.tmp", spool.folder / "young.tmp"
    for path in (old, young):
        path.write_bytes(b"half")
    os.utime(old, (time.time() - STALE_SECONDS - 5,) * 2)
    spool.tidy()
    assert not old.exists() and young.exists()
    assert kinds(spool) == ["a"]


PUT_MANY = """
import sys
from pathlib import Path
from engramma.apps.daemon.spool import Spool
for number in range(int(sys.argv[2]), int(sys.argv[2]) + 50):
    Spool(Path(sys.argv[1])).put("n", {"number": number})
"""


def test_several_processes_put_at_once(tmp_path: Path) -> None:
    commands = [[sys.executable, "-c", PUT_MANY, str(tmp_path), str(start)] for start in (0, 50, 100)]
    writers = [subprocess.Popen(command) for command in commands]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert sorted(item.value["number"] for item in Spool(tmp_path).items()) == list(range(150))


def test_what_was_laid_aside_is_told_by_doctor_and_tried_once_more_when_asked(tmp_path: Path) -> None:
    from engramma.apps.daemon.folder import place_in
    from engramma.apps.daemon.quarantine import aside_checks

    spool = Spool(place_in(tmp_path).spool)
    assert aside_checks(tmp_path) == []
    spool.put("exchange", {"n": 1})
    (item,) = spool.items()
    spool.lay_aside(item.path)
    spool.note_failed("frame", {"bytes": 7})
    (found,) = aside_checks(tmp_path)
    assert not found.ok and found.detail.startswith("2 set aside")
    assert all(path.stat().st_mode & 0o77 == 0 for path in (spool.folder / "failed").iterdir())
    (fixed,) = aside_checks(tmp_path, fix=True)
    assert fixed.ok and spool.failed() == 0 and [one.value for one in spool.items()] == [{"n": 1}]
