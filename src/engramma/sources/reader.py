"""The interface of readers, and their options. A reader is a module: no class to instantiate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol

from ..records import Conversation, Extra, Problem


@dataclass(frozen=True, slots=True)
class ReaderOptions:
    """What a file cannot say about itself.

    `idle_gap` splits threads whose format knows no sessions; `fallback_time` is when a conversation
    began that states no time at all (None leaves its turns without a time). The zone of times written
    without one is not told: it may be another the next time, and no id may come from it (clock.py).
    """

    idle_gap: timedelta
    fallback_time: datetime | None = None


class Reader(Protocol):
    """One outside format.

    A reader may know more, and is asked for it by name:

    `takes(names: Sequence[str]) -> list[str]`: which files of a zip or a folder it reads, in which
    order. Without it, a container is never taken for this format.

    `read_members(path: Path, names: list[str], options: Options)`: reads those files of the container
    `path` together, where a conversation is spread over them. Without it, each is read by `read`.

    `IS_PLAIN: bool`: plain text without a grammar. In a zip or a folder, such a reader is asked only about
    files that are text or Markdown by their names.
    """

    @property
    def NAME(self) -> str: ...

    @property
    def DESCRIPTION(self) -> str: ...

    def looks_like(self, head: str, path: Path) -> bool:
        """Whether the first part of a file's text is in this format; the extension does not count."""

    def read(self, path: Path, options: ReaderOptions) -> Iterator[Conversation | Problem | Extra]:
        """The conversations of a file and what could not be taken, in the file's order.

        The path may be that of a member, `export.zip/conversations.json`: open it with `files` or `containers`.
        """
