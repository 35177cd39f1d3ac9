"""A few bytes that stand for gigabytes cost the worker no more than a bound, whatever they are packed with."""

from __future__ import annotations

import gzip
import json
import sys
import time
import tracemalloc
import zlib
from pathlib import Path

import pytest

from engramma import Memory
from engramma.apps.daemon.folder import place_in, read_json
from engramma.apps.daemon.scribe import WorkerScribe
from engramma.apps.daemon.spool import Spool
from engramma.apps.proxy import body_parser
from engramma.apps.proxy.body_parser import MAX_UNPACKED, Unreadable, unpack_body
from engramma.apps.proxy.capture import read_exchange
from engramma.files.unpack import CannotUnpack
from engramma.sources.zst import zst_lines
from tests.apps.proxy.talking import chat, exchange

pytestmark = pytest.mark.long

MIB = 1024 * 1024
WORKER = [sys.executable, "-m", "engramma.apps.daemon.worker"]


def zstd(body: bytes) -> bytes:
    return pytest.importorskip("zstandard").ZstdCompressor(level=1).compress(body)


def brotli(body: bytes) -> bytes:
    return pytest.importorskip("brotli").compress(body, quality=1)


PACKERS = {
    "gzip": lambda body: gzip.compress(body, 1),
    "deflate": lambda body: zlib.compress(body, 1),
    "zstd": zstd,
    "br": brotli,
    "zstd, gzip": lambda body: gzip.compress(zstd(body), 1),
    "gzip, gzip": lambda body: gzip.compress(gzip.compress(body, 1), 1),
}


@pytest.mark.parametrize("coding", PACKERS)
def test_unpacking_ends_at_its_bound_in_every_coding(coding):
    packed = PACKERS[coding](bytes(MAX_UNPACKED + 20 * MIB))
    assert len(packed) < MIB
    tracemalloc.start()
    try:
        with pytest.raises(Unreadable, match="too large"):
            unpack_body(packed, coding)
        assert tracemalloc.get_traced_memory()[1] < 3 * MAX_UNPACKED
    finally:
        tracemalloc.stop()
    words = b"what was said " * 1000
    assert unpack_body(PACKERS[coding](words), coding) == words


def test_codings_one_over_the_other_are_bounded_in_number():
    body = b"{}"
    for _ in range(4):
        body = gzip.compress(body)
    with pytest.raises(Unreadable, match="4 times"):
        unpack_body(body, "gzip, gzip, gzip, gzip")


@pytest.mark.parametrize("api", ["completions", "messages", "chat"])
def test_a_body_of_nothing_but_tiny_values_is_not_read_into_memory(api, monkeypatch):
    monkeypatch.setattr(body_parser, "MOST_VALUES", 100_000)  # the real bound would take the test a second each
    crowd = b'{"messages": [' + b"{}," * 1_000_000 + b"{}]}"
    tracemalloc.start()
    try:
        assert read_exchange(exchange(api, crowd, {"choices": []})) is None
        assert read_exchange(exchange(api, {"messages": []}, b"data: " + crowd)) is None
        assert tracemalloc.get_traced_memory()[1] < 40 * MIB  # a million objects take over 70
    finally:
        tracemalloc.stop()


def test_a_packed_file_of_nothing_but_empty_lines_is_not_read_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr("engramma.sources.zst.HARMLESS_BYTES", MIB // 8)
    file = tmp_path / "rollout-1.jsonl.zst"
    file.write_bytes(zstd(b"\n" * MIB))
    (problem,) = list(zst_lines(file))
    assert "unpacks to over" in problem.reason


def test_a_reply_to_our_own_question_is_unpacked_within_its_bound(monkeypatch):
    import httpx2

    from engramma.models.exchange import LARGEST_ANSWER
    from engramma.models.http_client import Clock, Unusable, read_bounded

    packed = gzip.compress(bytes(80 * MIB), 1)

    def bomb(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-encoding": "gzip"}, stream=httpx2.ByteStream(packed))

    tracemalloc.start()
    try:
        with (
            httpx2.Client(transport=httpx2.MockTransport(bomb)) as client,
            client.stream("POST", "http://model") as answer,
            pytest.raises(Unusable, match="too large"),
        ):
            read_bounded(answer, LARGEST_ANSWER, Clock())
        assert tracemalloc.get_traced_memory()[1] < 2.5 * LARGEST_ANSWER
    finally:
        tracemalloc.stop()


# --- the worker ------------------------------------------------------------------------------------

# The real worker, but for exchanges that do it harm by what they say.
HARMED = """
import os, signal, sys
import engramma.apps.proxy.capture as capture
from engramma.ingest.ingest import Ingest
read, store = capture.read_exchange, Ingest.store_exchange

def harmed_read(exchange, *more):
    if b"DEADLY" in exchange.request:
        os.kill(os.getpid(), signal.SIGKILL)
    if b"GREEDY" in exchange.request:
        bytearray(64 << 30)
    if b"RAISES" in exchange.request:
        raise RuntimeError("of the reader")
    return read(exchange, *more)

def harmed_store(self, item):
    if "SETTLED" in str(item):
        os.kill(os.getpid(), signal.SIGKILL)
    return store(self, item)

capture.read_exchange, Ingest.store_exchange = harmed_read, harmed_store
from engramma.apps.daemon.worker import run_worker
run_worker()
"""


def through_worker(store: Path, command: list[str], said: list[str], stored: int) -> WorkerScribe:
    """Hand exchanges to a worker and wait until so many turns are stored."""
    Memory.open(store).close()
    spool = Spool(place_in(store).spool)
    place_in(store).make()
    scribe = WorkerScribe([*command, str(store), "default"], lay_aside=lambda frame: spool.note_failed("frame", {}))
    scribe.start()
    try:
        for n, text in enumerate(said):
            assert scribe.offer(chat([text], f"{text}, indeed", at=n * 100).to_bytes())
        until(lambda: read_json(place_in(store).counts).get("turns", 0) >= stored)
    finally:
        scribe.close()
    return scribe


def until(check, seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def words_in(store: Path) -> set[str]:
    with Memory.open(store) as memory:
        return {turn.text for talk in memory.conversations() for part in talk.sessions for turn in part.turns}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a thread watches, and nothing is refused")
def test_frames_that_kill_or_fail_are_laid_aside_after_two_tries_and_the_rest_is_stored(tmp_path):
    said = ["the first", "GREEDY s3cret", "the second", "RAISES s3cret", "DEADLY s3cret", "the last"]
    scribe = through_worker(tmp_path, [sys.executable, "-c", HARMED], said, stored=6)
    kept = {"the first", "the second", "the last"}
    assert words_in(tmp_path) == kept | {f"{text}, indeed" for text in kept}
    told = scribe.counts()
    assert (told["restarts"], told["laid_aside"], told["not_spooled"]) == (2, 1, 0)
    spool = Spool(place_in(tmp_path).spool)
    assert spool.failed() == 3 and spool.waiting() == (0, 0)
    notes = b"".join(path.read_bytes() for path in (spool.folder / "failed").iterdir())
    assert b"s3cret" not in notes and b"completions" in notes
    assert read_json(place_in(tmp_path).counts)["last_error"] == "capture: RuntimeError"


def test_an_item_that_kills_two_workers_while_it_is_stored_is_laid_aside(tmp_path):
    through_worker(tmp_path, [sys.executable, "-c", HARMED], ["SETTLED", "the other"], stored=2)
    assert words_in(tmp_path) == {"the other", "the other, indeed"}
    spool = Spool(place_in(tmp_path).spool)
    assert spool.failed() == 1 and spool.waiting() == (0, 0)
    assert not place_in(tmp_path).trying.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_worker_stays_small_over_a_request_of_120_kilobytes_that_stands_for_120_megabytes(tmp_path):
    packed = gzip.compress(b'{"messages": [' + b"{}," * (40 * MIB) + b"{}]}")
    assert len(packed) < 130_000
    bomb = exchange("completions", packed, json.dumps({"choices": []}).encode(), content_encoding="gzip")
    Memory.open(tmp_path).close()
    scribe = WorkerScribe([*WORKER, str(tmp_path), "default"])
    scribe.start()
    try:
        scribe.offer(bomb.to_bytes())
        scribe.offer(chat(["Hi"], "Hello").to_bytes())
        until(lambda: read_json(place_in(tmp_path).counts).get("turns", 0) == 2)
        status = Path(f"/proc/{scribe.counts()['worker']}/status").read_text()
        peak = int(status.split("VmHWM:")[1].split()[0])  # kilobytes
    finally:
        scribe.close()
    assert peak < 500_000 and scribe.counts()["restarts"] == 0


def test_the_spool_keeps_only_so_many_bytes_of_what_was_laid_aside(tmp_path, monkeypatch):
    monkeypatch.setattr("engramma.apps.daemon.spool.MAX_FAILED_BYTES", 5_000)
    spool = Spool(tmp_path)
    for number in range(20):
        spool.put("exchange", {"n": number, "text": "x" * 1_000})
    for item in list(spool.items()):
        spool.lay_aside(item.path)
    assert spool.failed() == 4
    assert issubclass(CannotUnpack, ValueError)
