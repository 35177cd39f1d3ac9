"""The write side: turns -> checked -> segmented -> embedded -> stored and linked in one transaction.

Where the embedder is away, segments are stored without vectors and wait for them (ingest/waiting_segments.py); a
session is in the graph when all its segments have theirs.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.core import Core
from ..errors import EmbedderMismatch
from ..index.vector_index import VectorIndex
from ..language.text import KINDS, NOTES, digest, fit_title, labelled
from ..language.times import to_micros
from ..models.embed import Embedder, Progress
from ..models.segments import embed_or_wait
from ..records import Problem, RememberReport, Turn
from ..store.captures import told_by_capture
from ..store.masks import Mask, unmasked
from ..store.store import FORGOTTEN, SegmentRow, SessionRow, Store, encode_keys, turn_of
from ..store.tombstones import buried, is_title_buried
from .archive import archive_pending
from .known_turns import differing, same_words, told_elsewhere, under_other_ids
from .link import Linker, chain, link_session, linker_of, search, unlink
from .note_rows import put_note
from .segment import segment

Fresh = Callable[[], tuple[VectorIndex, int]]  # an index that knows the store up to a change


@dataclass(frozen=True, slots=True)
class Request:
    """One session to remember, its turns already checked.

    `origin` is the file it is imported from: a known turn that has other words there is a problem to report,
    not a reason to refuse the rest. `anywhere`: turns are known in whatever session of the conversation they stand.
    `mask` is how they were masked: what was stored before that is compared by it.
    """

    conversation: str
    session: str
    turns: Sequence[Turn]
    close: bool = True
    title: str | None = None
    source: str | None = None
    origin: str | None = None
    anywhere: bool = False
    mask: Mask = unmasked


@dataclass(frozen=True, slots=True)
class Draft:
    """What a request would add, seen from one state of the store."""

    request: Request
    row: SessionRow | None
    known: int  # turns the session had when the draft was made
    repeated: int  # turns of the request that were among them, or in another session of the conversation
    purged: int  # turns of the request that were purged before and not added again
    new_turns: tuple[Turn, ...]
    stale: tuple[SegmentRow, ...]  # segments that grow and are stored anew
    fresh: tuple[SegmentRow, ...]  # segments to add; their key is not known yet
    texts: tuple[tuple[str, ...], ...]  # what to embed for them: their turns
    problems: tuple[Problem, ...] = ()  # known turns that an import has with other words
    asked: tuple[Turn, ...] = ()  # turns that the session does not have
    told: frozenset[str | None] = frozenset()  # those of them that stand elsewhere in the conversation

    @property
    def idle(self) -> bool:
        """Nothing to write: everything was known."""
        closes = self.request.close and self.row is not None and not self.row.linked
        return not self.new_turns and not closes


def draft(store: Store, request: Request) -> Draft:
    """Compare a request with what the store knows. Writes nothing."""
    with store.snapshot():
        row = store.session(request.conversation, request.session)
        rows = store.all("turns_of_session", session=row.key) if row else []
        segments = store.segments(row.key) if row else []
    turns = [turn_of(found) for found in rows]
    hidden = {found["id"] for found in rows if found["hidden"]}
    known = {turn.id: turn for turn in turns}
    repeated = [turn for turn in request.turns if turn.id in known]
    others = [turn for turn in repeated if not same_words(known[turn.id], turn)]
    place = (request.conversation, request.session)
    problems = tuple(differing(request.origin, *place, known[turn.id], turn) for turn in others)
    same = under_other_ids(turns, request.turns, request.mask)
    new = tuple(turn for turn in request.turns if turn.id not in known and turn.id not in same)
    asked, told = new, told_already(store, request, new)
    new = tuple(turn for turn in new if turn.id not in told)
    gone = buried(store, request.conversation, request.session, new)
    new = tuple(turn for turn in new if turn.id not in gone)
    everything = [*turns, *new]
    spans = {(s.kind, s.first, s.last): s for s in segment(everything, KINDS.get(request.conversation))}
    stale = tuple(s for s in segments if (s.kind, s.first, s.last) not in spans)
    kept = {(s.kind, s.first, s.last) for s in segments}
    fresh, texts = [], []
    for idx, span in enumerate(spans.values()):
        if (span.kind, span.first, span.last) in kept:
            continue
        said_at = to_micros(everything[span.first].said_at)  # type: ignore[arg-type]  # checked before
        tie = tie_of(request.conversation, request.session, idx)
        fresh.append(SegmentRow(0, idx, span.kind, span.first, span.last, said_at, tie))
        shown = [t for t in everything[span.first : span.last + 1] if t.id not in hidden]
        texts.append(tuple(labelled([(t.speaker, t.text)]) for t in shown))
    again = len(repeated) + len(same) + len(told)
    return Draft(
        request, row, len(turns), again, len(gone), new, stale, tuple(fresh), tuple(texts), problems, asked, told
    )


def told_already(store: Store, request: Request, turns: Sequence[Turn]) -> frozenset[str | None]:
    """Which of these turns other sessions of the conversation have, or the capture under ids of its own."""
    if not request.anywhere:
        return frozenset()
    elsewhere = told_elsewhere(store, request.conversation, request.session, turns)
    rest = [turn for turn in turns if turn.id not in elsewhere]
    return frozenset(elsewhere | told_by_capture(store, request.conversation, rest))


@dataclass(frozen=True, slots=True)
class PreparedDrafts:
    """Drafts with the vectors of what they would add: all that can be done before the write lock is taken."""

    drafts: tuple[Draft, ...]
    vectors: NDArray[np.float16] | None  # None: the embedder is away


def prepare_drafts(
    store: Store, embedder: Embedder, requests: Iterable[Request], progress: Progress | None = None
) -> PreparedDrafts:
    """Look what a group of sessions would add, and embed it in one run. Writes nothing."""
    drafts = tuple(draft(store, request) for request in requests)
    return PreparedDrafts(drafts, embed_or_wait(embedder, [turns for d in drafts for turns in d.texts], progress))


def _remember(
    store: Store, embedder: Embedder, fresh: Fresh, linker: Linker, prepared: PreparedDrafts
) -> RememberReport:
    """Store a group of sessions, one transaction each."""
    report = RememberReport()
    at = 0
    for planned in prepared.drafts:
        own = None if prepared.vectors is None else prepared.vectors[at : at + len(planned.texts)]
        at += len(planned.texts)
        while (part := write_draft(store, fresh, linker, embedder.sha256, planned, own)) is None:
            # Another process wrote to this session since the draft: look again, embed what changed.
            planned = draft(store, planned.request)
            own = embed_or_wait(embedder, planned.texts)
        report = add_reports(report, part)
    return report


def store_prepared(core: Core, prepared: PreparedDrafts) -> RememberReport:
    """Store what was prepared, let an external engine know, and write the text files that are due."""
    report = _remember(core.store, core.embedder, core.live_index().fresh, linker_of(core), prepared)
    if (engine := core.engine()) is not None:
        engine.written()
    archive_pending(core.archive_folder, core.store)
    return report


def write_draft(
    store: Store,
    fresh: Fresh,
    linker: Linker,
    embedder_sha: str,
    planned: Draft,
    vectors: NDArray[np.float16] | None,
    also: Callable[[Sequence[int]], None] | None = None,
) -> RememberReport | None:
    """Store one draft. None if the session has changed since it was made.

    Without vectors its segments wait for them. `also` is called with the new segments' keys before the transaction
    ends.
    """
    request = planned.request
    if planned.idle:
        return RememberReport(known_turns=planned.repeated, purged_turns=planned.purged, problems=planned.problems)
    pending = unlinked_segments(store, planned) if request.close else []
    index, seq = fresh()
    linkable, to_link = to_be_linked(store, pending, vectors, index.dimension)
    searched = search(index, seq, to_link, linker.floor) if to_link is not None and request.close else None
    try:
        with store.transaction():
            if not same_state(store, planned, pending):
                return None
            if (vectors is not None and len(vectors)) or (to_link is not None and len(to_link)):
                check_embedder(store, embedder_sha)
            new_conversation = store.one("conversation_get", id=request.conversation) is None
            title = request.title and fit_title(request.title)  # masked before: no half of a secret is left
            if title and is_title_buried(store, request.conversation, title):
                title = None
            store.run("conversation_put", id=request.conversation, title=title, source=request.source)
            session = planned.row or add_session(store, planned)
            if planned.stale:
                unlink(store, linker, fresh()[0], [s.key for s in planned.stale])
            store.add_turns(session.key, planned.known, planned.new_turns)
            keys = replace_segments(store, session, planned, vectors)
            last = max((to_micros(t.said_at) for t in planned.new_turns if t.said_at), default=session.last_at)
            store.run("session_touch", key=session.key, last_at=last, closed=int(request.close), linked=0)
            edges = 0
            if also is not None:
                also(keys)
            if request.conversation == NOTES:
                for key, turn in zip(keys, planned.new_turns, strict=True):
                    put_note(store, key, turn)
            if searched is not None and to_link is not None:
                edges = link_session(store, linker, session, [*linkable, *keys], to_link, searched)
            elif request.close:
                edges = chain(store, session.key)  # the rest of the graph comes with the vectors
    except BaseException:
        linker.reach.forget()  # it may have learnt from what was rolled back
        raise
    return RememberReport(
        conversations=int(new_conversation),
        sessions=int(planned.row is None),
        turns=len(planned.new_turns),
        segments=len(keys) - len(planned.stale),
        edges=edges,
        known_turns=planned.repeated,
        purged_turns=planned.purged,
        problems=planned.problems,
        redactions=Counter(found.rule for turn in planned.new_turns for found in turn.redactions),
        waiting=len(keys) if vectors is None else 0,
    )


# --- steps -----------------------------------------------------------------------------------------


def add_session(store: Store, planned: Draft) -> SessionRow:
    first = planned.new_turns[0].said_at
    assert first is not None
    store.run(
        "session_add",
        conversation=planned.request.conversation,
        id=planned.request.session,
        started_at=to_micros(first),
        captured_at=time.time_ns() // 1000,
    )
    row = store.session(planned.request.conversation, planned.request.session)
    assert row is not None
    return row


def replace_segments(
    store: Store, session: SessionRow, planned: Draft, vectors: NDArray[np.float16] | None
) -> list[int]:
    """Store the fresh segments in place of the stale ones; returns their keys."""
    for row in planned.stale:
        store.remove_segment(row.key)
    return store.add_segments(session.key, planned.fresh, vectors)


def unlinked_segments(store: Store, planned: Draft) -> list[int]:
    """Segments of the session that were stored while it was open and stay as they are."""
    if planned.row is None:
        return []
    gone = {s.key for s in planned.stale}
    waiting = set(store.keys("keys_unlinked").tolist())
    return [s.key for s in store.segments(planned.row.key) if s.key in waiting and s.key not in gone]


def to_be_linked(
    store: Store, pending: Sequence[int], vectors: NDArray[np.float16] | None, dimension: int
) -> tuple[list[int], NDArray[np.float16] | None]:
    """The stored segments that are to be linked, and the vectors of these and of the new ones; None for the vectors
    where one of them is still missing. What is forgotten is not missed."""
    keys, stored = store.vectors("embeddings_by_keys", dimension, keys=encode_keys(pending))
    visible = {row["key"] for row in store.all("states_by_keys", keys=encode_keys(pending)) if row["state"] < FORGOTTEN}
    if vectors is None or visible - set(keys.tolist()):
        return [], None
    return keys.tolist(), np.concatenate([stored, vectors])


def same_state(store: Store, planned: Draft, pending: Sequence[int]) -> bool:
    """Is the session still as the draft saw it, and what it adds told nowhere else? Asked under the write lock."""
    request = planned.request
    if told_already(store, request, planned.asked) != planned.told:
        return False
    row = store.session(planned.request.conversation, planned.request.session)
    if row is None or planned.row is None:
        return row is planned.row
    count = store.one("turn_count", session=row.key)
    assert count is not None
    same = (row.closed, row.linked) == (planned.row.closed, planned.row.linked) and count[0] == planned.known
    return same and (not planned.request.close or unlinked_segments(store, planned) == list(pending))


def check_embedder(store: Store, sha256: str) -> None:
    """Vectors of two models never meet in one store, even if it is reindexed while we write."""
    if store.meta("embedder_sha256") != sha256:
        raise EmbedderMismatch(
            "The store was meanwhile reindexed with another embedder. Nothing was stored: open it again."
        )


def tie_of(conversation: str, session: str, idx: int) -> int:
    return int.from_bytes(digest(conversation, session, str(idx))[:4], "big")


def add_reports(a: RememberReport, b: RememberReport) -> RememberReport:
    return RememberReport(
        a.conversations + b.conversations,
        a.sessions + b.sessions,
        a.turns + b.turns,
        a.segments + b.segments,
        a.edges + b.edges,
        a.known_turns + b.known_turns,
        a.purged_turns + b.purged_turns,
        a.problems + b.problems,
        dict(sorted((Counter(a.redactions) + Counter(b.redactions)).items())),
        a.waiting + b.waiting,
    )
