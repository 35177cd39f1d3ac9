"""The wall between namespaces: whatever is called, with whatever ids, nothing of the other one is seen or changed.

Everything in a namespace bears its marker: texts, speakers, names, ids, tags, labels, sources. The words beside the
markers are the same on both sides, so that each finds the other's if it can, and some names are the same, too.
"""

from __future__ import annotations

import inspect
import random
import sqlite3
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import product
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from engramma import EngrammaError, Memory
from engramma.apps.render import as_json, explain_lines
from tests.conftest import some
from tests.properties.wall_calls import BESIDE, CALLS, FUNCTIONS, REFUSED, Given, call
from tests.properties.wall_side import MARKERS, NOTE, Side

CALLS_MADE = some(10_000)
RUN = 250  # calls on one side before the other one is compared with what it was


def finished(side: Side, name: str, found: Any) -> Any:
    """What a call gave, whole: sessions get a turn, iterators are read, what was closed is opened again."""
    if name == "session":
        for turn in side.turns(2):
            found.add(turn.speaker, turn.text, turn.said_at, turn.id)
        return found.id
    if name == "open":
        return found.close()
    if name in ("close", "_core.drop_caches"):  # these forget which embedder it was opened with
        side.memory.close()
        side.memory = side.opened()
    if name == "recall":
        side.found = [*side.found[-20:], found]
        return [found, explain_lines(found)]
    if name == "ask_stream":
        with found:
            found = found.answer
    if name in ("ask", "ask_stream"):  # its reason repeats words of the question
        return [found.text, found.person, found.evidence]
    if name == "claims.graph_query":  # what it says beside that repeats parts of the question
        return [found.answers, found.facts, found.beside]
    if name == "claims.networkx":
        return [list(found.nodes(data=True)), list(found.edges(data=True))]
    if name == "claims.export_graph":
        return (side.folder / f"{side.name}.json").read_text(encoding="utf-8")
    if name == "prepare_requests":
        return [draft.texts for draft in found.drafts]
    if name in ("remember", "notes.add"):
        side.ids.append(found.note.id)
    if name == "browse.snapshot":
        with found:
            return side.memory.sessions()
    if name == "ingest.draft":
        return [found.ids, found.store()]
    if isinstance(found, bytes):
        return found.hex()
    return list(found) if isinstance(found, Iterator) else found


def made(side: Side, name: str, given: Given) -> tuple[str, bool]:
    """All that a call lets one see, its result or what its error says; and whether it was a result."""
    try:
        if name in BESIDE:
            return as_json(BESIDE[name][1](side.memory)), True
        member = partial(FUNCTIONS[name], side.memory._core) if name in FUNCTIONS else attrgetter(name)(side.memory)
        found = member(*given[0], **given[1]) if callable(member) else str(member)
        return as_json(finished(side, name, found)), True
    except EngrammaError as error:
        return f"{error} {error.__cause__}", False


def strings(thing: Any) -> Iterator[str]:
    if isinstance(thing, str | Path):
        yield str(thing)
    elif isinstance(thing, list | tuple):
        for part in thing:
            yield from strings(part)


def leaks(side: Side, shown: str, given: Given) -> list[str]:
    """What of the other side stands in what was shown. An answer may repeat what it was asked with."""
    for text in sorted(strings([*given[0], *given[1].values()]), key=len, reverse=True):
        shown = shown.replace(text, "")
    notes = [id for id in NOTE.findall(shown) if id in side.other.ids and id not in side.ids]
    at = shown.find(side.other.marker)
    return notes if at < 0 else [*notes, shown[max(0, at - 80) : at + 80]]


def dump(side: Side) -> dict[str, Any]:
    """Every row and every file of a namespace."""
    connection = sqlite3.connect(side.folder / "store" / "memory.db")
    ns = side.memory._core.store.ns
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    owned = [t for t in tables if "ns" in {row[1] for row in connection.execute(f"PRAGMA table_info({t})")}]
    rows: dict[str, Any] = {
        t: sorted(map(repr, connection.execute(f"SELECT * FROM {t} WHERE ns = ?", (ns,))))  # noqa: S608
        for t in owned
    }
    for table in ("words", "cold"):
        rows[table] = connection.execute(f"SELECT id, sz FROM {table}_{ns}_docsize").fetchall()  # noqa: S608
    rows["terms"] = connection.execute(f"SELECT * FROM terms_{ns}").fetchall()  # noqa: S608
    connection.close()
    files = (side.folder / "store" / "archive" / side.name).rglob("*.txt")
    rows["archive"] = {str(file): file.read_bytes() for file in files}
    return rows


@pytest.fixture
def sides(tmp_path):
    left, right = (Side(tmp_path, name, random.Random(f"walls {name}")) for name in MARKERS)
    left.other, right.other = right, left
    for side in (left, right):
        side.memory.remember_session("shared", "common", side.turns(4), title=side.marker)
        side.ids += [f"seg_shared/common_{n}" for n in range(3)]
        for name in (
            ["remember_session"] * 3 + ["remember"] * 12 + ["documents.ingest", "links.add", "links.add", "topics.find"]
        ):
            made(side, name, CALLS[name][1](side))
        assert side.memory.notes.all() and side.memory.documents.all() and len(side.memory.sessions()) > 12
    yield left, right
    for side in (left, right):
        side.memory.close()


def members_of(memory: Memory) -> dict[str, Any]:
    """Everything public that a memory has, and that its features have."""
    found = {name: getattr(memory, name) for name in dir(memory) if not name.startswith("_")}
    features = {
        name: one for name, one in found.items() if type(one).__module__.startswith("engramma.") and name != "config"
    }
    for feature, one in features.items():
        found |= {f"{feature}.{name}": getattr(one, name) for name in dir(one) if not name.startswith("_")}
    return {name: one for name, one in found.items() if name not in features}


# What tells of a store as a whole, what was handed to the caller before, and what is no call.
OPEN_TO_ALL = ("team.", "admin.", "backup", "transfer.backup", "transfer.move", "path", "config")
# Steps that features share: they take what another step of the same memory read.
STEPS = (
    "links.restore",
    "links.unlearn",
    "people.restore",
    "steward.act",
    "steward.into",
    "steward.proposals",
    "steward.rules",
    "transfer.count",
    "transfer.watch_round",
)


def test_the_calls_are_all_there_are(sides):
    members = members_of(sides[0].memory)
    missing = "\n".join(
        f'    "{name}": (20, lambda s: call(...)),  # {inspect.signature(one) if callable(one) else "a property"}'
        for name, one in sorted(members.items())
        if name not in CALLS and not name.startswith((*OPEN_TO_ALL, *STEPS))
    )
    assert not missing, f"Calls that nobody tries to read across the wall. Add to CALLS, in its order:\n{missing}"
    unknown = {name for name in CALLS if not name.startswith("_core.")} - set(members) - set(FUNCTIONS)
    assert not unknown, f"CALLS names what Memory has not: {sorted(unknown)}"


def goes_through(side: Side, name: str) -> bool:
    """Try what the dice never let succeed until it does, with something new to do it with each time."""
    if name.startswith("entities."):  # what was merged or deleted by word stays so until the word is taken back
        side.memory.acts.undo_all("entity")
    for _ in range(30):
        for needed in ("remember_session", "remember", "claims.extract", name):
            given = CALLS[needed][1](side) if needed in CALLS else call()
            shown, went_well = made(side, needed, given)
            assert not leaks(side, shown, given), f"{needed}{given} shows the other side"
        if went_well:
            return True
    return False


@pytest.mark.long
def test_thousands_of_calls_see_and_change_nothing_of_the_other_namespace(sides):
    weights = {name: weight for table in (CALLS, BESIDE) for name, (weight, _) in table.items()}
    total = sum(weights.values())
    dice, done, well = random.Random("walls"), Counter[str](), Counter[tuple[str, str]]()
    # Each as often as its weight says, at least thrice a side, in an order that the dice make.
    plan = [name for name, weight in weights.items() for _ in range(max(6, round(weight * CALLS_MADE / total)))]
    plan += dice.choices(list(weights), list(weights.values()), k=max(0, CALLS_MADE - len(plan)))
    dice.shuffle(plan)
    for start in range(0, len(plan), RUN):
        side = sides[start // RUN % 2]
        before = dump(side.other)
        for number, name in enumerate(plan[start : start + RUN], start):
            given = CALLS[name][1](side) if name in CALLS else call()
            shown, went_well = made(side, name, given)
            assert not leaks(side, shown, given), f"call {number} on {side.name}: {name}{given} shows the other side"
            done[name] += 1
            well[side.name, name] += went_well
        after = dump(side.other)
        changed = [table for table in before if before[table] != after[table]]
        assert not changed, f"calls {start} to {start + RUN} on {side.name} changed the other side's {changed}"
    assert done.total() >= CALLS_MADE
    idle = {pair for pair in product(MARKERS, weights) if not well[pair] and pair[1] not in REFUSED}
    idle = {pair for pair in idle if not goes_through(sides[list(MARKERS).index(pair[0])], pair[1])}
    assert not idle, f"never went through, so they tried nothing: {idle}"


def test_the_fuzz_would_notice_a_leak(sides):
    """A wall with a hole in it: the same store, and yet the other namespace's rows."""
    left, right = sides
    kept, left.memory._core.store.ns = left.memory._core.store.ns, right.memory._core.store.ns
    left.memory._core.store.namespace = right.name
    try:
        for name in ("notes.all", "segment", "graph", "recall", "sessions", "export_lines", "stats"):
            given = call("seg_shared/common_0") if name == "segment" else call("lamp") if name == "recall" else call()
            assert leaks(left, made(left, name, given)[0], given), name
    finally:
        left.memory._core.store.ns, left.memory._core.store.namespace = kept, left.name
