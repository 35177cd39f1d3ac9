"""Kill importers at random, or let writers and readers crowd one store, and look for what was lost.

    python evaluate/bench/crash.py talk.json --store work --kills 50 --processes 4
    python evaluate/bench/crash.py --store work --writers 4 --readers 2 --seconds 60

The first imports the file undisturbed, then with several processes at once of which a random one is
killed (SIGKILL) at a random moment and started again. When the kills are spent it imports once more and
compares: doctor, the export's bytes, the graph, the vectors, the archive, and what a few dozen queries
bring back. Of several files each process begins with another, so that they come in several orders. When
an import ends before the kills are spent, the next store begins: every kill meets an import under way.

The second has writers note every turn once it was stored and readers ask for noted turns; at the end
every noted turn must be there exactly once. With --kills, writers are killed meanwhile.

Progress goes to stderr, one JSON object with the result to stdout. The exit code is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from engramma import EngrammaError, Memory, Turn
from engramma.apps.render import as_value
from engramma.transfer import export_lines
from engramma.upkeep import doctor

COMMAND = [sys.executable, "-c", "from engramma.apps.cli.main import run; run()"]
RECIPES = ("default", "pmg", "vector")
STARTED = datetime(2024, 1, 1, tzinfo=UTC)
WORDS = (
    *("garden", "ticket", "violin", "harbour", "invoice", "sister", "marathon", "recipe", "printer", "blanket"),
    *("meeting", "passport", "kitchen", "novel", "battery", "doctor", "holiday", "piano", "bicycle", "thunder"),
    *("borrowed", "repaired", "forgot", "promised", "sold", "painted", "lost", "found", "packed", "cancelled"),
)


def main() -> int:
    arguments = parser().parse_args()
    if arguments.role:
        return ROLES[arguments.role](arguments)
    arguments.store.mkdir(parents=True, exist_ok=True)
    if any(arguments.store.iterdir()):
        sys.exit(f"{arguments.store} is not empty: name a new directory")
    if arguments.writers:
        result = crowd(arguments)
    elif arguments.sources:
        result = crash(arguments)
    else:
        sys.exit("name a file to import, or --writers")
    print(json.dumps(result, indent=2))
    return 0 if result["ok"] else 1


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    found.add_argument("sources", nargs="*", type=Path, help="files to import")
    found.add_argument("--store", type=Path, required=True, help="a new directory to work in")
    found.add_argument("--kills", type=int, default=None, help="50 while importing, none in a crowd")
    found.add_argument("--processes", type=int, default=4)
    found.add_argument(
        "--wait", type=float, nargs=2, default=(0.3, 3.0), metavar=("LEAST", "MOST"), help="s between kills"
    )
    found.add_argument("--queries", type=int, default=40)
    found.add_argument("--seed", type=int, default=None)
    found.add_argument("--writers", type=int, default=0)
    found.add_argument("--readers", type=int, default=2)
    found.add_argument("--seconds", type=float, default=60.0)
    found.add_argument("--role", choices=sorted(ROLES), help=argparse.SUPPRESS)
    found.add_argument("--number", type=int, default=0, help=argparse.SUPPRESS)
    found.add_argument("--until", type=float, default=0.0, help=argparse.SUPPRESS)
    return found


def note(text: str) -> None:
    sys.stderr.write(text + "\n")


# --- processes that may be killed ---------------------------------------------------------------------


@dataclass(slots=True)
class Worker:
    """A command that is started again and again; what it prints to stderr is kept, for it should be nothing."""

    command: list[str]
    errors: list[str] = field(default_factory=list)
    process: subprocess.Popen[bytes] | None = None
    said: Any = None

    def start(self) -> None:
        self.said = tempfile.TemporaryFile()  # noqa: SIM115  # closed when the process has ended
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.said
        )

    def kill(self) -> bool:
        """Kill it if it still runs; True if the signal was what ended it."""
        assert self.process is not None
        self.process.kill()
        return self.ended() < 0

    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def ended(self) -> int:
        """Wait for the end, keep what was said, return the exit code."""
        assert self.process is not None
        code = self.process.wait()
        if self.said is not None:
            self.said.seek(0)
            if text := self.said.read().decode("utf-8", "replace").strip():
                self.errors.append(text)
            elif code > 0:
                self.errors.append(f"exit code {code} without a word")
            self.said.close()
            self.said = None
        return code


# --- kills during an import -----------------------------------------------------------------------------


def crash(arguments: argparse.Namespace) -> dict[str, Any]:
    kills = 50 if arguments.kills is None else arguments.kills
    seed = arguments.seed if arguments.seed is not None else random.randrange(10**6)
    chance = random.Random(seed)
    began = time.monotonic()
    calm = arguments.store / "undisturbed"
    imported(calm, [str(source) for source in arguments.sources])
    seconds = round(time.monotonic() - began, 1)
    expected = picture(calm, arguments.queries)
    note(f"undisturbed: {expected['turns']} turns, {len(expected['edges'])} edges, {seconds} s")
    rounds: list[dict[str, Any]] = []
    while (left := kills - sum(r["kills"] for r in rounds)) > 0:
        store = arguments.store / f"disturbed-{len(rounds) + 1}"
        rounds.append(disturbed(arguments, chance, store, left, expected))
        note(f"round {len(rounds)}: {json.dumps({k: v for k, v in rounds[-1].items() if k != 'queries'})}")
    return {
        "ok": all(r["ok"] for r in rounds),
        "kills": sum(r["kills"] for r in rounds),
        "processes": arguments.processes,
        "seed": seed,
        "turns": expected["turns"],
        "segments": len(expected["vectors"]),
        "edges": len(expected["edges"]),
        "queries": len(expected["recalls"]),
        "undisturbed_seconds": seconds,
        "rounds": rounds,
    }


def imported(store: Path, sources: list[str]) -> None:
    subprocess.run([*COMMAND, "--store", str(store), "import", *sources], check=True, stdout=subprocess.DEVNULL)


def disturbed(
    arguments: argparse.Namespace, chance: random.Random, store: Path, kills: int, expected: dict[str, Any]
) -> dict[str, Any]:
    """One store: import with kills until they are spent or an import is through; import again; compare."""
    sources = [str(source) for source in arguments.sources]
    turned = [sources[n % len(sources) :] + sources[: n % len(sources)] for n in range(arguments.processes)]
    workers = [Worker([*COMMAND, "--store", str(store), "import", *files]) for files in turned]
    began = time.monotonic()
    done = 0
    for worker in workers:
        worker.start()
    while done < kills and all(worker.running() for worker in workers):
        time.sleep(chance.uniform(*arguments.wait))
        victim = chance.choice(workers)
        if not victim.kill():
            break  # it had ended by itself: this import is through
        done += 1
        stored = turns_stored(store)
        note(f"kill {done}/{kills}: {stored}/{expected['turns']} turns are stored")
        victim.start()
    for worker in workers:
        worker.ended()
    imported(store, sources)
    seconds = round(time.monotonic() - began, 1)
    errors = [error for worker in workers for error in worker.errors]
    found = picture(store, arguments.queries)
    same = {name: found[name] == expected[name] for name in ("export", "edges", "vectors", "archive", "recalls")}
    return {
        "ok": all(same.values()) and not found["unwell"] and not errors,
        "kills": done,
        "seconds": seconds,
        "same": same,
        "differences": differences(found, expected),
        "doctor": found["unwell"] or "clean",
        "errors": errors[:10],
        "left_behind": found["left_behind"],
    }


def turns_stored(store: Path) -> int:
    """How far the import is; also a reader that opens the store right after a kill."""
    try:
        with Memory.open(store, create=False) as memory:
            row = memory.store.one("counts")
            assert row is not None
            return int(row["turns"])
    except EngrammaError:
        return 0  # not even made yet


def picture(store: Path, queries: int) -> dict[str, Any]:
    """Everything two stores are compared by; keys and times of capture are not part of it."""
    with Memory.open(store, create=False) as memory:
        lines = list(export_lines(memory))
        turns = [json.loads(line) for line in lines if line.startswith('{"type":"turn"')]
        segments, edges = memory.graph()
        keys = memory.store.keys("keys_all").tolist()  # in the order of graph()'s segments
        found_keys, rows = memory.store.vectors("embeddings_by_keys", memory.embedder.dimension, keys=json.dumps(keys))
        by_key = {key: row.tobytes() for key, row in zip(found_keys.tolist(), rows, strict=True)}
        asked = [turn["text"][:200] for turn in turns[:: max(1, len(turns) // max(1, queries))]][:queries]
        recalls = [recalled(memory, query, recipe) for query in asked for recipe in RECIPES]
        unwell = [f"{check.name}: {check.detail}" for check in doctor(memory) if not check.ok]
        return {
            "turns": len(turns),
            "export": "".join(lines),
            "edges": sorted(edges),
            "vectors": {s.id: by_key.get(key) for s, key in zip(segments, keys, strict=True)},
            "archive": {str(p.relative_to(store)): p.read_bytes() for p in (store / "archive").rglob("*.txt")},
            "recalls": recalls,
            "unwell": unwell,
            "left_behind": sorted(str(p.relative_to(store)) for p in store.rglob("*") if is_left_behind(p, store)),
        }


def recalled(memory: Memory, query: str, recipe: str) -> dict[str, Any]:
    """A recall as `engramma recall --json` prints it, without the timings."""
    found: dict[str, Any] = as_value(memory.recall(query, recipe=recipe))
    del found["trace"]["timings_ms"]
    return found


def is_left_behind(path: Path, store: Path) -> bool:
    """A temporary file whose writer was killed."""
    inside = path.relative_to(store).parts
    return path.is_file() and (path.name.startswith(".") or (inside[0] == "archive" and path.suffix != ".txt"))


def differences(found: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """A few of each kind, to begin looking with."""
    wrong: dict[str, Any] = {}
    if missing := sorted(set(expected["edges"]) - set(found["edges"])):
        wrong["edges_missing"] = [len(missing), *missing[:5]]
    if extra := sorted(set(found["edges"]) - set(expected["edges"])):
        wrong["edges_extra"] = [len(extra), *extra[:5]]
    other = [k for k, v in expected["vectors"].items() if found["vectors"].get(k) != v]
    if other:
        wrong["vectors_other"] = [len(other), *other[:5]]
    asked = [a["query"] for a, b in zip(expected["recalls"], found["recalls"], strict=False) if a != b]
    if asked:
        wrong["recalls_other"] = [len(asked), *asked[:3]]
    return wrong


# --- a crowd ----------------------------------------------------------------------------------------------


def crowd(arguments: argparse.Namespace) -> dict[str, Any]:
    """Writers and readers at once; then every noted turn must be there once."""
    seed = arguments.seed if arguments.seed is not None else random.randrange(10**6)
    chance = random.Random(seed)
    store, logs = arguments.store / "memory", arguments.store / "logs"
    logs.mkdir()
    began = time.monotonic()
    until = time.time() + arguments.seconds
    me = [sys.executable, str(Path(__file__).resolve()), "--store", str(arguments.store), "--until", str(until)]
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
        lines = [json.loads(line) for line in export_lines(memory)]
        unwell = [f"{check.name}: {check.detail}" for check in doctor(memory) if not check.ok]
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


if __name__ == "__main__":
    sys.exit(main())
