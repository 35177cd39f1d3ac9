"""Extracts what was said from a copied exchange, and masks it before it is written anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...language.text import KINDS
from ...store.captures import MADE
from ...store.masks import Mask, masked_name
from . import anthropic_api, ollama_api, openai_api
from .body_parser import Unreadable, parse_object, unpack_body
from .exchange import Exchange
from .messages import ProxyMessage, Reply, cleaned, fit, named_results, words

MAX_NAME = 200
ITEM = 1  # the form of an item, for those that a later version finds in the spool


@dataclass(frozen=True, slots=True)
class Captured:
    """What was said in one exchange: the history the client sent, and what came back.

    `conversation` is what the client calls it, if it says; `previous` the reply that this one follows, where the
    provider keeps the history.
    """

    namespace: str
    provider: str
    began: float
    ended: float
    said: tuple[ProxyMessage, ...]
    reply: tuple[ProxyMessage, ...]
    model: str = ""
    conversation: str = ""
    previous: str = ""
    reply_id: str = ""
    partial: bool = False
    unsaid: bool = False


def read_exchange(exchange: Exchange, own_words: Callable[[str], str] = str) -> Captured | None:
    """What was said; None if it is nothing to remember: no talk, not a success, or not readable.

    `own_words` takes out of a text what memory had put there.
    """
    try:
        request = parse_object(unpack_body(exchange.request, exchange.request_headers.get("content-encoding", "")))
    except Unreadable:
        return None
    if not 200 <= exchange.status < 300 or is_aside(exchange, request):
        return None
    try:
        reply = _answered(exchange)
    except Unreadable:
        reply = Reply(whole=False)
    kept = cleaned(named_results([*_asked(exchange, request), *reply.said]), own_words)
    split = len(kept) - len(cleaned(reply.said, own_words))
    said, came = kept[:split], kept[split:]
    if not any(one.kind == "talk" for one in kept):
        return None
    return Captured(
        exchange.namespace,
        exchange.provider,
        exchange.began,
        exchange.ended,
        said,
        came,
        reply.model or words(request, "model"),
        _usable(conversation_of(exchange.request_headers, request)),
        fit(words(request, "previous_response_id")),
        fit(reply.id),
        partial=not (exchange.complete and reply.whole),
        unsaid=exchange.unsaid,
    )


def _asked(exchange: Exchange, request: Mapping[str, Any]) -> Iterable[ProxyMessage]:
    if exchange.api == "messages":
        return anthropic_api.read_anthropic_request(request, is_claude_code(exchange))
    if exchange.api == "responses":
        return openai_api.asked_responses(request, is_codex(exchange))
    return (
        ollama_api.asked_to_generate(request) if exchange.api == "generate" else openai_api.read_openai_request(request)
    )


def _answered(exchange: Exchange) -> Reply:
    body = unpack_body(exchange.reply, exchange.reply_headers.get("content-encoding", ""))
    kind = exchange.reply_headers.get("content-type", "")
    if exchange.api == "messages":
        return anthropic_api.read_anthropic_reply(body, kind, is_claude_code(exchange))
    if exchange.api == "responses":
        return openai_api.answered_responses(body, kind, is_codex(exchange))
    return (
        openai_api.read_openai_reply(body, kind)
        if exchange.api == "completions"
        else ollama_api.read_ollama_reply(body)
    )


def is_claude_code(exchange: Exchange) -> bool:
    headers = exchange.request_headers
    return "x-claude-code-session-id" in headers or headers.get("user-agent", "").startswith("claude-cli")


def is_codex(exchange: Exchange) -> bool:
    return exchange.request_headers.get("user-agent", "").lower().startswith("codex")


def is_aside(exchange: Exchange, request: Mapping[str, Any]) -> bool:
    """Whether a program speaks for itself: Claude Code asks for titles and the like without any tools."""
    return exchange.request_headers.get("user-agent", "").startswith("claude-cli") and not request.get("tools")


def conversation_of(headers: Mapping[str, str], request: Mapping[str, Any]) -> str:
    """What the client calls the conversation; its agents' talk stands apart. Empty if it does not say."""
    if own := headers.get("x-engramma-session", "").strip():
        return own
    if session := headers.get("x-claude-code-session-id", "").strip():
        agent = headers.get("x-claude-code-agent-id", "").strip()
        return f"{session}/{agent}" if agent else session
    if headers.get("user-agent", "").lower().startswith("codex"):
        names = ("session_id", "session-id", "conversation_id")
        if session := next((headers[name].strip() for name in names if headers.get(name, "").strip()), ""):
            return session
    given = request.get("conversation")
    return words(given, "id") if isinstance(given, dict) else given if isinstance(given, str) else ""


def _usable(name: str) -> str:
    """A conversation's name as it can be kept: not where notes and documents are, and not a text of its own."""
    name = fit(name).replace("\ufffd", "")
    return "" if name in KINDS or name.startswith(MADE) else name


def as_item(captured: Captured, mask: Mask) -> dict[str, Any]:
    """What is spooled: plain values, every text masked."""

    def rows(said: Iterable[ProxyMessage]) -> list[dict[str, Any]]:
        found = []
        for one in said:
            clean = mask(one.text)
            row: dict[str, Any] = {"role": one.role, "kind": one.kind, "text": clean.text}
            row["speaker"] = masked_name(one.speaker, mask)
            row["redactions"] = [[r.rule, r.start, r.end, r.fingerprint] for r in clean.redactions]
            found.append(row)
        return found

    def name(given: str) -> str:
        """What a client or a provider calls a thing: masked first, for a part of a secret would not be known as one."""
        return masked_name(given, mask)[:MAX_NAME] if given else ""

    return {
        "form": ITEM,
        "namespace": captured.namespace,
        "provider": captured.provider,
        "began": captured.began,
        "ended": captured.ended,
        "said": rows(captured.said),
        "reply": rows(captured.reply),
        "model": mask(captured.model).text,
        "conversation": name(captured.conversation),
        "previous": name(captured.previous),
        "reply_id": name(captured.reply_id),
        "partial": captured.partial,
    }
