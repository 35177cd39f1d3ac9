"""Stores for the tests of the steward, and everything a store holds as one value."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from engramma import Memory, Turn
from engramma.core.core import ARCHIVE_FOLDER
from engramma.core.names import known_key
from engramma.ingest.archive import archive_pending
from engramma.ingest.link import SegmentNode, edge_of, linker_of, save_lists
from engramma.ingest.near_lists import strongest, weights_of
from engramma.ingest.note_repeats import Written, note_id, store_note
from engramma.ingest.note_rows import put_note
from engramma.ingest.pipeline import tie_of
from engramma.language.text import NOTES, labelled
from engramma.language.times import format_time, to_micros
from engramma.models.segments import embed_segments
from engramma.steward.merge import find_similar_pairs
from engramma.store.sqlite.database import SqliteDatabase
from engramma.store.store import SegmentRow
from engramma.transfer.export import export_lines
from tests.conftest import START
from tests.rows import everything, tables, words

# The log of what was done, the sequence of changes and what is to be extracted anew go on; a full text table is
# compared by its words.
NOT_CONTENT = ("acts", "changes", "extracted", "sqlite_sequence")


def written(text: str, number: int, minutes: float = 1.0, **values) -> Written:
    """The n-th of some notes that are so many minutes apart."""
    said_at = START + timedelta(minutes=minutes * number)
    id = note_id("user", format_time(said_at), text, None, None)
    given = {"source": None, "session": None, "tags": (), "strength": 0.5, "expires_at": None, **values}
    return Written(Turn("user", text, said_at, id), **given)


def vectors_of(memory: Memory, texts: Sequence[str]) -> NDArray[np.float16]:
    return embed_segments(memory._core.embedder, [(labelled([("user", text)]),) for text in texts])


def store_notes(memory: Memory, texts: Sequence[str], minutes: float = 1.0, **values) -> list[str]:
    """Store notes one after the other without asking whether they repeat each other, as another process would."""
    notes = [written(text, number, minutes, **values) for number, text in enumerate(texts)]
    for note, vector in zip(notes, vectors_of(memory, texts), strict=True):
        fresh, linker, sha256 = memory._core.live_index().fresh, linker_of(memory._core), memory._core.embedder.sha256
        store_note(memory._core.store, fresh, linker, sha256, note, vector, None, to_micros(note.turn.said_at))
    archive_pending(memory.path / ARCHIVE_FOLDER, memory._core.store)
    return [note.id for note in notes]


def lay_down(memory: Memory, texts: Sequence[str], minutes: float = 1.0) -> list[str]:
    """What `store_notes` makes of an empty store, in one transaction: for thousands."""
    store, linker = memory._core.store, linker_of(memory._core)
    notes = [written(text, number, minutes) for number, text in enumerate(texts)]
    vectors = vectors_of(memory, texts)
    nodes = []
    with store.transaction():
        store.run("conversation_put", id=NOTES, title=None, source=None)
        for number, note in enumerate(notes):
            at = to_micros(note.turn.said_at)
            store.run("session_add", conversation=NOTES, id=note.id, started_at=at, captured_at=at)
            session = store.session(NOTES, note.id)
            store.add_turns(session.key, 0, [note.turn])
            row = SegmentRow(0, 0, "note", 0, 0, at, tie_of(NOTES, note.id, 0))
            own = vectors[number : number + 1]
            (key,) = store.add_segments(session.key, [row], own)
            put_note(store, key, note.turn)
            store.run("session_linked", key=session.key)
            nodes.append(SegmentNode(key, row.tie, session.key, session.age))
        lists: dict[int, list[tuple[int, int, int]]] = {node.key: [] for node in nodes}
        found = find_similar_pairs(vectors, linker.floor)
        ends = zip(found.one.tolist(), found.other.tolist(), weights_of(found.cosines).tolist(), strict=True)
        pairs = [(nodes[a], nodes[b], weight) for a, b, weight in ends]
        for a, b, weight in pairs:
            lists[a.key].append((b.key, weight, b.tie))
            lists[b.key].append((a.key, weight, a.tie))
        lists = {key: strongest(partners, linker.cap) for key, partners in lists.items()}
        listed = {(key, partner[0]) for key, partners in lists.items() for partner in partners}
        save_lists(store, linker, lists)
        for a, b, weight in pairs:
            if (a.key, b.key) in listed and (b.key, a.key) in listed:
                store.run("edge_put", **edge_of(a, b, weight))
    archive_pending(memory.path / ARCHIVE_FOLDER, store)
    return [note.id for note in notes]


def hurry(memory: Memory) -> None:
    """Do not wait for the disk: for tests of thousands of transactions that lose no power."""
    if isinstance(memory._core.store.database, SqliteDatabase):
        memory._core.store.database._held().connection.execute("PRAGMA synchronous = OFF")


def count(memory: Memory, id: str, hits: int, days: float = 0.0) -> None:
    """As if a note had been recalled so often, the last time so many days after the start."""
    at = to_micros(START + timedelta(days=days))
    with memory._core.store.transaction():
        memory._core.store.run("use_add", key=known_key(memory._core, id), hits=hits, at=at)


def content(memory: Memory) -> dict[str, object]:
    """All rows of all tables, the words, the export and the text archive."""
    found: dict[str, object] = {name: everything(memory, name) for name in tables(memory) if name not in NOT_CONTENT}
    for part in ("words", "cold"):
        found[part] = words(memory, part)
    archive = memory.path / ARCHIVE_FOLDER
    found["archive"] = {str(p.relative_to(archive)): p.read_bytes() for p in archive.rglob("*") if p.is_file()}
    found["export"] = "".join(export_lines(memory._core))
    return found


def differences(one: dict[str, object], other: dict[str, object]) -> list[str]:
    """The parts in which two contents differ: [] if they are the same to the byte."""
    return [name for name in sorted({*one, *other}) if one.get(name) != other.get(name)]
