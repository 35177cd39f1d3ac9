"""Revises notes: the old text stays stored, and a new note replaces it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from ..core.core import Core
from ..core.names import known_key, segment_key
from ..core.undo import Undo
from ..errors import BadInput
from ..ingest.archive import archive_pending
from ..ingest.link import linker_of
from ..ingest.note_repeats import MOST_RELATED, kin_of, least_related, put_link
from ..ingest.note_rows import put_note
from ..ingest.pipeline import Request, draft, write_draft
from ..language.text import NOTES, labelled, plural
from ..language.times import to_micros
from ..models.segments import embed_or_wait
from ..records import Act, Note, Turn
from ..store.acts import add_act
from ..store.store import FORGOTTEN, LIVE, RETIRED, encode_keys
from .note_records import SUPERSEDES, get_note, live_note, put_tags
from .write import checked_tags, link_note, written_note


def revise_note(
    core: Core, id: str, text: str, *, tags: Iterable[str] | None = None, speaker: str | None = None
) -> tuple[Note, int]:
    """Replace a note with a new one: the old one is no longer recalled but stays stored, as superseded.

    Returns the new note and the act that `undo` undoes. Tags, source, strength and metadata are the old one's.
    """
    old = live_note(core, id)
    turn = Turn(speaker or old.speaker, text, datetime.now(UTC), meta=old.meta)
    kept = old.tags if tags is None else tags
    note = written_note(core, turn, kept, None, old.source, old.session, old.strength)
    if note.turn.text == old.text:
        raise BadInput(f"{old.id} already says exactly this. Give a different text, or change only its tags.")
    vectors = embed_or_wait(core.embedder, [(labelled([(note.turn.speaker, note.turn.text)]),)])
    index, _ = core.live_index().fresh()
    replaced = known_key(core, id)
    found = [] if vectors is None else kin_of(core.store, index, vectors[0], least_related(core))
    kin = [k for k in found if k.key != replaced]
    expires_at = None if old.expires_at is None else to_micros(old.expires_at)
    now, number = to_micros(datetime.now(UTC)), 0

    def also(keys: Sequence[int]) -> None:
        nonlocal number
        (key,) = keys
        live_note(core, id)  # under the write lock: another process may have been faster
        put_note(core.store, key, note.turn, note.source, note.session, note.tags, note.strength, expires_at)
        put_link(core.store, key, SUPERSEDES, replaced, 1.0, note.turn.speaker, "revised", now)
        core.store.set_states({replaced: RETIRED})
        number = add_act(core.store, "revise", f"{old.id} revised", {"ids": [old.id], "into": note.id})

    request, sha256 = Request(NOTES, note.id, [note.turn]), core.embedder.sha256
    fresh, linker = core.live_index().fresh, linker_of(core)
    while write_draft(core.store, fresh, linker, sha256, draft(core.store, request), vectors, also) is None:
        pass  # the store changed since the draft
    if not number:
        raise BadInput("This exact note was purged and cannot be added again. Reword it to keep it.")
    if vectors is not None:
        link_note(core, known_key(core, note.id), kin[:MOST_RELATED], now)
    archive_pending(core.archive_folder, core.store)
    return live_note(core, note.id), number


def retag_note(core: Core, id: str, tags: Iterable[str]) -> tuple[Note, int | None]:
    """Change a note's tags. Returns it with the act that `undo` undoes; no act if nothing changes."""
    wanted, old = checked_tags(tags, core.mask), live_note(core, id)
    if wanted == old.tags:
        return old, None
    with core.store.transaction():
        before = list(live_note(core, id).tags)
        put_tags(core, old.id, wanted)
        detail = {"ids": [old.id], "before": before, "after": list(wanted)}
        number = add_act(core.store, "retag", f"{old.id} retagged", detail)
    return live_note(core, id), number


def retag_notes(
    core: Core, ids: Iterable[str], add: Iterable[str] = (), remove: Iterable[str] = ()
) -> tuple[int, int | None]:
    """Add tags to notes or remove them, all or none. Returns how many changed, and the act that undoes it."""
    more, less = checked_tags(add, core.mask), set(checked_tags(remove, core.mask))
    with core.store.transaction():
        changed = []
        for note in (live_note(core, id) for id in dict.fromkeys(ids)):
            wanted = checked_tags(dict.fromkeys([*(t for t in note.tags if t not in less), *more]), core.mask)
            if wanted != note.tags:
                put_tags(core, note.id, wanted)
                changed.append({"id": note.id, "before": list(note.tags), "after": list(wanted)})
        if not changed:
            return 0, None
        act = add_act(core.store, "retag_many", f"{plural(len(changed), 'note')} retagged", {"notes": changed})
        return len(changed), act


def merge_notes(core: Core, ids: Iterable[str], into: str) -> int:
    """Replace notes with one of them; the others stay stored, superseded and not recalled. Returns the act."""
    now = to_micros(datetime.now(UTC))
    with core.store.transaction():
        kept = live_note(core, into)
        lost = [note for note in (live_note(core, id) for id in dict.fromkeys(ids)) if note.id != kept.id]
        if not lost:
            raise BadInput("Give at least two different notes to merge.")
        key = known_key(core, kept.id)
        keys = [known_key(core, note.id) for note in lost]
        for other in keys:
            put_link(core.store, key, SUPERSEDES, other, 1.0, "user", "merged", now)
        core.store.set_states(dict.fromkeys(keys, RETIRED))
        detail = {"ids": [note.id for note in lost], "into": kept.id, "is_linked": True}
        return add_act(core.store, "merge", f"{len(lost)} merged into {kept.id} by the user", detail)


def undo_retag_many(core: Core, act: Act) -> None:
    for one in act.detail.get("notes", ()):
        note = get_note(core, one["id"])
        if note is not None and list(note.tags) != one["after"]:
            raise BadInput(f"The tags of {note.id} were changed since. Undo that first.")
        if note is not None:
            put_tags(core, note.id, one["before"])


def undo_revise(core: Core, act: Act) -> None:
    """The old note is live again, and the new one leaves recall; both stay stored."""
    old, new = (segment_key(core, name) for name in (_one_note(act), act.detail.get("into", "")))
    if old is None:
        raise BadInput(f"Act {act.id} cannot be undone: the note it revised was purged.")
    states = {row["key"]: row["state"] for row in core.store.all("states_by_keys", keys=encode_keys([old, new or old]))}
    if new is not None and states[new] & ~FORGOTTEN != LIVE:
        raise BadInput(f"{act.detail['into']} was revised or set aside since. Undo that first.")
    for name in ("edge_delete", "link_delete"):
        core.store.run(name, src=new, kind=SUPERSEDES, dst=old)
    changed = {old: LIVE | states[old] & FORGOTTEN}
    core.store.set_states(changed if new is None else {**changed, new: RETIRED | states[new] & FORGOTTEN})


def undo_retag(core: Core, act: Act) -> None:
    id = _one_note(act)
    note = get_note(core, id)
    if note is None:
        raise BadInput(f"Act {act.id} cannot be undone: its note is forgotten or purged.")
    if list(note.tags) != act.detail["after"]:
        raise BadInput(f"The tags of {id} were changed since. Undo that first.")
    put_tags(core, id, act.detail["before"])


def _one_note(act: Act) -> str:
    """The id of the note that an act changed; empty if it was purged since."""
    return next(iter(act.detail.get("ids", ())), "")


UNDO: Undo = {"revise": undo_revise, "retag": undo_retag, "retag_many": undo_retag_many}
