"""MCP servers, the daemon and an importer crowd one store while any of them is killed: nothing acknowledged is lost.

    python evaluate/bench/mcp_crowd.py [--servers 4] [--seconds 60] [--kills 12] [--seed N] [--json OUT]

Each server gets notes to add, to correct and to find; what it has acknowledged must be there in the end, every turn of
the imported files must be there once, and `doctor` must find nothing.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2

from engramma import Memory
from engramma.admin.doctor import doctor
from engramma.ingest.waiting_segments import finish_pending
from engramma.transfer.export import export_lines

ENGRAMMA = str(Path(sys.executable).with_name("engramma"))
WORDS = (
    *("garden", "ticket", "violin", "harbour", "invoice", "sister", "marathon", "recipe", "printer", "blanket"),
    *("borrowed", "repaired", "forgot", "promised", "sold", "painted", "lost", "found", "packed", "cancelled"),
)
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "crowd", "version": "1"}}
START = datetime(2026, 1, 5, 9, tzinfo=UTC)


@dataclass
class Crowd:
    """What all threads share: the store, when to end, what was acknowledged, what went wrong."""

    store: Path
    ends: float = float("inf")
    acknowledged: list[str] = field(default_factory=list)
    replaced: list[tuple[str, str]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)
    processes: dict[str, subprocess.Popen[str]] = field(default_factory=dict)
    ready: set[str] = field(default_factory=set)
    killed: set[int] = field(default_factory=set)

    def going(self) -> bool:
        return time.monotonic() < self.ends


def sentence(chance: random.Random) -> str:
    return f"{' '.join(chance.choices(WORDS, k=7))} {chance.randrange(10**12)}"


def rpc(number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


class Gone(Exception):
    """The other end was killed."""


class Stdio:
    """`engramma mcp` as a process, spoken to line by line."""

    def __init__(self, crowd: Crowd, name: str) -> None:
        command = [ENGRAMMA, "mcp", "--store", str(crowd.store)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, encoding="utf-8")
        crowd.processes[name] = self.process
        self.number = 0
        self.ask("initialize", HELLO)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.number += 1
        self._send(rpc(self.number, method, params))
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            with suppress(ValueError):  # half a line, of one that was killed
                message = json.loads(line)
                if message.get("id") == self.number:
                    return dict(message)
        raise Gone

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()
        except OSError:
            raise Gone from None

    def close(self) -> None:
        self.process.communicate(timeout=120)


class Http:
    """`engramma serve` as a process, spoken to at /mcp."""

    def __init__(self, crowd: Crowd, name: str) -> None:
        state = crowd.store / "daemon" / "state.json"
        state.unlink(missing_ok=True)
        command = [ENGRAMMA, "serve", "--store", str(crowd.store), "--port", "0"]
        nobody = subprocess.DEVNULL
        self.process = subprocess.Popen(command, stdin=nobody, stdout=nobody, stderr=nobody, text=True)
        crowd.processes[name] = self.process
        self.client = httpx2.Client(timeout=120)
        self.url = ""
        while not self.url:
            if self.process.poll() is not None:
                raise Gone
            with suppress(OSError, ValueError, KeyError, httpx2.HTTPError):
                found = json.loads(state.read_text())
                if found["pid"] == self.process.pid and self.client.get(f"{found['url']}/health").status_code == 200:
                    self.url = f"{found['url']}/mcp"
            time.sleep(0.05)
        token = (crowd.store / "daemon" / "token").read_text().strip()
        accept = "application/json, text/event-stream"
        self.client.headers.update({"Authorization": f"Bearer {token}", "Accept": accept})

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        try:
            answer = self.client.post(self.url, json=rpc(1, method, params))
        except httpx2.HTTPError:
            raise Gone from None
        return dict(answer.json())

    def close(self) -> None:
        self.client.close()
        self.process.terminate()
        self.process.wait(60)


def serve(crowd: Crowd, name: str, kind: type[Stdio] | type[Http], seed: int) -> None:
    """Use one server, and start it again when it was killed."""
    chance = random.Random(f"{seed} {name}")
    while crowd.going():
        server: Stdio | Http | None = None
        try:
            server = kind(crowd, name)
            while crowd.going():
                use(crowd, server, chance)
                crowd.ready.add(name)
            server.close()
        except Gone:
            code = crowd.processes[name].wait(60)
            if crowd.processes[name].pid not in crowd.killed:
                crowd.errors.append(f"{name} ended by itself with {code}")
        except Exception as error:  # a thread that dies silently would look like success
            crowd.errors.append(f"{name}: {type(error).__name__}: {str(error)[:300]}")
            return


def use(crowd: Crowd, server: Stdio | Http, chance: random.Random) -> None:
    """One round: a note, now and then a correction, a look for it."""

    def call(tool: str, **arguments: Any) -> dict[str, Any]:
        answer = server.ask("tools/call", {"name": tool, "arguments": arguments})
        if "result" not in answer or answer["result"].get("isError"):
            raise RuntimeError(f"{tool}: {json.dumps(answer)[:300]}")
        crowd.calls[tool] += 1
        return dict(answer["result"]["structuredContent"])

    text = sentence(chance)
    note = call("memory_add", text=text, tags=["crowd"])
    crowd.acknowledged.append(text)
    if chance.random() < 0.2 and note["is_new"]:
        newer = sentence(chance)
        call("memory_update", id=note["id"], text=newer)
        crowd.acknowledged.append(newer)
        crowd.replaced.append((text, newer))
    if chance.random() < 0.5:
        found = call("memory_search", query=text, limit=5)
        if note["is_new"] and not found["found"]:
            raise RuntimeError("what was acknowledged is not found")


def importing(crowd: Crowd, files: list[Path]) -> None:
    """Import the files over and over."""
    while crowd.going():
        command = [ENGRAMMA, "import", *map(str, files), "--store", str(crowd.store)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        crowd.processes["importer"] = process
        _, said = process.communicate()
        crowd.calls["import"] += process.returncode == 0
        crowd.ready.add("importer")
        if process.returncode and process.pid not in crowd.killed:
            crowd.errors.append(f"importer: {process.returncode} {said[-300:]}")


def write_files(folder: Path, chance: random.Random) -> list[Path]:
    files = []
    for number in range(6):
        path = folder / f"talk-{number}.jsonl"
        lines: list[dict[str, Any]] = [{"engramma": 1, "kind": "export", "namespace": "default"}]
        lines.append({"type": "conversation", "id": f"talk-{number}", "title": None, "source": None})
        for sitting in range(8):
            where = {"conversation": f"talk-{number}", "session": f"s{sitting}"}
            lines.append({"type": "session", "conversation": f"talk-{number}", "id": f"s{sitting}", "closed": True})
            for turn in range(5):
                at = (START + timedelta(days=sitting, minutes=turn)).isoformat()
                said = {"speaker": ("Ana", "Ben")[turn % 2], "said_at": at, "text": sentence(chance)}
                lines.append({"type": "turn", **where, "id": f"t{turn}", **said})
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        files.append(path)
    return files


def crowded(servers: int, seconds: float, kills: int, seed: int, folder: Path) -> dict[str, Any]:
    """Run it; returns what happened."""
    chance = random.Random(seed)
    crowd = Crowd(folder / "store")
    files = write_files(folder, chance)
    with Memory.open(crowd.store):
        pass
    names = [f"mcp-{number}" for number in range(servers)]
    threads = [threading.Thread(target=serve, args=(crowd, name, Stdio, seed)) for name in names]
    threads.append(threading.Thread(target=serve, args=(crowd, "daemon", Http, seed)))
    threads.append(threading.Thread(target=importing, args=(crowd, files)))
    for thread in threads:
        thread.start()
    while len(crowd.ready) < len(threads) and all(thread.is_alive() for thread in threads):
        time.sleep(0.05)
    crowd.ends = time.monotonic() + seconds
    done = Counter[str]()
    for _ in range(kills):
        time.sleep(chance.uniform(0.3, 1.5) * seconds / (kills + 1))
        victim = chance.choice([*names, "daemon", "importer"])
        process = crowd.processes[victim]
        if crowd.going() and process.poll() is None:
            crowd.killed.add(process.pid)
            process.kill()
            done[victim.partition("-")[0]] += 1
    for thread in threads:
        thread.join()
    return {"seed": seed, "seconds": seconds, "servers": servers, "kills": dict(done), **looked_at(crowd, files)}


def looked_at(crowd: Crowd, files: list[Path]) -> dict[str, Any]:
    """Whether everything is there, in order, and once."""
    subprocess.run([ENGRAMMA, "import", *map(str, files), "--store", str(crowd.store)], check=True, capture_output=True)
    with Memory.open(crowd.store, create=False) as memory:
        finish_pending(memory._core)
        unwell = [f"{check.name}: {check.detail}" for check in doctor(memory._core) if not check.ok]
        notes = {note.text: note for note in memory.notes.all(all_states=True)}
        repeats = {one.text for note in notes.values() if note.repeats for one in memory.notes.repeats(note.id)}
        turns = [json.loads(line) for line in export_lines(memory._core)]
    wanted = [json.loads(line) for path in files for line in path.read_text().splitlines()]
    place = ("conversation", "session", "id", "text")
    said = Counter(tuple(one[k] for k in place) for one in wanted if one.get("type") == "turn")
    found = Counter(tuple(one[k] for k in place) for one in turns if one.get("type") == "turn")
    lost = [text for text in crowd.acknowledged if text not in notes and text not in repeats]
    undone = [old for old, _ in crowd.replaced if old in notes and notes[old].state == "live"]
    lost_turns = [one for one, count in said.items() if found[one] != count]
    wrong = bool(lost or undone or lost_turns or unwell or crowd.errors)
    return {
        "ok": not wrong,
        "acknowledged": len(crowd.acknowledged),
        "calls": dict(crowd.calls),
        "lost": lost[:5],
        "not_superseded": undone[:5],
        "imported_turns": sum(said.values()),
        "turns_lost_or_doubled": lost_turns[:5],
        "doctor": unwell or "clean",
        "errors": crowd.errors[:5],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--servers", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--kills", type=int, default=12)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else random.randrange(10**6)
    with tempfile.TemporaryDirectory() as folder:
        report = crowded(given.servers, given.seconds, given.kills, seed, Path(folder))
    text = json.dumps(report, indent=2, ensure_ascii=False)
    print(text)
    if given.json:
        given.json.write_text(text + "\n", encoding="utf-8")
    return 0 if report["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
