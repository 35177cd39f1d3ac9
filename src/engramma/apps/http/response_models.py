"""Response models: the records themselves, as `engramma … --json` prints them, and a few wrappers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar

from fastapi import Response
from pydantic import ConfigDict

from ...records import Act, Note, RememberReport, Repeat, Role, Segment, Topic, Trace
from ...transfer.preview import Preview
from ..render import as_value

T = TypeVar("T")


class JsonAnswer(Response):
    """A value as JSON, written by the renderer of every face."""

    media_type = "application/json"

    def __init__(self, content: Any = None, status_code: int = 200, headers: dict[str, str] | None = None) -> None:
        super().__init__(content, status_code, headers)

    def render(self, content: Any) -> bytes:
        text = json.dumps(as_value(content), ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "backslashreplace")


def events_content(*names: str) -> dict[str, Any]:
    """How the OpenAPI tells of server-sent events: what each of them is, its data being JSON in a string."""
    event = {"event": {"type": "string", "enum": list(names)}, "data": {"type": "string"}, "id": {"type": "string"}}
    schema = {"type": "object", "title": "Event", "required": ["data"], "properties": event}
    return {"text/event-stream": {"schema": schema}}


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A part of a list: `total` is how long it is, `next` where the following part begins, if there is one."""

    items: list[T]
    total: int
    next: int | None = None


def page(items: list[T], offset: int, limit: int) -> Page[T]:
    return Page(**paged(items[offset : offset + limit], len(items), offset, limit))


def paged(items: Sequence[T], total: int, offset: int, limit: int) -> dict[str, Any]:
    """Some items of a longer list, and where the next ones begin."""
    end = offset + limit
    return {"items": items, "total": total, "next": end if end < total else None}


@dataclass(frozen=True, slots=True)
class HookContext:
    """A fenced block for an assistant's context; empty if memory has nothing that fits."""

    context: str


@dataclass(frozen=True, slots=True)
class TurnOut:
    """One message by one speaker, verbatim but for masked secrets."""

    speaker: str
    text: str
    said_at: datetime
    id: str
    role: Role | None
    meta: dict[str, str]


@dataclass(frozen=True, slots=True)
class SessionOut:
    """A session: its times, state and size."""

    conversation: str
    session: str
    started_at: datetime
    last_at: datetime
    closed: bool
    turns: int
    segments: int


@dataclass(frozen=True, slots=True)
class SessionTurns:
    """A session with everything said in it."""

    conversation: str
    session: str
    closed: bool
    turns: list[TurnOut]


@dataclass(frozen=True, slots=True)
class ConversationOut:
    """A conversation: its times and size."""

    conversation: str
    title: str | None
    source: str | None
    started_at: datetime
    last_at: datetime
    sessions: int
    turns: int


@dataclass(frozen=True, slots=True)
class Told:
    """Where turns were remembered, under which ids, and what that added."""

    conversation: str
    session: str
    turns: list[str]
    added: RememberReport


@dataclass(frozen=True, slots=True)
class TogetherOut:
    """The answer of several namespaces: candidates as in a recall, each with its `namespace`; a trace each."""

    query: str
    context: str
    candidates: list[dict[str, Any]]
    namespaces: list[str]
    traces: dict[str, Trace]
    tokens: int


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge at a segment: its kind, its weight, and the segment at its other end."""

    kind: str
    weight: float
    segment: str


@dataclass(frozen=True, slots=True)
class SegmentOut:
    """A segment with its edges."""

    segment: Segment
    edges: list[Edge]


@dataclass(frozen=True, slots=True)
class NoteOut:
    """A note with everything that repeated it."""

    note: Note
    repeats: list[Repeat]


@dataclass(frozen=True, slots=True)
class NoteChanged:
    """A note as it is now, and the act that changed it; none if it was so already."""

    __qualname__ = "Changed"  # what the OpenAPI document calls it
    __pydantic_config__ = ConfigDict(title="Changed")

    note: Note
    act: int | None


@dataclass(frozen=True, slots=True)
class TopicOut:
    """A topic with its segments, the most linked first."""

    topic: Topic
    segments: list[Segment]


@dataclass(frozen=True, slots=True)
class Removed:
    """Whether there was something to remove."""

    removed: bool


@dataclass(frozen=True, slots=True)
class Learnt:
    """The act by which links learnt from an answer; none if it had followed no link."""

    act: Act | None


@dataclass(frozen=True, slots=True)
class Masked:
    """How often a rule masked something in what is stored, and how many secrets that were."""

    rule: str
    found: int
    secrets: int


@dataclass(frozen=True, slots=True)
class Redactions:
    """What was masked so far, by rule, and the rules that hold: their ids and what each looks for."""

    masked: list[Masked]
    rules: dict[str, str]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an import failed: a title and what to do next."""

    title: str
    detail: str


@dataclass(frozen=True, slots=True)
class JobOut:
    """An import: how far it is, and in the end what it added (or, for a dry run, would add)."""

    id: str
    namespace: str
    filename: str
    dry_run: bool
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    format: str | None
    turns: int
    problems: int
    began_at: datetime
    ended_at: datetime | None
    report: RememberReport | Preview | None
    failure: Failure | None
