"""A store to look at: talk, notes, people, claims, topics and edges of any size, in minutes.

    python evaluate/bench/dashboard_store.py DIR --segments 100000
    python evaluate/bench/dashboard_store.py DIR --segments 60000 --conversations 10000

Sentences are made up (people_scale.py), and their vectors lie around random centres, so that only the notes are
embedded. A segment has edges with the nine before it around the same centre and the chain with its neighbours: ten
edges a segment. Claims are extracted, people reconciled and topics found by the product itself. With --conversations,
every session is a conversation of its own, half of them chats of one user with an assistant, as a large export has
them; else pairs of people meet again and again.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from people_scale import HEADS, HOBBIES, TAILS, names, said

from engramma import Memory, Turn
from engramma.ingest.archive import archive_pending
from engramma.ingest.pipeline import tie_of
from engramma.language.times import to_micros
from engramma.memory import ARCHIVE_FOLDER
from engramma.store.store import SegmentRow

START = datetime(2024, 1, 1, tzinfo=UTC)
TURNS = 20  # in a session
BEFORE = 9  # edges of meaning of a segment, to those before it around the same centre
AROUND = 200  # segments around one centre
NOISE = 0.6
GROUP = 100  # sessions a transaction
NOTES = 50  # of so many segments one is a note


@dataclass(frozen=True, slots=True)
class Shape:
    """How much talk: segments in all, turns of a session, and whether each session is a conversation of its own."""

    segments: int
    turns: int = TURNS
    is_apart: bool = False


def fill(folder: Path, segments: int, conversations: int | None = None) -> dict[str, float]:
    """Make the store; returns the seconds of each step."""
    talk = segments - segments // NOTES
    shape = Shape(talk) if conversations is None else Shape(talk, max(2, segments // conversations), True)
    if conversations is not None:
        shape = replace(shape, segments=conversations * shape.turns)
    dice, took = random.Random("dashboard"), dict[str, float]()
    people = names(max(10, segments // 100))
    with Memory.open(folder) as memory:
        steps: dict[str, Callable[[], object]] = {
            "notes": lambda: keep_notes(memory, segments // NOTES, dice),
            "talk": lambda: hold_talks(memory, shape, people, dice),
            "archive": lambda: archive_pending(memory.path / ARCHIVE_FOLDER, memory._core.store),
            "topics": memory.topics.find,
            "claims": memory.claims.extract,
            "reconcile": memory.people.reconcile,
        }
        for name, step in steps.items():
            began = time.perf_counter()
            step()
            took[name] = round(time.perf_counter() - began, 1)
            print(name, took[name], flush=True)
    return took


def keep_notes(memory: Memory, count: int, dice: random.Random) -> None:
    """Notes in a product's own way, embedded and linked; each is about something else."""
    for number in range(count):
        thing, place = f"{dice.choice(HOBBIES)} book {number}", f"{dice.choice(HEADS)}{dice.choice(TAILS)}"
        text = f"The {thing} is kept in {place} on shelf {dice.randint(1, 9_999)}."
        memory.remember(text, tags=[f"shelf {number % 20}", dice.choice(HOBBIES)], at=START + timedelta(hours=number))


def hold_talks(memory: Memory, shape: Shape, people: list[str], dice: random.Random) -> None:
    """Sessions of two speakers each, linked."""
    random_rows = np.random.default_rng(7)
    centres = random_rows.standard_normal(
        (max(1, shape.segments // AROUND), memory._core.embedder.dimension), dtype=np.float32
    )
    around: dict[int, list[int]] = {}
    store = memory._core.store
    sessions = shape.segments // shape.turns
    for first in range(0, sessions, GROUP):
        with store.transaction():
            for number in range(first, min(first + GROUP, sessions)):
                chosen = random_rows.integers(len(centres), size=shape.turns)
                noise = random_rows.standard_normal((shape.turns, centres.shape[1]), dtype=np.float32)
                keys = add_session(memory, number, people, dice, centres[chosen] + np.float32(NOISE) * noise, shape)
                store.many("edge_put", edges(keys, chosen.tolist(), around, dice))


def add_session(
    memory: Memory, number: int, people: list[str], dice: random.Random, rows: NDArray[np.float32], shape: Shape
) -> list[int]:
    """A session with its turns, segments and vectors; returns the segments' keys."""
    pair, store = number % (len(people) // 2), memory._core.store
    is_chat = shape.is_apart and number % 2 == 0
    speakers, at = people[2 * pair : 2 * pair + 2], START + timedelta(hours=number)
    talk, id, title = f"talk {pair}", f"s{number}", " and ".join(speakers)
    if shape.is_apart:
        talk = f"talk {number}"
    if is_chat:
        speakers, title = ["user", "assistant"], f"{dice.choice(HOBBIES).title()} in {dice.choice(HEADS)}: {number}"
    turns = [
        Turn(
            speakers[n % 2],
            replied(dice) if is_chat and n % 2 else said(dice, people),
            at + timedelta(minutes=n),
            f"{number}:{n}",
        )
        for n in range(shape.turns)
    ]
    store.run("conversation_put", id=talk, title=title, source=("phone", "letters", "meeting")[pair % 3])
    store.run("session_add", conversation=talk, id=id, started_at=to_micros(at), captured_at=to_micros(at))
    session = store.session(talk, id)
    assert session is not None
    store.add_turns(session.key, 0, turns)
    store.run(
        "session_touch", key=session.key, last_at=to_micros(at + timedelta(minutes=shape.turns)), closed=1, linked=1
    )
    vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)
    segments = [
        SegmentRow(0, n, "utterance", n, n, to_micros(at + timedelta(minutes=n)), tie_of(talk, id, n))
        for n in range(len(vectors))
    ]
    return store.add_segments(session.key, segments, vectors)


def replied(dice: random.Random) -> str:
    """What an assistant answers: a few paragraphs with a list, in Markdown."""
    hobby = dice.choice(HOBBIES)
    steps = "\n".join(f"- **Step {n}**: {dice.choice(HOBBIES)} before {dice.choice(HOBBIES)}." for n in range(1, 7))
    closing = "Take it slowly, and tell me how it went. " * dice.randint(1, 8)
    return f"## About {hobby}\n\nHere is a plan for {hobby} this week:\n\n{steps}\n\n{closing}"


def edges(
    keys: list[int], chosen: list[int], around: dict[int, list[int]], dice: random.Random
) -> Iterator[dict[str, Any]]:
    """The chain both ways, and edges of meaning to what was said before around the same centre."""
    for one, next_one in pairwise(keys):
        yield {"src": one, "kind": "chain", "dst": next_one, "weight": 1.0}
        yield {"src": next_one, "kind": "chain", "dst": one, "weight": 1.0}
    for key, centre in zip(keys, chosen, strict=True):
        known = around.setdefault(centre, [])
        for other in known[-BEFORE:]:
            if other < keys[0]:  # a session has edges of meaning with others only
                yield {"src": key, "kind": "semantic", "dst": other, "weight": round(dice.uniform(0.45, 0.95), 4)}
        known.append(key)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--segments", type=int, default=100_000)
    parser.add_argument("--conversations", type=int)
    options = parser.parse_args()
    fill(options.folder, options.segments, options.conversations)


if __name__ == "__main__":
    main()
