"""The commands while the embedder is away: each does its work, and says what has to wait."""

from __future__ import annotations

import json

import pytest

from tests.commands import ran

from .states import caught_up, remember_days

pytestmark = pytest.mark.long


@pytest.fixture
def store(tmp_path, embedding):
    """A store of some days whose server was then stopped."""
    from engramma import Memory

    with Memory.open(tmp_path / "store", embedder=embedding.openai) as memory:
        remember_days(memory, range(3))
    embedding.stop()
    return tmp_path / "store"


def test_commands_that_read_or_clean_up_need_no_embedder(store, tmp_path):
    for command in (
        ["recall", "violin", "--recipe", "bm25"],
        ["stats"],
        ["sessions"],
        ["show", "talk0"],
        ["export", tmp_path / "all.jsonl"],
        ["backup", tmp_path / "all.zip"],
        ["forget", "--query", "greenhouse", "--yes"],
        ["purge", "--query", "harbour", "--yes"],
        ["acts"],
    ):
        done = ran("--store", store, *command)
        assert done.returncode == 0, (command, done.stdout, done.stderr)


def test_recall_answers_from_words_and_says_so(store, embedding):
    shown = ran("--store", store, "recall", "violin lesson")
    assert shown.returncode == 0 and "violin" in shown.stdout
    assert "words only" in shown.stderr and "words only" not in shown.stdout
    value = json.loads(ran("--store", store, "--json", "recall", "violin lesson").stdout)
    assert embedding.base in value["trace"]["degraded"] and value["candidates"]


def test_remember_says_what_waits_and_status_stats_and_doctor_do_too(store, embedding):
    made = ran("--store", store, "remember", "The ferry leaves at nine.")
    assert made.returncode == 0 and "Remembered as note_" in made.stdout
    assert "1 segment waits for its vector" in made.stderr
    value = json.loads(ran("--store", store, "--json", "remember", "The ferry costs five.").stdout)
    assert value["is_waiting"]
    status = ran("--store", store, "status")
    assert "unavailable since" in status.stdout and "2 segments wait for their vectors" in status.stdout
    told = json.loads(ran("--store", store, "--json", "status").stdout)["embedder"]
    assert told["segments"] == 2 and embedding.base in told["reason"] and told["away_since"] and told["last_try"]
    assert "2 segments wait" in ran("--store", store, "stats").stdout
    looked = ran("--store", store, "doctor")
    assert looked.returncode != 0 and "2 segments wait for their vectors" in looked.stdout
    embedding.start()
    mended = ran("--store", store, "doctor", "--fix")
    assert mended.returncode == 0, mended.stdout
    assert "unavailable" not in ran("--store", store, "status").stdout


def test_a_memory_can_be_made_while_its_server_is_away(tmp_path, embedding):
    embedding.stop()
    made = ran("--store", tmp_path / "new", "init", "--embedder", embedding.ollama)
    assert made.returncode == 0 and "embedded when it is back" in made.stderr
    assert ran("--store", tmp_path / "new", "remember", "A first word.").returncode == 0
    assert "A first word." in ran("--store", tmp_path / "new", "recall", "first word").stdout
    embedding.start()
    from engramma import Memory

    with Memory.open(tmp_path / "new") as memory:
        caught_up(memory)
        assert memory._core.embedder.known is not None


def test_the_workers_look_after_the_store_embeds_what_waits(store, embedding):
    from engramma import Memory
    from engramma.apps.daemon.settings import settings_from
    from engramma.apps.daemon.worker import CaptureWorker
    from engramma.models.outage import end_outage

    with Memory.open(store) as memory:
        memory.remember("The ferry leaves at nine.")
    worker = CaptureWorker(store, "default", settings_from({}))
    try:
        worker.care(0.0)
        assert worker.embedded == 0
        embedding.start()
        end_outage(store)
        worker.care(0.0)
        assert worker.embedded == 1
    finally:
        worker.memories.close()
    with Memory.open(store) as memory:
        assert memory.backlog().segments == 0


def test_a_daemon_whose_embedder_is_away_answers_stores_and_says_so(store, embedding):
    import httpx2

    from engramma.apps.daemon import control
    from engramma.apps.daemon.folder import place_in, read_json, token_of

    started = ran("--store", store, "start", "--port", "0")
    assert started.returncode == 0, started.stderr
    try:
        headers = {"Authorization": f"Bearer {token_of(place_in(store))}"}
        with httpx2.Client(base_url=read_json(place_in(store).state)["url"], headers=headers, timeout=60) as client:
            found = client.post("/api/recall", json={"query": "violin lesson"})
            assert found.status_code == 200, found.text
            assert embedding.base in found.json()["trace"]["degraded"]
            kept = client.post("/api/notes", json={"text": "The ferry leaves at nine."})
            assert kept.status_code < 300 and kept.json()["is_waiting"], kept.text
        assert "1 segment waits for its vector" in ran("--store", store, "status").stdout
    finally:
        control.stop_daemon(store)
