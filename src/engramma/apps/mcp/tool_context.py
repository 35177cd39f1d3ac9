"""The context of every tool: the memory it serves, what its client may do, and how it reports errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import wraps
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel

from ...errors import BadInput, EngrammaError
from ...language.times import parse_time
from ...recall.across_namespaces import EVERY
from ...records.team import THE_OWNER, Right, Who
from ...store import audit
from ..daemon.folder import is_paused, place_in

if TYPE_CHECKING:
    from ...memory import Memory
    from .lazy_memory import Opens

P = ParamSpec("P")

asked_namespace: ContextVar[str | None] = ContextVar("asked_namespace", default=None)  # by a request over HTTP
asking: ContextVar[Who] = ContextVar("asking", default=THE_OWNER)  # who: over stdio whoever started the server

READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
REPLACES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
REMOVES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)


@dataclass(frozen=True, slots=True)
class ToolContext:
    """One namespace of a store, as a client may use it. Without roots no path is read."""

    memories: Opens
    namespace: str
    read_only: bool = False
    roots: tuple[Path, ...] = ()

    def memory(self) -> Memory:
        """The memory asked for; only the server's own namespace is made if there is none, not one that is mistyped."""
        return self._opened("read")

    def to_write(self, tool: str, right: Right = "write") -> Memory:
        """The same for a tool that writes, if whoever asks has the right; what it writes is noted as theirs."""
        memory = self._opened(right)
        audit.begin(asking.get().name, tool)
        return memory

    def to_add(self, tool: str) -> Memory:
        """The same for a tool by which an assistant writes down what is said: not while capture is paused."""
        memory = self.to_write(tool)
        if is_paused(place_in(memory.path)):
            raise BadInput("Capture is paused, so nothing was stored. The user resumes it with `engramma resume`.")
        return memory

    def several(self, names: Sequence[str]) -> dict[str, Memory]:
        """Those of some namespaces that whoever asks may read; "*" means all of these."""
        who, own = asking.get(), self._opened("read")
        listed = [info.name for info in own.namespaces.all() if EVERY in names or info.name in names]
        found = {name: self.memories.get(name) for name in listed if who.may("read", name)}
        if not found:
            raise BadInput("None of these namespaces exist here. Leave them out to search your own.")
        return found

    def _opened(self, right: Right) -> Memory:
        who, name = asking.get(), asked_namespace.get()
        if who.is_owner:
            if name is not None:
                return self.memories.get(name)
            return self.memories.get(self.namespace, create=not self.read_only)
        name = name or who.home
        if name is None or not who.may("read", name):
            raise BadInput(f"{who.name} has no such namespace. Use one of theirs, or none.")
        if not who.may(right, name):
            raise BadInput(f"{who.name} may not do this in {name!r:.200}. Ask its admin for the right.")
        return self.memories.get(name)


def tell_result(model: BaseModel, text: str, *, lean: bool = False) -> CallToolResult:
    """A result for both kinds of reader: text for a model, the same as data for a program.

    A lean one leaves out what has its default: some clients hand the data to the model.
    """
    content = model.model_dump(mode="json", by_alias=True, exclude_defaults=lean)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=content)


def helped(tool: Callable[P, Any]) -> Callable[P, Any]:
    """A tool whose refusals reach the model as tool errors that say what to do next."""

    @wraps(tool)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> Any:
        try:
            return tool(*args, **kwargs)
        except EngrammaError as error:
            raise ToolError(str(error)) from None

    guarded.__doc__ = cleandoc(tool.__doc__ or "")
    return guarded


def parse_moment(name: str, text: str | None, *, end: bool = False) -> datetime | None:
    """A time that a model wrote, in UTC unless it says otherwise; a bare day as an end means all of that day."""
    if text is None or not text.strip():
        return None
    try:
        found = parse_time(text, UTC)
        return found + timedelta(days=1) if end and len(text.strip()) == 10 else found
    except (ValueError, OverflowError):
        raise ToolError(f"{name} must be a date or time such as 2026-03-01 or 2026-03-01T14:00:00Z.") from None
