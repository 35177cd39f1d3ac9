"""The archive: every closed session once more as a text file that people can read without Engramma."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ..records import Turn
from ..store.store import SessionRow, Store
from ..text import file_name
from ..times import format_time


def archive_path(folder: Path, namespace: str, session: SessionRow) -> Path:
    return folder / file_name(namespace) / file_name(session.conversation) / f"{file_name(session.id)}.txt"


def render(namespace: str, session: SessionRow, turns: list[Turn]) -> str:
    """A session as text: verbatim turns, each under a line with its time, speaker and id."""
    head = [
        f"namespace: {namespace}",
        f"conversation: {session.conversation}",
        f"session: {session.id}",
        f"turns: {len(turns)}",
    ]
    body = []
    for turn in turns:
        assert turn.said_at is not None
        role = f" ({turn.role})" if turn.role else ""
        body.append(f"[{format_time(turn.said_at)}] {turn.speaker}{role} <{turn.id}>\n{turn.text}\n")
    return "\n".join(head) + "\n\n" + "\n".join(body)


def write_archive(folder: Path, store: Store, session: SessionRow) -> int:
    """Write a closed session's file, whole or not at all; returns how many turns it has."""
    path = archive_path(folder, store.namespace, session)
    turns = store.turns(session.key)
    data = render(store.namespace, session, turns).encode("utf-8")
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return len(turns)


def archive_pending(folder: Path, store: Store) -> int:
    """Write the files that are due, then note that they are there; returns how many.

    A disk that is full or read-only only delays: the database has it all, and the next call goes on.
    """
    written: list[dict[str, int]] = []
    for session in store.sessions_pending():
        if session.closed and not session.archived:
            try:
                written.append({"key": session.key, "turns": write_archive(folder, store, session)})
            except OSError:
                break
    if written:
        with store.transaction():
            store.many("session_archived", written)
    return len(written)
