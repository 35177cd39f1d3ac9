"""Acts: lists what was done to a memory other than writing, and undoes it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

from ..core.core import Core
from ..core.undo import Undo
from ..errors import BadInput, EmbedderAway
from ..ingest.archive import archive_pending
from ..language.quoting import name_line
from ..language.times import check_moment, from_micros, readable, to_micros
from ..records import Act
from ..store.acts import act_of, get_act, latest_acts, no_such_act
from ..store.store import encode_keys
from .plan import KINDS
from .undo import sweep_note_files

_ENTITY = re.compile(r"(?:entity )?\b(\d+)\b")  # of a reason that says nothing else in numbers
EVER = -(2**63)  # a clock may have stood before 1970
SOMEBODY = "somebody"  # whom only an act that was undone since gave a name


class Acts:
    """What was done other than writing. A table says, for every kind of act, how to undo it."""

    def __init__(self, core: Core, table: Undo) -> None:
        self._core, self._table = core, table

    def all(self, limit: int = 50) -> list[Act]:
        """What was done to this memory other than writing, with reasons, newest first."""
        if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit < 2**63:
            raise BadInput(f"limit must be a number from 1, not {limit!r:.80}.")
        return self._in_words(latest_acts(self._core.store, limit))

    def latest_undoable(self) -> Act | None:
        """The newest act that can be undone and was not: what `engramma undo` takes back without a number."""
        rows = self._core.store.all("acts_standing", kinds=json.dumps(list(self._table)), since=EVER)
        return self._in_words([act_of(rows[0])])[0] if rows else None

    def undo(self, act_id: int) -> Act:
        """Undo an act: everything is as if it had not been done. Returns the act, marked as undone."""
        if not isinstance(act_id, int) or isinstance(act_id, bool) or not 0 < act_id < 2**63:
            raise BadInput(f"An act's id is its number in `acts`, not {act_id!r:.80}.")
        if self._core.embedder.known is None:
            with suppress(EmbedderAway):  # a new store takes its embedder in a transaction of its own
                self._core.embedder.reach()
        try:
            with self._core.store.transaction():
                act = self._standing(act_id)
                take_back = self._table.get(act.kind)
                if take_back is None:
                    raise BadInput(f"Act {act_id} ({act.kind}) cannot be undone.")
                take_back(self._core, act)
                now = to_micros(datetime.now(UTC))
                self._core.store.run("act_undone", id=act_id, at=now)
                self._core.store.run("reviewed_drop", act=act_id)
        except BaseException:
            self._core.forget_reach()  # it may have learnt from what was rolled back
            raise
        if act.kind == "consolidate":
            sweep_note_files(self._core, [act])
        archive_pending(self._core.archive_folder, self._core.store)
        return replace(act, undone_at=from_micros(now))

    def undo_all(self, kind: str | None = None, since: datetime | None = None) -> list[Act]:
        """Undo acts, the newest first: all of the steward's, or of one kind, or since a time.

        What cannot be undone because something depends on it is left as it is.
        """
        if since is not None:
            check_moment("since", since)
        if kind is not None and kind not in self._table:
            raise BadInput(f"There are no acts of kind {kind!r:.80} that can be undone.")
        kinds = json.dumps(KINDS if kind is None else [kind])
        rows = self._core.store.all("acts_standing", kinds=kinds, since=EVER if since is None else to_micros(since))
        undone = []
        for row in rows:
            with suppress(BadInput):
                undone.append(self.undo(row["id"]))
        return undone

    def _in_words(self, acts: Sequence[Act]) -> list[Act]:
        """Acts whose reasons call entities by their names of today. They are stored by numbers, so that no act keeps a
        name that is purged."""
        keys = {key for act in acts for key in act.detail.get("entities", ())}
        rows = self._core.store.all("entities_get", keys=encode_keys(keys)) if keys else []
        names = {str(row["key"]): name_line(row["name"]) for row in rows}
        return [_named(act, names) for act in acts]

    def _standing(self, act_id: int) -> Act:
        act = get_act(self._core.store, act_id)
        if act is None:
            raise no_such_act(act_id)
        if act.undone_at is not None:
            raise BadInput(f"Act {act_id} ({act.kind}) was already undone, on {readable(act.undone_at)} UTC.")
        return act


def _named(act: Act, names: Mapping[str, str]) -> Act:
    """An act whose reason says names for the numbers of entities."""
    entities = act.detail.get("entities")
    if not entities:
        return act
    if act.undone_at is not None and act.detail.get("what") == "me" and entities[-1] in entities[:-1]:
        return replace(act, reason=_ENTITY.sub(SOMEBODY, act.reason))  # today's name is "user", or another's
    return replace(act, reason=_ENTITY.sub(lambda found: names.get(found[1], found[0]), act.reason))
