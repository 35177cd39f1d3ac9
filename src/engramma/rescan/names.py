"""Masks secrets in names that were stored before: of conversations, sessions, documents, and what notes say of theirs.

A session under another name keeps its key. What its name is a part of follows: the ids of its segments, their ties,
the acts and links that name them, and its text file, whose old form is deleted afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ..encryption import is_sealed
from ..ingest.archive import archive_folders, archive_path
from ..ingest.masked_notes import NoteNames, note_hash
from ..ingest.pipeline import tie_of
from ..language.text import KINDS, NOTES, segment_id
from ..records import Turn
from ..redaction import Redaction
from ..store.masks import Mask, masked_name
from ..store.store import RELISTED, SessionRow, Store, session_row

Place = tuple[str, str]  # conversation and session
OURS = b"namespace: "  # how a text file of the archive begins


def find_names(store: Store, mask: Mask) -> Iterator[tuple[int, tuple[Redaction, ...]]]:
    """Sessions, by key, whose name, conversation or note holds something to mask, and what."""
    for row in store.all("sessions_listed", conversation=None):
        names = [row["id"]] if row["conversation"] in KINDS else [row["conversation"], row["id"]]
        if finds := tuple(one for name in names for one in mask(name).redactions):
            yield row["key"], finds
    for row in store.all("notes_scanned"):
        names = [row["source"] or "", row["session"] or "", *json.loads(row["tags"])]
        if finds := tuple(one for name in names for one in mask(name).redactions):
            yield row["place"], finds


def masked_place(
    store: Store, session: SessionRow, mask: Mask, note: NoteNames | None, turn: tuple[Turn, Turn] | None
) -> Place:
    """Where a session is to be. A note whose id is a hash gets that of its masked form; `turn` is it, before and after.

    Where that place is taken, a note keeps its id, and others get a number.
    """
    conversation = session.conversation if session.conversation in KINDS else masked_name(session.conversation, mask)
    id = masked_name(session.id, mask)
    if note is not None and turn is not None:
        before, after = (note_hash(one, names) for one, names in zip(turn, (note.before, note.after), strict=True))
        if session.id == before:
            return NOTES, session.id if store.session(NOTES, after) is not None else after
    if (conversation, id) == (session.conversation, session.id):
        return conversation, id
    free, count = id, 1
    while store.session(conversation, free) is not None:
        count += 1
        free = f"{id}-{count}"
    return conversation, free


def put_names(store: Store, note: NoteNames, quality: float) -> None:
    """Write down what is known of a note, inside the caller's transaction."""
    source, session, tags = note.after
    written = json.dumps(tags, ensure_ascii=False)
    store.run("note_reword", key=note.key, quality=quality, source=source, session=session, tags=written)


def rename(store: Store, session: SessionRow, place: Place, mask: Mask) -> None:
    """Move a session to its new place, inside the caller's transaction; what names it follows."""
    conversation, id = place
    if conversation != session.conversation and (old := store.one("conversation_get", id=session.conversation)):
        title, source = old["title"], old["source"]
        store.run(
            "conversation_put",
            id=conversation,
            title=None if title is None else mask(title).text,
            source=None if source is None else masked_name(source, mask),
        )
    store.run("session_rename", key=session.key, conversation=conversation, id=id)
    store.run("conversation_tidy", id=session.conversation)
    for row in store.segments(session.key):
        tie = tie_of(conversation, id, row.idx)
        store.run("segment_place", key=row.key, idx=row.idx, first=row.first, last=row.last, tie=tie)
        store.run("change_add", key=row.key, op=RELISTED)  # who keeps where segments stand reads it again
    # The ids of all its segments begin alike and end as before, but for a note's, which has one.
    before, after = (
        segment_id(*names, 0).removesuffix("0" if names[0] != NOTES else "")
        for names in ((session.conversation, session.id), place)
    )
    written_before, written = (json.dumps(text, ensure_ascii=False)[1:-1] for text in (before, after))
    store.run("acts_rename", before=before, id=after, written_before=written_before, written=written)
    store.run("links_rename", before=before, id=after)


def remove_strays(folder: Path, store: Store, *, everything: bool = False) -> None:
    """Delete text files of sessions that have another name now, inside the caller's transaction: none comes meanwhile.

    Only files that we wrote: what others keep there is theirs. With `everything`, of all sessions of all namespaces.
    """
    rows = [] if everything else [session_row(row) for row in store.all("sessions_listed", conversation=None)]
    known = {archive_path(folder, store.namespace, row) for row in rows}
    for path in find_text_files(folder) if everything else find_text_files(folder, store.namespace):
        if path not in known:
            path.unlink(missing_ok=True)
            with suppress(OSError):  # others are still in it
                path.parent.rmdir()


def find_text_files(folder: Path, namespace: str | None = None) -> Iterator[Path]:
    """The text files that we wrote, of one namespace or of all."""
    within = folder.glob("*") if namespace is None else archive_folders(folder, namespace)
    for path in sorted(path for one in within for path in one.glob("*/*")):
        if path.is_file() and path.suffix in (".txt", ".sealed"):
            with path.open("rb") as file:
                begins = file.read(64)
            if begins.startswith(OURS) or is_sealed(begins):
                yield path
