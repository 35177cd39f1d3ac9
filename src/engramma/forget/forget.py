"""Forgets turns: hides them first, then deletes them from every file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..core.core import Core
from ..core.names import find_stored_name
from ..core.undo import Undo
from ..errors import BadInput, StoreError, StoreNotWritable
from ..ingest.archive import archive_pending
from ..ingest.hide import set_hidden, touched_by, vectors_for
from ..ingest.link import linker_of
from ..language.text import fold_text, plural, shorten
from ..language.times import local_minute
from ..records import Act, Forgotten
from ..store.acts import acts_of_kind, add_act, get_act, no_such_act
from ..store.copies import copies_of
from ..store.store import encode_keys, turn_of
from .purge import PURGING, purge_act
from .select import Selection, checked_wish, chosen_turns, repeats_saying

SAMPLE = 10  # turns of a preview
SHOWN = 160  # characters of each
UNFINISHED = (
    "The purge is not finished: what it takes is hidden, but some of it may still stand in the memory's files. Run it "
    "again when the reason is gone."
)


class Forgetting:
    """Forgets turns: hides them first, which can be undone, then deletes them from every file."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def forget(self, bounds: Selection, preview: bool = False) -> Forgotten:
        """Hide what meets all bounds; `undo` brings it back. With `preview`, only report what that would be."""
        wish = self._wish(bounds)
        hidden = set(self._core.store.keys("hidden_turns").tolist())
        turns = chosen_turns(self._core, wish)
        repeats = self._repeats(wish)
        told = self._told(turns - hidden, len(repeats))
        return (
            told if preview or not (told.turns or repeats) else self._hide(turns, repeats, told, wish.query, anew=True)
        )

    def purge(self, bounds: Selection, act: int | None = None, preview: bool = False) -> Forgotten:
        """Take what meets the bounds, or what an act of forgetting hid, out of every file for good.

        It is hidden before anything else is done. An interrupted purge has hidden all of it, and the next purge
        finishes it. With `preview`, only report what would go.
        """
        if preview:
            return self._purge_preview(bounds, act)
        interrupted = [
            one for one in acts_of_kind(self._core.store, "forget") if one.detail.get(PURGING) and one.id != act
        ]
        try:
            found, told = self._hidden_to_purge(bounds, interrupted) if act is None else self._hidden_by(act)
        except BadInput:  # what it names may have gone with what was interrupted
            for one in interrupted:
                self._finish(one)
            raise
        for one in interrupted:
            self._finish(one)
        if found is None:
            return self._told_before(interrupted[-1]) if interrupted else told
        # the words asked for: the act does not keep them if a secret is among them
        if not self._finish(found, bounds.query if act is None else None) and act is not None:
            raise purged_already(act)
        backups = copies_of(self._core.path)
        return Forgotten(found.id, told.turns, told.segments, told.sessions, told.repeats, (), True, backups)

    # --- steps ---------------------------------------------------------------------------------

    def _hidden_to_purge(self, bounds: Selection, interrupted: Sequence[Act]) -> tuple[Act | None, Forgotten]:
        """An act that hides what meets the bounds, and what it hides; none if there is nothing to hide.

        What an interrupted purge has hidden is its own.
        """
        store, wish = self._core.store, self._wish(bounds)
        chosen = chosen_turns(self._core, wish)
        chosen.difference_update(*(store.keys("hidings_of_act", act=one.id).tolist() for one in interrupted))
        repeats = self._repeats(wish)
        if not (chosen or repeats):
            return None, self._told(set(), 0)
        told = self._hide(chosen, repeats, self._told(chosen, len(repeats)), wish.query, to_purge=True)
        assert told.act is not None
        return get_act(store, told.act), told

    def _finish(self, act: Act, phrase: str | None = None) -> bool:
        """Purge an act; what stops it says that some of it is left."""
        try:
            return purge_act(self._core, act, phrase)
        except OSError as error:
            raise StoreNotWritable(f"{UNFINISHED} The reason: {error}.") from error
        except StoreError as error:
            raise type(error)(f"{UNFINISHED} The reason: {error}") from error

    def _told_before(self, act: Act) -> Forgotten:
        """What a purge took that was interrupted and is finished now."""
        return Forgotten(act.id, act.detail["turns"], 0, 0, 0, (), purged=True, backups=copies_of(self._core.path))

    def _purge_preview(self, bounds: Selection, act: int | None) -> Forgotten:
        """What a purge would take away: also what is hidden already."""
        if act is not None:
            return self._hidden_by(act)[1]
        wish = self._wish(bounds)
        turns = chosen_turns(self._core, wish)
        return self._told(turns, len(self._repeats(wish)))

    def _hidden_by(self, act: int) -> tuple[Act, Forgotten]:
        """An act that forgot something, and what it hides."""
        if not isinstance(act, int) or isinstance(act, bool) or not 0 < act < 2**63:
            raise BadInput(f"An act's id is its number in `acts`, not {act!r:.80}.")
        found = get_act(self._core.store, act)
        if found is None:
            raise no_such_act(act)
        if found.kind == "purge":
            raise purged_already(act)
        if found.kind != "forget":
            raise BadInput(f"Act {act} did not forget anything. `engramma acts` lists them.")
        if found.undone_at is not None:
            raise BadInput(f"Act {act} was undone: it no longer hides anything.")
        turns = set(self._core.store.keys("hidings_of_act", act=act).tolist())
        return found, self._told(turns, int(found.detail.get("repeats", 0)))

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
            shorten(f"[{local_minute(turn.said_at)}] {turn.speaker}: {turn.text}", SHOWN)  # type: ignore[arg-type]
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
        to_purge: bool = False,
    ) -> Forgotten:
        """Hide turns and repeats. The words asked for stay with the act, until a purge takes them everywhere.

        With `anew`, nothing is done if others have hidden all of it meanwhile: of two who forget, one did it. With
        `to_purge`, whoever comes after a crash knows that it is to be purged.
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
                    detail |= {PURGING: True} if to_purge else {}
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


def purged_already(act: int) -> BadInput:
    """The error for an act of which nothing is left to purge."""
    return BadInput(f"Act {act} is purged already: nothing of it is left.")


UNDO: Undo = {"forget": lambda core, act: Forgetting(core).restore(act)}
