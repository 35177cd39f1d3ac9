"""Through a real daemon: whatever dies, is locked or full, replies are right, and what was said is stored once."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import openai
import pytest

from engramma import Memory
from engramma.apps.daemon import control
from engramma.apps.daemon.folder import place_in, read_json
from engramma.apps.daemon.run import is_running
from engramma.apps.daemon.spool import Spool


class Provider(BaseHTTPRequestHandler):
    """Answers every question with its words turned round."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = asked["messages"][-1]["content"][::-1]
        message = {"role": "assistant", "content": text}
        reply = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": []}
        reply["choices"] = [{"index": 0, "finish_reason": "stop", "message": message}]
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def provider() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Provider) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def store(tmp_path: Path, provider: str) -> Iterator[Path]:
    path = tmp_path / "store"
    start(path, provider)
    yield path
    if is_running(place_in(path)):
        control.stop_daemon(path)


def start(store: Path, provider: str) -> None:
    control.start_daemon(store, ["--port", "0", "--upstream", f"openai={provider}"])


class Talk:
    """One conversation through the proxy, by the real SDK; every reply is checked."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self.said: list[str] = []

    def say(self, text: str) -> None:
        messages = [{"role": ("user", "assistant")[n % 2], "content": one} for n, one in enumerate(self.said)]
        messages.append({"role": "user", "content": text})
        with openai.OpenAI(base_url=control.ask_daemon_status(self.store)["proxy"]["openai"], api_key="none") as client:
            reply = client.chat.completions.create(model="m", messages=messages)  # type: ignore[arg-type]
        assert reply.choices[0].message.content == text[::-1]
        self.said += [text, text[::-1]]


def stored(store: Path) -> list[str]:
    with Memory.open(store) as memory:
        return [turn.text for talk in memory.conversations() for part in talk.sessions for turn in part.turns]


def until(check: Any, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


@pytest.mark.long
def test_killed_locked_and_restarted_nothing_is_lost_or_doubled(store: Path, provider: str) -> None:
    talk = Talk(store)
    talk.say("The first thing")
    until(lambda: control.ask_daemon_status(store)["worker"].get("turns", 0) == 2)

    lock = sqlite3.connect(store / "memory.db", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")  # the store cannot be written
    talk.say("said while the store was locked")
    until(lambda: control.ask_daemon_status(store)["spool"]["items"] == 1)
    os.kill(control.ask_daemon_status(store)["scribe"]["worker"], signal.SIGKILL)
    talk.say("said after the worker was killed")
    until(lambda: control.ask_daemon_status(store)["spool"]["items"] == 2)
    os.kill(read_json(place_in(store).state)["pid"], signal.SIGKILL)  # the daemon itself
    until(lambda: not is_running(place_in(store)))
    assert Spool(place_in(store).spool).waiting()[0] == 2  # on disk, and masked already
    lock.execute("ROLLBACK")
    lock.close()

    start(store, provider)
    talk.say("said after the daemon was killed")
    control.stop_daemon(store)
    assert Spool(place_in(store).spool).waiting() == (0, 0)
    assert sorted(stored(store)) == sorted(talk.said) and len(talk.said) == 8


@pytest.mark.long
def test_a_full_disk_changes_no_reply_and_is_told(tmp_path: Path, provider: str) -> None:
    small = tmp_path / "small"
    small.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(small)], capture_output=True)
    if made.returncode or sys.platform != "linux":
        pytest.skip("a small disk needs the right to mount one")
    try:
        store = small / "store"
        start(store, provider)
        talk = Talk(store)
        talk.say("before")
        until(lambda: control.ask_daemon_status(store)["worker"].get("turns", 0) == 2)
        filler = small / "filler"
        with filler.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
            while True:
                file.write(bytes(4096))
        talk.say("said while the disk was full")
        until(
            lambda: (
                "No space" in control.ask_daemon_status(store)["worker"].get("last_error", "") or not filler.unlink()
            )
        )
        filler.unlink(missing_ok=True)
        talk.say("after")
        until(lambda: control.ask_daemon_status(store)["worker"].get("turns", 0) >= 6)
        control.stop_daemon(store)
        assert sorted(stored(store)) == sorted(talk.said)
    finally:
        if is_running(place_in(small / "store")):
            control.stop_daemon(small / "store")
        subprocess.run(["umount", "-l", str(small)], check=False)
