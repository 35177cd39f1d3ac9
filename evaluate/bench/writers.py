"""Many processes write to one PostgreSQL while their connections are killed: nothing lost, nothing doubled.

    python evaluate/bench/writers.py [--url postgres://…?schema=NEW] [--processes 20] [--namespaces 4] [--seconds 60]
                                     [--kills-a-second 5] [--least-kills N] [--json OUT]

Each process is a writer as a daemon has one: it stores sessions of two turns in one of the namespaces, which it shares
with others, and now and then one that a neighbour stores, too. It writes down what was acknowledged; what was refused
it says again, as every client does. Meanwhile the server ends connections at random. In the end every acknowledged turn
must be there once and nothing that nobody said, `doctor` must find nothing in any namespace, and the graph must be the
one that a single writer makes. Vectors are made of hashed words: it is the database that is tried. With --least-kills
it goes on, however slow the machine is, until so many connections were ended and each writer has stored something.
Without --url the embedded server is started.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from rich.console import Console

from engramma import Config, Memory, StoreError, Turn
from engramma.admin.doctor import doctor
from engramma.store.postgres.address import parse_address
from engramma.transfer.export import export_lines

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
WORDS = ("garden", "ticket", "violin", "harbour", "invoice", "sister", "recipe", "printer", "blanket", "passport")
LONGEST = 300.0  # seconds beyond its time that a run waits for --least-kills
SHARED = 5  # every so many sessions, one that the neighbour stores as well


class Hashed:
    """Vectors of hashed words."""

    name, dimension, edge_floor = "hashed", 64, 0.6
    sha256 = hashlib.sha256(b"hashed").hexdigest()

    def embed(self, texts: Sequence[str], kind: str = "document", progress: object = None) -> Any:
        found = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(found, texts, strict=True):
            for word in text.lower().split():
                seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
                row += np.random.default_rng(seed).standard_normal(self.dimension).astype(np.float32)
        return found / np.linalg.norm(found, axis=1, keepdims=True)


def opened(url: str, folder: Path, namespace: str) -> Memory:
    settings = Config(busy_seconds=30, store={"engine": url})
    return Memory.open(folder, namespace, embedder=Hashed(), config=settings)


def session(writer: int, number: int) -> tuple[str, str, list[Turn]]:
    """What a writer says: always the same by its number, so that it can be said again."""
    if number % SHARED == 0:
        writer -= writer % 2  # the neighbour says the same
    chance = random.Random(f"{writer}/{number}")
    said = START + timedelta(minutes=writer * 10_000 + number)
    texts = [" ".join(chance.choices(WORDS, k=4)) for _ in range(2)]
    turns = [Turn("Ana", text, said + timedelta(seconds=n), f"t{n}") for n, text in enumerate(texts)]
    return f"talk {writer}", f"s{number}", turns


def write(url: str, folder: Path, writer: int, namespaces: int, over: Event, log: Path) -> None:
    """One process: store until it is over, and note what was acknowledged and how often it was refused."""
    refused, number = 0, 0
    with opened(url, folder, f"n{writer // 2 % namespaces}") as memory, log.open("w") as acknowledged:
        while not over.is_set():
            try:
                memory.remember_session(*session(writer, number))
            except StoreError:
                refused += 1
                continue
            acknowledged.write(f"{number}\n")
            acknowledged.flush()
            number += 1
    log.with_suffix(".refused").write_text(str(refused))


def kill_connections(url: str, a_second: float, is_over: Callable[[int], bool], counts: Counter[str]) -> None:
    """End one of the writers' connections at random, again and again."""
    chance = random.Random(3)
    with psycopg.connect(**parse_address(url).parameters, autocommit=True, application_name="killer") as admin:
        while not is_over(counts["kills"]):
            time.sleep(1 / a_second)
            found = admin.execute("SELECT pid FROM pg_stat_activity WHERE application_name = 'engramma'").fetchall()
            if found:
                admin.execute("SELECT pg_terminate_backend(%s)", chance.choice(found))
                counts["kills"] += 1


def bench(
    url: str, work: Path, processes: int, namespaces: int, seconds: float, kills: float, least: int
) -> dict[str, Any]:
    context = multiprocessing.get_context("spawn")
    for n in range(namespaces):
        opened(url, work / "local", f"n{n}").close()
    ends, over, counts = time.time() + seconds, context.Event(), Counter[str]()
    logs = [work / f"{n}.log" for n in range(processes)]
    writers = [
        context.Process(target=write, args=(url, work / "local", n, namespaces, over, logs[n]))
        for n in range(processes)
    ]

    def is_over(killed: int) -> bool:
        if not all(one.is_alive() for one in writers):
            return True  # one failed: its exit code tells
        is_enough = killed >= least and (not least or all(log.exists() and log.stat().st_size for log in logs))
        return time.time() >= ends and (is_enough or time.time() >= ends + LONGEST)

    for one in writers:
        one.start()
    try:
        kill_connections(url, kills, is_over, counts)
    finally:
        over.set()
    for one in writers:
        one.join()
    acknowledged = [len(log.read_text().split()) for log in logs]
    asked = dict(enumerate(acknowledged))
    lost, doubled, foreign, unwell, same = 0, 0, 0, list[str](), True
    for n in range(namespaces):
        mine = [writer for writer in asked if writer // 2 % namespaces == n]
        with opened(url, work / "local", f"n{n}") as memory:
            due = Counter(turn for writer in mine for turn in wanted(writer, asked[writer]))
            extra = {turn for writer in mine for turn in wanted(writer, asked[writer] + 1)}
            there = Counter(
                (talk.id, part.id, turn.id, turn.text)
                for talk in memory.conversations()
                for part in talk.sessions
                for turn in part.turns
            )
            lost += len(set(due) - set(there))
            doubled += sum(count - 1 for count in there.values())
            foreign += len(set(there) - extra)
            unwell += [f"n{n}: {check.name}: {check.detail}" for check in doctor(memory._core) if not check.ok]
            same = same and is_as_by_one(memory, work / f"alone{n}")
    codes = [one.exitcode for one in writers]
    figures = {
        "processes": processes,
        "namespaces": namespaces,
        "seconds": seconds,
        "connections_killed": counts["kills"],
        "refused_and_said_again": sum(int(log.with_suffix(".refused").read_text()) for log in logs),
        "acknowledged_sessions": sum(acknowledged),
        "fewest_of_a_writer": min(acknowledged),
        "lost_turns": lost,
        "doubled_turns": doubled,
        "turns_nobody_said": foreign,
        "doctor": unwell or "clean",
        "graph_as_by_one_writer": same,
        "exit_codes": codes,
    }
    well = not (lost or doubled or foreign or unwell or any(codes)) and same
    return {"ok": well, **figures}


def wanted(writer: int, sessions: int) -> list[tuple[str, str, str, str]]:
    said = (session(writer, number) for number in range(sessions))
    return [(talk, part, str(turn.id), turn.text) for talk, part, turns in said for turn in turns]


def is_as_by_one(memory: Memory, folder: Path) -> bool:
    """Whether a single writer on SQLite comes to the same export and the same graph."""
    with Memory.open(folder, memory.namespace, embedder=Hashed()) as alone:
        for talk in memory.conversations():
            for part in talk.sessions:
                alone.remember_session(talk.id, part.id, part.turns)
        (ours, edges), (theirs, others) = memory.graph(), alone.graph()
        return list(export_lines(memory._core)) == list(export_lines(alone._core)) and (ours, sorted(edges)) == (
            theirs,
            sorted(others),
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", help="a schema that is new; without it the embedded server is started")
    parser.add_argument("--processes", type=int, default=20)
    parser.add_argument("--namespaces", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--kills-a-second", type=float, default=5.0)
    parser.add_argument("--least-kills", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    given = (options.processes, options.namespaces, options.seconds, options.kills_a_second, options.least_kills)
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        if options.url:
            figures = bench(options.url, work, *given)
        else:
            from engramma.store.postgres import server
            from engramma.store.postgres.address import socket_address

            place = server.find_server_place(work / "server")
            server.hold_server(place)
            try:
                url = socket_address(str(place.sockets), server.PORT, server.USER, "postgres")
                figures = bench(url, work, *given)
            finally:
                server.release_server(place)
    Console().print_json(json.dumps(figures))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    return 0 if figures["ok"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
