"""The hooks against the real daemon: a session is captured at its end and comes back in the next one."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time

import pytest

from engramma import Memory
from engramma.apps.daemon.client import DaemonError, proven_url
from engramma.apps.daemon.control import ask_daemon_status
from engramma.apps.daemon.folder import place_in
from engramma.recall import parse_context

from .calling import call, context

pytestmark = pytest.mark.long
SERVE = (
    "import sys; from pathlib import Path; from engramma.apps.daemon.run import serve; "
    "from engramma.apps.daemon.settings import DaemonSettings; "
    "serve(Path(sys.argv[1]), 'default', DaemonSettings(port=0))"
)
SESSION = "5d3f7c3e-0a51-4f0e-9d2b-2f6f3f0c9a11"
SECRET = "AKIA" + "Z7QX3M5T2WPLK4VJ"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = tmp_path_factory.mktemp("hooks") / "store"
    process = subprocess.Popen([sys.executable, "-c", SERVE, str(store)], stderr=subprocess.DEVNULL)
    wait_for(lambda: (store / "daemon" / "state.json").exists())
    yield store
    process.terminate()
    assert process.wait(timeout=60) in (0, -15)


def wait_for(ready, seconds=60):
    deadline = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def row(uuid, kind, text, minute):
    message = {"role": kind, "content": text}
    if kind == "assistant":
        message |= {"id": f"m-{uuid}", "model": "claude", "content": [{"type": "text", "text": text}]}
    fixed = {"sessionId": SESSION, "cwd": "/home/ana/kites", "version": "2", "parentUuid": None, "isSidechain": False}
    return {"type": kind, "uuid": uuid, "timestamp": f"2026-09-28T09:{minute:02d}:00Z", "message": message, **fixed}


def test_what_was_said_comes_back_in_the_next_session(store, tmp_path):
    transcript = tmp_path / "projects" / "-home-ana-kites" / f"{SESSION}.jsonl"
    transcript.parent.mkdir(parents=True)
    said = [
        row("u1", "user", f"Deploy kites with tools/launch.sh, the key is {SECRET}.", 0),
        row("u2", "assistant", "Noted: launch.sh deploys kites to the Lisbon servers.", 1),
    ]
    transcript.write_text("".join(json.dumps(one) + "\n" for one in said))
    call_of = {"session_id": SESSION, "transcript_path": str(transcript), "cwd": "/home/ana/kites"}
    for event in ("Stop", "SessionEnd"):
        result = call(store, {**call_of, "hook_event_name": event})
        assert (result.rc, result.out) == (0, b"")
    spool = store / "daemon" / "spool"
    wait_for(lambda: not list(spool.glob("*.json")))

    asks = {"hook_event_name": "UserPromptSubmit", "prompt": "How do I deploy kites to Lisbon?"}
    found = context(call(store, {**asks, "session_id": "another"}, "--seconds", "50"))
    assert "launch.sh" in found and "2026-09-28" in found and SECRET not in found and "[redacted:" in found
    (entry,) = parse_context(found)
    assert entry.origin == "import" and [one.speaker for one in entry.said] == ["user", "assistant"]
    with Memory.open(store) as memory:
        assert memory._core.own_words(f"{asks['prompt']}\n\n{found}") == asks["prompt"]
    assert context(call(store, {**asks, "session_id": SESSION}, "--seconds", "50")) is None  # it is in front of it

    starts = {"hook_event_name": "SessionStart", "source": "startup", "session_id": "another", "cwd": "/home/ana/kites"}
    begun = call(store, {**starts, "transcript_path": str(transcript.with_name("another.jsonl"))}, "--seconds", "50")
    text = context(begun)
    assert "Lisbon" in text and "| the end of it]" in text and SESSION not in text and len(text) < 10_000
    elsewhere = {**starts, "cwd": "/home/ana/boats", "transcript_path": str(tmp_path / "boats" / "x.jsonl")}
    assert context(call(store, elsewhere, "--seconds", "50")) is None
    log = store / "daemon" / "hook.log"
    assert not log.exists(), log.read_text()

    copy = tmp_path / "copy"  # made while the daemon runs; from here on they are two memories
    shutil.copytree(store, copy, ignore=shutil.ignore_patterns("*.db-shm"))
    assert context(call(copy, {**asks, "session_id": "another"}, "--seconds", "50")) is None
    assert proven_url(place_in(store)) is not None and proven_url(place_in(copy)) is None
    with pytest.raises(DaemonError, match="No daemon serves"):
        ask_daemon_status(copy)
