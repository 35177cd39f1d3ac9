"""What a memory does about secrets that were stored before they were masked."""

from __future__ import annotations

from collections import Counter

from .errors import BadInput
from .ingest.archive import archive_pending, due
from .ingest.purge import ids_of
from .ingest.reword import Found, find_turns, remove_strays, reword
from .ingest.reword_beside import Change, changes_beside, mask_beside
from .parts import ARCHIVE_FOLDER, Parts
from .records import RedactReport
from .steward.topics import name_again
from .store.store import LIVE, as_json

BEGUN = "redacting"  # in meta, with the namespace's number: rows were masked, files may still hold what was there


class RedactCalls(Parts):
    """Calls about redaction."""

    def redact_stored(self, apply: bool = False) -> RedactReport:
        """Look for secrets in what was stored before masking, or under fewer rules; with `apply`, mask them everywhere.

        Masked text replaces what was said for good. Interrupted, the next call goes on; done, the next finds nothing.
        """
        if not isinstance(apply, bool):
            raise BadInput(f"apply must be True or False, not {apply!r:.80}.")
        turns, beside = list(find_turns(self.store, self._look)), changes_beside(self.store, self._look)
        begun = self.store.meta(self._begun) is not None
        if apply and (turns or beside or begun):
            self._mask_rows(turns)
            begun = not self._mask_files()
        return self._reported(apply, turns, beside, begun)

    # --- steps ---------------------------------------------------------------------------------

    @property
    def _begun(self) -> str:
        return f"{BEGUN}_{self.store.ns}"

    def _mask_rows(self, turns: list[Found]) -> None:
        """A transaction a session, then what stands beside the turns.

        What was laid aside comes last: the index does not hold it, so only it can find the others, not they it.
        """
        store, fresh, linker, embedder = self.store, self._fresh_index().fresh, self._linker(), self.embedder
        rows = store.all("segments_of_turns", keys=as_json(sorted(found.key for found in turns)))
        apart = {row["session"] for row in rows if row["state"] != LIVE}
        for session in sorted({found.session for found in turns}, key=lambda key: (key in apart, key)):
            reword(store, embedder, fresh, linker, session, self.mask, self._note_begun)
        with store.transaction():
            if mask_beside(store, self._look):
                self._note_begun()
            topics = [row["id"] for row in store.all("topics_listed", id=None)]
            name_again(store, topics)  # a topic is named by words that may just have gone

    def _note_begun(self) -> None:
        self.store.put_meta(self._begun, 1)

    def _mask_files(self) -> bool:
        """The text files, then everything that still holds deleted rows; False if not all of it could be written."""
        folder = self.path / ARCHIVE_FOLDER
        archive_pending(folder, self.store)
        with self.store.transaction():
            remove_strays(folder, self.store)
        self.wipe()
        if due(self.store):
            return False
        with self.store.transaction():
            self.store.database.run("meta_delete", {"key": self._begun})
        return True

    def _reported(self, is_applied: bool, turns: list[Found], beside: list[Change], unfinished: bool) -> RedactReport:
        keys = as_json(sorted(found.key for found in turns))
        segments = {row["key"] for row in self.store.all("segments_of_turns", keys=keys)}
        at = {change.segment for change in beside if change.segment is not None}
        what = Counter(change.what for change in beside)
        finds = [*(found.redactions for found in turns), *(change.redactions for change in beside)]
        rules = Counter(one.rule for some in finds for one in some)
        return RedactReport(
            is_applied,
            dict(sorted(rules.items(), key=lambda pair: (-pair[1], pair[0]))),
            turns=len(turns),
            segments=len(segments),
            sessions=len({found.session for found in turns}),
            repeats=what["repeats"],
            titles=what["titles"],
            links=what["links"],
            acts=what["acts"],
            places=tuple(sorted(ids_of(self.store, segments | at))),
            unfinished=unfinished,
        )
