"""Reconciling one new session while the store grows: up to 100,000 claims over 5,000 people.

    python evaluate/bench/reconcile_scale.py [--sizes 1000 3000 10000 30000 100000] [--new 20] [--json OUT] [--plot PNG]

The talks are made up by this script: everybody speaks with four others, of job, home, partner and pet, twenty claims
each. Turns go straight into the database (nothing is embedded); claims are extracted by the rules and people
reconciled as always. At each size, twenty new sessions between two people who are already known are told one by one:
the figures are how long extracting and reconciling took, how many people were touched, and how long `person` takes.
A line of every size asks one person of whom everything is said (a chat's "user"): that one grows with what is known
of that person, and only with that.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from engramma import Memory, Turn
from engramma.language.times import to_micros
from recall import MadeUp

START = datetime(2024, 1, 1, tzinfo=UTC)
EACH = 20  # claims of a person, about
SYLLABLES = "ba de fi go ku la me ni po ru sa te vi wo ya ze bra cle dro fla gri ple sto tru".split()  # noqa: SIM905
ROLES = "nurse teacher plumber architect baker lawyer pilot dentist chemist florist".split()  # noqa: SIM905
CITIES = ("Seattle", "Austin", "Boston", "Denver", "Lisbon", "Oslo", "Vienna", "Kyoto", "Quito", "Accra")
COLUMNS = ("claims", "people", "reconcile ms", "p95", "touched", "extract ms", "person ms", "user ms", "user claims")


def name(number: int) -> str:
    """A first and a last name that no other number has, far from all others in spelling."""
    draw = random.Random(number)
    first, last = ("".join(draw.choices(SYLLABLES, k=4)) for _ in range(2))
    return f"{first.capitalize()} {last.capitalize()}"


def said_by(who: int, talk: int) -> list[str]:
    """What somebody says in a talk: the job changes with the talks, the rest stays."""
    draw = random.Random(who)
    role, other = draw.sample(ROLES, 2)
    city = draw.choice(CITIES)
    company = f"{name(who + 10_000_000).split()[0]} Labs"
    return [
        f"I work as a {role if talk < 1 else other} at {company}. I live in {city}.",
        f"I have a dog named {name(who + 20_000_000).split()[0]}.",
        f"I'm married to {name(who + 30_000_000).split()[0]}.",
    ]


def session(one: int, other: int, talk: int, at: datetime) -> tuple[str, str, list[Turn]]:
    lines = zip(said_by(one, talk), said_by(other, talk), strict=True)
    said = [(who, text) for pair in lines for who, text in zip((one, other), pair, strict=True)]
    turns = [Turn(name(who), text, at + timedelta(minutes=n), f"t{n}") for n, (who, text) in enumerate(said)]
    return f"talk-{min(one, other)}-{max(one, other)}", f"s{talk}-{at:%Y%m%d%H%M}", turns


def told(first: int, beyond: int) -> Iterator[tuple[str, str, list[Turn]]]:
    """Everybody from one number to another with the next and the next but one, among themselves."""
    count = beyond - first
    for who in range(first, beyond):
        for talk, step in enumerate((1, 2)):
            at = START + timedelta(days=60 * talk, minutes=who)
            yield session(who, first + (who - first + step) % count, talk, at)


def put(memory: Memory, sessions: Iterator[tuple[str, str, list[Turn]]]) -> None:
    """Straight into the database, without segments: this bench is about people."""
    store = memory._core.store
    with store.transaction():
        for conversation, id, turns in sessions:
            assert turns[0].said_at is not None
            began = to_micros(turns[0].said_at)
            store.run("conversation_put", id=conversation, title=None, source=None)
            store.run("session_add", conversation=conversation, id=id, started_at=began, captured_at=0)
            row = store.session(conversation, id)
            assert row is not None
            store.add_turns(row.key, 0, turns)


def timed(act: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    found = act()
    return 1000 * (time.perf_counter() - began), found


def measure(memory: Memory, people: int, new: int, round: int) -> dict[str, Any]:
    """New sessions between known people, one by one."""
    draw, times = random.Random(people), list[tuple[float, float, int]]()
    persons = []
    for n in range(new):
        one, other = draw.sample(range(people), 2)
        at = START + timedelta(days=400 + round, minutes=n)
        put(memory, iter([session(one, other, 2, at)]))
        extract, _ = timed(memory.claims.extract)
        reconcile, done = timed(memory.people.reconcile)
        times.append((reconcile, extract, done.people))
        persons.append(timed(partial(memory.people.get, name(one)))[0])
    reconciled = sorted(row[0] for row in times)
    user, known = timed(lambda: memory.people.get("user"))
    return {
        "claims": memory._core.store.all("claim_next")[0][0] - 1,
        "people": people,
        "reconcile_ms": round_to(statistics.median(reconciled)),
        "reconcile_p95_ms": round_to(reconciled[int(0.95 * (len(reconciled) - 1))]),
        "touched": max(row[2] for row in times),
        "extract_ms": round_to(statistics.median(row[1] for row in times)),
        "person_ms": round_to(statistics.median(persons)),
        "user_ms": round_to(user),
        "user_claims": sum(len(talk.claims) for talk in known.conversations),
    }


def round_to(value: float) -> float:
    return round(value, 2)


def bench(folder: Path, sizes: list[int], new: int) -> list[dict[str, Any]]:
    rows, people = list[dict[str, Any]](), 0
    with Memory.open(folder, embedder=MadeUp()) as memory:
        for round, size in enumerate(sizes):
            wanted = max(people + 4, size // EACH)
            put(memory, told(people, wanted))
            count = (wanted - people) // 10 + 1
            put(memory, (as_user(people + n) for n in range(count)))
            people = wanted
            memory.people.reconcile()
            rows.append(measure(memory, people, new, round))
            Console(stderr=True).print(rows[-1])
    return rows


def as_user(number: int) -> tuple[str, str, list[Turn]]:
    """A chat with an assistant, by somebody who is always called "user"."""
    at = START + timedelta(hours=number)
    turns = [Turn("user", text, at + timedelta(minutes=n), f"t{n}") for n, text in enumerate(said_by(7, number % 3))]
    return f"chat-{number}", "s1", turns


def provenance() -> dict[str, str]:
    found = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return {
        "commit": found.stdout.strip(),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}, "
        f"Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}",
    }


def plot(rows: list[dict[str, Any]], target: Path) -> None:
    from engramma.evaluate.plots import pyplot

    plt = pyplot()
    figure, axis = plt.subplots(figsize=(6.4, 4.0))
    claims = [row["claims"] for row in rows]
    for key, label in (
        ("reconcile_ms", "reconcile one new session (median)"),
        ("reconcile_p95_ms", "the same (95th percentile)"),
        ("extract_ms", "extract its claims"),
        ("person_ms", "person() of one of them"),
    ):
        axis.plot(claims, [row[key] for row in rows], marker="o", label=label)
    axis.set(xscale="log", xlabel="claims in the store", ylabel="milliseconds", ylim=(0, None))
    axis.set_title("One new session touches its own people only")
    axis.legend(frameon=False)
    figure.savefig(target)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 3_000, 10_000, 30_000, 100_000])
    parser.add_argument("--new", type=int, default=20)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    began = provenance()
    with tempfile.TemporaryDirectory() as made:
        rows = bench(Path(made) / "store", options.sizes, options.new)
    table = Table(*COLUMNS)
    for row in rows:
        table.add_row(*(f"{value:,}" for value in row.values()))
    Console().print(table)
    sizes = " ".join(map(str, options.sizes))
    command = f"python evaluate/bench/reconcile_scale.py --sizes {sizes} --new {options.new}"
    record = {**began, "command": command, "rows": rows}
    if options.json:
        options.json.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    if options.plot:
        plot(rows, options.plot)


if __name__ == "__main__":
    main()
