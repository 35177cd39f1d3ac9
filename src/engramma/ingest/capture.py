"""Stores captured exchanges from the spool: only what is new, however often and in whatever order they come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from ..core.core import Core
from ..core.names import conversation_name
from ..language.text import PROXY
from ..language.times import from_micros
from ..records import RememberReport, Role, Turn
from ..redaction import Redaction
from ..store.captures import HISTORY, KEY, KNOWN, keyed
from ..store.keys import own_key
from ..store.masks import unmasked
from ..store.store import SessionRow, Store, session_row
from .capture_chain import ROOT, Home, Unit, find_conversation, new_units
from .link import linker_of
from .pipeline import Draft, Request, write_draft
from .remember import prepare_requests
from .validate import sifted_turns

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "tool": "tool"}


class _Changed(Exception):
    """Another process stored something of the conversation meanwhile."""


def store_exchange(core: Core, item: dict[str, Any]) -> RememberReport:
    """Store what is new of an item. A second time, or at the same time elsewhere, it adds nothing."""
    key = capture_key(core.store)
    while True:
        try:
            report = _store(core, item, key)
        except _Changed:
            continue
        if report is not None:
            return report


def _store(core: Core, item: dict[str, Any], key: bytes) -> RememberReport | None:
    """One try: what to store is settled first, and checked again under the write lock. None: the session changed."""
    database, idle = core.store, timedelta(minutes=core.config.idle_minutes)
    seen = sequence(database)
    home = find_conversation(database, item, key, round(idle.total_seconds() * 1_000_000))
    home = replace(home, conversation=conversation_name(core, home.conversation, core.mask))  # as it will be kept
    new, told = new_units(database, home, key)
    before = turn_count(database, home.conversation)
    now = from_micros(round(float(item["began"]) * 1_000_000))
    session = session_at(database, home.conversation, now, idle)
    turns = _turns_of(new, item)
    good, _ = sifted_turns(turns, core.config.max_turn_bytes, unmasked)  # masked before they were spooled
    carried = {turn.id: turn.redactions for turn in turns}
    good = [replace_redactions(turn, carried[turn.id]) for turn in good]
    request = Request(home.conversation, session, good, close=False, source=PROXY if not before else None)

    def note(planned: Draft | None) -> None:
        """Under the write lock: nothing has changed, and now it is known."""
        added = 0 if planned is None else len(planned.new_turns)
        if sequence(database) != seen or turn_count(database, home.conversation) != before + added:
            raise _Changed
        put_nodes(database, home, [*new, *told], item, key)
        database.put_meta(f"captured_{database.ns}", seen + 1)

    prepared = prepare_requests(core, [request]) if good else None
    planned = prepared.drafts[0] if prepared else None
    if prepared is None or planned is None or planned.idle:
        with database.transaction():
            note(None)
        return RememberReport(known_turns=len(home.known) + len(told))
    fresh, linker = core.live_index().fresh, linker_of(core)
    return write_draft(
        database, fresh, linker, core.embedder.sha256, planned, prepared.vectors, also=lambda keys: note(planned)
    )


def keep_out(core: Core, item: dict[str, Any]) -> None:
    """Note what was said by keyed hashes alone: from now on it counts as known, and nothing of it was stored."""
    key = capture_key(core.store)
    gap = round(timedelta(minutes=core.config.idle_minutes).total_seconds() * 1_000_000)
    with core.store.transaction():
        home = find_conversation(core.store, item, key, gap)
        unknown = [unit for unit in home.units if unit.node not in home.known]
        put_nodes(core.store, home, unknown, item, key)
        core.store.put_meta(f"captured_{core.store.ns}", sequence(core.store) + 1)


def capture_key(database: Store) -> bytes:
    if (key := database.meta(KEY)) is not None:
        return bytes(key)
    with database.transaction():
        return own_key(database, KEY)


def sequence(database: Store) -> int:
    """Counts what the capture has written: whoever plans by it sees whether others wrote meanwhile."""
    return int(database.meta(f"captured_{database.ns}") or 0)


def turn_count(database: Store, conversation: str) -> int:
    row = database.one("captured_turn_count", conversation=conversation)
    return int(row[0]) if row is not None else 0


def session_at(database: Store, conversation: str, now: datetime, idle: timedelta) -> str:
    """The sitting that was going on at a time, or the name of a new one: silence decides, as in a live session."""
    rows = [session_row(row) for row in database.all("sessions_of_conversation", conversation=conversation)]

    def fits(row: SessionRow) -> bool:
        return from_micros(row.started_at) - idle <= now <= from_micros(row.last_at) + idle

    going_on = max((row for row in rows if fits(row)), key=lambda row: (row.last_at, row.id), default=None)
    return going_on.id if going_on else now.strftime("%Y%m%dT%H%M%S.%fZ")


def _turns_of(units: Sequence[Unit], item: dict[str, Any]) -> list[Turn]:
    """Units as turns, under ids that follow from what was said and where."""
    turns = []
    for unit in units:
        meta = {"via": PROXY, "provider": str(item["provider"])}
        if unit.reply and item["model"]:
            meta["model"] = str(item["model"])
        if unit.own == HISTORY:
            meta["history"] = "yes"  # said before it was captured, nobody knows when
        if unit.reply and item["partial"]:
            meta["partial"] = "yes"
        if unit.kind != "talk":
            meta["kind"] = unit.kind
        speaker = unit.speaker or unit.role
        masked = tuple(Redaction(*one) for one in unit.redactions)
        id = f"p-{unit.node[:24]}"
        turns.append(Turn(speaker, unit.text, from_micros(unit.at), id, _ROLES[unit.role], meta, masked))
    return turns


def replace_redactions(turn: Turn, redactions: tuple[Redaction, ...]) -> Turn:
    """What was masked before the turn was spooled goes with it."""
    return Turn(turn.speaker, turn.text, turn.said_at, turn.id, turn.role, turn.meta, redactions)


def put_nodes(database: Store, home: Home, units: Sequence[Unit], item: dict[str, Any], key: bytes) -> None:
    """Note what is known now, and that the known was seen again, inside the caller's transaction."""
    began = round(float(item["began"]) * 1_000_000)
    again = [unit for unit in home.units if unit.node in home.known]
    rows = [
        {"node": u.node, "parent": u.parent, "pair": u.pair, "words": u.words, "own": u.own, "at": u.at} for u in units
    ]
    rows += [
        {"node": u.node, "parent": u.parent, "pair": u.pair, "words": u.words, "own": u.own, "at": began} for u in again
    ]
    talk = [unit for unit in home.units if unit.kind == "talk"]
    last = talk[-1].node if talk else home.start
    beside = {"parent": "", "pair": "", "own": KNOWN, "at": began}
    if item["reply_id"]:
        rows.append({**beside, "node": keyed(key, "reply", item["reply_id"]), "words": last})
    if item["previous"]:
        rows.append({**beside, "node": keyed(key, "awaited", item["previous"]), "words": ROOT})
    database.many("captured_put", ({**row, "talk": home.talk} for row in rows))
