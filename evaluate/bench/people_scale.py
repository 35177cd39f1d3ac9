"""People at scale: what one new session costs, and how long lookups take, as claims and people grow.

    python evaluate/bench/people_scale.py [--claims 5000 20000 100000] [--people 5000] [--json OUT] [--png OUT]

Talk is made up: pairs of people with sessions of twenty sentences, extracted by the rules. Nothing is embedded. At each
size, one session of two known people is added a few times, and its claims are extracted and its people reconciled.
Times are CPU times of the process, so that others on the machine do not show in the curve.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import cycle
from pathlib import Path
from typing import Any

from rich.console import Console
from run import commit

from engramma import Memory, Turn, __version__
from engramma.admin.doctor import doctor
from engramma.language.times import to_micros
from recall import MadeUp

START = datetime(2024, 1, 1, tzinfo=UTC)
TURNS = 20
REPEATED = 9
HEADS = re.findall(
    r"\w+", "Al Be Cor Da El Fin Gre Hal Is Jo Kar Lin Mar Nor Os Pel Quin Ro Sal Tam Ul Ver Wil Yas Zel"
)
TAILS = re.findall(
    r"\w+", "an ber cy dra ela fin gus hild ina jon kya lor mir nes old pia ra sten tia ula vin wen xa yra zo"
)
HOBBIES = re.findall(
    r"\w+", "hiking sailing chess pottery cycling baking climbing painting surfing fishing yoga archery"
)
SAYINGS = (
    "I work at {company}.",
    "I live in {city}.",
    "I love {hobby}.",
    "I use {tool} every day.",
    "I bought a {thing} yesterday.",
    "My friend {friend} lives in {city}.",
    "I visited {city} last week.",
    "{friend} works at {company}.",
)


def names(count: int) -> list[str]:
    """So many different names of people; the first are short."""
    made = [f"{head}{tail}" for head in HEADS for tail in TAILS]
    made += [f"{head}{tail}{last}" for head in HEADS for tail in TAILS for last in TAILS]
    return made[:count]


def said(dice: random.Random, people: list[str]) -> str:
    return dice.choice(SAYINGS).format(
        company=f"{dice.choice(HEADS)}{dice.choice(TAILS)}corp {dice.randint(1, 40)}",
        city=f"{dice.choice(HEADS)}{dice.choice(HOBBIES)}{dice.choice(TAILS)}",  # few that differ by one letter
        hobby=dice.choice(HOBBIES),
        tool=f"{dice.choice(HEADS)}{dice.choice(TAILS)}kit",
        thing=f"{dice.choice(HOBBIES)} book",
        friend=dice.choice(people),
    )


def add_session(memory: Memory, number: int, people: list[str], dice: random.Random) -> None:
    """A session's rows as they would be, without vectors: those are another bench's."""
    pair = number % (len(people) // 2)
    first, second = people[2 * pair], people[2 * pair + 1]
    at = START + timedelta(hours=number)
    turns = [
        Turn((first, second)[n % 2], said(dice, people), at + timedelta(minutes=n), f"{number}:{n}")
        for n in range(TURNS)
    ]
    store, talk = memory._core.store, f"talk {pair}"
    with store.transaction():
        store.run("conversation_put", id=talk, title=None, source=None)
        moments = {"started_at": to_micros(at), "captured_at": to_micros(at)}
        store.run("session_add", conversation=talk, id=f"s{number}", **moments)
        row = store.session(talk, f"s{number}")
        assert row is not None
        store.add_turns(row.key, 0, turns)


def timed(act: Callable[[], Any], times: int = REPEATED) -> dict[str, float]:
    """Milliseconds: the median and the worst of several."""
    spans = []
    for _ in range(times):
        began = time.process_time()
        act()
        spans.append((time.process_time() - began) * 1000)
    return {"median_ms": round(statistics.median(spans), 2), "worst_ms": round(max(spans), 2)}


def counted(memory: Memory) -> int:
    return sum(row["claims"] for row in memory._core.store.all("claim_relations"))


def new_sessions(memory: Memory, numbers: Iterator[int], people: list[str], dice: random.Random) -> dict[str, Any]:
    """What it costs to catch up with one new session of known people, several times."""
    extracted, reconciled = [], []
    for _ in range(REPEATED):
        add_session(memory, next(numbers), people, dice)
        began = time.process_time()
        blocks = memory.claims.extract()
        extracted.append((time.process_time() - began) * 1000)
        assert blocks == 1, "one session is one block"
        began = time.process_time()
        memory.people.reconcile()
        reconciled.append((time.process_time() - began) * 1000)
    return {
        "extract_ms": round(statistics.median(extracted), 2),
        "reconcile_ms": round(statistics.median(reconciled), 2),
        "reconcile_worst_ms": round(max(reconciled), 2),
    }


def looked_up(memory: Memory, one: Iterator[str]) -> dict[str, Any]:
    """How long it takes to look things up, of other people each time."""
    return {
        "nothing_new": timed(memory.claims.extract),
        "claims_of_person": timed(lambda: memory.claims.all(next(one))),
        "claims_by_relation": timed(lambda: memory.claims.all(next(one), "works_at")),
        "entity": timed(lambda: memory.claims.entity(next(one))),
        "who_works_at": timed(lambda: memory.claims.graph_query("Who works at Alancorp 7?")),
        "what_does_one_like": timed(lambda: memory.claims.graph_query(f"What does {next(one)} like?")),
    }


def bench(folder: Path, sizes: list[int], people_count: int) -> dict[str, Any]:
    people, dice = names(people_count), random.Random("people")
    points = []
    with Memory.open(folder, embedder=MadeUp()) as memory:
        numbers = iter(range(10**9))
        for size in sizes:
            began, before = time.process_time(), counted(memory)
            sessions = 0
            while before + sessions * TURNS < size:
                for _ in range(50):
                    add_session(memory, next(numbers), people, dice)
                sessions += 50
            filled = time.process_time()
            memory.claims.extract()
            took = time.process_time() - filled
            memory.people.reconcile()
            known = [people[dice.randrange(min(len(people), 2 * sessions))] for _ in range(REPEATED)]
            point: dict[str, Any] = {
                "claims": counted(memory),
                "people": len(memory._core.store.keys("entity_keys", type="person", search=None, limit=-1, offset=0)),
                "extracted_turns_per_s": round(sessions * TURNS / took),
                "filled_s": round(time.process_time() - began, 1),
                "new_session": new_sessions(memory, numbers, people, dice),
                **looked_up(memory, cycle(known)),
            }
            points.append(point)
            Console().print(point)
        unwell = [check.name for check in doctor(memory._core) if not check.ok and "claim" in check.name + check.detail]
        size = (folder / "memory.db").stat().st_size
    return {"points": points, "unwell": unwell, "database_mb": round(size / 1e6, 1)}


def draw(figures: dict[str, Any], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    claims = [point["claims"] for point in figures["points"]]
    figure, axes = pyplot.subplots(figsize=(7, 4))
    for name, values in (
        ("extract a new session", [p["new_session"]["extract_ms"] for p in figures["points"]]),
        ("reconcile its people", [p["new_session"]["reconcile_ms"] for p in figures["points"]]),
        ("claims of a person", [p["claims_of_person"]["median_ms"] for p in figures["points"]]),
        ("who works at …", [p["who_works_at"]["median_ms"] for p in figures["points"]]),
    ):
        axes.plot(claims, values, marker="o", label=name)
    axes.set(xlabel="claims in the store", ylabel="milliseconds (median)", ylim=(0, None), xscale="log")
    axes.legend()
    axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=int, nargs="+", default=[5_000, 20_000, 50_000, 100_000])
    parser.add_argument("--people", type=int, default=5_000)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--png", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        figures = {
            "engramma": __version__,
            "commit": commit(),
            "command": "python evaluate/bench/people_scale.py",
            "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            **bench(Path(made) / "store", options.claims, options.people),
        }
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    if options.png:
        draw(figures, options.png)


if __name__ == "__main__":
    main()
