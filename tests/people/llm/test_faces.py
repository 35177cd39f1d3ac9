"""The model's faces: the command, and the daemon's worker that reads in the background."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from engramma import Memory
from engramma.apps.cli.main import app
from engramma.apps.daemon.llm_reader import keep_reading, start_reading
from engramma.apps.daemon.settings import DaemonSettings
from engramma.apps.daemon.worker import CaptureWorker
from engramma.models.embed import Embedder
from tests.commands import ran
from tests.conftest import talk
from tests.fakes import HashEmbedder
from tests.models.chat_server import said, scripted
from tests.models.servers import as_json, serve
from tests.people.llm.scribe import scribe

__all__ = ["serve"]

HOMES = ("Ana: I live in Lyon.", "Ben: I live in Oslo.")


@pytest.fixture
def store(tmp_path):
    """A store with a session and settings for a model at an address."""
    folder = tmp_path / "store"

    def make(address: str, more: str = "", embedder: Embedder | None = None) -> str:
        folder.mkdir(exist_ok=True)
        table = f'[llm]\nurl = "{address}"\nmodel = "small"\nretries = 0\n{more}'
        (folder / "config.toml").write_text(table if address else "", encoding="utf-8")
        with Memory.open(folder, embedder=embedder) as memory:
            memory.remember_session("c", "s", talk(*HOMES))
        return str(folder)

    return make


def called(*arguments: str):
    return CliRunner().invoke(app, ["extract", *arguments])


def test_the_command_reads_and_tells_what_it_cost(serve, store):
    folder = store(serve(scribe()).address, "price_in = 1000.0\n", HashEmbedder())
    result = called("--llm", "--store", folder)
    assert result.exit_code == 0, result.output
    assert "Read 1 pieces with 1 questions (50 + 10 tokens" in result.output
    assert "Claims: 2 proposed, 2 kept, 0 dropped" in result.output
    status = called("--status", "--store", folder).output
    assert "model: small" in status and "waiting 0" in status and "2 proposed, 2 kept" in status
    assert "0.05" in status and "tokens today: 60" in status
    told = json.loads(called("--status", "--json", "--store", folder).stdout)
    assert told["pieces"] == {"read": 1} and told["days"][0]["cost"] == pytest.approx(0.05)
    assert "Read 0 pieces" in called("--llm", "--store", folder).output
    assert json.loads(called("--llm", "--again", "--json", "--store", folder).stdout)["kept"] == 2


def test_without_a_model_the_rules_read_and_the_model_is_asked_for(store):
    folder = store("", "", HashEmbedder())
    assert "by rules" in called("--store", folder).output
    assert "none configured" in called("--status", "--store", folder).output
    told = ran("extract", "--llm", "--store", folder)
    assert told.returncode == 1 and "No model is configured" in told.stderr and "Traceback" not in told.stderr


def test_a_server_that_is_away_is_told_of_and_the_exit_code_says_so(store):
    result = called("--llm", "--store", store("http://127.0.0.1:9", "", HashEmbedder()))
    assert result.exit_code == 1 and "is the server healthy" in result.stderr


def worker_of(folder: str) -> CaptureWorker:
    worker = CaptureWorker(Path(folder), "default", DaemonSettings())
    worker.place.make()
    return worker


def test_the_daemons_worker_reads_in_the_background(serve, store):
    folder = store(serve(scribe()).address)
    worker = worker_of(folder)
    thread = threading.Thread(target=keep_reading, args=(worker, 0.01))
    thread.start()
    deadline = time.monotonic() + 20
    with Memory.open(folder) as memory:
        while memory.llm.status().kept < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        worker.ended.set()
        thread.join()
        worker.memories.close()
        assert memory.llm.status().kept == 2
    worker.counts.write(now=True)
    assert json.loads(worker.place.counts.read_text())["claims_by_model"] == 2


def test_trouble_with_the_model_is_noted_once_and_without_a_word_of_the_talk(serve, store):
    server = serve(scripted(as_json({"error": "overloaded"}, 500)))
    worker = worker_of(store(server.address))
    noted = []
    ended = threading.Event()
    watching = SimpleNamespace(
        memories=worker.memories, namespace="default", counts=worker.counts, ended=ended,
        failed=lambda what, error: noted.append((what, str(error))),
    )  # fmt: skip
    thread = threading.Thread(target=keep_reading, args=(watching, 0.01))
    thread.start()
    deadline = time.monotonic() + 20
    while len(server.asked) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    ended.set()
    thread.join()
    worker.memories.close()
    assert len(server.asked) >= 3 and len(noted) == 1
    assert noted[0][0] == "model" and "500" in noted[0][1] and "Lyon" not in noted[0][1]


@pytest.mark.parametrize("more", ["background = false\n", None])
def test_nothing_is_read_in_the_background_unless_it_is_wanted(serve, store, more):
    server = serve(scripted(said("{}")))
    worker = worker_of(store("" if more is None else server.address, more or ""))
    assert start_reading(worker) is None
    worker.memories.close()
    assert server.asked == []


def test_wrong_settings_do_not_keep_the_daemon_from_its_work(store):
    worker = worker_of(store("http://example.com/v1"))
    assert start_reading(worker) is None
    worker.counts.write(now=True)
    assert "http is not encrypted" in json.loads(worker.place.counts.read_text())["last_error"]
    worker.memories.close()
