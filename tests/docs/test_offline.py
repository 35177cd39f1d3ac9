"""The core works with no language model and no network, and the same question gives the same bytes."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import sys
from datetime import UTC, datetime
from pathlib import Path

def watch(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "urllib.Request"):
        raise SystemExit(f"the network was asked: {event} {args}")

sys.addaudithook(watch)
from engramma import Memory, Turn

lines = ["Ana: I moved to Ghent in May.", "Ben: My cat Pixel is three.", "Ana: The boiler leaks again."]
with Memory.open(Path(sys.argv[1])) as memory:
    turns = [
        Turn(*line.split(": ", 1), datetime(2026, 1, 5, 9, minute, tzinfo=UTC), f"t{minute}")
        for minute, line in enumerate(lines)
    ]
    memory.remember_session("talk", "monday", turns)
    memory.remember("The plumber comes on Friday.", at=datetime(2026, 1, 6, tzinfo=UTC))
    found = memory.recall("What is wrong with the boiler?")
    answer = memory.ask("Where does Ana live?")
    memory.steward.run()
    act = memory.forget(query="plumber").act
    memory.undo(act)
    sys.stdout.buffer.write(found.context.encode())
    sys.stdout.buffer.write(repr((answer.text, [c.turn_ids for c in found.candidates])).encode())
"""


def run(folder):
    done = subprocess.run([sys.executable, "-c", CODE, str(folder)], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.mark.long
def test_a_memory_works_without_a_network_and_gives_the_same_bytes(tmp_path):
    first = run(tmp_path / "store")
    assert b"The boiler leaks again." in first and b"Ghent" in first
    assert run(tmp_path / "store") == first
