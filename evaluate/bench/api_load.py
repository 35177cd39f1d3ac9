"""Many clients at once against a daemon: no error, no lost write, and how long they wait against one client alone.

    python evaluate/bench/api_load.py [--clients 200] [--seconds 60] [--json OUT]

Each client writes a turn or recalls, by turns, without a pause. Afterwards every turn that was acknowledged has to be
in the store exactly once. On a machine with few cores clients and daemon share them: read the ratio, not the times.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

sys.path.insert(0, str(Path(__file__).parent))

from api_serving import Served, served

from engramma import Memory
from engramma.admin.doctor import doctor

WORDS = ("boiler", "garden", "letter", "train", "museum", "recipe", "window", "budget", "doctor", "concert", "bicycle")
SEED_SESSIONS = 60
REQUEST_SECONDS = 120.0


@dataclass(slots=True)
class Seen:
    """What the clients met."""

    acknowledged: list[tuple[str, str]] = field(default_factory=list)  # conversation, turn id
    seconds: dict[str, list[float]] = field(default_factory=lambda: {"write": [], "recall": []})
    errors: Counter[str] = field(default_factory=Counter)


def sentence(pick: random.Random) -> str:
    a, b, c = pick.sample(WORDS, 3)
    return f"The {a} and the {b} are on day {pick.randrange(1000)}, after the {c}."


async def client(number: int, name: str, at: Served, until: float, seen: Seen, http: httpx2.AsyncClient) -> None:
    """Write and recall until the time is up. Four clients share a conversation, two a session."""
    pick = random.Random(f"{name}{number}")
    conversation, session = f"{name}-{number // 4}", f"s{number // 2}"
    turn = 0
    while time.monotonic() < until:
        is_write = pick.random() < 0.5
        began = time.monotonic()
        try:
            if is_write:
                turn += 1
                id = f"{number}-{turn}"
                one = {"speaker": f"Person {number}", "text": sentence(pick), "id": id}
                body: dict[str, Any] = {"conversation": conversation, "turns": [one]}
                if number % 8:  # some leave it to silence which session it is
                    body |= {"session": session, "close": pick.random() < 0.05}
                answer = await http.post("/api/turns", json=body)
            else:
                answer = await http.post("/api/recall", json={"query": sentence(pick), "k": 10})
        except httpx2.HTTPError as error:
            seen.errors[type(error).__name__] += 1
            continue
        seen.seconds["write" if is_write else "recall"].append(time.monotonic() - began)
        if answer.status_code != 200:
            seen.errors[f"{answer.status_code} {answer.text[:200]}"] += 1
        elif is_write:
            seen.acknowledged.append((conversation, id))


async def crowd(clients: int, seconds: float, name: str, at: Served) -> Seen:
    seen = Seen()
    limits = httpx2.Limits(max_connections=clients, max_keepalive_connections=clients)
    async with httpx2.AsyncClient(
        base_url=at.url, headers=at.headers, timeout=REQUEST_SECONDS, limits=limits, trust_env=False
    ) as http:
        until = time.monotonic() + seconds
        await asyncio.gather(*(client(n, name, at, until, seen, http) for n in range(clients)))
    return seen


def seed(store: Path) -> None:
    """A memory to recall from."""
    from datetime import UTC, datetime, timedelta

    from engramma import Turn

    pick = random.Random(7)
    start = datetime(2026, 1, 5, 9, tzinfo=UTC)
    with Memory.open(store) as memory:
        for day in range(SEED_SESSIONS):
            at = start + timedelta(days=day)
            turns = [Turn(f"P{n % 2}", sentence(pick), at + timedelta(minutes=n)) for n in range(10)]
            memory.remember_session("seed", f"day {day}", turns)


def lost_and_doubled(store: Path, acknowledged: list[tuple[str, str]]) -> tuple[int, int]:
    """How many of the turns that were acknowledged are not there, and how many more than once."""
    with Memory.open(store, create=False) as memory:
        there = Counter(
            (conversation.id, turn.id)
            for conversation in memory.conversations()
            for session in conversation.sessions
            for turn in session.turns
        )
    return sum(there[one] == 0 for one in acknowledged), sum(there[one] > 1 for one in set(acknowledged))


def figures(seen: Seen, seconds: float) -> dict[str, Any]:
    found: dict[str, Any] = {"errors": dict(seen.errors)}
    for kind, times in seen.seconds.items():
        ordered = sorted(times) or [0.0]
        found[kind] = {
            "count": len(times),
            "per_second": round(len(times) / seconds, 1),
            "p50_ms": round(1000 * ordered[len(ordered) // 2], 1),
            "p95_ms": round(1000 * ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))], 1),
            "max_ms": round(1000 * ordered[-1], 1),
        }
    return found


def run(clients: int, seconds: float, alone_seconds: float) -> dict[str, Any]:
    """One client, then many, on one daemon; then what is in the store."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        seed(store)
        with served(store, Path(folder) / "log") as at:
            asyncio.run(crowd(1, 2, "warm", at))
            alone = asyncio.run(crowd(1, alone_seconds, "alone", at))
            many = asyncio.run(crowd(clients, seconds, "many", at))
        log = (Path(folder) / "log").read_text(encoding="utf-8")
        lost, doubled = lost_and_doubled(store, alone.acknowledged + many.acknowledged)
        with Memory.open(store, create=False) as memory:
            findings = [f"{check.name}: {check.detail}" for check in doctor(memory._core) if not check.ok]
    one, all_ = figures(alone, alone_seconds), figures(many, seconds)
    return {
        "clients": clients,
        "seconds": seconds,
        "acknowledged_writes": len(many.acknowledged),
        "lost_writes": lost,
        "doubled_writes": doubled,
        "doctor_findings": findings,
        "errors_in_log": log.count(" ERROR "),
        "one_client": one,
        "many_clients": all_,
        "p95_ratio": {
            kind: round(all_[kind]["p95_ms"] / max(one[kind]["p95_ms"], 0.1), 1) for kind in ("write", "recall")
        },
        "throughput_ratio": {
            kind: round(all_[kind]["per_second"] / max(one[kind]["per_second"], 0.1), 2) for kind in ("write", "recall")
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--alone-seconds", type=float, default=10.0)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = run(given.clients, given.seconds, given.alone_seconds)
    text = json.dumps(found, indent=2)
    print(text)
    if given.json:
        given.json.write_text(text + "\n", encoding="utf-8")
    if found["many_clients"]["errors"] or found["lost_writes"] or found["doubled_writes"] or found["doctor_findings"]:
        raise SystemExit("FAILED")


if __name__ == "__main__":
    main()
