"""The queue of what a model has not read yet: durable, resumed anywhere, every piece read once.

What waits is what was written since (`extracted`), so writers never wait for a model and cannot lose anything to it.
A piece's claims, its mark as read and its cost are one transaction: killed at any point, a run goes on where it was.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...language.text import DOCUMENTS
from ...models.chat import BadReply, ModelUnreachable
from ...models.llm import LLM, LLMSettings
from ...store.sqlite.database import Row
from ...store.store import Store, encode_keys
from ..claims.store import AROUND, BLOCK, put_claims, put_mentions
from ..entities.entities import Mention, Resolver, tidy
from .costs import DailyLimit, charge, today
from .extract import ReplyReading, read_reply
from .pieces import BEFORE, TalkPiece, cut_block, piece_hash, segments_of
from .prompt import PROMPT_VERSION, SCHEMA, messages, reminder

PAGE = 64  # waiting blocks looked up together
TRIES = 5  # of a block before the piece that fails is left out, if the server answers others
MOST_TRIES = 12  # the same if it does not: more than a week
FIRST_WAIT, LONGEST_WAIT = 60, 86_400  # seconds before another try; four times as long each time
IN_A_ROW = 3  # failures after which the server is believed to be ill
LAST = 1 << 62  # beyond every session's key


@dataclass(slots=True)
class Drained:
    """What a run came to, and why it ended."""

    blocks: int = 0
    pieces: int = 0
    requests: int = 0
    answered: int = 0
    failed: int = 0
    unreadable: int = 0
    proposed: int = 0
    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    model_seconds: float = 0.0
    ended: str = "done"  # done, stopped, limit, daily limit, busy, or why the server could not be asked


@dataclass(frozen=True, slots=True)
class QueueRun:
    """What a run works with."""

    store: Store
    llm: LLM  # counted
    settings: LLMSettings
    has_secret: Callable[[str], bool]
    is_over: Callable[[], bool] = lambda: False
    progress: Callable[[float, int, Drained], None] = lambda done, total, so_far: None
    most_pieces: int | None = None


class _End(Exception):
    """The run ends here, for this reason."""


class _Changed(Exception):
    """Somebody wrote to the block meanwhile: it will come again."""


def drain(worker: QueueRun) -> Drained:
    """Read what waits until nothing does, a limit is reached, or the server cannot be asked."""
    report, total = Drained(), counts(worker.store)["waiting"]
    in_a_row = 0
    try:
        for session, block, changes in _waiting(worker.store):
            try:
                _read_block(worker, report, session, block, changes, total)
                report.blocks, in_a_row = report.blocks + 1, 0
            except _Changed:
                continue
            except BadReply as error:
                report.failed, in_a_row = report.failed + 1, in_a_row + 1
                if in_a_row == IN_A_ROW:
                    raise _End(str(error)) from error
            worker.progress(report.blocks, total, report)
    except (_End, ModelUnreachable, DailyLimit) as end:
        report.ended = str(end)
    return report


def _waiting(store: Store) -> Iterator[tuple[int, int, int]]:
    """Blocks that wait, the newest first: what is said today does not wait for the years before."""
    session, block = LAST, 0
    while True:
        place = {"session": session, "block": block, "documents": DOCUMENTS}
        rows = store.all("llm_waiting", now=_micros(), limit=PAGE, **place)
        for row in rows:
            session, block = row["session"], row["block"]
            yield session, block, row["changes"]
        if len(rows) < PAGE:
            return


def counts(store: Store) -> dict[str, int]:
    """How many blocks there are, wait, wait for another try, belong to open sessions, and fail."""
    row = store.one("llm_counts", now=_micros(), documents=DOCUMENTS)
    return {} if row is None else {name: int(value) for name, value in dict(row).items()}


def _read_block(worker: QueueRun, report: Drained, session: int, block: int, changes: int, total: int) -> None:
    """Read every piece of a block that was not read yet."""
    store, place = worker.store, {"session": session, "block": block}
    with store.snapshot():
        state = store.one("llm_block", **place)
        if state is None or state["changes"] != changes:
            raise _Changed
        first = max(0, block * BLOCK - BEFORE)
        rows = store.all("extraction_turns", session=session, first=first, beyond=(block + 1) * BLOCK)
        people = [row["speaker"] for row in store.all("extraction_people", session=session, **AROUND)]
        known = {row["piece"] for row in store.all("llm_pieces_of", **place)}
        segments = segments_of(store, session, worker.settings.chunks)
    shown = [row for row in rows if not row["hidden"]]
    skip = sum(row["position"] < block * BLOCK for row in shown)
    pieces = cut_block(shown, skip, worker.settings.chunks, worker.settings.chunk_turns, segments)
    hashes = [piece_hash(piece, worker.llm.model, PROMPT_VERSION) for piece in pieces]
    for number, (piece, name) in enumerate(zip(pieces, hashes, strict=True)):
        if name in known:
            continue
        if worker.is_over():
            raise _End("stopped")
        if worker.most_pieces is not None and report.pieces >= worker.most_pieces:
            raise _End("limit")
        try:
            reading = _asked(worker, report, piece, str(state["conversation"]), str(state["id"]), people)
        except BadReply:
            # Whether the piece or the server is ill, other replies tell; one that nothing is known of gets longer.
            if state["tries"] + 1 < (TRIES if report.answered else MOST_TRIES):
                wait = min(FIRST_WAIT * 4 ** state["tries"], LONGEST_WAIT)
                with store.transaction():
                    until = _micros() + wait * 1_000_000
                    store.run("llm_block_failed", tries=state["tries"] + 1, wait_until=until, **place)
                raise
            reading = None
        _write(worker, report, session, block, changes, name, piece, shown, reading)
        worker.progress(report.blocks + (number + 1) / len(pieces), total, report)
    with store.transaction():
        now = store.one("llm_block", **place)
        if now is None or now["changes"] != changes:
            raise _Changed
        store.run("llm_pieces_tidy", pieces=json.dumps(hashes), **place)
        store.run("llm_block_done", changes=changes, **place)


def _asked(
    worker: QueueRun, report: Drained, piece: TalkPiece, conversation: str, session: str, people: Sequence[str]
) -> ReplyReading:
    """What a model says of a piece; asked a second time if its reply is no JSON."""
    question, model = messages(piece), worker.llm.model
    reading = ReplyReading(is_readable=False)
    for asked in (question, reminder(question)):
        begun = time.monotonic()
        report.requests += 1
        try:
            reply = worker.llm.complete(asked, schema=SCHEMA)
        except DailyLimit:
            report.requests -= 1  # it was not sent
            raise
        finally:
            report.model_seconds += time.monotonic() - begun
        report.answered += 1
        report.prompt_tokens += reply.prompt_tokens
        report.completion_tokens += reply.completion_tokens
        reading = read_reply(reply.text, piece, conversation, session, people, model, worker.has_secret)
        reading.dropped["cut"] += reply.is_cut
        if reading.is_readable:
            break
    return reading


def _write(
    worker: QueueRun,
    report: Drained,
    session: int,
    block: int,
    changes: int,
    name: str,
    piece: TalkPiece,
    shown: Sequence[Row],
    reading: ReplyReading | None,
) -> None:
    """What was read of a piece, its mark and its count, in one transaction, if nobody changed the block meanwhile."""
    store, place, model = worker.store, {"session": session, "block": block}, worker.llm.model
    ids = {part.turn.id for part in piece.parts}
    rows = [row for row in shown if row["id"] in ids]
    found = reading if reading is not None else ReplyReading()
    outcome = "failed" if reading is None else "read" if reading.is_readable else "unreadable"
    with store.transaction():
        now = store.one("llm_block", **place)
        if now is None or now["changes"] != changes:
            raise _Changed
        _replace(store, session, block, piece, rows, found)
        counted = {"proposed": found.proposed, "kept": len(found.claims)}
        done: dict[str, Any] = {"piece": name, "model": model, "outcome": outcome, "read_at": _micros(), **counted}
        store.run("llm_piece_done", dropped=json.dumps(+found.dropped), **place, **done)
        charge(store, today(), model, **counted)
    report.pieces += 1
    report.unreadable += outcome == "unreadable"
    report.proposed += found.proposed
    report.kept += len(found.claims)
    report.dropped.update(+found.dropped)


def _replace(
    store: Store, session: int, block: int, piece: TalkPiece, rows: Sequence[Row], found: ReplyReading
) -> None:
    """What models said of a piece before goes, and what was read now comes, inside the caller's transaction."""
    # A long turn is read in parts: what was read of the others stays.
    whole = [row for row in rows if all(part.start == 0 for part in piece.parts if part.turn.id == row["id"])]
    turns = encode_keys([row["key"] for row in whole])
    before = [row["entity"] for row in store.all("llm_mentions", turns=turns)]
    if store.run("llm_claims_drop", turns=turns) or before:
        store.run("llm_mentions_drop", turns=turns)
        store.run("llm_rules_again", session=session, block=block)
    known = {row["id"] for row in store.all("claim_ids", session=session, block=block)}
    fresh = [claim for claim in found.claims if claim.id not in known]
    resolver = Resolver(store)
    named = set(put_claims(store, session, block, rows, fresh, resolver, made_by=1))
    named |= _entities(resolver, rows, found)
    put_mentions(store, session, block, named, made_by=1)
    store.many("llm_mention_own", ({"entity": m.entity, "turn": m.turn, "called": m.name} for m in named))
    tidy(store, set(before))


def _entities(resolver: Resolver, rows: Sequence[Row], found: ReplyReading) -> set[Mention]:
    """Where the entities that a model names stand, under each of their names."""
    mentions = set()
    for entity in found.entities:
        places = [(row, called) for row in rows for called in (entity.name, *entity.aliases) if called in row["text"]]
        if places:  # an entity that nothing names would be nobody's
            key = resolver.find(entity.name, entity.type)
            mentions |= {Mention(key, row["key"], called) for row, called in places}
    return mentions


def _micros() -> int:
    return time.time_ns() // 1000
