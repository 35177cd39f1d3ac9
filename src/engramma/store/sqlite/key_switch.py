"""A store that is being encrypted or decrypted changes its database and its key together, or not at all.

The new files lie ready beside the old ones, whole and compared. Then a note is written that says so: before it the
store is the old one, from it on the new one. Whoever opens the store while the note is there puts the new files in
place first, and clears away what lies in plain text or under a key that is gone. Doing that twice changes nothing.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ...encryption.keys import KEY_FILE, box, read_record, sync
from ...errors import StoreNotWritable
from ...files.locks import hold_lock

DATABASE_FILE = "memory.db"  # of store/engine.py, which opens it
NOTE = "switching.json"
LOCK = ".switching.lock"
NEW = ".switched"  # ends the name of a file that waits for its place
BESIDE = ("-wal", "-shm", "-journal")
CLEARED = ("archive", "index", "daemon/uploads")  # made anew from the database, or passing
SPOOLS = ("daemon/spool", "daemon/spool/failed")


def ready(store: Path, *, encrypted: bool) -> None:
    """Write the note: from now on the store is the new one."""
    path = store / NOTE
    beside = store / f".{NOTE}.new"
    beside.write_text(json.dumps({"encrypted": encrypted}), encoding="utf-8")
    beside.chmod(0o600)
    with beside.open("rb") as file:
        os.fsync(file.fileno())
    os.replace(beside, path)
    sync(store)


def finish_switch(store: Path) -> None:
    """Put new files in their place, if a note says that they are ready. Another process that does it is waited for."""
    if (store / NOTE).exists():
        with switching(store):
            put_in_place(store)
    elif (store / f"{DATABASE_FILE}{NEW}").exists():  # one that was interrupted, if nobody is about to finish it
        with switching(store, wait=False) as is_alone:
            if is_alone and not (store / NOTE).exists():
                forget_unready(store)


@contextmanager
def switching(store: Path, *, wait: bool = True) -> Iterator[bool]:
    """Nobody else puts files in place meanwhile."""
    try:
        with hold_lock(store / LOCK, wait=wait) as is_alone:
            yield is_alone
    except OSError as error:
        raise StoreNotWritable(f"Cannot finish the interrupted operation in {store}: {error}.") from error


def put_in_place(store: Path) -> None:
    """The steps after the note, in an order in which each may be the last that happened."""
    try:
        encrypted = bool(json.loads((store / NOTE).read_text(encoding="utf-8"))["encrypted"])
    except FileNotFoundError:  # another process did it while we waited
        return
    if (store / f"{KEY_FILE}{NEW}").exists():
        os.replace(store / f"{KEY_FILE}{NEW}", store / KEY_FILE)
    if (store / f"{DATABASE_FILE}{NEW}").exists():
        for end in BESIDE:  # of the old database: it was alone and closed its journal, so they hold nothing
            (store / f"{DATABASE_FILE}{end}").unlink(missing_ok=True)
        os.replace(store / f"{DATABASE_FILE}{NEW}", store / DATABASE_FILE)
    if not encrypted:
        (store / KEY_FILE).unlink(missing_ok=True)
    sync(store)
    for name in CLEARED:
        shutil.rmtree(store / name, ignore_errors=True)
    if encrypted:
        seal_spool(store)
    (store / NOTE).unlink(missing_ok=True)
    sync(store)


def forget_unready(store: Path) -> None:
    """Delete what a switch left that did not come as far as its note."""
    for name in (KEY_FILE, DATABASE_FILE):
        for end in ("", *BESIDE):
            (store / f"{name}{NEW}{end}").unlink(missing_ok=True)


def seal_spool(store: Path) -> None:
    """Seal what hooks and the capture left in plain text: that takes no secret."""
    record = read_record(store)
    for path in [path for name in SPOOLS for path in (store / name).glob("*.json")]:
        if record is not None:
            replace_item(path, path.with_suffix(".sealed"), box(record, path.read_bytes()))


def replace_item(old: Path, new: Path, data: bytes) -> None:
    """The new file, whole, then the old one gone."""
    beside = new.with_suffix(".tmp")
    with suppress(FileNotFoundError):
        beside.unlink()
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, new)
    old.unlink()
