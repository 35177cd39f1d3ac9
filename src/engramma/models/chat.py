"""One question to a chat server: bounded in time, size and attempts, whatever the server does."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..errors import BadInput, RemoteFailed
from ..files import foreign_json
from ..files.unpack import CannotUnpack, unpacked
from ..language.text import estimate_tokens
from .environment import is_offline
from .exchange import CONNECT_SECONDS, is_loopback
from .llm import LLM, Completion, LLMSettings, Message, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx2

FIRST_WAIT = 0.5  # seconds before the second attempt; doubled each time
LONGEST_WAIT = 60.0  # also of what a server may ask for
LARGEST_REPLY = 4 << 20  # bytes; 1,500 tokens are some 6 KB
FORMATS = ("json_schema", "json_object", "none")  # how a schema is told, tried in this order


class Unreachable(RemoteFailed):
    """The server cannot be spoken to now: no connection, refused credentials, no such model. Nothing was read."""


class BadReply(RemoteFailed):
    """This question got no usable reply: too slow, too long, or not the protocol. Another one may."""


class _Passing(Exception):
    """A failure that may be over on the next attempt."""

    def __init__(self, reason: str, wait: float | None = None, *, slow: bool = False) -> None:
        super().__init__(reason)
        self.wait, self.slow = wait, slow


class _Refused(Exception):
    """The server does not take this body (400, 422 and the like)."""


class ChatModel:
    """A model behind OpenAI's protocol. The key is in no repr and in no message."""

    def __init__(
        self, settings: LLMSettings, key: str | None = None, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        import httpx2

        self._settings, self._key, self._sleep = settings, key, sleep
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
        wait = FIRST_WAIT
        for left in range(self._settings.retries, -1, -1):
            try:
                return self._attempt(body)
            except _Passing as failure:
                if not left:
                    kind = BadReply if failure.slow else Unreachable
                    tried = self._settings.retries + 1
                    raise kind(f"{self._url} failed {tried} times, last: {failure}; is the server well?") from failure
                self._sleep(min(wait if failure.wait is None else failure.wait, LONGEST_WAIT))
                wait *= 2
        raise AssertionError("the last attempt returns or raises")

    def _attempt(self, body: Mapping[str, Any]) -> Any:
        import httpx2

        timeout = self._settings.timeout
        try:
            with (
                deadline(timeout) as clock,
                self._client() as client,
                client.stream("POST", self._url, json=body, extensions={"trace": clock.trace}) as answer,
            ):
                content = self._read(answer)
                status, after = answer.status_code, answer.headers.get("retry-after", "")
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            if clock.is_over or isinstance(error, httpx2.ReadTimeout):
                raise _Passing(f"no whole reply within {timeout:g} s", slow=True) from error
            raise _Passing(self._clean(f"{type(error).__name__} {error}")) from error
        if status != 200:
            raise self._refusal(status, content, after)
        try:
            return foreign_json.loads(content)
        except ValueError as error:
            if clock.is_over:
                raise _Passing(f"no whole reply within {timeout:g} s", slow=True) from error
            raise BadReply(f"{self._url} did not answer in JSON; is it a chat server?") from error

    def _client(self) -> httpx2.Client:
        import httpx2

        # One connection a question: replies take seconds, and the deadline can end it without harm to another.
        return httpx2.Client(
            headers={"Authorization": f"Bearer {self._key}"} if self._key else {},
            verify=self._tls,
            timeout=httpx2.Timeout(self._settings.timeout, connect=min(CONNECT_SECONDS, self._settings.timeout)),
            follow_redirects=False,  # neither talk nor key go where nobody sent them
            trust_env=not is_loopback(urlsplit(self._url).hostname or ""),  # a proxy is for other machines
        )

    def _read(self, answer: httpx2.Response) -> bytes:
        content = bytearray()
        for block in answer.iter_raw():  # unpacked here, in bounded steps: the library would unpack any bomb
            content += block
            if len(content) > LARGEST_REPLY:
                raise BadReply(f"{self._url} answered with more than {LARGEST_REPLY >> 20} MB")
        try:
            return unpacked(bytes(content), answer.headers.get("content-encoding", ""), LARGEST_REPLY)
        except CannotUnpack as error:
            raise BadReply(f"{self._url} answered with what cannot be unpacked: {error}") from error

    def _refusal(self, status: int, content: bytes, after: str) -> Exception:
        said = f"{status} {self._said(content)}"
        if status == 429 or status == 408 or status >= 500:
            return _Passing(said, seconds_in(after))
        if status in (401, 403):
            return Unreachable(f"{self._url} answered {said}; check the key in {self._settings.key_env}")
        if status in (404, 405) or 300 <= status < 400:
            return Unreachable(f"{self._url} answered {said}; check the url and the model's name in [llm]")
        return _Refused(said)

    def _said(self, content: bytes) -> str:
        """The reason in an error's body, short and without the key."""
        text = content[:10_000].decode("utf-8", "replace")
        with suppress(ValueError, KeyError, TypeError):
            reason = foreign_json.loads(text)["error"]
            text = str(reason["message"] if isinstance(reason, dict) else reason)
        return f"({self._clean(text)})" if text.strip() else "without a reason"

    def _clean(self, text: str) -> str:
        line = " ".join(text.split())
        return (line.replace(self._key, "***") if self._key else line)[:200]


class Clock:
    """Ends a connection when its time is over, even if the server sends a byte now and then."""

    def __init__(self) -> None:
        self.is_over = False
        self._socket: socket.socket | None = None

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        if event in ("connection.connect_tcp.complete", "proxy.connect_tcp.complete"):
            self._socket = info["return_value"].get_extra_info("socket")
            if self.is_over:
                self.end()

    def end(self) -> None:
        self.is_over = True
        if self._socket is not None:
            with suppress(OSError):  # closed already; a shutdown wakes whoever waits, a close would not
                self._socket.shutdown(socket.SHUT_RDWR)


@contextmanager
def deadline(seconds: float) -> Iterator[Clock]:
    clock = Clock()
    timer = threading.Timer(seconds, clock.end)
    timer.daemon = True
    timer.start()
    try:
        yield clock
    finally:
        timer.cancel()


def seconds_in(after: str) -> float | None:
    """What a Retry-After header asks for: seconds, or a date."""
    if after.strip().replace(".", "", 1).isdecimal():
        return float(after)
    try:
        moment = parsedate_to_datetime(after)
    except (TypeError, ValueError):
        return None
    return max(0.0, ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - datetime.now(UTC)).total_seconds())


def completion(answer: Any, url: str, prompt_tokens: int) -> Completion:
    """The reply in an answer, checked in every way in which it could be wrong."""
    try:
        choice = answer["choices"][0]
        message = choice["message"]
        text = message.get("content") or ""
        if isinstance(text, list):  # parts, as some servers send them
            text = "".join(str(part.get("text", "")) for part in text if isinstance(part, dict))
        if not isinstance(text, str):
            raise TypeError("the content is no text")
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
    if is_offline() and not is_loopback(host):
        raise BadInput(f"{host} is not on this machine and ENGRAMMA_OFFLINE is set; unset it, or use a local model.")
    key = os.environ.get(settings.key_env, "").strip()
    if not key.isprintable() or not key.isascii():
        raise BadInput(f"The key in {settings.key_env} has characters that no header can carry; set it again.")
    return ChatModel(settings, key or None)
