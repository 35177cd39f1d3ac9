"""One question to a chat server: bounded in time, size and attempts, whatever the server does."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from ..errors import BadInput, RemoteFailed
from ..files import foreign_json
from ..language.text import estimate_tokens
from .chat_stream import RequestCancelled, StreamedReply, open_events, text_of_events
from .environment import is_offline
from .http_client import (
    LONGEST_WAIT,
    Cancellation,
    Denied,
    GaveUp,
    Passing,
    Server,
    Unusable,
    attempted,
    is_local_server,
    open_client,
    retried,
)
from .llm import LLM, Completion, LLMSettings, Message, ToolCall

FIRST_WAIT = 0.5  # seconds before the second attempt; doubled each time
LARGEST_REPLY = 4 << 20  # bytes; 1,500 tokens are some 6 KB
STREAMED: tuple[Mapping[str, Any], ...] = (  # how a stream is asked for, tried in this order
    {"stream": True, "stream_options": {"include_usage": True}},
    {"stream": True},
    {"stream": False},
)
FORMATS = ("json_schema", "json_object", "none")  # how a schema is told, tried in this order


class ModelUnreachable(RemoteFailed):
    """The server cannot be spoken to now: no connection, refused credentials, no such model. Nothing was read."""


class BadReply(RemoteFailed):
    """This question got no usable reply: too slow, too long, or not the protocol. Another one may."""


class ReplyCancelled(RemoteFailed):
    """Whoever asked has gone; the server was told by closing the connection."""


class _Refused(Exception):
    """The server does not take this body (400, 422 and the like)."""


class ChatModel:
    """A model behind OpenAI's protocol. The key is in no repr and in no message."""

    def __init__(
        self, settings: LLMSettings, key: str | None = None, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        import httpx2

        waits = tuple(min(FIRST_WAIT * 2**tries, LONGEST_WAIT) for tries in range(settings.retries))
        self._settings, self._server = settings, Server(settings.url, key, settings.timeout, sleep, waits)
        self._url = f"{settings.url}/chat/completions"
        self._tls = httpx2.create_ssl_context() if self._url.startswith("https") else False
        self._format = FORMATS[0]

    def __repr__(self) -> str:
        return f"ChatModel({self._settings.model!r} at {self._settings.url!r})"

    @property
    def model(self) -> str:
        return self._settings.model

    def complete(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> Completion:
        """The reply, after as many attempts as the settings allow."""
        started = FORMATS.index(self._format) if schema is not None else len(FORMATS) - 1
        for form in FORMATS[started:]:
            body = self._body(messages, schema, tools, form)
            try:
                answer = self._asked(body)
            except _Refused as error:
                if form == FORMATS[-1]:
                    raise BadReply(f"{self._url} answered {error}; check the model's limits") from error
                continue
            if schema is not None:
                self._format = form  # what worked once is not tried again
            return completion(answer, self._url, estimate_tokens(json.dumps(body["messages"], ensure_ascii=False)))
        raise AssertionError("the last form returns or raises")

    def stream(
        self, messages: Sequence[Message], until: float, cancel: Cancellation
    ) -> Generator[str, None, Completion]:
        """The reply piece by piece, all of it before `until`; then the whole of it, with what it cost."""
        plain = self._body(messages, None, None, FORMATS[-1])
        until = min(until, time.monotonic() + self._server.timeout)
        for form in STREAMED:
            try:
                return (yield from self._streamed({**plain, **form}, until, cancel))
            except _Refused as error:
                if form is STREAMED[-1]:
                    raise BadReply(f"{self._url} answered {error}; check the model's limits") from error
        raise AssertionError("the last form returns or raises")

    def _streamed(
        self, body: Mapping[str, Any], until: float, cancel: Cancellation
    ) -> Generator[str, None, Completion]:
        known, pieces, server = StreamedReply(), list[str](), self._server
        try:
            with open_events(server, self._tls, self._url, body, until, cancel) as (answer, clock):
                for piece in text_of_events(answer, server, clock, cancel, known):
                    pieces.append(piece)
                    yield piece
        except RequestCancelled as error:
            raise ReplyCancelled("cancelled") from error
        except GaveUp as error:
            raise self._gave_up(error, error.last) from error
        except Passing as error:
            raise self._gave_up(error, error) from error
        except Denied as error:
            raise self._refusal(error) from error
        except Unusable as error:
            raise BadReply(f"{self._url} {error}; is it a chat server?") from error
        sent = estimate_tokens(json.dumps(body["messages"], ensure_ascii=False))
        if known.whole is not None:
            reply = completion(known.whole, self._url, sent)
            yield reply.text
            return reply
        finish = known.finish if known.is_ended else "length"
        choice = {"message": {"content": "".join(pieces)}, "finish_reason": finish}
        return completion({"choices": [choice], "usage": known.usage}, self._url, sent)

    def _gave_up(self, error: Exception, last: Passing) -> RemoteFailed:
        kind = BadReply if last.slow else ModelUnreachable
        return kind(f"{self._url} {error}; is the server healthy?")

    def _body(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, Any] | None,
        tools: Sequence[Mapping[str, Any]] | None,
        form: str,
    ) -> dict[str, Any]:
        settings = self._settings
        body: dict[str, Any] = {
            "model": settings.model,
            "messages": [dict(message) for message in messages],
            "max_tokens": settings.max_tokens,
            "temperature": 0,
            "stream": False,
            **settings.options,
        }
        if tools:
            body["tools"] = [dict(tool) for tool in tools]
        if schema is None:
            return body
        if form == "json_schema":
            named = {"name": "reply", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
            return body
        told = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
        body["messages"].append({"role": "system", "content": f"Reply with one JSON object of this schema:\n{told}"})
        if form == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body

    def _asked(self, body: Mapping[str, Any]) -> Any:
        try:
            return retried(self._server, lambda: self._attempt(body))
        except GaveUp as error:
            raise self._gave_up(error, error.last) from error
        except Denied as error:
            raise self._refusal(error) from error

    def _attempt(self, body: Mapping[str, Any]) -> Any:
        # One connection a question: replies take seconds, and the deadline can end it without harm to another.
        with open_client(self._server, self._tls) as client:
            until = time.monotonic() + self._server.timeout
            try:
                return attempted(client, self._server, self._url, body, most=LARGEST_REPLY, until=until)
            except Unusable as error:
                raise BadReply(f"{self._url} {error}; is it a chat server?") from error

    def _refusal(self, denied: Denied) -> Exception:
        if denied.status in (401, 403):
            return ModelUnreachable(f"{self._url} answered {denied}; check the key in {self._settings.key_env}")
        if denied.status in (404, 405) or 300 <= denied.status < 400:
            return ModelUnreachable(f"{self._url} answered {denied}; check the url and the model's name in [llm]")
        return _Refused(str(denied))


def completion(answer: Any, url: str, prompt_tokens: int) -> Completion:
    """The reply in an answer, checked in every way in which it could be wrong."""
    try:
        choice = answer["choices"][0]
        message = choice["message"]
        text = message.get("content") or ""
        if isinstance(text, list):  # parts, as some servers send them
            text = "".join(str(part.get("text", "")) for part in text if isinstance(part, dict))
        if not isinstance(text, str):
            raise TypeError("the content is not text")
        calls = tuple(tool_call(one) for one in message.get("tool_calls") or ())
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise BadReply(f"{url} answered without a message; is it a chat server?") from error
    counted = answer.get("usage") if isinstance(answer, dict) else None
    usage = counted if isinstance(counted, dict) else {}
    told = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
    if all(type(one) is int and 0 <= one < 10**9 for one in told):
        return Completion(text, calls, told[0] or 0, told[1] or 0, choice.get("finish_reason") == "length")
    spoken = estimate_tokens(text + "".join(call.raw for call in calls))
    return Completion(text, calls, prompt_tokens, spoken, choice.get("finish_reason") == "length", is_estimated=True)


def tool_call(call: Any) -> ToolCall:
    function = call["function"]
    raw = function.get("arguments") or "{}"
    with suppress(ValueError):
        given = foreign_json.loads(raw) if isinstance(raw, str) else raw  # Ollama's own form has an object
        if isinstance(given, dict):
            return ToolCall(str(call.get("id") or ""), str(function["name"]), given, str(raw))
    return ToolCall(str(call.get("id") or ""), str(function["name"]), None, str(raw))


def open_llm(settings: LLMSettings) -> LLM:
    """The model behind the settings' address. Nothing is asked yet."""
    host = urlsplit(settings.url).hostname or ""
    if is_offline() and not is_local_server(host):
        raise BadInput(f"{host} is not on this machine and ENGRAMMA_OFFLINE is set; unset it, or use a local model.")
    key = os.environ.get(settings.key_env, "").strip()
    if not key.isprintable() or not key.isascii():
        raise BadInput(
            f"The key in {settings.key_env} contains characters that are not allowed in a header; set it again."
        )
    return ChatModel(settings, key or None)
