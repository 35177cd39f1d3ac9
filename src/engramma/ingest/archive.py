"""The archive: every closed session once more as a text file that people can read without Engramma.

In an encrypted store the files are sealed, under names that say nothing.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ..encryption import is_sealed, keys_in, seal, unseal
from ..errors import StoreCorrupt, StoreError, StoreLocked
from ..files.locks import locked
from ..language.text import file_name
from ..records import Turn
from ..store.store import SessionRow, Store, session_row
from .archive_text import render_session

WRITING = ".writing!"  # no namespace's folder has this name: file_name() never lets a "!" through
BATCH = 64  # sessions written under one write lock, for which others wait


def archive_path(folder: Path, namespace: str, session: SessionRow) -> Path:
    if (keys := keys_in(folder.parent)) is None:
        return folder / file_name(namespace) / file_name(session.conversation) / f"{file_name(session.id)}.txt"
    place = (namespace, session.conversation, session.id)
    within, talk, name = (keys.name("\0".join(place[: depth + 1])) for depth in range(3))
    return folder / within / talk / f"{name}.sealed"


def archive_folders(folder: Path, namespace: str) -> list[Path]:
    """Where the files of a namespace lie; in an encrypted store also where they lay before it was one."""
    keys = keys_in(folder.parent)
    return [*([] if keys is None else [folder / keys.name(namespace)]), folder / file_name(namespace)]


def read_archive(path: Path) -> bytes:
    """What a session's file says; StoreCorrupt if it is sealed and was changed."""
    data = path.read_bytes()
    if not is_sealed(data):
        return data
    if (keys := keys_in(path.parents[3])) is None:
        raise StoreLocked(f"{path} is encrypted, and its memory's key is gone.")
    return bytes(unseal(data, keys.archive))


def has_text(path: Path, text: str) -> bool:
    """Whether a session's file is there and says this."""
    try:
        return path.is_file() and read_archive(path) == text.encode("utf-8")
    except StoreCorrupt:  # sealed, and changed since
        return False


def render(namespace: str, session: SessionRow, turns: list[Turn]) -> str:
    """A session as the text of its file."""
    return render_session(namespace, session.conversation, session.id, turns)


def write_archive(folder: Path, store: Store, session: SessionRow) -> int:
    """Write a closed session's file, whole or not at all, inside the caller's transaction; returns its turns.

    The write lock keeps a process that read an older state from overwriting a newer file; where it went with a lost
    connection, the look just before the end finds out.
    """
    path = archive_path(folder, store.namespace, session)
    turns = store.turns(session.key)
    data = render(store.namespace, session, turns).encode("utf-8")
    if (keys := keys_in(folder.parent)) is not None:
        data = seal(data, keys.archive)
    for parent in (folder, path.parent.parent, path.parent):
        parent.mkdir(mode=0o700, exist_ok=True)  # one by one: `parents=True` would leave the upper ones open to all
    temporary = folder / WRITING  # one name: what a killed process left, the next one takes over
    with os.fdopen(_held(temporary), "wb") as file:
        file.write(data)
        file.flush()
        store.check_place()
        if os.name != "nt":
            os.replace(temporary, path)
    if os.name == "nt":  # where nothing that is open can be renamed
        os.replace(temporary, path)
    return len(turns)


def _held(path: Path) -> int:
    """An empty file that nobody else writes to: on PostgreSQL, writers of other namespaces do not wait for us."""
    while True:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        locked(descriptor, wait=True)
        with suppress(FileNotFoundError):
            if os.fstat(descriptor).st_ino == path.stat().st_ino:  # else it was renamed while we waited
                os.ftruncate(descriptor, 0)
                return descriptor
        os.close(descriptor)


def archive_pending(folder: Path | None, store: Store) -> None:
    """Write the files that are due, and note that they are there. Without a folder there are none.

    A disk that is full or read-only only delays: the database has it all, and the next call goes on.
    """
    with suppress(OSError, StoreError):
        write_due(folder, store)


def write_due(folder: Path | None, store: Store) -> None:
    """The same where the files must not stay as they are: what cannot be written is an error."""
    while due := find_due_sessions(store):
        with store.transaction(lasting=False):  # a file whose note is lost is written again
            if folder is None:
                store.run("sessions_archived")
                return
            due = find_due_sessions(store)
            written = [{"key": session.key, "turns": write_archive(folder, store, session)} for session in due]
            store.many("session_archived", written)
        if len(due) < BATCH:
            return


def remove_archive(folder: Path, namespace: str, session: SessionRow) -> None:
    """Delete a session's file, and its conversation's folder with the last of them: names tell, too."""
    path = archive_path(folder, namespace, session)
    path.unlink(missing_ok=True)
    with suppress(OSError):  # others are still in it
        path.parent.rmdir()


def find_due_sessions(store: Store) -> list[SessionRow]:
    """The next sessions whose file is to be written."""
    return [session_row(row) for row in store.all("sessions_due", limit=BATCH)]
