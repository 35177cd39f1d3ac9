"""Writers and readers that crowd one store: the second half of crash.py."""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from crash_worker import Worker, note

from engramma import Memory, Turn
from engramma.admin.doctor import doctor
from engramma.transfer.export import export_lines

SCRIPT = Path(__file__).resolve().with_name("crash.py")  # which starts writers and readers by their role
STARTED = datetime(2024, 1, 1, tzinfo=UTC)
WORDS = (
    *("garden", "ticket", "violin", "harbour", "invoice", "sister", "marathon", "recipe", "printer", "blanket"),
    *("meeting", "passport", "kitchen", "novel", "battery", "doctor", "holiday", "piano", "bicycle", "thunder"),
    *("borrowed", "repaired", "forgot", "promised", "sold", "painted", "lost", "found", "packed", "cancelled"),
)


def crowd(arguments: argparse.Namespace) -> dict[str, Any]:
    """Writers and readers at once; then every noted turn must be there once."""
    seed = arguments.seed if arguments.seed is not None else random.randrange(10**6)
    chance = random.Random(seed)
    store, logs = arguments.store / "memory", arguments.store / "logs"
    logs.mkdir()
    began = time.monotonic()
    until = time.time() + arguments.seconds
    me = [sys.executable, str(SCRIPT), "--store", str(arguments.store), "--until", str(until)]
    writers = [Worker([*me, "--role", "writer", "--number", str(n)]) for n in range(arguments.writers)]
    readers = [Worker([*me, "--role", "reader", "--number", str(n)]) for n in range(arguments.readers)]
    for worker in (*writers, *readers):
        worker.start()
    done, kills = 0, arguments.kills or 0
    pause = arguments.seconds / (kills + 1)
    while done < kills and time.time() < until:
        time.sleep(chance.uniform(0.2, 1.8) * pause)
        victim = chance.choice(writers)
        if victim.kill():
            done += 1
            note(f"kill {done}/{kills}: {len(noted(logs))} turns were noted")
            victim.start()
    for worker in (*writers, *readers):
        worker.ended()
    seconds = round(time.monotonic() - began, 1)
    errors = [error for worker in (*writers, *readers) for error in worker.errors]
    note(f"{len(noted(logs))} turns were noted in {seconds} s; looking them up")
    with Memory.open(store, create=False) as memory:
        memory.close_idle()
        lines = [json.loads(line) for line in export_lines(memory._core)]
        unwell = [f"{check.name}: {check.detail}" for check in doctor(memory._core) if not check.ok]
    stored = Counter((t["conversation"], t["session"], t["id"], t["text"]) for t in lines if t.get("type") == "turn")
    ids = Counter((t["conversation"], t["session"], t["id"]) for t in lines if t.get("type") == "turn")
    wanted = noted(logs)
    lost = [turn for turn in wanted if stored[turn] == 0]
    twice = [turn for turn, count in ids.items() if count > 1]
    reads = [json.loads(path.read_text()) for path in logs.glob("reader-*.json")]
    slowest = [json.loads(line)["ms"] for path in logs.glob("writer-*.log") for line in path.read_text().splitlines()]
    return {
        "ok": not (lost or twice or unwell or errors) and len(reads) == len(readers),
        "seed": seed,
        "seconds": seconds,
        "writers": len(writers),
        "readers": len(readers),
        "kills": done,
        "turns_noted": len(wanted),
        "turns_stored": sum(stored.values()),
        "lost": lost[:10],
        "twice": twice[:10],
        "write_ms": {"median": sorted(slowest)[len(slowest) // 2], "most": max(slowest)} if slowest else None,
        "recalls": sum(r["recalls"] for r in reads),
        "recall_ms_most": max((r["most_ms"] for r in reads), default=None),
        "doctor": unwell or "clean",
        "errors": errors[:10],
    }


def noted(logs: Path) -> list[tuple[str, str, str, str]]:
    """What the writers say was stored; a line that a kill cut off was not noted."""
    found = []
    for path in sorted(logs.glob("writer-*.log")):
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            found.append((entry["conversation"], entry["session"], entry["id"], entry["text"]))
    return found


def write(arguments: argparse.Namespace) -> int:
    """A writer: sittings turn by turn, sittings as a whole that grow, and one sitting shared by all writers."""
    chance = random.Random(f"{arguments.number} {os.getpid()} {time.time_ns()}")
    life = f"{arguments.number}-{os.getpid()}"
    own = f"writer-{arguments.number}"
    log = arguments.store / "logs" / f"writer-{life}.log"
    with Memory.open(arguments.store / "memory") as memory, log.open("a", encoding="utf-8") as file:

        def keep(conversation: str, session: str, id: str, text: str, began: float) -> None:
            ms = round((time.monotonic() - began) * 1000, 1)
            entry = {"conversation": conversation, "session": session, "id": id, "text": text, "ms": ms}
            file.write(json.dumps(entry) + "\n")
            file.flush()

        for number in sittings(arguments.until):
            name = f"{life}-{number}"
            with memory.session(own, f"live-{name}") as live:
                for step in range(4):
                    text, began = sentence(chance), time.monotonic()
                    speaker = ("user", "assistant")[step % 2]
                    id = live.add(speaker, text, said_at=STARTED + timedelta(hours=number, minutes=step))
                    keep(own, f"live-{name}", id, text, began)
            turns = [
                Turn("Ana", sentence(chance), STARTED + timedelta(hours=number, minutes=30 + n), f"t{n}")
                for n in range(6)
            ]
            for size in (3, 6):  # the second call extends the sitting
                began = time.monotonic()
                memory.remember_session(own, f"whole-{name}", turns[:size])
                for turn in turns[size - 3 : size]:
                    keep(own, f"whole-{name}", str(turn.id), turn.text, began)
            text, began = sentence(chance), time.monotonic()
            shared = memory.session("everyone", "talk")
            id = shared.add(own, text, said_at=datetime.now(UTC), id=f"turn-{name}")
            keep("everyone", "talk", id, text, began)
    return 0


def sittings(until: float) -> Iterator[int]:
    number = 0
    while time.time() < until:
        yield number
        number += 1


def sentence(chance: random.Random) -> str:
    return f"{' '.join(chance.choices(WORDS, k=7))} {chance.randrange(10**9)}"


def read(arguments: argparse.Namespace) -> int:
    """A reader: asks for a noted turn, and must find it at once."""
    chance = random.Random(f"{arguments.number} {time.time_ns()}")
    logs = arguments.store / "logs"
    recalls, most = 0, 0.0
    with Memory.open(arguments.store / "memory") as memory:
        while time.time() < arguments.until:
            known = noted(logs)
            began = time.monotonic()
            memory.recall(sentence(chance), k=5)
            recalls, most = recalls + 1, max(most, time.monotonic() - began)
            if not known:
                continue
            conversation, session, id, text = chance.choice(known)
            found = memory.recall(text, k=10_000, recipe="vector", conversation=conversation)
            recalls += 1
            if not any(c.session_id == session and id in c.turn_ids for c in found.candidates):
                sys.stderr.write(f"turn {id} of {conversation}/{session} was stored and is not found\n")
    target = logs / f"reader-{arguments.number}.json"
    target.write_text(json.dumps({"recalls": recalls, "most_ms": round(most * 1000, 1)}))
    return 0


ROLES = {"writer": write, "reader": read}
