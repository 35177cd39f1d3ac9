"""Many readers at once: recalls a second of threads and of processes, alone and while somebody writes.

    python evaluate/bench/readers.py [--segments 3000] [--seconds 5] [--threads 1 2 4 8] [--processes 1 2 4]
                                     [--store DIR] [--json OUT]

The store and the questions are those of recall.py: made-up words and vectors, so nothing is embedded and all of the
time is recall's own. The writer is a process of its own that remembers a session of six turns, waits until it is
stored, and begins again. Each row tells the recalls a second; the median, the 95th percentile and the processor time of
one in milliseconds; how many cores the readers kept busy; and what went wrong, which must be nothing: an error, or an
answer without entries. Threads of one process share Python's lock, processes do not: what threads fall behind by is the
lock's part. "lock" is the share of a recall that it is held for, taken from the most that threads get out of their
process, on a machine that does nothing else. On a busy one only the processor time can be compared.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import threading
import time
from datetime import timedelta
from pathlib import Path
from queue import Empty
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from engramma import Memory, Turn
from engramma.errors import EngrammaError
from recall import NAMES, START, MadeUp, asked, fill, spoken

CONTEXT: Any = multiprocessing.get_context("spawn")
WARM = 10  # recalls of each reader before it is timed


def read(memory: Memory, seconds: float, start: Any, took: list[float], wrong: list[str], first: int) -> None:
    """Ask one question after the other until the time is over."""
    questions = asked()
    for number in range(WARM):
        memory.recall(questions[(first + number) % len(questions)])
    start.wait()
    end, number = time.perf_counter() + seconds, first
    while (began := time.perf_counter()) < end:
        try:
            found = memory.recall(questions[number % len(questions)])
            if not found.entries and "nothing similar" not in " ".join(found.trace.notes):
                wrong.append(f"no entries: {found.trace.notes}")
        except EngrammaError as error:
            wrong.append(f"{type(error).__name__}: {error}")
        took.append(time.perf_counter() - began)
        number += 1


def reading_process(path: Path, threads: int, seconds: float, start: Any, answers: Any, first: int) -> None:
    """A process with some readers; it tells how long each recall took, what went wrong, and its processor time."""
    took, wrong = list[float](), list[str]()
    with Memory.open(path, embedder=MadeUp()) as memory:
        lists = [list[float]() for _ in range(threads)]
        together = threading.Barrier(threads + 1)
        crew = [
            threading.Thread(target=read, args=(memory, seconds, together, own, wrong, first + 7 * number))
            for number, own in enumerate(lists)
        ]
        for one in crew:
            one.start()
        while together.n_waiting < threads:
            time.sleep(0.01)
        start.wait()
        cpu = time.process_time()
        together.wait()
        for one in crew:
            one.join()
        cpu = time.process_time() - cpu
    took = [seconds for own in lists for seconds in own]
    answers.put((took, wrong, cpu))


def writing_process(path: Path, start: Any, end: Any, answers: Any) -> None:
    """Remember session after session until it is told to end; tells how many."""
    words, written = spoken(10_000_000, os.getpid()), 0
    with Memory.open(path, embedder=MadeUp()) as memory:
        start.wait()
        while not end.is_set():
            at = START + timedelta(days=2_000, minutes=written)
            turns = [Turn(NAMES[n % 2], next(words), at + timedelta(seconds=n)) for n in range(6)]
            memory.remember_session(f"written {os.getpid()}", f"s{written}", turns)
            written += 1
    answers.put(written)


def measure(path: Path, processes: int, threads: int, writes: bool, seconds: float) -> dict[str, Any]:
    """Readers in so many processes of so many threads each, and maybe a writer."""
    start, end = CONTEXT.Barrier(processes + writes), CONTEXT.Event()
    answers, written = CONTEXT.Queue(), CONTEXT.Queue()
    readers = [
        CONTEXT.Process(target=reading_process, args=(path, threads, seconds, start, answers, 13 * number))
        for number in range(processes)
    ]
    writer = [CONTEXT.Process(target=writing_process, args=(path, start, end, written))] if writes else []
    for one in (*readers, *writer):
        one.start()
    try:
        told = [answers.get(timeout=600) for _ in readers]
    except Empty:
        sys.exit("a reader did not answer within ten minutes")
    end.set()
    sessions = written.get(timeout=600) if writes else 0
    for one in (*readers, *writer):
        one.join()
    took = np.array([value for own, _, _ in told for value in own]) * 1e3
    return {
        "processes": processes,
        "threads": threads,
        "writer": writes,
        "recalls_s": round(len(took) / seconds, 1),
        "p50_ms": round(float(np.median(took)), 1),
        "p95_ms": round(float(np.quantile(took, 0.95)), 1),
        "cores": round(sum(cpu for _, _, cpu in told) / seconds, 2),
        "cpu_ms": round(sum(cpu for _, _, cpu in told) * 1e3 / max(1, len(took)), 1),
        "sessions_written_s": round(sessions / seconds, 1),
        "errors": [error for _, wrong, _ in told for error in wrong],
    }


def lock_share(rows: list[dict[str, Any]]) -> float | None:
    """The share of a recall for which Python's lock is held: what one thread does a second, by the most of several."""
    alone = {row["threads"]: row["recalls_s"] for row in rows if row["processes"] == 1 and not row["writer"]}
    most = max((rate for threads, rate in alone.items() if threads > 1), default=0.0)
    return round(min(1.0, alone[1] / most), 2) if 1 in alone and most else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segments", type=int, default=3_000)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2, 4, 8])
    parser.add_argument("--processes", type=int, nargs="*", default=[2, 4])
    parser.add_argument("--store", type=Path, help="keep the store here; a second run fills nothing")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    shapes = [(1, threads) for threads in options.threads] + [(processes, 1) for processes in options.processes]
    with tempfile.TemporaryDirectory() as made:
        path = (options.store or Path(made)) / str(options.segments)
        with Memory.open(path, embedder=MadeUp()) as memory:
            if not memory.sessions():
                fill(memory, options.segments)
            memory.recall(asked()[0])
        rows = [
            measure(path, processes, threads, writes, options.seconds)
            for writes in (False, True)
            for processes, threads in shapes
        ]
    names = ("recalls_s", "p50_ms", "p95_ms", "cpu_ms", "cores", "sessions_written_s")
    table = Table("processes", "threads", "writer", "recalls/s", "p50", "p95", "cpu", "cores", "written/s", "errors")
    for row in rows:
        writer = "yes" if row["writer"] else ""
        figures = [str(row[name]) for name in names]
        table.add_row(str(row["processes"]), str(row["threads"]), writer, *figures, str(len(row["errors"])))
    Console(stderr=True).print(table)
    found = {"segments": options.segments, "cores": os.cpu_count(), "lock": lock_share(rows), "rows": rows}
    print(json.dumps(found))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), "utf-8")
    sys.exit(1 if any(row["errors"] for row in rows) else 0)


if __name__ == "__main__":
    main()
