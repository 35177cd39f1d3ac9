"""Messages that answer each other: the tree of a chat in which a question was edited or an answer made anew.

The path that ends at the current message is the conversation. What else was tried is kept as sessions
of its own that begin where they leave a path already told, so no message is told twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ..language.times import MICROSECOND
from ..records import Session, Turn
from .ids import with_content_ids
from .reader import ReaderOptions
from .sessions import fill_times, numbered, split_by_gap


@dataclass(frozen=True, slots=True)
class MessageNode:
    """A message in a tree: the one it answers, its stated time, and its turn unless it is left out."""

    parent: str | None
    said_at: datetime | None = None
    turn: Turn | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    """Messages one after the other, and the message of another branch that the first answers."""

    names: tuple[str, ...]
    follows: str | None = None
    is_circle: bool = False


def branches(nodes: Mapping[str, MessageNode], current: str | None) -> list[Branch]:
    """Every node once: the path to the current message first, then the others in the file's order.

    Without a known current message it is the newest that nothing answers.
    """
    if not nodes:
        return []
    children: dict[str, list[str]] = {}
    for name, node in nodes.items():
        if node.parent is not None and node.parent in nodes:
            children.setdefault(node.parent, []).append(name)
    newest = _newest_first(nodes)
    leaves = [name for name in nodes if name not in children]
    if current is not None and current in nodes:
        end = _last_answer(current, children, newest)
    else:
        end = min(leaves or nodes, key=newest.__getitem__)
    taken: set[str] = set()
    # Leaves reach every node but those in circles.
    found = [_path(start, nodes, taken) for start in (end, *leaves, *nodes)]
    return [branch for branch in found if branch.names]


def _newest_first(nodes: Mapping[str, MessageNode]) -> dict[str, int]:
    """The place of each node among all, the newest first; one without a time counts with the one it answers."""
    times: dict[str, datetime | None] = {}
    for start in nodes:
        chain: list[str] = []
        name: str | None = start
        while name is not None and name in nodes and name not in times:
            times[name] = nodes[name].said_at
            chain.append(name)
            if times[name] is not None:
                break
            name = nodes[name].parent
        known = times.get(name) if name is not None else None
        times.update((one, times[one] or known) for one in chain)
    # Of those with the same time, the later in the file.
    dated = sorted((time, place, name) for place, name in enumerate(nodes) if (time := times[name]) is not None)
    order = [name for name in nodes if times[name] is None] + [name for _, _, name in dated]
    return {name: place for place, name in enumerate(reversed(order))}


def _last_answer(name: str, children: Mapping[str, Sequence[str]], newest: Mapping[str, int]) -> str:
    """The message at the end of the newest answers that follow."""
    seen = {name}
    while name in children:
        name = min(children[name], key=newest.__getitem__)
        if name in seen:
            break
        seen.add(name)
    return name


def _path(start: str, nodes: Mapping[str, MessageNode], taken: set[str]) -> Branch:
    """The way down to a node from the first that is not taken yet; takes them."""
    names: list[str] = []
    name: str | None = start
    while name is not None and name in nodes and name not in taken:
        taken.add(name)
        names.append(name)
        name = nodes[name].parent
    is_circle = name in names
    follows = name if name in nodes and not is_circle else None
    return Branch(tuple(reversed(names)), follows, is_circle)


def build_sessions(
    conversation: str,
    nodes: Mapping[str, MessageNode],
    told: Iterable[Branch],
    start: datetime | None,
    options: ReaderOptions,
) -> tuple[Session, ...]:
    """The branches as sessions, split where the talk paused.

    A missing time is a microsecond after the message it follows, before the first stated one as much
    before it, and `start` where none is stated. A branch all of whose words stand in the first is left out.
    """
    result: list[Session] = []
    times: dict[str, datetime | None] = {}
    said: set[tuple[str, str]] = set()
    for number, branch in enumerate(told):
        before = [times.get(branch.follows)] if branch.follows is not None else []
        # What says neither when nor what, as the root, takes no place in time.
        names = [name for name in branch.names if nodes[name].turn or nodes[name].said_at]
        filled = fill_times([*before, *(nodes[name].said_at for name in names)], start=start, step=MICROSECOND)
        times.update(zip(names, filled[len(before) :], strict=True))
        kept = ((nodes[name].turn, times[name]) for name in names)
        turns = [replace(turn, said_at=time) for turn, time in kept if turn is not None]
        if number == 0:
            said = {(turn.speaker, turn.text) for turn in turns}
        elif all((turn.speaker, turn.text) in said for turn in turns):
            continue
        else:
            # Named after how it begins, because it may still grow at its end.
            meta = {"branch": _turn_id(branch.names[0], nodes)}
            if branch.follows is not None:
                meta["follows"] = _turn_id(branch.follows, nodes)
            turns = [replace(turn, meta={**turn.meta, **meta}) for turn in turns]
        name = conversation if number == 0 else f"{conversation}-{_turn_id(branch.names[0], nodes)}"
        result += numbered(name, split_by_gap(with_content_ids(turns), options.idle_gap))
    return tuple(result)


def _turn_id(name: str, nodes: Mapping[str, MessageNode]) -> str:
    turn = nodes[name].turn
    return turn.id if turn is not None and turn.id is not None else name
