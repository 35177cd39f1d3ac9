"""A real model reads talk into claims, from end to end: its speed, what it proposes, what is believed of it.

    python evaluate/bench/llm_real.py URL MODEL [--turns 8] [--session 0] [--chunk-turns 3] [--max-tokens 400]

Any server that speaks OpenAI's protocol will do, such as Ollama (http://127.0.0.1:11434/v1). Some turns of one of the
demo's conversations are remembered in a store of their own; `engramma extract --llm` reads them in a process that is
killed once while the model writes, and again until it is done. At the end, nothing may be lost or doubled.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

from engramma import Memory, Turn
from engramma.admin.doctor import doctor

COMMAND = "from engramma.apps.cli.main import run; run()"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("model")
    parser.add_argument("--turns", type=int, default=8)
    parser.add_argument("--session", type=int, default=0, help="which of the demo's sessions")
    parser.add_argument("--chunk-turns", type=int, default=3)
    parser.add_argument("--max-tokens", type=int, default=400)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measured(Path(folder) / "store", given)
    text = json.dumps(figures, indent=2, ensure_ascii=False)
    print(text)
    if given.json is not None:
        given.json.write_text(text + "\n", encoding="utf-8")


def measured(store: Path, given: argparse.Namespace) -> dict[str, Any]:
    store.mkdir()
    settings = {
        "url": given.url,
        "model": given.model,
        "timeout": 3_600,
        "retries": 0,
        "max_tokens": given.max_tokens,
        "chunks": "turns",
        "chunk_turns": given.chunk_turns,
    }
    table = "\n".join(f"{name} = {json.dumps(value)}" for name, value in settings.items())
    (store / "config.toml").write_text(f"[llm]\n{table}\n", encoding="utf-8")
    turns = shown(given.turns, given.session)
    with Memory.open(store) as memory:
        memory.remember_session("demo", "s1", turns)
        by_rules = len(memory.claims.all(limit=1_000))
    killed = killed_once(store)
    began = time.monotonic()
    runs = [run(store)]
    while runs[-1]["ended"] != "done" and len(runs) < 5:
        runs.append(run(store))
    with Memory.open(store) as memory:
        status = memory.llm.status()
        claims = [claim for claim in memory.claims.all(limit=1_000) if claim.method != "rules"]
        unwell = [f"{check.name}: {check.detail}" for check in doctor(memory._core) if not check.ok]
    seconds = sum(run["model_seconds"] for run in runs)
    written = sum(run["completion_tokens"] for run in runs)
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}",
        "model": given.model,
        "turns": len(turns),
        "killed_after_seconds": killed,
        "seconds_after_the_kill": round(time.monotonic() - began, 1),
        "pieces": dict(status.pieces),
        "waiting": status.waiting,
        "tokens_after_the_kill": {"prompt": sum(run["prompt_tokens"] for run in runs), "reply": written},
        "reply_tokens_a_second": round(written / seconds, 2) if seconds else None,
        "claims_by_rules": by_rules,
        "proposed": status.proposed,
        "kept": status.kept,
        "dropped": dict(status.dropped),
        "doubles": sum(count - 1 for count in Counter(claim.id for claim in claims).values()),
        "stored": len(claims),
        "unwell": unwell,
        "days": [asdict(day) for day in status.days],
        "claims": [
            f"{claim.speaker}: {claim.quote!r} -> {claim.subject} {claim.relation} {claim.value!r}"
            f"{' (not)' if claim.negated else ''} [{claim.modality}] {claim.valid_from or ''}".rstrip()
            for claim in sorted(claims, key=lambda claim: (claim.said_at, claim.start))
        ],
    }


def shown(count: int, session: int) -> list[Turn]:
    """Some turns of the demo."""
    text = (resources.files("engramma.apps") / "demo" / "conversations.jsonl").read_text(encoding="utf-8")
    rows = [row for row in map(json.loads, text.splitlines()) if row.get("type") == "turn"]
    sessions = list(dict.fromkeys(row["session"] for row in rows))
    chosen = [row for row in rows if row["session"] == sessions[session]][:count]
    return [Turn(r["speaker"], r["text"], datetime.fromisoformat(r["said_at"]), r["id"], r["role"]) for r in chosen]


def killed_once(store: Path) -> float:
    """Begin to read, and be killed while the model writes its second reply; returns after how many seconds."""
    process = subprocess.Popen([sys.executable, "-c", COMMAND, "extract", "--llm", "--store", str(store)])
    began = time.monotonic()
    with Memory.open(store) as memory:
        while process.poll() is None:
            time.sleep(0.5)
            if memory.llm.status().pieces:
                time.sleep(3)
                break
    if process.poll() is None:
        os.kill(process.pid, signal.SIGKILL)
    process.wait()
    return round(time.monotonic() - began, 1)


def run(store: Path) -> dict[str, Any]:
    """One whole run of the command; what it says as JSON."""
    command = [sys.executable, "-c", COMMAND, "extract", "--llm", "--json", "--store", str(store)]
    told = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8")
    found: dict[str, Any] = json.loads(told.stdout)
    return found


if __name__ == "__main__":
    main()
