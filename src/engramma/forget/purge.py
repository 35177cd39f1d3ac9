"""What a purge does besides removing turns from their sessions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from ..language.text import segment_id
from ..store.masks import Mask, unmasked
from ..store.store import SessionRow, Store, encode_keys, turn_of
from ..store.tombstones import bury
from .select import fold_text

TOGETHER = 256  # sessions a transaction: what an interrupt can cost


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
                for row in rows:
                    store.run("turn_delete", key=row["key"])
                    store.run("hidings_drop_turn", key=row["key"])
                    store.run("redactions_drop_turn", key=row["key"])
                store.run("session_delete", key=session.key)
                store.run("conversation_tidy", id=session.conversation)
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
    if phrase is not None:
        for row in store.all("conversations"):
            if row["title"] and phrase in fold_text(row["title"]):
                store.run("conversation_untitle", id=row["id"])


def unnamed(detail: Any, gone: frozenset[str], phrase: str | None) -> Any:
    """An act's detail less what names something gone or says the phrase; None if the whole does."""
    if isinstance(detail, list):
        return [part for part in (unnamed(item, gone, phrase) for item in detail) if part is not None]
    if isinstance(detail, dict):
        if any(isinstance(part, str) and part in gone for part in (*detail.keys(), *detail.values())):
            return None
        return {name: unnamed(part, gone, phrase) for name, part in detail.items()}
    says = isinstance(detail, str) and (detail in gone or (phrase is not None and phrase in fold_text(detail)))
    return None if says else detail


def names_any(detail: object, gone: frozenset[str]) -> bool:
    """Whether an act's detail names something that is gone, however deep."""
    if isinstance(detail, dict):
        return any(names_any(part, gone) for part in (*detail.keys(), *detail.values()))
    if isinstance(detail, list):
        return any(names_any(part, gone) for part in detail)
    return detail in gone if isinstance(detail, str) else False
