"""The hash chain: which conversation an exchange belongs to, and what of it is new there.

Every request repeats the history. A node stands for all that was said up to it, so two requests share as many nodes
as their histories share words from the beginning. Only talk is chained: programs leave calls of tools and their
results out when they please. A history whose beginning was cut off is known by the pair of words it goes on from.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from ..language.text import PROXY
from ..store.captures import HISTORY, KNOWN, MADE, SAID, keyed, talk_name, words_hash
from ..store.store import Store

ROOT = "root"
CAPTURED = "captured:"  # in front of what a client calls a conversation: it can name none that others made

PAIR_CHARS = 40  # a pair of words that many people exchange tells nothing
PAIRS_TRIED = 3


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing said, with its place: the node it is, the one before, and what it says."""

    role: str
    speaker: str
    kind: str
    text: str
    at: int  # microseconds
    own: int  # SAID now, or from a HISTORY that nobody saw
    reply: bool
    redactions: tuple[tuple[str, int, int, str], ...]
    words: str = ""
    node: str = ""
    parent: str = ""
    pair: str = ""


@dataclass(frozen=True, slots=True)
class Home:
    """Where an exchange goes: the conversation, its units as nodes of it, and how many of them it has already."""

    conversation: str
    talk: str
    units: tuple[Unit, ...]
    known: frozenset[str]  # nodes
    start: str = ROOT  # the node they go on from
    named: str = ""  # what the client calls it; a transcript of the same talk is imported under that name


def units_of(item: dict[str, Any], key: bytes) -> list[Unit]:
    """What an item says, oldest first. Said now is what follows the last word of the assistant."""
    began, ended = (round(float(item[name]) * 1_000_000) for name in ("began", "ended"))
    said = item["said"]
    new = max((n for n, row in enumerate(said, 1) if row["role"] == "assistant"), default=0)
    found = []
    for n, row in enumerate([*said, *item["reply"]]):
        reply = n >= len(said)
        redactions = tuple((str(a), int(b), int(c), str(d)) for a, b, c, d in row["redactions"])
        words = words_hash(key, row["role"], row["text"])
        own = HISTORY if n < new else SAID
        at = ended if reply else began
        parts = (row["role"], row["speaker"], row["kind"], row["text"])
        found.append(Unit(*parts, at, own, reply, redactions, words))
    return found


def chained(units: Sequence[Unit], key: bytes, start: str = ROOT) -> tuple[Unit, ...]:
    """The units with their nodes, going on from a node."""
    node, before = start, ""
    beside: Counter[tuple[str, str]] = Counter()
    found = []
    for unit in units:
        if unit.kind == "talk":
            pair = keyed(key, "pair", before, unit.words) if before else ""
            own = keyed(key, "node", node, unit.words)
            found.append(replace(unit, node=own, parent=node, pair=pair))
            node, before = own, unit.words
        else:
            beside[node, unit.words] += 1
            place = keyed(key, "beside", node, unit.words, str(beside[node, unit.words]))
            found.append(replace(unit, node=place))
    return tuple(found)


def find_conversation(store: Store, item: dict[str, Any], key: bytes, gap: int) -> Home:
    """Which conversation an item belongs to, as the store is now."""
    units = units_of(item, key)
    now = round(float(item["began"]) * 1_000_000)
    if named := item["conversation"]:
        start = after_reply(store, item, key)
        home = home_in(store, _own_name(store, named), talk_name(key, named), units, key, start)
        return replace(home, named=named)
    if item["previous"]:
        told = pointed(store, key, "reply", item["previous"]) or pointed(store, key, "awaited", item["previous"])
        start = after_reply(store, item, key)
        return home_of_talk(store, told[0], units, key, start) if told else _begun(store, item, units, key, start)
    whole = chained(units, key)
    if talk := _best(store, whole, now, gap):
        return home_of_talk(store, talk, units, key)
    if found := cut_off(store, units, key, now, gap):
        return found
    if item["reply_id"] and (told := pointed(store, key, "awaited", item["reply_id"])):
        return home_of_talk(store, told[0], units, key)  # what followed came first
    return _begun(store, item, units, key)


def _own_name(store: Store, named: str) -> str:
    """The conversation that stands for what a client calls one: always one that the capture made."""
    name, number = f"{CAPTURED}{named}", 1
    while (row := store.one("conversation_get", id=name)) is not None and row["source"] != PROXY:
        number += 1
        name = f"{CAPTURED}{named}~{number}"
    return name


def home_of_talk(store: Store, talk: str, units: Sequence[Unit], key: bytes, start: str = ROOT) -> Home:
    """A talk by its name among what was captured, which of one that a client named is a hash."""
    conversation = talk if talk.startswith(MADE) else _own_name(store, talk)
    return home_in(store, conversation, talk, units, key, start)


def _begun(store: Store, item: dict[str, Any], units: Sequence[Unit], key: bytes, start: str = ROOT) -> Home:
    """A conversation of its own, named by how and when it began."""
    first = next(unit.words for unit in units if unit.kind == "talk")
    number = keyed(key, "conversation", start, first, str(item["began"]))[:12]
    name = f"{MADE}{datetime.fromtimestamp(float(item['began']), UTC):%Y%m%d}-{number}"
    return home_in(store, name, name, units, key, start)


def home_in(store: Store, conversation: str, talk: str, units: Sequence[Unit], key: bytes, start: str = ROOT) -> Home:
    placed = chained(units, key, start)
    return Home(conversation, talk, placed, known_in(store, talk, placed), start)


def pointed(store: Store, key: bytes, what: str, id: str) -> tuple[str, str] | None:
    """(conversation, node) that the id of a reply was noted with."""
    row = store.one("captured_pointer", node=keyed(key, what, id))
    return None if row is None else (row["talk"], row["words"])


def after_reply(store: Store, item: dict[str, Any], key: bytes) -> str:
    """The node that an item goes on from: the reply it says it follows, the beginning if it says none."""
    if not item["previous"]:
        return ROOT
    told = pointed(store, key, "reply", item["previous"])
    return told[1] if told else keyed(key, "after", item["previous"])


def known_in(store: Store, talk: str, units: Sequence[Unit]) -> frozenset[str]:
    rows = store.all("captured_nodes", nodes=json.dumps([unit.node for unit in units]))
    return frozenset(row["node"] for row in rows if row["talk"] == talk)


def _best(store: Store, units: Sequence[Unit], now: int, gap: int) -> str | None:
    """The conversation that a history goes on: the one that shares most of it, if it goes on there.

    At the end of a conversation it does, whatever time has passed. In the middle (something was said or answered
    anew) it does within the idle gap; later it is a conversation of its own, which began with the same words.
    """
    talk = [unit for unit in units if unit.kind == "talk"]
    depth = {unit.node: n for n, unit in enumerate(talk)}
    deepest: dict[str, tuple[int, Any]] = {}
    replies: dict[str, Any] = {}
    asked = sum(not unit.reply for unit in talk)
    for row in store.all("captured_nodes", nodes=json.dumps(list(depth))):
        if not row["talk"].startswith(MADE):
            continue  # its client names it
        at = depth[row["node"]]
        if at >= asked:
            replies[row["talk"]] = row
        elif at >= deepest.get(row["talk"], (-1, None))[0]:
            deepest[row["talk"]] = (at, row)

    def goes_on(name: str, row: Any) -> bool:
        last = replies.get(name, row)  # the same answer to the same words: sent again, or stored before
        return not row["inner"] or last["first_at"] - gap <= now <= last["last_at"] + gap

    fitting = [
        (at, not row["inner"], row["last_at"], name) for name, (at, row) in deepest.items() if goes_on(name, row)
    ]
    return max(fitting)[3] if fitting else None


def cut_off(store: Store, units: Sequence[Unit], key: bytes, now: int, gap: int) -> Home | None:
    """The conversation that a history without its beginning goes on, found by the last answers in it."""
    talk = [n for n, unit in enumerate(units) if unit.kind == "talk" and not unit.reply]
    ends = [n for n in range(1, len(talk)) if units[talk[n]].role == "assistant"]
    for n in ends[: -PAIRS_TRIED - 1 : -1]:
        before, last = units[talk[n - 1]], units[talk[n]]
        if len(before.text) + len(last.text) < PAIR_CHARS:
            continue
        for row in store.all("captured_pair", pair=keyed(key, "pair", before.words, last.words)):
            if not row["talk"].startswith(MADE):
                continue
            rest = chained(units[talk[n] + 1 :], key, row["node"])
            ended = store.all("captured_nodes", nodes=json.dumps([row["node"]]))
            inner = any(one["inner"] for one in ended if one["talk"] == row["talk"])
            if not inner or row["last_at"] - gap <= now <= row["last_at"] + gap or known_in(store, row["talk"], rest):
                return home_of_talk(store, row["talk"], units[talk[n] + 1 :], key, row["node"])
    return None


def new_units(store: Store, home: Home, key: bytes) -> tuple[list[Unit], list[Unit]]:
    """(what is to be stored, what another source or another place in the conversation told already)."""
    unknown = [unit for unit in home.units if unit.node not in home.known]
    if not unknown:
        return [], []
    rows = store.all("captured_words_of", talk=home.talk, words=json.dumps(sorted({unit.words for unit in unknown})))
    seen = {row["words"] for row in rows}
    taken = Counter(row["words"] for row in rows if row["own"] == KNOWN)
    others: Counter[str] = Counter()
    if home.named:
        told = store.all("captured_told_by_others", conversation=home.named)
        others = Counter(words_hash(key, row["role"], row["text"]) for row in told)
        others.subtract(taken)
    new, told_before = [], []
    for unit in unknown:
        if unit.kind == "talk" and others[unit.words] > 0:
            others[unit.words] -= 1
            told_before.append(replace(unit, own=KNOWN))
        elif unit.own == HISTORY and unit.words in seen:  # a history that was shortened or edited on the way
            told_before.append(replace(unit, own=KNOWN))
        else:
            new.append(unit)
    return new, told_before
