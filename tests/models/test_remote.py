"""Embedding servers, spoken to over a real socket."""

from __future__ import annotations

import hashlib
import threading

import numpy as np
import pytest

from engramma.errors import RemoteFailed
from engramma.models import http_client
from engramma.models.load import load
from engramma.models.remote import open_remote
from tests.models.servers import Asked, Reply, as_json

KEY = "sk-secret-1234567890"
DIMENSION = 6


def vector(text: str) -> list[float]:
    """Not of unit length, as many servers' are not."""
    return [3.0 * byte + 1 for byte in hashlib.sha256(text.encode()).digest()[:DIMENSION]]


def unit(text: str) -> np.ndarray:
    row = np.array(vector(text), np.float32)
    return row / np.linalg.norm(row)


def ollama(asked: Asked) -> Reply:
    if asked.path == "/api/tags":
        return as_json({"models": [{"name": "nomic-embed-text:latest", "digest": "abc"}, {"name": "bge-m3:latest"}]})
    return as_json({"model": asked.body["model"], "embeddings": [vector(text) for text in asked.body["input"]]})


def openai(asked: Asked) -> Reply:
    rows = [
        {"object": "embedding", "index": at, "embedding": vector(text)} for at, text in enumerate(asked.body["input"])
    ]
    return as_json({"object": "list", "data": rows[::-1]})  # any order is allowed


def never(seconds: float) -> None:
    raise AssertionError("nothing should be waited for")


PROTOCOLS = [("ollama", "", ollama), ("openai", "/v1", openai)]
protocols = pytest.mark.parametrize(("scheme", "path", "answer"), PROTOCOLS, ids=["ollama", "openai"])


@protocols
def test_rows_come_back_as_unit_vectors_in_the_order_given(serve, scheme, path, answer):
    server = serve(answer)
    embedder = load(f"{scheme}:bge-m3@{server.address}{path}")
    texts = [f"text {number % 70}" for number in range(100)]
    steps: list[int] = []
    rows = embedder.embed(texts, progress=steps.append)
    assert np.abs(rows - [unit(text) for text in texts]).max() < 1e-6
    assert rows.dtype == np.float32
    assert (embedder.dimension, embedder.edge_floor) == (DIMENSION, 0.6)
    asked = [len(one.body["input"]) for one in server.asked if one.body][1:]  # the first asked for the dimension
    assert asked == [32, 32, 6]  # each text once, 32 at a time
    assert sum(steps) == 100
    assert embedder.embed([]).shape == (0, DIMENSION)


@protocols
def test_nomic_gets_the_prefixes_it_was_trained_with(serve, scheme, path, answer):
    embedder = load(f"{scheme}:nomic-embed-text@{serve(answer).address}{path}")
    assert np.allclose(embedder.embed(["x"], "query")[0], unit("search_query: x"))
    assert np.allclose(embedder.embed(["x"])[0], unit("search_document: x"))


def test_the_protocols_are_spoken_as_they_are_written(serve, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    monkeypatch.setenv("ENGRAMMA_EMBED_API_KEY", f" {KEY}\n")
    first, second = serve(ollama), serve(openai)
    load(f"ollama:bge-m3@{first.address}")
    load(f"openai:text-embedding-3-small@{second.address}/v1/")
    assert [(one.method, one.path) for one in first.asked] == [("GET", "/api/tags"), ("POST", "/api/embed")]
    assert first.asked[1].body == {"model": "bge-m3", "input": ["dimension"]}
    assert "Authorization" not in first.asked[1].headers  # the key is not Ollama's
    [asked] = second.asked
    assert (asked.method, asked.path) == ("POST", "/v1/embeddings")
    assert asked.body == {"model": "text-embedding-3-small", "input": ["dimension"], "encoding_format": "float"}
    assert asked.headers["Authorization"] == f"Bearer {KEY}"


def test_empty_long_and_broken_texts_are_sent_as_something_servers_take(serve):
    server = serve(openai)
    load(f"openai:m@{server.address}").embed(["", "x" * 5_000_000, "a \ud800 b"])
    assert [len(text) for text in server.asked[-1].body["input"]] == [1, 8000, 5]


def test_a_changed_model_is_noticed_by_its_digest_and_a_new_address_is_not(serve):
    digests = iter(["abc", "abc", "def"])

    def answer(asked: Asked) -> Reply:
        if asked.path == "/api/tags":
            return as_json({"models": [{"name": "nomic-embed-text:latest", "digest": next(digests)}]})
        return ollama(asked)

    server, other = serve(answer), serve(answer)
    old = load(f"ollama:nomic-embed-text@{server.address}")
    moved = load(f"ollama:nomic-embed-text@{other.address}")
    changed = load(f"ollama:nomic-embed-text@{server.address}")
    assert old.sha256 == moved.sha256 != changed.sha256
    assert len(old.sha256) == 64


def test_without_a_digest_the_address_is_part_of_the_identity(serve):
    def imitator(asked: Asked) -> Reply:
        return Reply(status=404) if asked.path == "/api/tags" else ollama(asked)

    server, other = serve(imitator), serve(imitator)
    here = [load(f"ollama:bge-m3@{server.address}").sha256 for _ in range(2)]
    assert here[0] == here[1] != load(f"ollama:bge-m3@{other.address}").sha256


def test_the_name_says_how_to_load_it_again(serve):
    address = serve(openai).address
    assert load(f"openai:m@{address}/v1/").name == f"openai:m@{address}/v1"


def flaky(first: list[Reply]):
    """Those replies once each, then good ones."""
    rest = iter(first)
    return lambda asked: next(rest, None) or openai(asked)


@pytest.mark.parametrize(
    ("replies", "waits"),
    [
        ([Reply(status=503)], [0.25]),
        ([Reply(status=500), Reply(status=502), Reply(status=503)], [0.25, 0.5, 1.0]),
        ([Reply(status=429, headers={"Retry_After": "0"})], [0.0]),
        ([Reply(status=429, headers={"Retry_After": "7"})], [7.0]),
        ([Reply(status=429, headers={"Retry_After": "86400"})], [http_client.LONGEST_WAIT]),
        ([Reply(status=429, headers={"Retry_After": "Wed, 21 Oct 2015 07:28:00 GMT"})], [0.0]),
        ([Reply(b"cut", claimed=100)], [0.25]),
    ],
    ids=["503", "three times", "retry at once", "retry in 7 s", "retry tomorrow", "retry at a date", "cut short"],
)
def test_a_passing_failure_is_waited_out(serve, replies, waits):
    waited: list[float] = []
    embedder = open_remote(f"openai:m@{serve(flaky(replies)).address}", sleep=waited.append)
    assert waited == waits
    assert np.allclose(embedder.embed(["x"])[0], unit("x"))


def test_a_failure_that_does_not_pass_ends_after_four_attempts(serve):
    waited: list[float] = []
    server = serve(lambda asked: as_json({"error": {"message": "overloaded"}}, 503))
    with pytest.raises(RemoteFailed, match=r"failed 4 times, last: 503 \(overloaded\); is the server running"):
        open_remote(f"openai:m@{server.address}", sleep=waited.append)
    assert len(server.asked) == 4
    assert waited == [0.25, 0.5, 1.0]


def test_a_server_that_is_not_there_is_named(serve):
    server = serve(openai)
    server.close()
    with pytest.raises(RemoteFailed, match="is the server running") as caught:
        open_remote(f"openai:m@{server.address}", sleep=lambda seconds: None)
    assert server.address in str(caught.value)


def test_a_server_that_does_not_answer_is_given_up(serve):
    over = threading.Event()

    def hang(asked: Asked) -> Reply:
        over.wait(20)
        return openai(asked)

    server = serve(hang)
    with pytest.raises(RemoteFailed, match=r"no whole reply within 0\.2 s"):
        open_remote(f"openai:m@{server.address}", timeout=0.2, sleep=never)
    over.set()
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (as_json({"error": {"message": f"bad key {KEY}"}}, 401), "check the key in ENGRAMMA_EMBED_API_KEY"),
        (as_json({"error": f"model for {KEY} not found"}, 404), "check the model's name"),
        (Reply(f"plain text {KEY}".encode(), 400), r"400 \(plain text \*\*\*\)"),
        (Reply(status=307, headers={"Location": "http://127.0.0.1:9/"}), "307 without a reason"),
    ],
    ids=["401", "404", "400", "redirect"],
)
def test_a_refusal_is_not_repeated_and_never_shows_the_key(serve, reply, said):
    server = serve(lambda asked: reply)
    with pytest.raises(RemoteFailed, match=said) as caught:
        open_remote(f"openai:m@{server.address}", key=KEY, sleep=never)
    assert KEY not in str(caught.value)
    assert KEY not in repr(http_client.Server("http://x", KEY))
    assert len(server.asked) == 1


def first_well_then(reply: Reply):
    """The question for the dimension is answered well, the later ones with that reply."""
    first = iter([True])
    return lambda asked: openai(asked) if next(first, False) else reply


GOOD = vector("x")


@pytest.mark.parametrize(
    "answer",
    [
        {"data": []},
        {"data": [{"index": 0, "embedding": GOOD}, {"index": 1, "embedding": GOOD}]},
        {"data": [{"index": 1, "embedding": GOOD}]},
        {"data": [{"embedding": GOOD}]},
        {"data": [{"index": 0, "embedding": [*GOOD[:-1], float("nan")]}]},
        {"data": [{"index": 0, "embedding": [0.0] * DIMENSION}]},
        {"data": [{"index": 0, "embedding": GOOD[:-1]}]},
        {"data": [{"index": 0, "embedding": []}]},
        {"data": [{"index": 0, "embedding": "AAAA"}]},
        {"data": [{"index": 0, "embedding": [None] * DIMENSION}]},
        {"data": "no"},
        {"rows": []},
        [],
    ],
    ids=[
        *("no rows", "too many rows", "wrong index", "no index", "NaN", "zeros", "wrong dimension"),
        *("no numbers", "base64", "nulls", "no list", "no data", "a list"),
    ],
)
def test_a_wrong_answer_is_refused(serve, answer):
    server = serve(first_well_then(as_json(answer)))
    embedder = open_remote(f"openai:m@{server.address}", sleep=never)
    with pytest.raises(RemoteFailed, match="answered"):
        embedder.embed(["x"])


def test_an_ollama_answer_with_too_few_rows_is_refused(serve):
    server = serve(lambda asked: ollama(asked) if asked.path == "/api/tags" else as_json({"embeddings": []}))
    with pytest.raises(RemoteFailed, match="answered"):
        load(f"ollama:bge-m3@{server.address}")


def test_an_answer_that_is_not_json_is_refused(serve):
    with pytest.raises(RemoteFailed, match="did not answer in JSON"):
        load(f"openai:m@{serve(lambda asked: Reply(b'<html>')).address}")


def test_an_endless_answer_is_cut_off(serve, monkeypatch):
    monkeypatch.setattr("engramma.models.exchange.LARGEST_ANSWER", 1 << 20)
    with pytest.raises(RemoteFailed, match="more than 1 MB"):
        load(f"openai:m@{serve(lambda asked: Reply(b' ' * (3 << 20))).address}")
