"""A store of some 200 turns in two namespaces, with notes, links, something forgotten and something purged."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from engramma import Memory, Turn
from engramma.store.sqlite.driver import PAGE_SIZE as PAGE
from tests.conftest import START
from tests.fakes import HashEmbedder

WORDS = ("garden", "ticket", "violin", "harbour", "invoice", "sister", "recipe", "printer", "blanket", "passport")
PURGED = "the combination of the safe is written under the drawer"
FORGOTTEN = "a surprise party for Ben at the harbour"
LONG = "a long letter about the house " * 900  # more than a page


def opened(store: Path, namespace: str = "default") -> Memory:
    return Memory.open(store, namespace, embedder=HashEmbedder())


def make_store(store: Path) -> None:
    """Fill a new store."""
    chance = random.Random(7)
    for namespace in ("default", "work"):
        with opened(store, namespace) as memory:
            for number in range(14):
                memory.remember_session(
                    f"talk {number % 3}", f"{namespace}-{number}", said(chance, number), title=f"Title {number % 3}"
                )
            memory.remember_session("talk 1", "letter", exchange(LONG, "Thanks."))
            one = memory.remember(f"the piano teacher of {namespace} comes on Fridays", tags=["music"], source="phone")
            two = memory.remember(f"the {namespace} bicycle was repaired in Linz", tags=["bike", "linz"], strength=0.9)
            memory.links.add(one.note.id, "supports", two.note.id)
            memory.remember_session("secrets", "s1", exchange(PURGED, "Noted."))
            memory.remember_session("secrets", "s2", exchange(FORGOTTEN, "Fine."))
            memory.forget(query="surprise party")
            memory.purge(query="combination of the safe")


def exchange(one: str, other: str) -> list[Turn]:
    return [Turn("Ana", one, START, "t1"), Turn("Ben", other, START, "t2")]


def said(chance: random.Random, number: int) -> list[Turn]:
    return [
        Turn(
            ("Ana", "Ben")[n % 2],
            f"{' '.join(chance.choices(WORDS, k=5))} {chance.randrange(10**9)}\n\nsecond paragraph {n}",
            START + timedelta(days=number, minutes=n),
            f"t{n}",
            meta={"model": "m1"} if n == 2 else {},
        )
        for n in range(6)
    ]


def visible(store: Path) -> dict[tuple[str, str, str, str], Turn]:
    """Every turn that can be read, by its place."""
    found = {}
    for namespace in ("default", "work"):
        with opened(store, namespace) as memory:
            for talk in memory.conversations():
                for session in talk.sessions:
                    found |= {(namespace, talk.id, session.id, str(turn.id)): turn for turn in session.turns}
    return found


# --- damage ----------------------------------------------------------------------------------------------


def header_zeroed(store: Path) -> None:
    change(store, lambda data: bytes(PAGE) + data[PAGE:])


def header_line_zeroed(store: Path) -> None:
    change(store, lambda data: bytes(100) + data[100:])


def truncated_at_half(store: Path) -> None:
    change(store, lambda data: data[: len(data) // 2])


def truncated_within_a_page(store: Path) -> None:
    change(store, lambda data: data[: len(data) * 3 // 4 + 1234])


def pages_of_garbage(store: Path) -> None:
    change(store, lambda data: overwritten(data, random.Random(3).randbytes))


def pages_of_zeros(store: Path) -> None:
    change(store, lambda data: overwritten(data, bytes))


def emptied(store: Path) -> None:
    change(store, lambda _: b"")


def missing(store: Path) -> None:
    (store / "memory.db").unlink()


def overwritten(data: bytes, fill: Callable[[int], bytes]) -> bytes:
    """Every seventh page gone."""
    pages = [data[at : at + PAGE] for at in range(0, len(data), PAGE)]
    return b"".join(fill(PAGE) if number % 7 == 3 else page for number, page in enumerate(pages))


def change(store: Path, how: Callable[[bytes], bytes]) -> None:
    (store / "memory.db").write_bytes(how((store / "memory.db").read_bytes()))


DAMAGES = (
    header_zeroed,
    header_line_zeroed,
    truncated_at_half,
    truncated_within_a_page,
    pages_of_garbage,
    pages_of_zeros,
    emptied,
    missing,
)


def copied(source: Path, target: Path) -> Path:
    shutil.copytree(source, target)
    return target
