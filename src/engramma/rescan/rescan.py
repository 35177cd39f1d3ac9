"""Masks secrets that were stored before masking, or under fewer rules."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ..core.core import ARCHIVE_FOLDER, Core
from ..errors import BadInput
from ..ingest.archive import archive_pending, find_due_sessions
from ..ingest.link import linker_of
from ..language.text import segment_id
from ..namespaces.namespaces import Namespaces
from ..people import tidy_loose
from ..records import RedactReport
from ..redaction import Redaction
from ..store.masks import masked_name
from ..store.store import LIVE, encode_keys
from ..topics.topic_store import name_again
from .annotations import RowChange, changes_beside, mask_beside
from .names import find_names, remove_strays
from .turns import FoundTurn, find_turns, reword

BEGUN = "redacting"  # in meta, with the namespace's number: rows were masked, files may still hold what was there


class Rescan:
    """Looks for secrets in what was stored before masking, or under fewer rules."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def run(self, apply: bool = False) -> RedactReport:
        """Look for secrets in what was stored before masking, or under fewer rules; with `apply`, mask them everywhere.

        Masked text permanently replaces what was said. If interrupted, the next call continues.
        """
        if not isinstance(apply, bool):
            raise BadInput(f"apply must be True or False, not {apply!r:.80}.")
        turns, beside = (
            list(find_turns(self._core.store, self._core.look)),
            changes_beside(self._core.store, self._core.look),
        )
        names = list(find_names(self._core.store, self._core.look))
        own = self._core.look(self._core.namespace).redactions
        begun = self._core.store.meta(self._begun) is not None
        if apply and (turns or beside or names or own or begun):
            if turns or beside or names or own:
                self._core.masking.make_key(self._core.store)
            report = self._reported(True, turns, beside, [*names, *([(0, own)] if own else [])], False)
            self._mask_rows(turns, {session for session, _ in names})
            begun = not self._mask_files()
            if own:
                Namespaces(self._core).rename(self._core.namespace, masked_name(self._core.namespace, self._core.look))
                self._core.wipe()
            return replace(report, unfinished=begun)
        return self._reported(apply, turns, beside, [*names, *([(0, own)] if own else [])], begun)

    # --- steps ---------------------------------------------------------------------------------

    @property
    def _begun(self) -> str:
        return f"{BEGUN}_{self._core.store.ns}"

    def _mask_rows(self, turns: list[FoundTurn], named: set[int]) -> None:
        """A transaction a session, then what stands beside the turns.

        What was set aside comes last: the index does not hold it, so only it can find the others, not they it.
        """
        store, fresh, linker, embedder = (
            self._core.store,
            self._core.live_index().fresh,
            linker_of(self._core),
            self._core.embedder,
        )
        rows = store.all("segments_of_turns", keys=encode_keys(sorted(found.key for found in turns)))
        apart = {row["session"] for row in rows if row["state"] != LIVE}
        for session in sorted({found.session for found in turns} | named, key=lambda key: (key in apart, key)):
            reword(store, embedder, fresh, linker, session, self._core.mask, self._note_begun)
        with store.transaction():
            if mask_beside(store, self._core.look):
                self._note_begun()
            topics = [row["id"] for row in store.all("topics_listed", id=None)]
            name_again(store, topics)  # a topic is named by words that may just have gone
        tidy_loose(store)

    def _note_begun(self) -> None:
        self._core.store.put_meta(self._begun, 1)

    def _mask_files(self) -> bool:
        """The text files, then everything that still holds deleted rows; False if not all of it could be written."""
        archive_pending(self._core.archive_folder, self._core.store)
        with self._core.store.transaction():
            remove_strays(
                self._core.path / ARCHIVE_FOLDER, self._core.store, everything=self._core.archive_folder is None
            )
        self._core.wipe()
        if find_due_sessions(self._core.store):
            return False
        with self._core.store.transaction():
            self._core.store.database.run("meta_delete", {"key": self._begun})
        return True

    def _reported(
        self,
        is_applied: bool,
        turns: list[FoundTurn],
        beside: list[RowChange],
        names: list[tuple[int, tuple[Redaction, ...]]],
        unfinished: bool,
    ) -> RedactReport:
        keys = encode_keys(sorted(found.key for found in turns))
        segments = {row["key"] for row in self._core.store.all("segments_of_turns", keys=keys)}
        at = {change.segment for change in beside if change.segment is not None}
        what = Counter(change.what for change in beside)
        finds = [found.redactions for found in turns] + [change.redactions for change in beside]
        finds += [found for _, found in names]
        rules = Counter(one.rule for some in finds for one in some)
        return RedactReport(
            is_applied,
            dict(sorted(rules.items(), key=lambda pair: (-pair[1], pair[0]))),
            turns=len(turns),
            segments=len(segments),
            sessions=len({found.session for found in turns} | {session for session, _ in names if session}),
            repeats=what["repeats"],
            titles=what["titles"],
            links=what["links"],
            acts=what["acts"],
            places=tuple(sorted(self._shown(segments | at))),
            unfinished=unfinished,
            names=len({session for session, _ in names}),
        )

    def _shown(self, keys: set[int]) -> set[str]:
        """The ids of segments as they will be: a report tells no secret either."""
        rows = self._core.store.all("segments_by_keys", keys=encode_keys(sorted(keys)))
        named = (
            (masked_name(row["conversation"], self._core.look), masked_name(row["session_id"], self._core.look))
            for row in rows
        )
        return {segment_id(*names, row["idx"]) for names, row in zip(named, rows, strict=True)}
