"""What is read from copies: every API, streamed and not, whole and cut off, packed and not."""

from __future__ import annotations

import gzip
import json
import time
import zlib
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engramma.apps.proxy.capture import read_exchange
from engramma.apps.proxy.exchange import Exchange, api_of
from engramma.apps.proxy.messages import MAX_RESULT
from engramma.language.fence import fenced, without_recalled
from tests.apps.proxy.talking import exchange
from tests.conftest import some


def sse(*events: object) -> bytes:
    lines = (event if isinstance(event, str) else json.dumps(event) for event in events)
    return b"".join(f"data: {line}\n\n".encode() for line in lines)


def said(captured) -> list[tuple[str, str]]:
    return [(one.role, one.text) for one in (*captured.said, *captured.reply)]


def test_chat_completions_merge_tool_calls_by_index():
    def delta(**fields):
        return {"model": "m-1", "choices": [{"index": 0, "delta": fields}]}

    def piece(index, **fields):
        return delta(tool_calls=[{"index": index, **fields}])

    body = sse(
        delta(role="assistant", content="Let me "),
        delta(content="look."),
        piece(0, id="c1", function={"name": "find", "arguments": '{"wo'}),
        piece(1, id="c2", function={"name": "memory_search", "arguments": "{}"}),
        piece(0, function={"arguments": 'rd": "tea"}'}),
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
        {"choices": [], "usage": {}},
        "[DONE]",
    )
    captured = read_exchange(exchange("completions", {"messages": [{"role": "user", "content": "Find tea"}]}, body))
    assert said(captured) == [
        ("user", "Find tea"),
        ("assistant", "Let me look."),
        ("assistant", '[call find({"word":"tea"})]'),
    ]
    assert captured.model == "m-1" and not captured.partial


def test_anthropic_events_without_thinking():
    body = sse(
        {"type": "message_start", "message": {"id": "m", "model": "claude"}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hidden"}},
        {"type": "ping"},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Hel"}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "lo"}},
        {"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "name": "Read", "input": {}}},
        {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": '{"a":'}},
        {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": " 1}"}},
        {"type": "message_stop"},
    )
    content = [
        {"type": "text", "text": "Look"},
        {"type": "image", "source": {}},
        {"type": "document", "title": "a.pdf"},
    ]
    request = {"system": "secret plan", "messages": [{"role": "user", "content": content}]}
    captured = read_exchange(exchange("messages", request, body))
    assert said(captured) == [
        ("user", "Look\n[image]\n[file a.pdf]"),
        ("assistant", "Hello"),
        ("assistant", '[call Read({"a":1})]'),
    ]


KEY = b"key"


def test_results_are_cut_named_and_ours_left_out():
    calls = [
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "a"}},
        {"type": "tool_use", "id": "t2", "name": "mcp__engramma__memory_search", "input": {"query": "tea"}},
    ]
    results = [
        {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "x" * 5000}]},
        {"type": "tool_result", "tool_use_id": "t2", "content": "Ada likes tea"},
        {"type": "text", "text": f"Go on\n{fenced('> Ada likes tea', KEY)}"},
    ]
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": calls}]
    messages.append({"role": "user", "content": results})
    answer = {"content": [{"type": "text", "text": "Done"}]}
    captured = read_exchange(
        exchange("messages", {"messages": messages}, answer), lambda text: without_recalled(text, KEY)
    )
    words = [text for _, text in said(captured)]
    assert "tea" not in " ".join(words)
    assert words[1] == '[call Read({"path":"a"})]'
    assert words[2].startswith("[result of Read: xxx") and f"({5000 - MAX_RESULT:,} more characters)]" in words[2]
    assert words[3:] == ["Go on", "Done"]


@pytest.mark.parametrize("cut", [False, True])
def test_responses_take_the_last_event_or_what_came_before_it_broke_off(cut):
    item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello there"}]}
    events = [
        {"type": "response.created", "response": {"id": "r1", "model": "m", "output": []}},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "Hello "},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "there"},
        {"type": "response.completed", "response": {"id": "r1", "model": "m", "output": [item]}},
    ]
    request = {
        "instructions": "be brief",
        "input": [{"role": "developer", "content": "x"}, {"role": "user", "content": "Hi"}],
    }
    captured = read_exchange(
        exchange("responses", {**request, "previous_response_id": "r0"}, sse(*events[: 3 if cut else 4]))
    )
    assert said(captured) == [("user", "Hi"), ("assistant", "Hello there")]
    assert (captured.previous, captured.reply_id, captured.partial) == ("r0", "r1", cut)


def test_ollama_lines_and_generate():
    lines = b"".join(
        json.dumps(line).encode() + b"\n"
        for line in (
            {"model": "q", "message": {"content": "Hel", "thinking": "hm"}, "done": False},
            {"model": "q", "message": {"content": "lo", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}},
            {"model": "q", "message": {"content": ""}, "done": True},
        )
    )
    captured = read_exchange(
        exchange("chat", {"messages": [{"role": "user", "content": "Hi", "images": ["…"]}]}, lines)
    )
    assert said(captured) == [("user", "Hi\n[image]"), ("assistant", "Hello"), ("assistant", "[call f()]")]
    captured = read_exchange(
        exchange("generate", {"prompt": "Why?"}, {"model": "q", "response": "Because.", "done": True})
    )
    assert said(captured) == [("user", "Why?"), ("assistant", "Because.")]


@pytest.mark.parametrize(("name", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_packed_bodies_are_unpacked_also_when_cut_off(name, pack):
    rng = Random(1)
    words = " ".join(str(rng.random()) for _ in range(200))
    plain = sse(
        {"choices": [{"index": 0, "delta": {"content": words[:1500]}}]},
        {"choices": [{"index": 0, "delta": {"content": words[1500:]}}]},
        "[DONE]",
    )
    one = exchange("completions", {"messages": [{"role": "user", "content": "Hi"}]}, plain)
    for body, complete in ((pack(plain), True), (pack(plain)[:-400], False)):
        headers = {"content-type": "text/event-stream", "content-encoding": name}
        whole = Exchange(**{**fields(one), "reply": body, "reply_headers": headers, "complete": complete})
        captured = read_exchange(whole)
        assert captured.partial is not complete
        assert words.startswith(captured.reply[0].text) and len(captured.reply[0].text) >= 1500


def fields(one: Exchange) -> dict:
    return {name: getattr(one, name) for name in one.__dataclass_fields__}


@given(
    st.binary(max_size=400),
    st.binary(max_size=400),
    st.sampled_from(["messages", "completions", "responses", "chat", "generate"]),
    st.sampled_from(["", "gzip", "zstd", "br", "deflate", "odd"]),
)
@settings(max_examples=some(150), deadline=None)
def test_nothing_that_passes_can_break_the_reading(request_body, reply_body, api, packing):
    one = exchange(api, request_body, reply_body)
    read_exchange(one)
    nested: object = "x"
    for _ in range(3):
        nested = {"messages": nested, "role": "user", "content": [nested, None, 5], "type": nested}
    broken = {**fields(one), "request": json.dumps({"messages": [nested, 1, None], "input": [nested]}).encode()}
    read_exchange(Exchange(**{**broken, "reply_headers": {"content-encoding": packing}}))


STREAMS = {
    "completions": [
        {"id": "r", "model": "m", "choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}]},
        {
            "choices": [
                {"delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}]}}
            ]
        },
    ],
    "responses": [
        {"type": "response.created", "response": {"id": "r", "model": "m", "output": []}},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "Hi"},
        {
            "type": "response.output_item.done",
            "output_index": 1,
            "item": {"type": "f_call", "name": "f", "call_id": "c"},
        },
    ],
    "messages": [
        {"type": "message_start", "message": {"id": "m", "model": "m"}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "name": "f", "id": "c"}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
    ],
    "chat": [
        {"message": {"content": "Hi", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}, "done": True}
    ],
}
JUNK = ({}, [], [{}], {"a": []}, None, -1, 10**30, 0.5, True, "x", "")


def places_in(value: object, way: tuple = ()) -> list[tuple]:
    """The way to every value within one."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, part in parts for found in ((*way, key), *places_in(part, (*way, key)))]


@pytest.mark.parametrize("api", STREAMS)
def test_whatever_stands_in_a_field_of_a_reply_what_was_asked_is_captured(api):
    request = {"messages": [{"role": "user", "content": "What now?"}], "input": "What now?"}
    for way in places_in(STREAMS[api]):
        for junk in JUNK:
            events = json.loads(json.dumps(STREAMS[api]))
            holder = events
            for key in way[:-1]:
                holder = holder[key]
            holder[way[-1]] = junk
            body = b"\n".join(json.dumps(one).encode() for one in events) if api == "chat" else sse(*events)
            assert said(read_exchange(exchange(api, request, body)))[0] == ("user", "What now?"), (way, junk)


DELTAS = {
    "completions": {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "x" * 100}}]}}]},
    "responses": {"type": "response.output_text.delta", "output_index": 0, "delta": "x" * 100},
    "messages": {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x" * 100}},
}


@pytest.mark.parametrize("api", DELTAS)
def test_a_long_stream_is_read_in_time_that_grows_with_its_length(api):
    begin = sse({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
    seconds = []
    for size in (1, 8):
        body = begin + sse(DELTAS[api]) * (size * 5_000)
        began = time.process_time()
        read_exchange(exchange(api, {"messages": [{"role": "user", "content": "Hi"}], "input": "Hi"}, body))
        seconds.append(time.process_time() - began)
    assert seconds[1] < 25 * seconds[0], seconds


def test_only_what_is_talk_is_copied():
    assert api_of("POST", b"/v1/messages") == "messages"
    assert api_of("POST", b"/v1/messages/count_tokens") is None
    assert api_of("POST", b"/v1/messages/batches") is None
    assert api_of("GET", b"/v1/responses") is None
    assert api_of("POST", b"/openai/v1/chat/completions/") == "completions"


def test_an_exchange_survives_its_journey():
    one = exchange("chat", b"\x00\xff request", b"reply \n\n")
    assert Exchange.from_bytes(one.to_bytes()) == one
