"""Answers by a model over HTTP: whole, or as events while they are written, as long as somebody reads them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import httpx2
import pytest

from engramma.apps.http import ask
from tests.apps.http.test_events import listening
from tests.conftest import talk
from tests.models.chat_server import events, hangs_after, raw, refuses, writes

__all__ = ["listening", "raw"]

LINES = (
    "Ana: I repaired my old red motorcycle in the garage yesterday.",
    "Ben: Nice! I baked a lemon cake for my neighbours.",
)
QUESTION = {"question": "What did Ana repair?"}
FIRST = "Ana repaired her old red motorcycle. [1]\n"


@pytest.fixture
def told(store, listening, monkeypatch):
    """A served store whose settings name a model that does as it is told; gives its URL."""
    monkeypatch.setattr(ask, "LOOK_SECONDS", 0.05)
    url, daemon, _ = listening

    def configure(address: str | None, more: str = "answers = true\n") -> str:
        table = f'[llm]\nurl = "{address}"\nmodel = "small"\nretries = 0\n{more}' if address else ""
        (store / "config.toml").write_text(table, encoding="utf-8")
        daemon.memories.get("default").remember_session("c", "s", talk(*LINES))
        return url

    return configure


def heard(url: str, **more: object) -> list[tuple[str, dict]]:
    """All events of an answer."""
    with httpx2.Client(timeout=20, trust_env=False) as client:
        answer = client.post(f"{url}/ask", json={**QUESTION, "stream": True, **more})
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/event-stream")
    parts = [part.split("\n") for part in answer.text.split("\n\n") if part.startswith("event: ")]
    return [(kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for kind, data in parts]


def test_the_events_are_what_was_found_each_sentence_and_the_answer(raw, told):
    found = heard(told(raw(writes(FIRST, "Ana sold a Vespa. [1]\n", "Ana was in the garage. [1]")).address))
    assert [kind for kind, _ in found] == ["found", "sentence", "sentence", "answer"]
    whole = found[-1][1]
    assert [one for kind, one in found if kind == "sentence"] == whole["sentences"]
    assert whole["sentences"][0]["evidence"][0]["turn_id"] == "t1" and whole["written_by"] == "small"
    assert "1 of 3" in whole["remark"] and "Vespa" not in whole["text"]
    assert found[0][1]["sentences"] == [] and "motorcycle" in found[0][1]["quote"]


def test_without_a_model_there_is_one_event_and_without_stream_the_answer_is_whole(raw, told):
    url = told(None)
    assert [kind for kind, _ in heard(url)] == ["answer"]
    with httpx2.Client(timeout=20, trust_env=False) as client:
        got = client.get(f"{url}/ask", params={**QUESTION, "stream": "true"})
        assert got.headers["content-type"].startswith("text/event-stream") and "event: answer" in got.text
        assert client.post(f"{url}/ask", json=QUESTION).json()["written_by"] == ""
        assert client.post(f"{url}/ask", json={"question": "", "stream": True}).status_code == 422


def test_a_model_that_is_away_is_told_in_a_field(raw, told):
    url = told(raw(refuses(503)).address)
    assert heard(url)[-1][1]["remark"].startswith("Answered without the language model (small: ")
    with httpx2.Client(timeout=20, trust_env=False) as client:
        whole = client.post(f"{url}/ask", json=QUESTION).json()
    assert "503" in whole["remark"] and "motorcycle" in whole["text"]


@contextmanager
def a_first_sentence(url: str) -> Iterator[Iterator[str]]:
    """An answer that is being written: its first sentence has come, the rest may be read."""
    with (
        httpx2.Client(timeout=20, trust_env=False) as client,
        client.stream("POST", f"{url}/ask", json={**QUESTION, "stream": True}) as answer,
    ):
        text, pieces = "", answer.iter_text()  # kept: letting go of it closes the connection
        while "event: sentence" not in text:
            text += next(pieces)
        yield pieces


def test_a_sentence_arrives_while_the_model_writes_and_a_reader_that_goes_ends_its_work(raw, told):
    gone = threading.Event()
    with a_first_sentence(told(raw(hangs_after(events(FIRST, "She ", finish=None), gone)).address)):
        assert not gone.is_set()
    assert gone.wait(10)


def test_when_the_daemon_stops_the_model_is_left(raw, told, listening):
    gone = threading.Event()
    with a_first_sentence(told(raw(hangs_after(events(FIRST, "She ", finish=None), gone)).address)) as rest:
        assert not gone.is_set()
        listening[1].closing.set()
        assert "event: answer" not in "".join(rest), "it ends before the answer is whole"
        assert gone.wait(10)


def test_a_fault_inside_is_told_as_an_event_and_logged_without_its_words(raw, told, monkeypatch, caplog, capfd):
    def broken(*_):
        raise ValueError("the words that were said")

    monkeypatch.setattr(ask, "a_place", broken)
    ((kind, what),) = heard(told(None))
    assert kind == "error" and what["title"] == "Internal error" and "words" not in str(what)
    assert "an answer failed: ValueError at " in caplog.text
    assert "the words" not in caplog.text and "the words" not in "".join(capfd.readouterr())


def test_a_slow_model_takes_only_so_many_places():
    face = SimpleNamespace(answers=threading.BoundedSemaphore(1))
    written, plain = SimpleNamespace(is_written=True), SimpleNamespace(is_written=False)
    with ask.a_place(face, written) as first, ask.a_place(face, written) as second, ask.a_place(face, plain) as third:
        assert (first, second, third) == (True, False, True)
    with ask.a_place(face, written) as again:
        assert again
