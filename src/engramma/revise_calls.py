"""What a memory does to change a note: what was written stays as it is, and what is new stands beside it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from .errors import BadInput
from .ingest.archive import archive_pending
from .ingest.note_rows import put_note
from .ingest.notes import MOST_RELATED, kin_of, put_link
from .ingest.pipeline import Request, draft, write
from .models.segments import embed_or_wait
from .note_calls import NoteCalls, checked_tags
from .records import Act, Note, Turn
from .store.acts import add_act
from .store.store import FORGOTTEN, LIVE, RETIRED, as_json
from .text import NOTES, labelled
from .times import to_micros

SUPERSEDES = "supersedes"


class ReviseCalls(NoteCalls):
    """Calls that change notes."""

    def revise(
        self, id: str, text: str, *, tags: Iterable[str] | None = None, speaker: str | None = None
    ) -> tuple[Note, int]:
        """Put a new note in the place of another: the old one leaves recall and stays stored, as superseded.

        Returns the new note and the act, which `undo` takes back. Tags, source and strength are the old one's.
        """
        old = self._live_note(id)
        turn = Turn(speaker or old.speaker, text, datetime.now(UTC))
        kept = old.tags if tags is None else tags
        note = self._written(turn, kept, None, old.source, old.session, old.strength)
        if note.turn.text == old.text:
            raise BadInput(f"{old.id} says exactly this already. Give other words, or change its tags alone.")
        vectors = embed_or_wait(self.embedder, [(labelled([(note.turn.speaker, note.turn.text)]),)])
        index, _ = self._fresh_index().fresh()
        replaced = self._known_key(id)
        found = [] if vectors is None else kin_of(self.store, index, vectors[0], self._related_from())
        kin = [k for k in found if k.key != replaced]
        expires_at = None if old.expires_at is None else to_micros(old.expires_at)
        now, number = to_micros(datetime.now(UTC)), 0

        def also(keys: Sequence[int]) -> None:
            nonlocal number
            (key,) = keys
            self._live_note(id)  # under the write lock: another process may have been faster
            put_note(self.store, key, note.turn, note.source, note.session, note.tags, note.strength, expires_at)
            put_link(self.store, key, SUPERSEDES, replaced, 1.0, note.turn.speaker, "revised", now)
            self.store.set_states({replaced: RETIRED})
            number = add_act(self.store, "revise", f"{old.id} revised", {"ids": [old.id], "into": note.id})

        request, sha256 = Request(NOTES, note.id, [note.turn]), self.embedder.sha256
        fresh, linker = self._fresh_index().fresh, self._linker()
        while write(self.store, fresh, linker, sha256, draft(self.store, request), vectors, also) is None:
            pass  # the store changed since the draft
        if not number:
            raise BadInput("This very note was purged and stays out. Say it in other words to keep it.")
        if vectors is not None:
            self._auto_link(self._known_key(note.id), kin[:MOST_RELATED], now)
        archive_pending(self._archive_folder, self.store)
        return self._live_note(note.id), number

    def retag(self, id: str, tags: Iterable[str]) -> tuple[Note, int | None]:
        """Give a note other tags. Returns it with the act, which `undo` takes back; no act if nothing changes."""
        wanted, old = checked_tags(tags, self.mask), self._live_note(id)
        if wanted == old.tags:
            return old, None
        with self.store.transaction():
            before = list(self._live_note(id).tags)
            self._put_tags(old.id, wanted)
            detail = {"ids": [old.id], "before": before, "after": list(wanted)}
            number = add_act(self.store, "retag", f"{old.id} tagged anew", detail)
        return self._live_note(id), number

    def retag_many(
        self, ids: Iterable[str], add: Iterable[str] = (), remove: Iterable[str] = ()
    ) -> tuple[int, int | None]:
        """Put tags on notes, or take them off, all or none. Returns how many changed, and the act that undoes it."""
        more, less = checked_tags(add, self.mask), set(checked_tags(remove, self.mask))
        with self.store.transaction():
            changed = []
            for note in map(self._live_note, dict.fromkeys(ids)):
                wanted = checked_tags(dict.fromkeys([*(t for t in note.tags if t not in less), *more]), self.mask)
                if wanted != note.tags:
                    self._put_tags(note.id, wanted)
                    changed.append({"id": note.id, "before": list(note.tags), "after": list(wanted)})
            if not changed:
                return 0, None
            act = add_act(self.store, "retag_many", f"{len(changed)} notes tagged anew", {"notes": changed})
            return len(changed), act

    def merge_notes(self, ids: Iterable[str], into: str) -> int:
        """Let one note stand for others, which leave recall and stay stored, as superseded. Returns the act."""
        now = to_micros(datetime.now(UTC))
        with self.store.transaction():
            kept = self._live_note(into)
            lost = [note for note in map(self._live_note, dict.fromkeys(ids)) if note.id != kept.id]
            if not lost:
                raise BadInput("Name at least two different notes to merge.")
            key = self._known_key(kept.id)
            keys = [self._known_key(note.id) for note in lost]
            for other in keys:
                put_link(self.store, key, SUPERSEDES, other, 1.0, "user", "merged", now)
            self.store.set_states(dict.fromkeys(keys, RETIRED))
            detail = {"ids": [note.id for note in lost], "into": kept.id, "is_linked": True}
            return add_act(self.store, "merge", f"{len(lost)} merged into {kept.id} by the user", detail)

    def _undo_retag_many(self, act: Act) -> None:
        for one in act.detail.get("notes", ()):
            note = self.note(one["id"])
            if note is not None and list(note.tags) != one["after"]:
                raise BadInput(f"The tags of {note.id} were changed since. Undo that first.")
            if note is not None:
                self._put_tags(note.id, one["before"])

    def _undo_revise(self, act: Act) -> None:
        """The old note is live again, and the new one leaves recall; both stay stored."""
        old, new = (self._segment_key(name) for name in (*act.detail.get("ids", [""]), act.detail.get("into", "")))
        if old is None:
            raise BadInput(f"Act {act.id} cannot be undone: the note it revised was purged.")
        states = {row["key"]: row["state"] for row in self.store.all("states_by_keys", keys=as_json([old, new or old]))}
        if new is not None and states[new] & ~FORGOTTEN != LIVE:
            raise BadInput(f"{act.detail['into']} was revised or laid aside since. Undo that first.")
        for name in ("edge_delete", "link_delete"):
            self.store.run(name, src=new, kind=SUPERSEDES, dst=old)
        changed = {old: LIVE | states[old] & FORGOTTEN}
        self.store.set_states(changed if new is None else {**changed, new: RETIRED | states[new] & FORGOTTEN})

    def _undo_retag(self, act: Act) -> None:
        (id,) = act.detail.get("ids", [""])
        note = self.note(id)
        if note is None:
            raise BadInput(f"Act {act.id} cannot be undone: its note is forgotten or purged.")
        if list(note.tags) != act.detail["after"]:
            raise BadInput(f"The tags of {id} were changed since. Undo that first.")
        self._put_tags(id, act.detail["before"])

    def _put_tags(self, id: str, tags: Iterable[str]) -> None:
        self.store.run("note_retag", key=self._known_key(id), tags=json.dumps(list(tags), ensure_ascii=False))

    def _live_note(self, id: str) -> Note:
        note = self.note(id)
        if note is None:
            raise BadInput(f"There is no note {id!r:.200} in this memory. Only notes can be changed.")
        if note.state != "live":
            newer = [link.source for link in self._links_at([self._known_key(id)]) if link.kind == SUPERSEDES]
            where = next((f" {source} took its place." for source in newer if source != note.id), "")
            raise BadInput(f"{note.id} is {note.state}, so it is not changed any more.{where}")
        return note
