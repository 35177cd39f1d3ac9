"""Kills during an import: the first half of crash.py."""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from crash_worker import Worker, note

from engramma import EngrammaError, Memory
from engramma.admin.doctor import doctor
from engramma.apps.render import as_value
from engramma.language.fence import unfenced
from engramma.transfer.export import export_lines

COMMAND = [sys.executable, "-c", "from engramma.apps.cli.main import run; run()"]
RECIPES = ("default", "pmg", "vector")


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
            row = memory._core.store.one("counts")
            assert row is not None
            return int(row["turns"])
    except EngrammaError:
        return 0  # not even made yet


def picture(store: Path, queries: int) -> dict[str, Any]:
    """Everything two stores are compared by; keys and times of capture are not part of it."""
    with Memory.open(store, create=False) as memory:
        lines = list(export_lines(memory._core))
        turns = [json.loads(line) for line in lines if line.startswith('{"type":"turn"')]
        segments, edges = memory.graph()
        keys = memory._core.store.keys("keys_all").tolist()  # in the order of graph()'s segments
        found_keys, rows = memory._core.store.vectors(
            "embeddings_by_keys", memory._core.embedder.dimension, keys=json.dumps(keys)
        )
        by_key = {key: row.tobytes() for key, row in zip(found_keys.tolist(), rows, strict=True)}
        asked = [turn["text"][:200] for turn in turns[:: max(1, len(turns) // max(1, queries))]][:queries]
        recalls = [recalled(memory, query, recipe) for query in asked for recipe in RECIPES]
        unwell = [f"{check.name}: {check.detail}" for check in doctor(memory._core) if not check.ok]
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
    found["context"] = unfenced(found["context"])  # its tag is made with a key of the store's own
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
