"""A reply is read while it is written, wherever the network cuts it; a stream that fails does so in time."""

from __future__ import annotations

import json
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.models.chat import BadReply, ChatModel, ModelUnreachable, ReplyCancelled
from engramma.models.chat_stream import event_lines
from engramma.models.http_client import Cancellation
from engramma.models.llm import Completion, LLMSettings, StreamingLLM, stream_reply
from tests.models.chat_server import (
    breaks_off,
    drip_body,
    drip_headers,
    events,
    half,
    hangs_after,
    in_turn,
    raw,
    refuses,
    reset,
    said,
    silent,
    streams,
    writes,
)
from tests.models.servers import serve

__all__ = ["raw", "serve"]

ASKED = [{"role": "user", "content": "Who?"}]
TEXT = "Zoë’s 🦉 said “naïve” — 東京."


def model(address: str, retries: int = 0, timeout: float = 20.0) -> ChatModel:
    return ChatModel(LLMSettings(address, "small", retries=retries, timeout=timeout), sleep=lambda seconds: None)


def read(llm, seconds: float = 20.0, cancel: Cancellation | None = None) -> tuple[list[str], Completion]:
    pieces, writing = [], stream_reply(llm, ASKED, time.monotonic() + seconds, cancel or Cancellation())
    while True:
        try:
            pieces.append(next(writing))
        except StopIteration as done:
            return pieces, done.value


@pytest.mark.parametrize("size", [1, 2, 3, 7, 65_536])
def test_a_stream_may_be_cut_anywhere_also_within_a_character(raw, size):
    server = raw(streams(events(*TEXT), size))
    pieces, reply = read(model(server.address))
    assert "".join(pieces) == reply.text == TEXT
    assert (reply.prompt_tokens, reply.completion_tokens, reply.is_cut, reply.is_estimated) == (100, 20, False, False)
    body = server.asked[0]
    assert body["stream"] is True and body["stream_options"] == {"include_usage": True} and body["temperature"] == 0


@given(st.lists(st.binary(max_size=30).map(lambda b: b.replace(b"\r", b"")), max_size=8), st.data())
def test_lines_are_the_same_however_they_are_cut(lines, data):
    whole = b"\n".join(lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=10)))
    blocks = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert b"\n".join(event_lines(blocks)).rstrip(b"\n") == whole.rstrip(b"\n")


def test_a_server_that_does_not_stream_or_count_is_read_too(serve, raw):
    pieces, reply = read(model(serve(lambda asked: said("Ana.")).address))
    assert pieces == ["Ana."] and reply.prompt_tokens == 100
    _, reply = read(model(raw(writes("Ana", ".", tokens=None)).address))
    assert reply.text == "Ana." and reply.is_estimated and reply.prompt_tokens > 0


def test_a_server_that_knows_no_stream_options_is_asked_without_them(raw):
    server = raw(in_turn(refuses(400), writes("Ana.")))
    assert read(model(server.address))[1].text == "Ana."
    assert "stream_options" not in server.asked[1] and server.asked[1]["stream"] is True
    server = raw(in_turn(refuses(400), refuses(422), streams(said("Ana.").content, kind="application/json")))
    assert read(model(server.address))[1].text == "Ana."
    assert server.asked[2]["stream"] is False


def test_what_may_pass_is_tried_again_before_anything_was_read(raw):
    server = raw(in_turn(refuses(503), refuses(429, Retry_After="0"), writes("Ana.")))
    assert read(model(server.address, retries=4))[1].text == "Ana."
    assert server.connections == 3


def test_nobody_waits_for_a_server_that_asks_for_a_minute(raw):
    began = time.monotonic()
    with pytest.raises(ModelUnreachable, match="429"):
        read(model(raw(refuses(429, Retry_After="60")).address, retries=4))
    assert time.monotonic() - began < 8


@pytest.mark.parametrize(
    ("act", "kind"),
    [
        (refuses(500), ModelUnreachable),
        (refuses(401), ModelUnreachable),
        (refuses(404), ModelUnreachable),
        (refuses(302, Location="http://127.0.0.1:9/"), ModelUnreachable),
        (refuses(400), BadReply),
        (reset, ModelUnreachable),
        (half, BadReply),
        (streams(b"<html>Welcome to nginx</html>", kind="text/html"), BadReply),
        (streams(b"data: {not json}\n\n"), BadReply),
        (streams(b"data: 7\n\n"), BadReply),
        (streams(b'data: {"error": {"message": "out of memory"}}\n\n'), BadReply),
        (streams(b"data: " + b"x" * 300_000), BadReply),
        (streams(b"data: " + b"[" * 5_000 + b"\n\n"), BadReply),
        (streams(b""), BadReply),
        (streams(b"{}", kind="application/json"), BadReply),
    ],
)
def test_a_stream_that_is_none_is_an_error_in_words(raw, act, kind):
    with pytest.raises((BadReply, ModelUnreachable)) as found:
        read(model(raw(act).address))
    assert isinstance(found.value, kind) or act is half
    assert "127.0.0.1" in str(found.value)


@pytest.mark.parametrize("act", [silent, drip_headers, drip_body])
def test_a_server_that_hangs_or_drips_is_left_in_time(raw, act):
    began = time.monotonic()
    with pytest.raises((BadReply, ModelUnreachable)):
        read(model(raw(act).address), seconds=0.4)
    assert time.monotonic() - began < 5


def test_what_was_read_before_it_broke_off_is_there(raw):
    server = raw(breaks_off(events("Ana ", "booked.", finish=None)))
    writing = stream_reply(model(server.address), ASKED, time.monotonic() + 20, Cancellation())
    assert next(writing) + next(writing) == "Ana booked."
    with pytest.raises(ModelUnreachable):
        next(writing)


def test_a_stream_without_an_end_is_cut(raw):
    assert read(model(raw(writes("Ana", finish=None)).address))[1].is_cut
    assert read(model(raw(writes("Ana", finish="length")).address))[1].is_cut


def test_a_cancellation_from_another_thread_ends_the_connection(raw):
    gone, cancel = threading.Event(), Cancellation()
    server = raw(hangs_after(events("Ana ", finish=None), gone))
    threading.Timer(0.2, cancel.cancel).start()
    began = time.monotonic()
    with pytest.raises(ReplyCancelled):
        read(model(server.address), cancel=cancel)
    assert gone.wait(5) and time.monotonic() - began < 5
    with pytest.raises(ReplyCancelled):
        read(model(server.address), cancel=cancel)


def test_who_stops_reading_ends_the_connection(raw):
    gone = threading.Event()
    server = raw(hangs_after(events("Ana ", "Ben ", finish=None), gone))
    writing = stream_reply(model(server.address), ASKED, time.monotonic() + 20, Cancellation())
    assert next(writing) == "Ana "
    writing.close()
    assert gone.wait(5)


def test_a_model_that_only_completes_is_read_in_one_piece():
    class Plain:
        model = "plain"

        def complete(self, messages, schema=None, tools=None):
            return Completion(json.dumps(messages))

    assert not isinstance(Plain(), StreamingLLM)
    assert read(Plain())[0] == [json.dumps(ASKED)]
