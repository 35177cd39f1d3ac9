"""Through every face into an encrypted store, a real daemon among them: no file holds a word of it, by name or byte."""

from __future__ import annotations

import json
import time
import urllib.request
from pathlib import Path

import pytest

from engramma.ingest.waiting_segments import finish_pending

pytest.importorskip("sqlcipher3")

from engramma import Memory
from engramma.apps.daemon import control
from engramma.apps.daemon.folder import place_in, token_of
from engramma.apps.daemon.run import is_running
from engramma.apps.daemon.spool import Spool
from engramma.apps.hooks.main import answer_hook
from engramma.apps.mcp.documents import read_text
from engramma.index import cache
from engramma.transfer.backup import backup
from engramma.transfer.replace import new_backup
from engramma.transfer.restore import restore
from tests.apps.daemon.test_capture_troubles import Talk, provider  # noqa: F401
from tests.commands import ran
from tests.conftest import talk
from tests.encryption.helpers import forget_keys, found_in, new_encrypted, words_of
from tests.fakes import HashEmbedder

SAID = {
    "session": "Bartholomew: the observatory bought another telescope",
    "note": "the caravan needs fresh upholstery before summer",
    "document": "# Gardening\n\nRhubarb wants shade and plenty of manure.",
    "command": "the sculptor rents a warehouse near Trondheim",
    "upload": "Genevieve: the orchestra rehearses inside the monastery",
    "capture": "Please remember that my accountant lives in Valparaiso",
    "hook": "/home/wilhelmina/projects/submarine/transcript.jsonl",
}
NAMES = ("astronomy-evenings", "household-affairs", "notebook-of-rhubarb.md")
WORDS = words_of(*SAID.values(), *NAMES) - {"projects", "transcript", "please", "remember", "another", "notebook"}


@pytest.fixture
def store(tmp_path):
    path = new_encrypted(tmp_path / "store", tmp_path / "key")
    yield path
    if is_running(place_in(path)):
        control.stop_daemon(path)


def until(check, seconds=90.0):
    deadline = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


@pytest.mark.long
def test_no_word_of_what_came_through_any_face_is_on_the_disk(store, tmp_path, provider, monkeypatch):  # noqa: F811
    with Memory.open(store, "household-affairs") as memory:
        memory.remember_session("astronomy-evenings", "first", talk(SAID["session"]), title="telescope evenings")
        memory.remember(SAID["note"], tags=["caravan"])
        read_text(memory, SAID["document"], "notebook-of-rhubarb.md")
        backup(memory._core, new_backup(store))
    assert found_in(store, WORDS) == []
    assert ran("--store", store, "remember", SAID["command"]).returncode == 0

    call = json.dumps({"hook_event_name": "Stop", "transcript_path": str(tmp_path / "submarine.jsonl")}).encode()
    (tmp_path / "submarine.jsonl").write_text("")
    for _ in range(3):  # while no daemon runs, once is enough
        answer_hook(lambda size: call, {"store": str(store), "namespace": "household-affairs"}, time.monotonic() + 60)
    assert len(waiting := list((store / "daemon" / "spool").iterdir())) == 1 and waiting[0].suffix == ".sealed"
    assert found_in(store, WORDS) == []

    forget_keys()  # the daemon gets the key from us, and we have it from the key file
    control.start_daemon(store, ["--port", "0", "--upstream", f"openai={provider}"])
    told = control.ask_daemon_status(store)
    until(lambda: control.ask_daemon_status(store)["spool"]["items"] == 0)
    request = urllib.request.Request(
        f"{told['url']}/api/import?filename=chat.json&wait=60&date=2026-01-05T10:00:00Z",
        data=json.dumps([{"role": "user", "content": SAID["upload"]}]).encode(),
        headers={"Authorization": f"Bearer {token_of(place_in(store))}"},
    )
    with urllib.request.urlopen(request) as reply:
        assert json.load(reply)["state"] == "done"
    captured = Talk(store)
    captured.say("Good morning Reginald")  # the worker has read its key for masks
    until(lambda: control.ask_daemon_status(store)["worker"].get("turns", 0) >= 2)
    with Memory.open(store) as memory, memory._core.store.transaction():  # so that the capture has to wait in the spool
        captured.say(SAID["capture"])
        until(lambda: control.ask_daemon_status(store)["spool"]["items"] == 1)
        assert [path.suffix for path in (store / "daemon" / "spool").iterdir() if path.is_file()] == [".sealed"]
        assert found_in(store, WORDS) == []
    until(lambda: control.ask_daemon_status(store)["worker"].get("turns", 0) >= 4)
    assert found_in(store, WORDS) == []
    control.stop_daemon(store)
    assert found_in(store, WORDS) == []
    with Memory.open(store) as memory:
        told = " ".join(turn.text for one in memory.conversations() for part in one.sessions for turn in part.turns)
    assert {"valparaiso", "trondheim", "monastery"} <= words_of(told)  # it was all stored


@pytest.mark.long
def test_the_daemon_shows_no_key_in_its_arguments_or_environment(store):
    from engramma.encryption import keys_in

    control.start_daemon(store, ["--port", "0"])
    pid, worker = (control.ask_daemon_status(store)["pid"], control.ask_daemon_status(store)["scribe"]["worker"])
    data = keys_in(store).data.hex().encode()
    for process in filter(None, (pid, worker)):
        folder = Path(f"/proc/{process}")
        if folder.exists():
            assert data not in (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
    assert data not in (store / "daemon" / "daemon.log").read_bytes()


def test_a_cache_of_vectors_is_sealed_and_comes_back(store, tmp_path):
    import numpy as np

    from engramma.encryption import is_sealed
    from engramma.index.scan import FaissIndex

    vectors = np.random.default_rng(1).standard_normal((300, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    index = FaissIndex(16)
    index.add(np.arange(300, dtype=np.int64), vectors.astype(np.float16))
    key = bytes(range(32))
    cache.save(index, tmp_path / "c", stamp={"seq": 7}, key=key)
    assert is_sealed((tmp_path / "c").read_bytes())
    loaded, stamp = cache.load_index(tmp_path / "c", 16, key=key, thorough=True)
    assert stamp == {"seq": 7} and np.array_equal(loaded.vectors(np.arange(300)), index.vectors(np.arange(300)))
    assert cache.load_index(tmp_path / "c", 16) is None  # no key
    assert cache.load_index(tmp_path / "c", 16, key=bytes(32)) is None  # another one's
    cache.save(index, tmp_path / "c", stamp={"seq": 7})
    assert cache.load_index(tmp_path / "c", 16, key=key) is None  # a plain one is not taken for ours


def test_a_backup_opens_elsewhere_with_what_opened_the_memory(store, tmp_path):
    with Memory.open(store, embedder=HashEmbedder()) as memory:
        memory.remember(SAID["note"])
        backup(memory._core, tmp_path / "b.zip")
    assert not any(word.encode() in (tmp_path / "b.zip").read_bytes() for word in WORDS)
    forget_keys()
    restore(tmp_path / "b.zip", tmp_path / "elsewhere")
    with Memory.open(tmp_path / "elsewhere", embedder=HashEmbedder()) as memory:
        finish_pending(memory._core)
        assert memory.recall("caravan").candidates[0].text == SAID["note"]
    assert found_in(tmp_path / "elsewhere", WORDS) == []
    forget_keys()
    (tmp_path / "key").rename(tmp_path / "away")
    from engramma.errors import StoreLocked

    with pytest.raises(StoreLocked):
        restore(tmp_path / "b.zip", tmp_path / "nowhere")
    assert not (tmp_path / "nowhere" / "memory.db").exists() and not (tmp_path / "nowhere" / "key.json").exists()


def test_a_hook_writes_nothing_where_it_cannot_seal(store, tmp_path, monkeypatch):
    monkeypatch.setattr("engramma.encryption.keys.box", lambda *_: (_ for _ in ()).throw(RuntimeError("no extra")))
    (tmp_path / "t.jsonl").write_text("")
    call = json.dumps({"hook_event_name": "Stop", "transcript_path": str(tmp_path / "t.jsonl")}).encode()
    assert answer_hook(lambda size: call, {"store": str(store)}, time.monotonic() + 60) == ""
    assert Spool(store / "daemon" / "spool").waiting() == (0, 0)
