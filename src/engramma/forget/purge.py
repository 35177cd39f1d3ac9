"""Purges what was forgotten: from its sessions, the log, topics, the archive, freed pages and the vector indexes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from ..core.core import ARCHIVE_FOLDER, Core
from ..ingest.archive import remove_archive, write_due
from ..ingest.link import linker_of
from ..ingest.reshape import SessionShape, remove_turns, reshape
from ..ingest.strip_lists import strip_lists
from ..language.text import fold_text, plural, segment_id
from ..people import tidy_purged
from ..records import Act
from ..store.acts import get_act
from ..store.masks import Mask, unmasked
from ..store.store import SessionRow, Store, encode_keys, session_row, turn_of
from ..store.tombstones import bury
from ..topics.topic_store import name_again
from .titles import drop_title, drop_titles_saying, tidy_conversation

PURGING = "purging"  # in the detail of an act of forgetting: a purge of it has begun
TOGETHER = 256  # sessions a transaction: what an interrupt can cost


def purge_act(core: Core, act: Act, phrase: str | None = None) -> bool:
    """Session by session, then the pages, the indexes and the files they were in; goes on where it stopped.

    Whether it was this call that finished it: of two purges of one act at once, one did.
    """
    store, fresh, linker, embedder = core.store, core.live_index().fresh, linker_of(core), core.embedder
    turns = set(store.keys("hidings_of_act", act=act.id).tolist())
    gone = {row["key"] for row in store.all("segments_of_turns", keys=encode_keys(sorted(turns))) if row["state"]}
    sessions = [session_row(row) for row in store.all("sessions_of_turns", keys=encode_keys(sorted(turns)))]
    with store.transaction():
        begun = _begin(store, act, turns, list_segment_ids(store, gone), sessions)
        strip_lists(store, linker, gone)
    whole = set(remove_whole(store, sessions, turns, core.look))
    for row in sessions:
        if row.key not in whole:
            reshape(store, embedder, fresh, linker, row, remove_turns(turns), partial(_bury, core, row))
    for conversation, session in begun["sessions"]:
        if core.archive_folder is None or store.session(conversation, session) is None:
            lost = SessionRow(0, conversation, session, 0, 0, closed=True, linked=True, archived=True)
            remove_archive(core.path / ARCHIVE_FOLDER, store.namespace, lost)
    with store.transaction():
        words = phrase or begun["query"]
        scrub_acts(store, act.id, frozenset(begun["ids"]), fold_text(words) if words else None)
        store.run("topics_drop_empty")
        name_again(store, begun["topics"])  # a topic is named by words that may just have gone
        done = json.dumps({PURGING: True, "turns": begun["turns"]})  # all is out but for the files
        reason = f"{plural(begun['turns'], 'turn')} purged"
        store.run("act_scrub", id=act.id, reason=reason, detail=done)
    tidy_purged(store)  # names that only the purged turns gave
    write_due(core.archive_folder, store)  # a file that keeps its old words would be no purge
    core.wipe()  # freed pages, the indexes' vectors, their caches
    with store.transaction():
        scrub_decisions(store)
        left = get_act(store, act.id)
        store.run("act_kind", id=act.id, kind="purge")
    return left is not None and left.kind != "purge"


def _begin(
    store: Store, act: Act, turns: set[int], ids: frozenset[str], sessions: Sequence[SessionRow]
) -> dict[str, Any]:
    """What the steps after the first need to know, written down: they may be taken by another process."""
    keys = {row["key"] for row in store.all("segments_of_turns", keys=encode_keys(sorted(turns)))}
    topics = [row["topic"] for row in store.all("topics_by_keys", keys=encode_keys(sorted(keys)))]
    act = get_act(store, act.id) or act  # another purge may have finished it: its words are not written again
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
    store.run("act_scrub", id=act.id, reason=act.reason, detail=json.dumps(begun, ensure_ascii=False))
    return begun


def _bury(core: Core, row: SessionRow, done: SessionShape) -> None:
    bury(core.store, row.conversation, row.id, done.dropped_turns, core.look)
    drop_title(core.store, row.conversation, (turn.text for turn in done.dropped_turns))


def remove_whole(store: Store, sessions: Sequence[SessionRow], turns: set[int], mask: Mask = unmasked) -> list[int]:
    """Take out the sessions that lose all their turns, many in a transaction; returns their keys."""
    removed = []
    for start in range(0, len(sessions), TOGETHER):
        with store.transaction():
            for session in sessions[start : start + TOGETHER]:
                rows = store.all("turns_of_session", session=session.key)
                if not all(row["key"] in turns for row in rows):
                    continue
                for segment in store.segments(session.key):
                    store.remove_segment(segment.key)
                    store.run("reindexed_delete", key=segment.key)
                bury(store, session.conversation, session.id, map(turn_of, rows), mask)
                drop_title(store, session.conversation, (row["text"] for row in rows))
                for row in rows:
                    store.run("turn_delete", key=row["key"])
                    store.run("hidings_drop_turn", key=row["key"])
                    store.run("redactions_drop_turn", key=row["key"])
                store.run("session_delete", key=session.key)
                tidy_conversation(store, session.conversation)
                removed.append(session.key)
    return removed


def list_segment_ids(store: Store, keys: Iterable[int]) -> frozenset[str]:
    """The ids of segments, whatever their state."""
    rows = store.all("segments_by_keys", keys=encode_keys(sorted(keys)))
    return frozenset(segment_id(row["conversation"], row["session_id"], row["idx"]) for row in rows)


def scrub_acts(store: Store, act: int, gone: frozenset[str], phrase: str | None) -> None:
    """The log says that something was purged, and nothing of what it was."""
    store.run("hidings_drop_act", act=act)
    store.run("repeats_purge", act=act)
    for row in store.all("acts_latest", limit=-1):
        detail = json.loads(row["detail"])
        told = fold_text(f"{row['reason']} {row['detail']}")
        if row["id"] != act and ((phrase is not None and phrase in told) or names_any(detail, gone)):
            left = json.dumps(unnamed(detail, gone, phrase) or {}, ensure_ascii=False, sort_keys=True)
            store.run("act_scrub", id=row["id"], reason="some of it was purged since", detail=left)
        elif row["id"] != act and detail.get("query") and not store.keys("hidings_of_act", act=row["id"]).size:
            left = json.dumps(
                detail | {"query": None}, ensure_ascii=False, sort_keys=True
            )  # nothing else has the words
            store.run("act_scrub", id=row["id"], reason=row["reason"], detail=left)
    if phrase is not None:
        drop_titles_saying(store, phrase)


def scrub_decisions(store: Store) -> None:
    """The log names nobody whose decision went with the turns that it rested on."""
    there = set(store.keys("decision_keys").tolist())
    for row in store.all("acts_latest", limit=-1):
        if row["kind"] == "decide" and json.loads(row["detail"]).get("decision") not in there:
            store.run("act_scrub", id=row["id"], reason="what was decided was purged since", detail="{}")


def unnamed(detail: Any, gone: frozenset[str], phrase: str | None) -> Any:
    """An act's detail less what names something gone or says the phrase; None if the whole does."""
    if isinstance(detail, list):
        return [part for part in (unnamed(item, gone, phrase) for item in detail) if part is not None]
    if isinstance(detail, dict):
        if any(isinstance(part, str) and part in gone for part in (*detail.keys(), *detail.values())):
            return None
        left = {name: unnamed(part, gone, phrase) for name, part in detail.items()}
        emptied = any(part and not left[name] for name, part in detail.items() if isinstance(part, list))
        return None if emptied else left  # it tells of nothing but what is gone: what stands beside tells of it too
    says = isinstance(detail, str) and (detail in gone or (phrase is not None and phrase in fold_text(detail)))
    return None if says else detail


def names_any(detail: object, gone: frozenset[str]) -> bool:
    """Whether an act's detail names something that is gone, however deep."""
    if isinstance(detail, dict):
        return any(names_any(part, gone) for part in (*detail.keys(), *detail.values()))
    if isinstance(detail, list):
        return any(names_any(part, gone) for part in detail)
    return detail in gone if isinstance(detail, str) else False
