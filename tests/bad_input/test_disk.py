"""A disk that is full: a clear error, nothing half-stored, and the same import completes when there is room again."""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
from pathlib import Path

import pytest

from engramma import StoreError
from engramma.admin.doctor import doctor
from engramma.transfer.export import export_lines
from engramma.transfer.imports import import_file
from engramma.transfer.migrate import to_folder
from engramma.transfer.replace import replace_store
from tests.conftest import talk
from tests.crash.processes import answer, assert_same, opened, picture, started, unwell, write_source

pytestmark = pytest.mark.long

NEW_MOUNTS, NEW_USERS = 0x20000, 0x10000000  # unshare(2)
PRIVATE_FROM_ROOT, REMOUNT = 0x4000 | 0x40000, 0x20  # mount(2): MS_REC | MS_PRIVATE, MS_REMOUNT


@pytest.fixture
def source(tmp_path):
    return write_source(tmp_path / "talks.jsonl", ["one", "two", "three"], sessions=20, turns=6)


def attempt(store: Path, source: Path) -> dict[str, object]:
    """Import into a disk that will not hold it; say what happened and in which state that leaves the store."""
    said: dict[str, object] = {"error": None, "message": ""}
    with opened(store) as memory:
        memory.remember_session("kept", "s", talk("Ana: this was stored before the disk was full"))
        try:
            import_file(memory._core, source)
        except StoreError as error:
            said |= {"error": type(error).__name__, "message": str(error)}
        said["recalled"] = [c.text for c in memory.recall("stored before the disk was full", k=1).candidates][:1]
        said["turns"] = memory._core.store.one("counts")["turns"]
        said["unwell"] = [line for line in unwell(memory) if not line.startswith("nothing left unfinished")]
    return said


def again(store: Path, source: Path) -> tuple[list[str], dict[str, object]]:
    """The same import once there is room."""
    with opened(store) as memory:
        assert memory.turns("kept", "s")[0].text == "this was stored before the disk was full"
        memory.remember_session("kept", "s", talk("Ana: this was stored before the disk was full"))
        import_file(memory._core, source)
        return unwell(memory), picture(memory)


def run_with_small_files(pipe, store: Path, source: Path) -> None:
    """A limit on the size of files, as a quota would set it."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_700_000, hard))
    said = attempt(store, source)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    pipe.send((said, *again(store, source)))


def call(name: str, *arguments: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def mount_small_disk(disk: Path, ballast: int, size: str = "4m") -> None:
    """A small file system that only this process sees, and so many bytes that are taken on it."""
    user, group = os.getuid(), os.getgid()
    if user == 0:
        call("unshare", NEW_MOUNTS)
    else:  # in a user namespace of its own anybody may mount
        call("unshare", NEW_MOUNTS | NEW_USERS)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    call("mount", b"none", b"/", None, PRIVATE_FROM_ROOT, None)
    call("mount", b"tmpfs", bytes(disk), b"tmpfs", 0, f"size={size}".encode())
    (disk / "ballast").write_bytes(bytes(ballast))


def run_on_a_small_disk(pipe, disk: Path, source: Path) -> None:
    try:
        mount_small_disk(disk, 2_500_000)
    except OSError as error:
        pipe.send(str(error))
        return
    said = attempt(disk / "store", source)
    (disk / "ballast").unlink()
    call("mount", b"tmpfs", bytes(disk), b"tmpfs", REMOUNT, b"size=64m")  # a larger disk
    pipe.send((said, *again(disk / "store", source)))


def copy_to_a_small_disk(pipe, disk: Path, store: Path) -> None:
    """Copies of a store, from where there is room to where there is none, or beside it."""
    try:
        mount_small_disk(disk, 0, "16m")
    except OSError as error:
        pipe.send(str(error))
        return
    shutil.copytree(store, disk / "store")
    with opened(store) as memory:
        memory.backup(disk.parent / "b.zip")
    stat = os.statvfs(disk)
    there = (store / "memory.db").stat().st_size
    told = []
    for spare in (16_384, there * 3 // 4, there * 3 // 2, there * 5 // 2):
        (disk / "ballast").write_bytes(bytes(stat.f_bavail * stat.f_frsize - spare))
        for act in (
            lambda: open_and_back_up(store, disk / "b.zip"),
            lambda: replace_store(disk.parent / "b.zip", disk / "store"),
            lambda: copy_elsewhere(store, disk / "copy"),
        ):
            try:
                act()
                told.append("done")
            except StoreError as error:
                told.append(str(error))
            left = [path.name for path in disk.iterdir()]
            shutil.rmtree(disk / "copy", ignore_errors=True)
            (disk / "b.zip").unlink(missing_ok=True)
            left += [path.name for path in (disk / "store" / "backups").glob("*")]
            told.append(sorted(left))
    (disk / "ballast").unlink()
    pipe.send((told, export_of(disk / "store") == export_of(store)))


def open_and_back_up(store: Path, target: Path) -> None:
    with opened(store) as memory:
        memory.backup(target)


def copy_elsewhere(store: Path, target: Path) -> None:
    with opened(store) as memory:
        to_folder(memory._core, target, lambda *_: None)


def export_of(store: Path) -> str:
    with opened(store) as memory:
        assert unwell(memory) == []
        return "".join(export_lines(memory._core))


def expected_of(tmp_path: Path, source: Path) -> dict[str, object]:
    """What the store looks like where there was room all the time."""
    with opened(tmp_path / "expected") as memory:
        memory.remember_session("kept", "s", talk("Ana: this was stored before the disk was full"))
    return again(tmp_path / "expected", source)[1]


def check(answered, expected) -> dict[str, object]:
    said, wrong, found = answered
    assert said["recalled"] == ["this was stored before the disk was full"], "asking goes on on a full disk"
    assert 1 <= said["turns"] < 361 and said["unwell"] == []
    assert wrong == []
    assert_same(found, expected)
    return said


def test_a_full_disk_stops_an_import_and_loses_nothing(tmp_path, source):
    (tmp_path / "disk").mkdir()
    with started(run_on_a_small_disk, tmp_path / "disk", source) as (_, says):
        answered = answer(says)
    if isinstance(answered, str):
        pytest.skip(f"this system lets nobody mount a small disk: {answered}")
    said = check(answered, expected_of(tmp_path, source))
    assert said["error"] == "StoreFull"
    assert "No space left" in said["message"] and "run the same command again" in said["message"]


def test_a_limit_on_file_sizes_stops_an_import_and_loses_nothing(tmp_path, source):
    with started(run_with_small_files, tmp_path / "store", source) as (_, says):
        said = check(answer(says), expected_of(tmp_path, source))
    assert said["error"] == "StoreError"
    assert "quota" in said["message"] and "run the same command again" in said["message"]


def test_an_archive_that_cannot_be_written_only_waits(tmp_path):
    with opened(tmp_path / "store") as memory:
        (tmp_path / "store" / "archive").write_text("in the way")
        memory.remember_session("c", "s", talk("Ana: hello"))
        assert memory.recall("hello", k=1).candidates
        assert [line.split(":")[0] for line in unwell(memory)] == ["nothing left unfinished"]
        (tmp_path / "store" / "archive").unlink()
        memory.remember_session("c", "t", talk("Ana: goodbye", day=1))
        assert unwell(memory) == []
        assert sorted(p.name for p in (tmp_path / "store" / "archive").rglob("*.txt")) == ["s.txt", "t.txt"]


def test_a_lost_archive_is_written_again_by_doctor(tmp_path):
    with opened(tmp_path / "store") as memory:
        memory.remember_session("c", "s", talk("Ana: hello"))
        shutil.rmtree(tmp_path / "store" / "archive")
        assert [line.split(":")[0] for line in unwell(memory)] == ["archive matches"]
        assert all(check.ok for check in doctor(memory._core, fix=True))
        assert len(list((tmp_path / "store" / "archive").rglob("*.txt"))) == 1


def test_a_copy_for_which_there_is_no_room_says_so_and_leaves_nothing(tmp_path, source):
    (tmp_path / "disk").mkdir()
    with opened(tmp_path / "store") as memory:
        import_file(memory._core, source)
    with started(copy_to_a_small_disk, tmp_path / "disk", tmp_path / "store") as (_, says):
        answered = answer(says)
    if isinstance(answered, str):
        pytest.skip(f"this system lets nobody mount a small disk: {answered}")
    told, is_same = answered
    for words, left in zip(told[::2], told[1::2], strict=True):
        assert words == "done" or "No space left" in words or "database or disk is full" in words, words
        assert set(left) <= {"ballast", "store", "b.zip", "copy"} and ("b.zip" in left) <= ("done" in told)
    assert "b.zip" in told[0] and "Nothing was left behind" in told[0], "the file that does not fit is named"
    assert sum(words != "done" for words in told[::2]) >= 5
    assert is_same
