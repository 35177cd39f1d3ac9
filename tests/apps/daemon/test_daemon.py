"""A real daemon: started, asked, stopped, killed, and what it does with its spool."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from engramma import Memory
from engramma.apps.daemon import control
from engramma.apps.daemon.folder import DaemonFolder, place_in, read_json, token_of
from engramma.apps.daemon.run import is_running
from engramma.apps.daemon.spool import Spool
from engramma.apps.relay import control as relay
from tests.commands import ran

pytestmark = pytest.mark.long

TRANSCRIPT = [
    {"type": "user", "message": {"role": "user", "content": "The parrot is called Kiwi."}, "uuid": "u1"},
    {
        "type": "assistant",
        "message": {"id": "m1", "role": "assistant", "content": [{"type": "text", "text": "A fine name."}]},
        "uuid": "a1",
        "parentUuid": "u1",
    },
]


def command(store: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return ran("--store", store, *arguments)


def transcript(folder: Path) -> Path:
    path = folder / "5f3c7d1e-0000-4000-8000-000000000001.jsonl"
    lines = [
        {**line, "sessionId": path.stem, "timestamp": f"2026-03-01T10:00:0{number}.000Z", "cwd": "/w", "version": "2"}
        for number, line in enumerate(TRANSCRIPT)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def until(check: Any, seconds: float = 60.0) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)
    return found


def client(store: Path) -> httpx2.Client:
    headers = {"Authorization": f"Bearer {token_of(place_in(store))}"}
    return httpx2.Client(base_url=read_json(place_in(store).state)["url"], headers=headers, timeout=60)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "store"
    yield path
    relay.stop_relay(path)
    if is_running(place_in(path)):
        control.stop_daemon(path)


def test_from_start_to_stop(store: Path, tmp_path: Path) -> None:
    assert command(store, "status").returncode == 3
    Spool(place_in(store).spool).put("transcript", {"path": str(transcript(tmp_path)), "format": "claude-code"})
    told = json.loads(command(store, "start", "--port", "0", "--json").stdout)
    assert not told["was_running"] and told["capture"] == {"state": "on", "until": None}
    assert json.loads(command(store, "start", "--json").stdout)["was_running"]
    refused = command(store, "serve", "--port", "0")
    assert refused.returncode == 1 and "already serves this memory" in refused.stderr
    token = place_in(store).token
    assert token.stat().st_mode & 0o777 == 0o600

    with client(store) as http:
        assert http.get("/api/status", headers={"Authorization": "Bearer no"}).status_code == 401
        assert httpx2.get(f"{told['url']}/health").json()["status"] == "ok"
        assert http.get("/api/stats", headers={"Host": "evil.example"}).status_code == 421
        assert http.get("/api/stats", headers={"Origin": "http://evil.example"}).status_code == 403
        until(lambda: http.get("/api/status").json()["worker"].get("turns") == 2)
        found = http.get("/api/recall", params={"q": "What is the parrot called?"}).json()
        assert "Kiwi" in found["context"]
        http.post("/api/capture/pause", json={"minutes": 5})
        assert http.get("/api/status").json()["capture"]["state"] == "paused"
        assert "capturing" in command(store, "resume").stdout
        assert http.get("/api/status").json()["capture"]["state"] == "on"

    exported = command(store, "env").stdout
    held = relay.relay_url(place_in(store))  # programs are given the relay's address, with the same key
    given = told["proxy"]["openai"].replace(told["url"], str(held))
    assert f"OPENAI_BASE_URL={given}" in exported and given.endswith("/openai/v1")
    reading = command(store, "env", "--inject")
    assert reading.stdout != exported and "until it is started with --inject" in reading.stderr
    assert command(store, "env", "--unset").stdout == "unset ANTHROPIC_BASE_URL OPENAI_BASE_URL OLLAMA_HOST\n"
    assert command(store, "token").stdout == token.read_text()
    shown = command(store, "status").stdout
    assert told["url"] in shown and "0 requests passed through since the start" in shown and "2 turns stored" in shown
    assert "Kiwi" not in command(store, "logs").stdout
    assert json.loads(command(store, "stop", "--json").stdout) == {"stopped": True}
    assert command(store, "stop").stdout.strip() == "no daemon is running"


def test_the_token_is_made_before_the_first_start(store: Path) -> None:
    made = command(store, "token").stdout.strip()
    assert len(made) > 30 and place_in(store).token.stat().st_mode & 0o777 == 0o600
    told = json.loads(command(store, "token", "--json").stdout)
    assert told == {"token": made, "file": str(place_in(store).token)}


@pytest.mark.skipif(sys.platform == "win32", reason="what is open cannot be deleted there")
def test_a_daemon_whose_folder_was_deleted_ends_and_does_not_make_it_anew(store: Path) -> None:
    command(store, "start", "--port", "0")
    told = read_json(place_in(store).state)
    shutil.rmtree(store)

    def is_over() -> bool:
        with socket.socket() as tried:
            return tried.connect_ex(("127.0.0.1", int(told["port"]))) != 0

    until(is_over)
    assert not store.exists()


def test_a_killed_daemon_leaves_nothing_that_hinders_the_next(store: Path, tmp_path: Path) -> None:
    command(store, "start", "--port", "0")
    os.kill(read_json(place_in(store).state)["pid"], signal.SIGKILL)
    until(lambda: not is_running(place_in(store)))
    Spool(place_in(store).spool).put("transcript", {"path": str(transcript(tmp_path))})
    assert "started" in command(store, "start", "--port", "0").stdout
    assert control.stop_daemon(store)  # drains the spool before it ends
    assert Spool(place_in(store).spool).waiting() == (0, 0)
    with Memory.open(store) as memory:
        assert [turn.text for row in memory.sessions() for turn in memory.turns(row.conversation, row.id)] == [
            "The parrot is called Kiwi.",
            "A fine name.",
        ]


def test_what_cannot_be_stored_is_laid_aside_and_told(store: Path, tmp_path: Path) -> None:
    spool = Spool(place_in(store).spool)
    spool.put("transcript", {"path": str(tmp_path / "gone.jsonl")})  # deleted meanwhile: nothing to do
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_bytes(b"\x00\xff not a transcript")
    spool.put("transcript", {"path": str(damaged)})
    spool.put("from the future", {})
    spool.put("transcript", {"path": str(transcript(tmp_path))})
    command(store, "start", "--port", "0")
    until(lambda: control.ask_daemon_status(store)["worker"].get("turns") == 2)
    told = control.ask_daemon_status(store)
    assert told["spool"]["failed"] == 2 and told["worker"]["turns"] == 2
    assert told["worker"]["errors"] == 2
    assert "set aside" in command(store, "status").stdout


def test_a_store_that_others_hold_makes_the_spool_wait(store: Path, tmp_path: Path) -> None:
    (store).mkdir()
    (store / "config.toml").write_text("busy_seconds = 0.2\n")
    command(store, "start", "--port", "0")
    with Memory.open(store) as memory:
        with memory._core.store.transaction():
            Spool(place_in(store).spool).put("transcript", {"path": str(transcript(tmp_path))})
            until(lambda: control.ask_daemon_status(store)["worker"].get("last_error", "").startswith("store:"))
        until(lambda: control.ask_daemon_status(store)["worker"].get("turns") == 2)
    assert control.ask_daemon_status(store)["spool"] == {"items": 0, "bytes": 0, "failed": 0}


def test_options_that_cannot_work_are_refused_before_anything_starts(store: Path) -> None:
    assert "NAME=URL" in command(store, "start", "--upstream", "openai").stderr
    assert "not an http(s) URL" in command(store, "start", "--upstream", "openai=ftp://x").stderr
    store.mkdir(exist_ok=True)
    (store / "config.toml").write_text("[daemon]\nprot = 1\n")
    assert "unknown setting prot" in command(store, "serve").stderr
    assert not is_running(place_in(store))


def test_of_two_starts_at_once_the_slower_names_the_daemon_that_runs(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = control.start_daemon(store, ["--port", "0"])
    looked: list[bool] = []  # the other had not begun yet when this one first looked

    def running_by_now(place: DaemonFolder) -> bool:
        looked.append(True)
        return len(looked) > 1 and is_running(place)

    monkeypatch.setattr(control, "is_running", running_by_now)
    second = control.start_daemon(store, ["--port", "0"])
    assert second["was_running"] and second["pid"] == first["pid"]


def test_a_taken_port_is_named(store: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = command(store, "start", "--port", str(port))
    assert refused.returncode == 1 and f"127.0.0.1:{port}" in refused.stderr and "--port" in refused.stderr


def test_units_are_well_formed(store: Path, tmp_path: Path) -> None:
    import configparser
    import plistlib

    odd = tmp_path / "a store with spaces & 100 %"
    text = command(odd, "unit", "systemd", "--port", "7000").stdout
    unit = configparser.ConfigParser(interpolation=None)
    unit.read_string(text)
    assert f"'{odd}'".replace("%", "%%") in unit["Service"]["ExecStart"] and "--port 7000" in text
    plist = plistlib.loads(command(odd, "unit", "launchd").stdout.encode())
    assert plist["ProgramArguments"][3:] == ["--store", str(odd), "serve"]
