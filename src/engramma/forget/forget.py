"""Forgets turns: hides them first, then deletes them from every file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..core.core import ARCHIVE_FOLDER, Core
from ..core.names import find_stored_name, segment_key
from ..core.undo import Undo
from ..errors import BadInput
from ..ingest.archive import archive_pending, remove_archive
from ..ingest.hide import set_hidden, touched_by, vectors_for
from ..ingest.link import linker_of
from ..ingest.reshape import SessionShape, remove_turns, reshape
from ..ingest.strip_lists import strip_lists
from ..language.text import plural, shorten
from ..language.times import readable
from ..people import tidy_loose
from ..records import Act, Forgotten
from ..store.acts import acts_of_kind, add_act, get_act
from ..store.copies import copies_of
from ..store.store import SessionRow, encode_keys, session_row, turn_of
from ..store.tombstones import bury
from ..topics.topic_store import name_again
from .purge import list_segment_ids, remove_whole, scrub_acts
from .select import Selection, checked_wish, chosen_turns, fold_text, repeats_saying

SAMPLE = 10  # turns of a preview
SHOWN = 160  # characters of each
PURGING = "purging"  # in the detail of an act of forgetting: a purge of it has begun


class Forgetting:
    """Forgets turns: hides them first, which can be undone, then deletes them from every file."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def forget(self, bounds: Selection, preview: bool = False) -> Forgotten:
        """Hide what meets all bounds; `undo` brings it back. With `preview`, only report what that would be."""
        wish = self._wish(bounds)
        hidden = set(self._core.store.keys("hidden_turns").tolist())
        turns = chosen_turns(self._core.store, wish, partial(segment_key, self._core))
        repeats = self._repeats(wish)
        told = self._told(turns - hidden, len(repeats))
        return (
            told if preview or not (told.turns or repeats) else self._hide(turns, repeats, told, wish.query, anew=True)
        )

    def purge(self, bounds: Selection, act: int | None = None) -> Forgotten:
        """Take what meets the bounds, or what an act of forgetting hid, out of every file for good.

        An interrupted purge has hidden all of it, and the next purge finishes it first.
        """
        phrase = None  # the words asked for: the act does not keep them if a secret is among them
        for begun in acts_of_kind(self._core.store, "forget"):
            if begun.detail.get(PURGING) and begun.id != act:
                self._take_out(begun)
        if act is None:
            wish = self._wish(bounds)
            chosen, repeats = (
                chosen_turns(self._core.store, wish, partial(segment_key, self._core)),
                self._repeats(wish),
            )
            if not (chosen or repeats):
                return self._told(set(), 0)
            act = self._hide(chosen, repeats, self._told(chosen, len(repeats)), wish.query).act
            assert act is not None
            phrase = wish.query
        found = get_act(self._core.store, act)
        if found is None or found.kind != "forget":
            raise BadInput(f"Act {act} did not forget anything. `engramma acts` lists them.")
        if found.undone_at is not None:
            raise BadInput(f"Act {act} was undone: it no longer hides anything.")
        turns = set(self._core.store.keys("hidings_of_act", act=act).tolist())
        told = self._told(turns, int(found.detail.get("repeats", 0)))
        self._take_out(found, phrase)
        backups = copies_of(self._core.path)
        return Forgotten(act, told.turns, told.segments, told.sessions, told.repeats, (), purged=True, backups=backups)

    # --- steps ---------------------------------------------------------------------------------

    def _wish(self, wish: Selection) -> Selection:
        """A wish, checked, by the names under which things are stored."""
        wish = checked_wish(wish)
        return replace(
            wish,
            speaker=None if wish.speaker is None else find_stored_name(self._core, "speaker", wish.speaker),
            conversation=None
            if wish.conversation is None
            else find_stored_name(self._core, "conversation", wish.conversation),
            session=None if wish.session is None else find_stored_name(self._core, "session", wish.session),
        )

    def _repeats(self, wish: Selection) -> list[tuple[int, str]]:
        """Repeats of notes that a query means; other bounds do not know them."""
        if wish.query is None or wish.ids is not None or wish.bounded:
            return []
        return repeats_saying(self._core.store, fold_text(wish.query))

    def _told(self, turns: set[int], repeats: int) -> Forgotten:
        """What forgetting some turns would take away."""
        listed = encode_keys(sorted(turns))
        segments = len({row["key"] for row in self._core.store.all("segments_of_turns", keys=listed)})
        sessions = len(self._core.store.all("sessions_of_turns", keys=listed))
        rows = self._core.store.all("turns_by_keys", keys=listed)
        sample = tuple(
            shorten(f"[{readable(turn.said_at)}] {turn.speaker}: {turn.text}", SHOWN)  # type: ignore[arg-type]
            for turn in map(turn_of, rows[:SAMPLE])
        )
        return Forgotten(None, len(turns), segments, sessions, repeats, sample)

    def _hide(
        self,
        turns: set[int],
        repeats: Sequence[tuple[int, str]],
        told: Forgotten,
        query: str | None,
        anew: bool = False,
    ) -> Forgotten:
        """Hide turns and repeats. The words asked for stay with the act, until a purge takes them everywhere.

        With `anew`, nothing is done if others have hidden all of it meanwhile: of two who forget, one did it.
        """
        store, fresh = self._core.store, self._core.live_index().fresh
        linker, embedder = linker_of(self._core), self._core.embedder
        while True:
            touched = touched_by(store, turns, hidden=True)
            vectors = vectors_for(store, embedder, touched)
            fresh()
            try:
                with store.transaction():
                    if anew and not repeats and turns <= set(store.keys("hidden_turns").tolist()):
                        return self._told(set(), 0)
                    if touched_by(store, turns, hidden=True) != touched:
                        continue  # something was said in one of the sessions meanwhile
                    kept = None if query and self._core.look(query).redactions else query
                    detail = {"turns": told.turns, "segments": told.segments, "repeats": len(repeats), "query": kept}
                    act = add_act(store, "forget", f"{plural(told.turns, 'turn')} forgotten on request", detail)
                    set_hidden(store, linker, fresh, turns, True, touched, vectors)
                    store.many("hiding_add", ({"turn": key, "act": act} for key in sorted(turns)))
                    store.many("repeat_hidden", ({"key": key, "id": id, "act": act} for key, id in repeats))
                    self._archive_anew(turns)
            except BaseException:
                linker.reach.forget()
                raise
            archive_pending(self._core.archive_folder, store)
            return Forgotten(act, told.turns, told.segments, told.sessions, len(repeats), told.sample)

    def restore(self, act: Act) -> None:
        """What only this act hides comes back, inside the caller's transaction."""
        store = self._core.store
        if act.detail.get(PURGING):
            raise BadInput(f"A purge of act {act.id} has started: some of it is gone. `engramma purge` finishes it.")
        turns = set(store.keys("hidden_by_act_alone", act=act.id).tolist())
        touched = touched_by(store, turns, hidden=False)
        vectors = vectors_for(store, self._core.embedder, touched)
        set_hidden(store, linker_of(self._core), self._core.live_index().fresh, turns, False, touched, vectors)
        store.run("hidings_drop_act", act=act.id)
        store.run("repeats_shown", act=act.id)
        self._archive_anew(turns)

    def _archive_anew(self, turns: set[int]) -> None:
        """The text files of these turns' sessions are due again."""
        for row in self._core.store.all("sessions_of_turns", keys=encode_keys(sorted(turns))):
            self._core.store.run("session_unarchived", key=row["key"])

    def _take_out(self, act: Act, phrase: str | None = None) -> None:
        """Session by session, then the pages, the indexes and the files they were in; goes on where it stopped."""
        store, fresh, linker, embedder = (
            self._core.store,
            self._core.live_index().fresh,
            linker_of(self._core),
            self._core.embedder,
        )
        turns = set(store.keys("hidings_of_act", act=act.id).tolist())
        gone = {row["key"] for row in store.all("segments_of_turns", keys=encode_keys(sorted(turns))) if row["state"]}
        sessions = [session_row(row) for row in store.all("sessions_of_turns", keys=encode_keys(sorted(turns)))]
        with store.transaction():
            begun = self._begin_purge(act, turns, list_segment_ids(store, gone), sessions)
            strip_lists(store, linker, gone)
        whole = set(remove_whole(store, sessions, turns, self._core.look))
        for row in sessions:
            if row.key not in whole:
                reshape(store, embedder, fresh, linker, row, remove_turns(turns), partial(self._bury, row))
        for conversation, session in begun["sessions"]:
            if self._core.archive_folder is None or store.session(conversation, session) is None:
                lost = SessionRow(0, conversation, session, 0, 0, closed=True, linked=True, archived=True)
                remove_archive(self._core.path / ARCHIVE_FOLDER, store.namespace, lost)
        with store.transaction():
            words = phrase or begun["query"]
            scrub_acts(store, act.id, frozenset(begun["ids"]), fold_text(words) if words else None)
            store.run("topics_drop_empty")
            name_again(store, begun["topics"])  # a topic is named by words that may just have gone
            done = json.dumps({PURGING: True, "turns": begun["turns"]})  # all is out but for the files
            reason = f"{plural(begun['turns'], 'turn')} forgotten, then purged"
            store.run("act_scrub", id=act.id, reason=reason, detail=done)
        tidy_loose(store)  # names that only the purged turns gave
        archive_pending(self._core.archive_folder, store)
        self._core.wipe()
        with store.transaction():
            store.run("act_kind", id=act.id, kind="purge")

    def _begin_purge(
        self, act: Act, turns: set[int], ids: frozenset[str], sessions: Sequence[SessionRow]
    ) -> dict[str, Any]:
        """What the steps after the first need to know, written down: they may be taken by another process."""
        keys = {row["key"] for row in self._core.store.all("segments_of_turns", keys=encode_keys(sorted(turns)))}
        topics = [row["topic"] for row in self._core.store.all("topics_by_keys", keys=encode_keys(sorted(keys)))]
        before = act.detail
        named = {(row.conversation, row.id) for row in sessions} | {(a, b) for a, b in before.get("sessions", ())}
        begun = {
            PURGING: True,
            "turns": before.get("turns", len(turns)),
            "query": before.get("query"),
            "ids": sorted({*before.get("ids", ()), *ids}),
            "topics": sorted({*before.get("topics", ()), *topics}),
            "sessions": sorted(named),
        }
        self._core.store.run("act_scrub", id=act.id, reason=act.reason, detail=json.dumps(begun, ensure_ascii=False))
        return begun

    def _bury(self, row: SessionRow, done: SessionShape) -> None:
        bury(self._core.store, row.conversation, row.id, done.dropped_turns, self._core.look)


UNDO: Undo = {"forget": lambda core, act: Forgetting(core).restore(act)}
