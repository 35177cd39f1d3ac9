"""The MCP Inspector, a client by other people, calls every tool of `engramma mcp` and of the daemon.

    python evaluate/bench/inspector.py [--folder DIR]     (needs npm; installs the Inspector and Node 22 into DIR)

Prints a line a call and exits with 1 if one failed. The outcome is in docs/log.md.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engramma import Memory, Turn

PACKAGES = ("node@22", "@modelcontextprotocol/inspector@2.12.0")
ENGRAMMA = (str(Path(sys.executable).with_name("engramma")),)
PATIENT = ("--connect-timeout", "120000")  # on a busy machine
Ask = Callable[..., dict[str, Any]]


def install(folder: Path) -> Path:
    """The Inspector and a Node that it runs on; returns the folder of their commands."""
    commands = folder / "node_modules" / ".bin"
    if not (commands / "mcp-inspector").exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", *PACKAGES], cwd=folder, check=True, stdout=sys.stderr
        )
    return commands


def asker(commands: Path, target: list[str], *options: str) -> Ask:
    """A function that has the Inspector ask one thing and gives back its JSON."""
    environment = {**os.environ, "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}

    def ask(method: str, *arguments: str) -> dict[str, Any]:
        command = [
            str(commands / "mcp-inspector"),
            "--cli",
            *target,
            *options,
            *PATIENT,
            "--method",
            method,
            *arguments,
        ]
        began = time.perf_counter()
        done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", timeout=300)
        named = next((arguments[n + 1] for n, one in enumerate(arguments) if one in ("--tool-name", "--uri")), "")
        print(f"{method:<26}{named:<20}exit {done.returncode}  {time.perf_counter() - began:5.1f} s", flush=True)
        if done.returncode:
            raise RuntimeError(f"{done.stdout[-1500:]}\n{done.stderr[-1500:]}")
        return dict(json.loads(done.stdout))

    return ask


def call_all(ask: Ask) -> int:
    """Every list, every tool, every kind of resource, both prompts; returns how many calls that were."""
    calls = 0

    def tool(name: str, /, **given: Any) -> dict[str, Any]:
        nonlocal calls
        pairs = [f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in given.items()]
        arguments = ["--tool-name", name, *(["--tool-arg", *pairs] if pairs else [])]
        result = ask("tools/call", *arguments)
        if result.get("isError"):
            raise RuntimeError(f"{name}: {result['content']}")
        calls += 1
        return dict(result["structuredContent"])

    names = [one["name"] for one in ask("tools/list", "--strict")["tools"]]
    assert len(names) == 10, names
    hit = tool("memory_search", query="What is the cat called?")["hits"][0]["id"]
    tool("memory_context", query="What is the cat called?", max_tokens=500)
    tool("memory_get", id=hit, around=1)
    note = tool("memory_add", text="Ana prefers tea.", tags=["food"])["id"]
    tool("memory_list", kind="notes")
    newer = tool("memory_update", id=note, text="Ana prefers coffee since March.")["id"]
    tool("memory_link", source_id=newer, kind="related_to", target_id=hit)
    tool("memory_ingest", name="tower.md", text="# Tower\n\nThe lighthouse is 41 metres high.")
    tool("memory_timeline", person="Ana")
    act = tool("memory_forget", ids=[newer], confirm=True)["act"]
    tool("memory_forget", undo=act)
    refused = None
    try:
        tool("memory_get", id="seg_no/where_0")
    except RuntimeError as error:
        refused = str(error)
    assert refused and "no memory" in refused
    assert ask("resources/list")["resources"] and ask("resources/templates/list")["resourceTemplates"]
    for uri in ("memory://recent", "memory://session/monday", "memory://entity/Ana"):
        assert "Pixel" in ask("resources/read", "--uri", uri)["contents"][0]["text"]
    assert len(ask("prompts/list")["prompts"]) == 2
    assert ask("prompts/get", "--prompt-name", "recall", "--prompt-args", "about=the cat")["messages"]
    return calls


@contextmanager
def serving(store: Path) -> Iterator[tuple[str, str]]:
    """The daemon on a port of its own; yields its MCP address and its token."""
    process = subprocess.Popen([*ENGRAMMA, "serve", "--store", str(store), "--port", "0"], stdout=sys.stderr)
    state = store / "daemon" / "state.json"
    try:
        while not state.exists():
            if process.poll() is not None:
                raise RuntimeError("the daemon did not start")
            time.sleep(0.1)
        url = json.loads(state.read_text())["url"]
        time.sleep(0.5)
        yield f"{url}/mcp", (store / "daemon" / "token").read_text().strip()
    finally:
        process.terminate()
        process.wait(30)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="where the Inspector is or goes; by default a temporary folder")
    given = parser.parse_args()
    if shutil.which("npm") is None:
        print("npm is not here: the Inspector cannot be installed", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as temporary:
        commands = install(given.folder or Path(temporary) / "inspector")
        store = Path(temporary) / "store"
        with Memory.open(store) as memory:
            at = datetime(2026, 1, 5, 9, tzinfo=UTC)
            memory.remember_session("pets", "monday", [Turn("Ana", "My cat is called Pixel.", at, "t1")])
        calls = call_all(asker(commands, [*ENGRAMMA, "mcp", "--store", str(store)]))
        print(f"stdio: {calls} tool calls, none failed")
        with serving(store) as (url, token):
            calls = call_all(
                asker(commands, [url], "--transport", "http", "--header", f"Authorization: Bearer {token}")
            )
        print(f"HTTP: {calls} tool calls, none failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
