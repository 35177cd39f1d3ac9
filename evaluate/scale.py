"""A capacity model: bytes, memory, queries a second and cost a month for stores of 10^5 to 10^10 segments.

    python evaluate/scale.py            prints the tables of docs/explanation/scale.md
    python evaluate/scale.py --write    writes them into that page (a test compares the two)

What was measured is read from evaluate/results/*.json; what is assumed stands below, each with its reason, and can be
changed on the command line (`--set people_online=0.2`). Standard library only.
"""

from __future__ import annotations

import argparse
import bisect
import heapq
import json
import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "explanation" / "scale.md"
SIZES = (10**5, 10**6, 10**7, 10**8, 10**9, 10**10)


def result(name: str) -> Any:
    return json.loads((HERE / "results" / name).read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Measured:
    """What the benchmarks found, on two cores of one machine."""

    bytes_talk: float  # on disk a segment: one utterance (LoCoMo)
    bytes_chat: float  # the first 500 characters of what a user said to an assistant (LME-S-snippet)
    bytes_long: float  # a message with its whole answer (LongMemEval)
    postgres_more: float  # on disk a segment, what PostgreSQL needs beside SQLite's for the same store
    index_bytes: float  # in memory a segment: 1-bit code, float16 vector, keys
    recall_ms: tuple[tuple[float, float], ...]  # (segments of a namespace, median milliseconds of a recall)
    spread: float  # p95 over p50 of a recall at 100,000 segments
    embedded_per_s: float  # texts, both cores busy


def measured() -> Measured:
    def bytes_of(name: str) -> float:
        return max(float(layout["bytes_a_segment"]) for layout in result(name)["layouts"].values())

    first, moved = result("0.1.0.json"), result("0.3.0-moving.json")
    million = next(row for row in first["index"]["sizes"] if row["rows"] == 10**6)
    bench = result("0.2.0-recall-bench.json")
    points = [(560.0, 14.5), *((row["segments"], row["recall"]["p50"]) for row in bench)]  # the first: docs/log.md
    return Measured(
        bytes_of("0.3.0-locomo.json"),
        bytes_of("0.2.0-lme-s-snippet.json"),
        bytes_of("0.2.0-longmemeval.json"),
        moved["postgres_bytes_a_segment"] - moved["sqlite_bytes_a_segment"],
        million["index_mb"] * 1e6 / million["rows"],
        tuple((float(size), float(ms)) for size, ms in points),
        bench[0]["recall"]["p95"] / bench[0]["recall"]["p50"],
        first["embedding"]["engramma_per_s"],
    )


@dataclass(frozen=True, slots=True)
class Assumed:
    """What nobody measured here. Prices are round list prices of large clouds, without discounts."""

    segments_a_person: float = 100_000  # ten years of 27 exchanges a day
    people_online: float = 0.1  # share of all people whose namespace is in memory in the busy hour
    recalls_an_hour: float = 20.0  # of each of them
    new_a_day: float = 30.0  # segments a person
    busy: float = 0.6  # of a core, so that a peak finds room
    copies: float = 2.0  # of the data: a primary and a standby
    hnsw: float = (
        2_048.0  # bytes a segment of an HNSW index: a float32 vector and its neighbours, four a page (computed)
    )
    core_month: float = 20.0  # dollars
    memory_month: float = 3.0  # dollars a GB
    disk_month: float = 0.1  # dollars a GB, SSD
    machine_memory: float = 256.0  # GB of one machine


# --- the model -----------------------------------------------------------------------------------


def recall_ms(known: Measured, segments: float) -> float:
    """Milliseconds of a recall in a namespace: between the measured sizes by their slope, and on by the last one."""
    points = [(math.log(size), math.log(ms)) for size, ms in known.recall_ms]
    at = math.log(max(segments, 1.0))
    place = min(max(bisect.bisect(points, (at, math.inf)), 1), len(points) - 1)
    (x0, y0), (x1, y1) = points[place - 1], points[place]
    return known.recall_ms[0][1] if at < points[0][0] else math.exp(y0 + (y1 - y0) * (at - x0) / (x1 - x0))


def core_ms(known: Measured, segments: float) -> float:
    """What a question costs a core: its own embedding (a text keeps both cores busy) and the recall."""
    return 2 * 1000 / known.embedded_per_s + recall_ms(known, segments)


@dataclass(frozen=True, slots=True)
class Need:
    """What a number of segments needs."""

    people: float
    disk_gb: float
    memory_gb: float
    queries_per_s: float
    cores: float
    machines: int
    dollars: float


def need(known: Measured, guess: Assumed, segments: float) -> Need:
    """For people with a namespace each, on PostgreSQL, in their busy hour."""
    people = segments / guess.segments_a_person
    online = people * guess.people_online
    disk = segments * (known.bytes_chat + known.postgres_more + guess.hnsw) * guess.copies / 1e9
    memory = online * guess.segments_a_person * known.index_bytes / 1e9
    queries = online * guess.recalls_an_hour / 3600
    asking = queries * core_ms(known, guess.segments_a_person) / 1000
    writing = people * guess.new_a_day / 86_400 * 4 * 2 / known.embedded_per_s  # a day's in six hours
    cores = max(2.0, math.ceil((asking + writing) / guess.busy))
    machines = max(1, math.ceil(memory / guess.machine_memory), math.ceil(cores / 64))
    gb = max(memory, 4.0 * machines)
    dollars = cores * guess.core_month + gb * guess.memory_month + disk * guess.disk_month
    return Need(people, disk, memory, queries, cores, machines, dollars)


def waiting(known: Measured, cores: int, busy: float, questions: int = 40_000, seed: int = 7) -> tuple[float, float]:
    """A simulation: questions come at random to some cores; (median, p95) milliseconds until each is answered.

    How long one takes is spread as it was measured at 100,000 segments (log-normal through its median and p95).
    """
    dice = random.Random(seed)
    middle, sigma = math.log(core_ms(known, 100_000)), math.log(known.spread) / 1.6449
    mean = math.exp(middle + sigma**2 / 2)
    gap = mean / (cores * busy)
    free = [0.0] * cores
    now, took = 0.0, list[float]()
    for _ in range(questions):
        now += dice.expovariate(1 / gap)
        begins = max(now, heapq.heappop(free))
        ends = begins + dice.lognormvariate(middle, sigma)
        heapq.heappush(free, ends)
        took.append(ends - now)
    took.sort()
    return took[len(took) // 2], took[int(len(took) * 0.95)]


# --- the tables ----------------------------------------------------------------------------------


def measured_table(known: Measured, guess: Assumed) -> list[list[str]]:
    rows = [
        ["bytes on disk a segment, SQLite, short talk", number(known.bytes_talk), "0.3.0-locomo.json"],
        ["the same, what a user says to an assistant", number(known.bytes_chat), "0.2.0-lme-s-snippet.json"],
        ["the same, a message with its whole answer", number(known.bytes_long), "0.2.0-longmemeval.json"],
        ["what PostgreSQL needs beside that, the same store", number(known.postgres_more), "0.3.0-moving.json"],
        ["bytes in memory a segment of a namespace in use", number(known.index_bytes), "0.1.0.json"],
        ["texts embedded a second, two cores", number(known.embedded_per_s), "0.1.0.json"],
        ["p95 of a recall over its median", f"{known.spread:.2f}", "0.2.0-recall-bench.json"],
    ]
    return [["figure", "value", "from"], *rows]


def namespace_table(known: Measured, guess: Assumed) -> list[list[str]]:
    head = ["segments of one namespace", "recall, median", "questions a second a core", "in memory", "on disk (SQLite)"]
    rows = []
    for size in (1_000, 10_000, 100_000, 1_000_000, 10_000_000):
        per_s = 1000 / core_ms(known, size)
        disk = f"{amount(size * known.bytes_talk)} to {amount(size * known.bytes_long)}"
        mark = "" if size <= 1_000_000 else " (beyond what was measured)"
        rows.append(
            [
                f"{power(size)}{mark}",
                f"{number(recall_ms(known, size))} ms",
                f"{per_s:.1f}",
                amount(size * known.index_bytes),
                disk,
            ]
        )
    return [head, *rows]


def need_table(known: Measured, guess: Assumed) -> list[list[str]]:
    head = ["segments", "people", "disk, 2 copies", "memory", "questions/s", "cores", "machines", "dollars a month"]
    rows = []
    for size in SIZES:
        n = need(known, guess, size)
        rows.append(
            [
                power(size),
                number(n.people),
                amount(n.disk_gb * 1e9),
                amount(n.memory_gb * 1e9),
                f"{n.queries_per_s:.3g}" if n.queries_per_s < 10 else number(n.queries_per_s),
                number(n.cores),
                number(n.machines),
                number(n.dollars),
            ]
        )
    return [head, *rows]


def split_table(known: Measured, guess: Assumed) -> list[list[str]]:
    """Ten thousand million segments, by how large the namespaces are."""
    head = ["namespaces of", "how many", "questions/s", "recall, median", "cores", "memory", "dollars a month"]
    rows = []
    for size in (10_000, 100_000, 1_000_000):
        n = need(known, replace(guess, segments_a_person=float(size)), 10**10)
        rows.append(
            [
                power(size),
                number(n.people),
                number(n.queries_per_s),
                f"{number(recall_ms(known, size))} ms",
                number(n.cores),
                amount(n.memory_gb * 1e9),
                number(n.dollars),
            ]
        )
    return [head, *rows]


def waiting_table(known: Measured, guess: Assumed) -> list[list[str]]:
    head = ["cores", *(f"{share:.0%} busy: median, p95" for share in (0.3, 0.6, 0.8, 0.95))]
    rows = []
    for cores in (2, 8, 64):
        cells = (waiting(known, cores, share) for share in (0.3, 0.6, 0.8, 0.95))
        rows.append([str(cores), *(f"{number(middle)}, {number(late)} ms" for middle, late in cells)])
    return [head, *rows]


TABLES: Mapping[str, Callable[[Measured, Assumed], list[list[str]]]] = {
    "measured": measured_table,
    "namespace": namespace_table,
    "need": need_table,
    "split": split_table,
    "waiting": waiting_table,
}


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.3g}"


def power(value: int) -> str:
    return f"10^{round(math.log10(value))}"


def amount(size: float) -> str:
    for unit, factor in (("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}" if size < 1e3 * factor else f"{size / factor:,.0f} {unit}"
    return f"{size:.0f} B"


def markdown(rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def page_with(text: str, known: Measured, guess: Assumed) -> str:
    """A page whose tables are made anew; each stands between two comments with its name."""
    for name, made in TABLES.items():
        if f"<!-- {name} -->\n" not in text:
            raise ValueError(f"the page has no place for the table {name}")
        start, _, end = text.partition(f"<!-- {name} -->\n")
        text = f"{start}<!-- {name} -->\n{markdown(made(known, guess))}\n<!-- end -->{end.partition('<!-- end -->')[2]}"
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the tables into the page")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="another assumption")
    given = parser.parse_args()
    known, names = measured(), {one.name for one in fields(Assumed)}
    changes = {name: float(value) for name, _, value in (one.partition("=") for one in given.set)}
    if unknown := sorted(set(changes) - names):
        parser.error(f"unknown: {', '.join(unknown)}. Known: {', '.join(sorted(names))}")
    guess = replace(Assumed(), **changes)
    if given.write:
        PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8"), known, guess), encoding="utf-8")
        return
    for name, made in TABLES.items():
        print(f"{name}\n{markdown(made(known, guess))}\n")


if __name__ == "__main__":
    main()
