"""Builds a new store from what is left of another: first the turns, then what was known and done about them."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...config.settings import load_config
from ...core.core import Core
from ...errors import EngrammaError
from ...forget.forget import Forgetting
from ...forget.purge import PURGING
from ...forget.select import Selection
from ...ingest.hide import set_hidden, touched_by, vectors_for
from ...ingest.link import linker_of
from ...ingest.pipeline import PreparedDrafts, Request, draft
from ...ingest.remember import remember_prepared
from ...ingest.waiting_segments import finish_pending
from ...language.text import plural, segment_id
from ...language.times import format_time, from_micros
from ...models.embed import Embedder
from ...models.segments import embed_segments
from ...namespaces.open import borrow_core
from ...people import USER
from ...records import Extra
from ...store.acts import acts_of_kind, add_act
from ...store.copy_tables import SqliteRows, Values, tables
from ...store.engine import DATABASE_FILE
from ...store.keys import TOMBSTONES
from ...store.sqlite.readable_rows import Remains
from ...store.store import ARCHIVED, FORGOTTEN, RETIRED, encode_keys
from ...transfer.annotations import extras as exported_extras
from ...transfer.annotations import notes_and_links, take_extras
from .leftovers import Left, LeftSession, Place, as_vector

GROUP_TURNS = 128  # embedded together
# Tables that are taken as they are: their rows name nothing that gets another number.
AS_THEY_ARE = ("namespaces", "tombstones", "captured", "users", "tokens", "grants", "audit", "llm_usage")
MOST_NUMBER = 1 << 31  # of a namespace: more than anybody makes
STATES = {ARCHIVED: "archived", RETIRED: "retired"}


@dataclass(slots=True)
class RebuiltStore:
    """What the new store has, and what of the old one it does not."""

    turns: Counter[str] = field(default_factory=Counter)  # by namespace
    purged: int = 0  # turns that were purged before: they stay out
    forgotten: int = 0
    notes: int = 0
    links: int = 0
    left_out: dict[str, int] = field(default_factory=dict)  # what is not carried over, and how many
    problems: list[str] = field(default_factory=list)


def rebuild_store(left: Left, target: Path, embedder: Embedder | None) -> RebuiltStore:
    """Fill a new store in a folder that has none."""
    built = RebuiltStore()
    lay_rows(left, target / DATABASE_FILE, built)
    names = sorted({place[0] for place in left.sessions} | {n for _, own, _ in left.databases for n in own.values()})
    for name in names or ["default"]:
        with borrow_core(target, name, embedder=embedder, config=load_config(target)) as core:
            say_again(core, left, built)
            hide_again(core, left, built)
            know_again(core, left, built)
            finish_pending(core)
            finish_purges(core, built)
    built.left_out = uncarried(left)
    return built


# --- rows that are taken as they are ---------------------------------------------------------------------


def lay_rows(left: Left, path: Path, built: RebuiltStore) -> None:
    """The new database with those rows of the old ones that can be taken over unchanged; the first to tell wins."""
    target = SqliteRows(path, write=True)
    try:
        listed = {table.name: table for table in tables()}
        numbers: dict[str, int] = {}
        for name in AS_THEY_ARE:
            rows: dict[Values, Values] = {}
            for remains, names, _ in left.databases:
                if name == "namespaces":
                    rows |= dict(named_rows(remains, names, numbers))
                elif all(numbers.get(own) == ns for ns, own in names.items()):  # else its numbers mean others
                    rows = remains.rows.get(name, {}) | rows
            target.append(listed[name], [rows[key] for key in sorted(rows, key=str)])
        kept: dict[str, Any] = {}
        for remains, _, _ in left.databases:
            for row in remains.of("meta"):
                if str(row["key"]).endswith("_key") and isinstance(row["value"], bytes) and row["value"]:
                    kept.setdefault(row["key"], row["value"])
        target.append(listed["meta"], sorted(kept.items()))
        if TOMBSTONES not in kept and target.count(listed["tombstones"]):
            target.clear(listed["tombstones"])  # hashes under a key that is gone say nothing
            built.problems.append("the key for purged turns cannot be read: an import may bring purged turns back")
        acts = {row["id"]: tuple(row.values()) for remains, _, _ in left.databases for row in forgettings(remains)}
        target.append(listed["acts"], [acts[id] for id in sorted(acts)])
    finally:
        target.close()


def named_rows(remains: Remains, names: Mapping[int, str], numbers: dict[str, int]) -> Iterator[tuple[Values, Values]]:
    """A row for each namespace, under the number that it has, unless another has it already."""
    made = {row["ns"]: row["created_at"] for row in remains.of("namespaces")}
    for ns, name in sorted(names.items()):
        if name not in numbers and ns not in numbers.values() and 0 < ns < MOST_NUMBER:  # else it gets another
            numbers[name] = ns
            yield (ns,), (ns, name, made.get(ns, 0))


def forgettings(remains: Remains) -> list[dict[str, Any]]:
    """Acts of forgetting that stand, and what was purged: the others' effects are in what they did."""
    standing = {"forget", "purge"}
    return [row for row in remains.of("acts") if row["kind"] in standing and row["undone_at"] is None]


# --- what was said ---------------------------------------------------------------------------------------


def say_again(core: Core, left: Left, built: RebuiltStore) -> None:
    """Remember every session of the namespace, with the vectors it had where its segments are the same again."""
    own = [(place, one) for place, one in sorted(left.sessions.items()) if place[0] == core.namespace and one.turns]
    group: list[tuple[Place, LeftSession]] = []
    for place, session in own:
        group.append((place, session))
        if sum(len(one.turns) for _, one in group) >= GROUP_TURNS:
            store_group(core, group, built)
            group = []
    if group:
        store_group(core, group, built)


def store_group(core: Core, group: Sequence[tuple[Place, LeftSession]], built: RebuiltStore) -> None:
    requests = [
        Request(
            conversation,
            session,
            tuple(left.turn for left in one.ordered()),
            one.closed,
            one.title,
            one.source,
            origin="salvage",
            mask=core.look,
        )
        for (_, conversation, session), one in group
    ]
    drafts = tuple(draft(core.store, request) for request in requests)
    known: list[Any] = []
    for planned, (_, one) in zip(drafts, group, strict=True):
        reuse = one.is_as_it_was and not planned.purged
        for row in planned.fresh:
            data = one.vectors.get((row.first, row.last)) if reuse else None
            known.append(None if data is None else as_vector(data, core.embedder.dimension))
    texts = [text for planned in drafts for text in planned.texts]
    missing = [n for n, vector in enumerate(known) if vector is None]
    made = embed_segments(core.embedder, [texts[n] for n in missing])
    for n, vector in zip(missing, made, strict=True):
        known[n] = vector
    vectors = np.stack(known) if known else made
    report = remember_prepared(core, PreparedDrafts(drafts, vectors))
    built.turns[core.namespace] += report.turns
    built.purged += report.purged_turns
    built.problems += [f"{problem.where}: {problem.reason}" for problem in report.problems]
    restore_states(core, group)


def restore_states(core: Core, group: Iterable[tuple[Place, LeftSession]]) -> None:
    """Segments that were set aside are so again."""
    states: dict[int, int] = {}
    for (_, conversation, session), one in group:
        aside = {span: state & ~FORGOTTEN for span, state in one.states.items() if state & ~FORGOTTEN}
        row = core.store.session(conversation, session)
        if aside and row is not None and one.missing == 0:
            states |= {
                s.key: aside[s.first, s.last] for s in core.store.segments(row.key) if (s.first, s.last) in aside
            }
    if states:
        with core.store.transaction():
            core.store.set_states(states)


# --- what was done about it ------------------------------------------------------------------------------


def hide_again(core: Core, left: Left, built: RebuiltStore) -> None:
    """Turns that were forgotten are hidden again, by the acts that hid them where these can be read."""
    store = core.store
    acts: dict[int, set[int]] = defaultdict(set)
    wanted = set()
    for place, session in left.sessions.items():
        hidden = {id for id, turn in session.turns.items() if turn.hidden}
        if place[0] == core.namespace and hidden:
            wanted |= {key for id, key in _turn_keys(core, place[1:]).items() if id in hidden}
    for remains, names, places in left.databases:
        standing = {row["id"] for row in forgettings(remains)}
        turns = {row["key"]: row for row in remains.of("turns") if names[row["ns"]] == core.namespace}
        for row in remains.of("hidings"):
            old = turns.get(row["turn"])
            if old is None or row["act"] not in standing or names.get(row["ns"]) != core.namespace:
                continue
            if (key := _turn_keys(core, places[old["session"]][1:]).get(old["id"])) in wanted:
                acts[row["act"]].add(key)
    if not wanted:
        return
    touched = touched_by(store, wanted, hidden=True)
    vectors = vectors_for(store, core.embedder, touched)
    fresh, linker = core.live_index().fresh, linker_of(core)
    with store.transaction():
        set_hidden(store, linker, fresh, wanted, True, touched, vectors)
        if rest := wanted - {key for keys in acts.values() for key in keys}:
            detail = {"turns": len(rest), "segments": 0, "repeats": 0, "query": None}
            acts[add_act(store, "forget", f"{plural(len(rest), 'turn')} forgotten before the salvage", detail)] = rest
        store.many("hiding_add", ({"turn": key, "act": act} for act, keys in acts.items() for key in sorted(keys)))
        for due in store.all("sessions_of_turns", keys=encode_keys(sorted(wanted))):
            store.run("session_unarchived", key=due["key"])
    built.forgotten += len(wanted)


def finish_purges(core: Core, built: RebuiltStore) -> None:
    """A purge that was interrupted is finished: its acts came along."""
    for act in acts_of_kind(core.store, "forget"):
        if act.detail.get(PURGING):
            try:
                Forgetting(core).purge(Selection(), act.id)
            except EngrammaError as error:
                built.problems.append(f"act {act.id}: {error}")


def _turn_keys(core: Core, place: tuple[str, ...]) -> dict[str, int]:
    row = core.store.session(*place)
    found = [] if row is None else core.store.all("turns_of_session", session=row.key)
    return {turn["id"]: turn["key"] for turn in found}


# --- what was known about it -----------------------------------------------------------------------------


def know_again(core: Core, left: Left, built: RebuiltStore) -> None:
    """What is known of notes, their repeats, typed links and users' decisions: told as an export tells it."""
    found: dict[tuple[str, ...], Extra] = {}
    for remains, names, places in left.databases:
        for extra in _told(core, remains, names, places):
            found.setdefault((extra.kind, *_identity(extra.fields)), extra)
    extras = notes_and_links(found.values())
    problems = take_extras(core, extras, "salvage") if extras else []
    built.problems += [f"{problem.where}: {problem.reason}" for problem in problems]
    kinds = Counter(one.kind for one in exported_extras(core))
    built.notes += kinds["note"]
    built.links += kinds["link"]


def _identity(fields: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(
        str(fields.get(name)) for name in ("id", "note", "source", "kind", "target", "person", "entity", "verdict")
    )


def _told(core: Core, remains: Remains, names: Mapping[int, str], places: Mapping[int, Place]) -> Iterator[Extra]:
    own = {ns for ns, name in names.items() if name == core.namespace}
    segments = {row["key"]: row for row in remains.of("segments") if row["ns"] in own}
    turns = {(row["session"], row["position"]): row["id"] for row in remains.of("turns") if row["ns"] in own}
    by_key = {row["key"]: (row["session"], row["id"]) for row in remains.of("turns") if row["ns"] in own}
    uses = {row["key"]: row for row in remains.of("uses") if row["ns"] in own}
    weights = {
        tuple(row[c] for c in ("src", "kind", "dst")): row["weight"] for row in remains.of("edges") if row["ns"] in own
    }

    def now(key: int) -> str | None:
        """The id that a segment has in the new store: that of the segment in which its first turn lies."""
        row = segments.get(key)
        place = None if row is None else places.get(row["session"])
        if row is None or place is None:
            return None
        keys = _turn_keys(core, place[1:])
        for position in range(row["first"], min(row["last"] + 1, row["first"] + len(turns))):
            if (turn := keys.get(turns.get((row["session"], position), ""))) is not None:
                return _segment_of(core, place[1:], turn)
        return None

    for row in remains.of("notes"):
        if row["ns"] in own and (id := now(row["key"])) is not None:
            state = STATES.get(segments[row["key"]]["state"] & ~FORGOTTEN, "live")
            yield Extra("note", _note_fields(id, row, uses.get(row["key"]), state), id)
    for row in remains.of("repeats"):
        if row["ns"] in own and not row["hidden"] and (id := now(row["key"])) is not None:
            kept = {name: row[name] for name in ("id", "speaker", "text", "source", "session", "similarity")}
            yield Extra("repeat", {"note": id, "said_at": _moment(row["said_at"]), **kept}, id)
    for row in remains.of("links"):
        if row["ns"] not in own or (source := now(row["src"])) is None or (target := now(row["dst"])) is None:
            continue
        weight = weights.get((row["src"], row["kind"], row["dst"]), row["weight"])
        kept = {name: row[name] for name in ("kind", "label", "author", "provenance")}
        ends = {"source": source, "target": target, "weight": weight, "first_weight": row["weight"]}
        yield Extra("link", {**ends, **kept, "made_at": _moment(row["made_at"])}, source)
    yield from _decided(remains, own, places, by_key)


def _note_fields(id: str, row: Mapping[str, Any], use: Mapping[str, Any] | None, state: str) -> dict[str, Any]:
    return {
        "id": id,
        "source": row["source"],
        "session": row["session"],
        "tags": json.loads(row["tags"]),
        "strength": row["strength"],
        "expires_at": _moment(row["expires_at"]),
        "recalls": 0 if use is None else use["hits"],
        "last_recalled": None if use is None else _moment(use["last_at"]),
        "state": state,
    }


def _decided(
    remains: Remains, own: set[int], places: Mapping[int, Place], by_key: Mapping[int, tuple[int, str]]
) -> Iterator[Extra]:
    """What users decided about whose things are the same."""
    rests: dict[int, list[list[str]]] = defaultdict(list)
    for row in remains.of("decision_turns"):
        session, id = by_key.get(row["turn"], (0, ""))
        if row["ns"] in own and session in places:
            rests[row["decision"]].append([*places[session][1:], id])
    for row in remains.of("decisions"):
        if row["ns"] in own and row["made_by"] == USER and not row["overruled"] and not row["undone"]:
            kept = {name: row[name] for name in ("verdict", "person", "entity", "reason")}
            lists = {name: json.loads(row[name]) for name in ("conversations", "evidence")}
            yield Extra("decision", {**kept, **lists, "turns": rests[row["key"]]}, row["person"])


def _segment_of(core: Core, place: tuple[str, ...], turn: int) -> str | None:
    conversation, session = place
    rows = core.store.all("segments_of_turns", keys=encode_keys([turn]))
    row = core.store.session(conversation, session)
    if not rows or row is None:
        return None
    return next(
        (segment_id(conversation, session, s.idx) for s in core.store.segments(row.key) if s.key == rows[0]["key"]),
        None,
    )


def _moment(micros: int | None) -> str | None:
    return None if micros is None else format_time(from_micros(micros))


def uncarried(left: Left) -> dict[str, int]:
    """What of the old database is not in the new one: it can be made again, or hangs on numbers that changed."""
    counts = Counter[str]()
    for remains, _, _ in left.databases[:1]:
        standing = {row["id"] for row in forgettings(remains)}
        counts["acts of other kinds than forgetting (their effect is kept but cannot be undone)"] = sum(
            row["id"] not in standing for row in remains.of("acts")
        )
        counts["topics (`engramma topics --find` finds them again)"] = len(remains.of("topics"))
        counts["your changes to entities: names, types, merges"] = len(remains.of("entity_words"))
        counts["claims made by a language model (it reads the conversations again if it is enabled)"] = sum(
            row["method"] != "rules" for row in remains.of("claims")
        )
        counts["repeats of notes that were forgotten"] = sum(row["hidden"] > 0 for row in remains.of("repeats"))
    return {name: count for name, count in counts.items() if count}
