"""A chat server may answer anything: every reply ends as a completion or as an error that helps, in bounded time."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from engramma.errors import BadInput, RemoteFailed
from engramma.models import chat
from engramma.models.chat import BadReply, ChatModel, ModelUnreachable, open_llm
from engramma.models.http_client import seconds_in
from engramma.models.llm import LLMSettings, llm_settings

from .chat_server import drip_body, drip_headers, half, raw, reset, said, scripted, silent
from .servers import Reply, as_json, serve

__all__ = ["raw", "serve"]

ASKED = [{"role": "user", "content": "Who ran?"}]
SCHEMA = {"type": "object", "properties": {"claims": {"type": "array"}}}


def model(address: str, waits: list[float] | None = None, key: str | None = None, **given: object) -> ChatModel:
    settings = LLMSettings(f"{address}/v1", "small", **{"retries": 2, "timeout": 5.0, **given})  # type: ignore[arg-type]
    return ChatModel(settings, key, (waits if waits is not None else []).append)


def test_a_reply_comes_with_its_tokens(serve):
    server = serve(scripted(said("Melanie did.", tokens=(12, 4))))
    found = model(server.address).complete(ASKED)
    assert (found.text, found.prompt_tokens, found.completion_tokens, found.is_estimated) == (
        "Melanie did.",
        12,
        4,
        False,
    )
    body = server.asked[0].body
    assert server.asked[0].path == "/v1/chat/completions"
    assert (body["model"], body["messages"], body["stream"]) == ("small", ASKED, False)
    assert "response_format" not in body and "tools" not in body


def test_tokens_that_the_server_does_not_count_are_estimated(serve):
    found = model(serve(scripted(said("four words of it", tokens=None))).address).complete(ASKED)
    assert found.is_estimated and found.completion_tokens == 4 and found.prompt_tokens > 0


def test_a_reply_that_ran_into_its_limit_says_so(serve):
    assert model(serve(scripted(said("and then", finish="length"))).address).complete(ASKED).is_cut


def test_tools_are_sent_and_calls_of_them_come_back(serve):
    call = {"id": "c1", "type": "function", "function": {"name": "timeline", "arguments": '{"person": "Ana"}'}}
    broken = {"id": "c2", "function": {"name": "timeline", "arguments": '{"person'}}
    server = serve(scripted(said("", tool_calls=[call, broken])))
    tools = [{"type": "function", "function": {"name": "timeline", "parameters": {"type": "object"}}}]
    found = model(server.address).complete(ASKED, tools=tools)
    assert server.asked[0].body["tools"] == tools
    assert [(one.id, one.name, one.arguments) for one in found.tool_calls] == [
        ("c1", "timeline", {"person": "Ana"}),
        ("c2", "timeline", None),
    ]


def test_a_server_that_knows_no_schema_is_told_it_in_words_and_not_asked_again(serve):
    def answer(asked):
        if "response_format" in asked.body:
            return as_json({"error": {"message": "response_format is not supported"}}, 400)
        return said("{}")

    server = serve(answer)
    asking = model(server.address)
    asking.complete(ASKED, schema=SCHEMA)
    asking.complete(ASKED, schema=SCHEMA)
    forms = [one.body.get("response_format", {}).get("type") for one in server.asked]
    assert forms == ["json_schema", "json_object", None, None]
    assert json.dumps(SCHEMA, separators=(",", ":")) in server.asked[-1].body["messages"][-1]["content"]
    assert server.asked[0].body["messages"] == ASKED


def test_a_question_that_is_refused_in_every_form_is_a_bad_reply_and_forgets_no_form(serve):
    refused = as_json({"error": "the prompt is too long"}, 400)
    server = serve(scripted(refused, refused, refused, said("{}")))
    asking = model(server.address)
    with pytest.raises(BadReply, match="too long"):
        asking.complete(ASKED, schema=SCHEMA)
    asking.complete(ASKED, schema=SCHEMA)
    assert server.asked[-1].body["response_format"]["type"] == "json_schema"


def test_busy_servers_are_asked_again_when_they_say(serve):
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    waits: list[float] = []
    server = serve(scripted(as_json({}, 429, Retry_After="7"), as_json({}, 503, Retry_After=later), said("now")))
    assert model(server.address, waits).complete(ASKED).text == "now"
    assert waits[0] == 7 and 15 < waits[1] <= 20


def test_waits_double_and_nobody_makes_us_wait_for_hours(serve):
    waits: list[float] = []
    with pytest.raises(ModelUnreachable, match="failed 4 times, last: 500"):
        model(serve(scripted(as_json({}, 500))).address, waits, retries=3).complete(ASKED)
    assert waits == [0.5, 1.0, 2.0]
    waits.clear()
    with pytest.raises(ModelUnreachable):
        model(serve(scripted(as_json({}, 429, Retry_After="86400"))).address, waits, retries=1).complete(ASKED)
    assert waits == [chat.LONGEST_WAIT]
    assert seconds_in("soon") is None and seconds_in("") is None


def test_a_connection_that_breaks_is_tried_again(raw):
    server = raw(reset)
    with pytest.raises(ModelUnreachable, match="failed 3 times"):
        model(server.address).complete(ASKED)
    assert server.connections == 3


def test_nobody_there_is_unreachable():
    with pytest.raises(ModelUnreachable, match="is the server healthy"):
        model("http://127.0.0.1:9", retries=0).complete(ASKED)


@pytest.mark.parametrize("act", [silent, drip_headers, drip_body], ids=lambda act: act.__name__)
def test_a_reply_that_never_ends_is_ended_in_time(raw, act):
    began = time.monotonic()
    with pytest.raises(BadReply, match=r"no whole reply within 0\.3 s"):
        model(raw(act).address, timeout=0.3, retries=1).complete(ASKED)
    assert time.monotonic() - began < 5


def test_half_a_reply_is_tried_again(raw):
    server = raw(half)
    with pytest.raises(ModelUnreachable):
        model(server.address, retries=1).complete(ASKED)
    assert server.connections == 2


def test_ten_megabytes_are_not_read(serve):
    with pytest.raises(BadReply, match="more than 4 MB"):
        model(serve(scripted(said("x" * 10_000_000))).address).complete(ASKED)


@pytest.mark.parametrize(
    "answer",
    [
        Reply(b""),
        Reply(b"<html>hello</html>"),
        Reply(b"[" * 100_000),
        as_json([]),
        as_json({}),
        as_json({"choices": []}),
        as_json({"choices": [{}]}),
        as_json({"choices": [{"message": None}]}),
        as_json({"choices": [{"message": {"content": 5}}]}),
        as_json({"choices": [{"message": {"content": "x", "tool_calls": [5]}}]}),
        as_json({"choices": [{"message": {"content": "x", "tool_calls": 7}}]}),
    ],
    ids=repr,
)
def test_what_is_not_the_protocol_is_a_bad_reply(serve, answer):
    with pytest.raises(BadReply):
        model(serve(scripted(answer)).address).complete(ASKED)


@pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": -1, "completion_tokens": "x"}, {"prompt_tokens": True}])
def test_impossible_counts_are_estimated(serve, usage):
    answer = {"choices": [{"message": {"content": "well"}}], "usage": usage}
    assert model(serve(scripted(as_json(answer))).address).complete(ASKED).is_estimated


def test_redirects_are_not_followed(serve):
    other = serve(scripted(said("stolen")))
    server = serve(scripted(Reply(b"", 302, {"Location": f"{other.address}/v1/chat/completions"})))
    with pytest.raises(ModelUnreachable, match="302"):
        model(server.address, key="sk-very-secret").complete(ASKED)
    assert other.asked == []


def test_the_key_is_sent_and_never_shown(serve):
    server = serve(scripted(as_json({"error": {"message": "no such key: sk-very-secret"}}, 401)))
    asking = model(server.address, key="sk-very-secret")
    with pytest.raises(ModelUnreachable, match="check the key") as error:
        asking.complete(ASKED)
    assert server.asked[0].headers["Authorization"] == "Bearer sk-very-secret"
    assert len(server.asked) == 1  # a wrong key is not tried again
    assert "sk-very" not in str(error.value) and "sk-very" not in repr(asking)


def test_the_key_comes_from_the_environment_alone(serve, monkeypatch):
    server = serve(scripted(said("hello")))
    monkeypatch.setenv("MY_KEY", "sk-from-outside")
    settings = llm_settings({"url": server.address, "model": "small", "key_env": "MY_KEY"})
    assert settings is not None
    assert open_llm(settings).complete(ASKED).text == "hello"
    assert server.asked[0].headers["Authorization"] == "Bearer sk-from-outside"
    with pytest.raises(BadInput, match="unknown setting key"):
        llm_settings({"url": server.address, "model": "small", "key": "sk-in-a-file"})


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ({"model": "m"}, "needs a url"),
        ({"url": "http://127.0.0.1:1"}, "needs a model"),
        ({"url": "http://example.com/v1", "model": "m"}, "http is not encrypted"),
        ({"url": "https://me:pw@example.com/v1", "model": "m"}, "leave the credentials out"),
        ({"url": "file:///etc/passwd", "model": "m"}, "must look like"),
        ({"url": "http://127.0.0.1:1/v1?x=1", "model": "m"}, "must look like"),
        ({"url": "http://127.0.0.1:1", "model": "m", "timeout": 0}, "timeout"),
        ({"url": "http://127.0.0.1:1", "model": "m", "max_tokens": True}, "max_tokens"),
        ({"url": "http://127.0.0.1:1", "model": "m", "daily_tokens": -1}, "daily_tokens"),
        ({"url": "http://127.0.0.1:1", "model": "m", "key_env": "sk-abc/def"}, "key_env"),
        ({"url": "http://127.0.0.1:1", "model": "m", "chunks": "words"}, "chunks"),
        ({"url": "http://127.0.0.1:1", "model": "m", "options": {"stream": True}}, "cannot set stream"),
    ],
)
def test_settings_that_could_not_work_are_refused(table, reason):
    with pytest.raises(BadInput, match=reason):
        llm_settings(table)


def test_without_settings_there_is_no_model_and_http_elsewhere_has_to_be_allowed():
    assert llm_settings({}) is None
    found = llm_settings({"url": "http://box.example:8080/v1/", "model": " m ", "allow_http": True})
    assert found is not None and (found.url, found.model) == ("http://box.example:8080/v1", "m")


def test_offline_asks_this_machine_only(monkeypatch):
    monkeypatch.setenv("ENGRAMMA_OFFLINE", "1")
    elsewhere = llm_settings({"url": "https://example.com/v1", "model": "m"})
    here = llm_settings({"url": "http://localhost:1/v1", "model": "m"})
    assert elsewhere is not None and here is not None
    with pytest.raises(BadInput, match="ENGRAMMA_OFFLINE"):
        open_llm(elsewhere)
    assert open_llm(here).model == "m"


def test_errors_of_a_server_are_errors_of_models():
    assert issubclass(BadReply, RemoteFailed) and issubclass(ModelUnreachable, RemoteFailed)
