"""A language model behind any server that speaks OpenAI's /chat/completions, Ollama included. Opt-in."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Protocol, runtime_checkable
from urllib.parse import urlsplit

from ..config.environment import blamed, variables_of
from ..errors import BadInput
from .http_client import Cancellation, is_local_server

KEY = "ENGRAMMA_LLM_API_KEY"

Message = Mapping[str, Any]  # as the protocol has them: role, content, tool_calls, tool_call_id


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model wants to be called. `arguments` are None where they are no JSON object."""

    id: str
    name: str
    arguments: Mapping[str, Any] | None
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model replied, and what it cost."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0
    is_cut: bool = False  # it ran into the limit of tokens
    is_estimated: bool = False  # the server did not count tokens, so we did


class LLM(Protocol):
    """Anything that completes a chat. `schema` is a JSON schema that the reply should fit; no server has to obey it."""

    @property
    def model(self) -> str: ...

    def complete(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> Completion: ...


@runtime_checkable
class StreamingLLM(LLM, Protocol):
    """A model whose reply can be read while it is written. Closing the generator ends the request."""

    def stream(
        self, messages: Sequence[Message], until: float, cancel: Cancellation
    ) -> Generator[str, None, Completion]: ...


def stream_reply(
    llm: LLM, messages: Sequence[Message], until: float, cancel: Cancellation
) -> Generator[str, None, Completion]:
    """A reply piece by piece, before `until` (by time.monotonic); in one piece if the model cannot stream."""
    if isinstance(llm, StreamingLLM):
        return (yield from llm.stream(messages, until, cancel))
    reply = llm.complete(messages)
    yield reply.text
    return reply


@dataclass(frozen=True, slots=True)
class LLMSettings:
    """The table [llm] of a store's config.toml. The key is never in it: only the variable's name that holds it."""

    url: str  # http://127.0.0.1:11434/v1
    model: str
    key_env: str = KEY
    timeout: float = 300.0  # seconds for a whole reply: a small machine is slow
    max_tokens: int = 1_500  # of one reply
    retries: int = 4  # after the first attempt, for temporary failures: 429, 5xx, no connection
    allow_http: bool = False  # plain http to another machine: anyone on the network path can read it
    daily_tokens: int = 0  # token limit per day and namespace; 0: no limit
    price_in: float = 0.0  # per million prompt tokens, for the cost report
    price_out: float = 0.0  # per million reply tokens
    chunks: str = "hybrid"  # how turns are split into pieces: by topic ("hybrid"), pauses ("gaps") or count ("turns")
    chunk_turns: int = 10  # turns per piece when split by count
    background: bool = True  # the daemon also reads new conversations with the model
    answers: bool = False  # the model writes the answers of `ask`, each sentence checked against the turns it cites
    answer_timeout: float = 120.0  # seconds for such an answer; after that, `ask` answers without the model
    options: Mapping[str, Any] = field(default_factory=dict)  # sent to the server as they are: seed, top_p, …


def llm_settings(table: Mapping[str, Any], where: str = "config.toml") -> LLMSettings | None:
    """The settings of a model; None where none is configured, BadInput for what could not work."""
    if not table:
        return None
    known = {one.name for one in fields(LLMSettings)}
    if unknown := sorted(set(table) - known):
        raise BadInput(f"{where}: unknown setting {', '.join(unknown)} in [llm]. Known: {', '.join(sorted(known))}.")

    def need(ok: bool, what: str) -> None:
        if not ok:
            raise BadInput(f"{blamed(what, where, variables_of(table))}: [llm] {what}.")

    def number(value: object, least: float, most: float) -> bool:
        return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most

    def whole(value: object, least: int, most: int) -> bool:
        return type(value) is int and least <= value <= most

    need(isinstance(table.get("url"), str), 'needs a url, such as "http://127.0.0.1:11434/v1"')
    need(isinstance(table.get("model"), str) and bool(table["model"].strip()), "needs a model's name")
    found = replace(LLMSettings("", ""), **table)
    need(isinstance(found.key_env, str) and found.key_env.isidentifier(), "key_env must name an environment variable")
    need(number(found.timeout, 0.05, 86_400), "timeout must be 0.05 to 86,400 seconds")
    need(whole(found.max_tokens, 16, 1_000_000), "max_tokens must be 16 to 1,000,000")
    need(whole(found.retries, 0, 20), "retries must be 0 to 20")
    need(whole(found.daily_tokens, 0, 10**12), "daily_tokens must be 0 (no limit) or more")
    need(found.chunks in ("hybrid", "gaps", "turns"), 'chunks must be "hybrid", "gaps" or "turns"')
    need(whole(found.chunk_turns, 1, 100), "chunk_turns must be 1 to 100")
    need(number(found.price_in, 0, 10**6) and number(found.price_out, 0, 10**6), "prices must be 0 or more")
    need(isinstance(found.allow_http, bool), "allow_http must be true or false")
    need(isinstance(found.background, bool), "background must be true or false")
    need(isinstance(found.answers, bool), "answers must be true or false")
    need(number(found.answer_timeout, 0.05, 3_600), "answer_timeout must be 0.05 to 3,600 seconds")
    need(isinstance(found.options, Mapping), "options must be a table")
    own = {"model", "messages", "stream", "tools", "response_format", "max_tokens"} & set(found.options)
    need(not own, f"options cannot set {', '.join(sorted(own))}")
    place = variables_of(table).get("url", where)
    return replace(found, url=checked_url(found.url, found.allow_http, place), model=found.model.strip())


def checked_url(url: str, allow_http: bool, where: str = "config.toml") -> str:
    """The address without a slash at its end, if talk may be sent there: this machine, or another one by https."""
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname, parts.port
    except ValueError:
        parts, host = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise BadInput(f"{where}: [llm] url must look like http://127.0.0.1:11434/v1 or https://host/v1.")
    if parts.username or parts.password:
        raise BadInput(f"{where}: [llm] leave the credentials out of the url; set the key in the environment.")
    if parts.scheme == "http" and not is_local_server(host) and not allow_http:
        raise BadInput(
            f"{where}: [llm] {host} is another machine and http is not encrypted. Use https, or set allow_http = true."
        )
    return url.strip().rstrip("/")
