"""Anthropic's memory tool (`memory_20250818`) over a memory: `pip install 'engramma[anthropic]'`.

Hand one of these to `client.beta.messages.run_tools(tools=[…])`, and what the model writes into its memory directory
is kept in Engramma (memory_files.py), where recall finds it.
"""

from __future__ import annotations

import asyncio
from typing import Any

from ...errors import EngrammaError
from ...memory import Memory
from .memory_files import CONVERSATION, MAX_FILE, CommandRefused, MemoryFiles

try:
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
except ImportError as error:
    raise ImportError("This needs the Anthropic SDK. Install it with: pip install 'engramma[anthropic]'") from error

# What each command takes; a model may leave something out or send something else.
COMMANDS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "view": {"path": str, "view_range": (list, type(None))},
    "create": {"path": str, "file_text": str},
    "str_replace": {"path": str, "old_str": str, "new_str": (str, type(None))},
    "insert": {"path": str, "insert_line": int, "insert_text": str},
    "delete": {"path": str},
    "rename": {"old_path": str, "new_path": str},
}


class Kept:
    """A tool whose files are kept in a memory."""

    def __init__(
        self,
        memory: Memory,
        *,
        conversation: str = CONVERSATION,
        max_file: int = MAX_FILE,
        cache_control: Any = None,
    ) -> None:
        super().__init__(cache_control=cache_control)  # type: ignore[call-arg]  # of the SDK's tool
        self.files = MemoryFiles(memory, conversation=conversation, max_file=max_file)


class EngrammaMemoryTool(Kept, BetaAbstractMemoryTool):
    """The memory tool for `Anthropic`."""

    def execute(self, command: Any) -> str:
        return _done(self.files, command)

    view = create = str_replace = insert = delete = rename = execute

    def clear_all_memory(self) -> str:
        return self.files.clear()


class AsyncEngrammaMemoryTool(Kept, BetaAsyncAbstractMemoryTool):
    """The memory tool for `AsyncAnthropic`: the same in a thread."""

    async def execute(self, command: Any) -> str:
        return await asyncio.to_thread(_done, self.files, command)

    view = create = str_replace = insert = delete = rename = execute

    async def clear_all_memory(self) -> str:
        return await asyncio.to_thread(self.files.clear)


def _done(files: MemoryFiles, command: Any) -> str:
    """Do what a command says; what cannot be done is told to the model as an error of the tool."""
    name = getattr(command, "command", None)
    takes = COMMANDS.get(name) if isinstance(name, str) else None
    if takes is None:
        raise ToolError(f"Error: There is no command {name!r:.80}. There are: {', '.join(COMMANDS)}.")
    given = {field: getattr(command, field, None) for field in takes}
    for field, kind in takes.items():
        if not isinstance(given[field], kind) or isinstance(given[field], bool):
            raise ToolError(f"Error: {name} needs a valid `{field}`, not {given[field]!r:.80}.")
    if isinstance(span := given.get("view_range"), list) and not is_span(span):
        raise ToolError(
            f"Error: Invalid `view_range` parameter: {span!r:.80}. It should be [first line, last line or -1]."
        )
    try:
        return str(getattr(files, str(name))(**given))
    except (CommandRefused, EngrammaError) as error:
        raise ToolError(str(error)) from error


def is_span(span: list[Any]) -> bool:
    return len(span) == 2 and all(type(number) is int for number in span) and (span[1] == -1 or span[1] >= span[0])
