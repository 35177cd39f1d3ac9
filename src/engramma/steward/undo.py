"""Undoes the steward's acts, each inside the transaction of `Acts.undo`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress

from ..core.core import ARCHIVE_FOLDER, Core
from ..core.names import segment_key
from ..core.undo import Undo
from ..errors import BadInput
from ..index.scan import FaissIndex
from ..index.union import JoinedIndex
from ..ingest.archive import remove_archive
from ..ingest.link import linker_of, unlink
from ..language.text import NOTES
from ..records import Act
from ..store.acts import act_of
from ..store.store import FORGOTTEN, SessionRow, encode_keys
from .run import revive_segments

SUPERSEDES = "supersedes"


def undo_laid_aside(core: Core, act: Act) -> None:
    revive_segments(core.store, _keys_in(core, act), act.kind)


def undo_merge(core: Core, act: Act) -> None:
    keys = _keys_in(core, act)
    kept = segment_key(core, act.detail.get("into", ""))
    if kept is not None and act.detail.get("is_linked"):
        for lost in keys:
            for name in ("edge_delete", "link_delete"):
                core.store.run(name, src=kept, kind=SUPERSEDES, dst=lost)
    revive_segments(core.store, keys, act.kind)


def undo_consolidate(core: Core, act: Act) -> None:
    sources = _keys_in(core, act)
    id = act.detail.get("into", "")
    if (key := segment_key(core, id)) is not None:
        remove_canonical(core, act, id, key, sources)
    revive_segments(core.store, sources, act.kind)


def remove_canonical(core: Core, act: Act, id: str, key: int, sources: Sequence[int]) -> None:
    """The canonical note goes as if it had never been; what repeated it goes to its newest source."""
    resting = core.store.all("acts_resting_on", id=act.id, named=json.dumps(id))
    if resting:
        named = ", ".join(f"{row['id']} ({row['kind']})" for row in resting[:5])
        raise BadInput(f"Act {act.id} made {id}, which later acts depend on: {named}. Undo those first.")
    (row,) = core.store.all("segments_by_keys", keys=encode_keys([key]))
    if row["state"] & FORGOTTEN:
        raise BadInput(f"Act {act.id} made {id}, which was forgotten since. Undo that first.")
    unlink(core.store, linker_of(core), everything(core), [key])
    if sources:
        core.store.run("repeats_copy", key=key, to=sources[-1])
    core.store.remove_segment(key)
    core.store.run("canonical_turns_delete", session=row["session"])
    core.store.run("canonical_session_delete", session=row["session"])


def everything(core: Core) -> JoinedIndex:
    """What is live and what is not: near lists hold both."""
    live, _ = core.live_index().fresh()
    apart = FaissIndex(live.dimension)
    keys = encode_keys(core.store.keys("keys_not_live").tolist())
    apart.add(*core.store.vectors("embeddings_by_keys", live.dimension, keys=keys))
    return JoinedIndex(live, apart)


def _keys_in(core: Core, act: Act) -> list[int]:
    """The segments an act set aside that are still stored."""
    keys = (segment_key(core, id) for id in act.detail.get("ids", ()))
    return [key for key in keys if key is not None]


def sweep_note_files(core: Core, acts: Sequence[Act] | None = None) -> None:
    """Remove the text files of canonical notes that are no more; also what an interrupted undo left."""
    if acts is None:
        acts = [act_of(row) for row in core.store.all("acts_undone", kinds=json.dumps(["consolidate"]))]
    for id in (act.detail.get("into") for act in acts):
        if id and core.store.session(NOTES, id) is None:
            gone = SessionRow(0, NOTES, id, 0, 0, closed=True, linked=True, archived=True)
            with suppress(OSError):
                remove_archive(core.path / ARCHIVE_FOLDER, core.namespace, gone)


UNDO: Undo = {
    "expire": undo_laid_aside,
    "prune": undo_laid_aside,
    "archive": undo_laid_aside,
    "merge": undo_merge,
    "consolidate": undo_consolidate,
}
