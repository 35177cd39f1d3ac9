"""Moves data in and out of a memory: imports, exports, backups, and copies to another database."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.core import Core
from ..records import RememberReport

if TYPE_CHECKING:  # readers of many formats: not for who never imports
    from ..store.copy_tables import Told
    from .imports import Reading
    from .migrate import Moved
    from .preview import Preview
    from .watch import Watch, Watched

Counted = Callable[[int, int], None]


class Transfer:
    """Files in and out. `Memory.import_`, `export` and `backup` are the short ways to the most used of them."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def import_file(
        self, path: Path, reading: Reading | None = None, progress: Counted | None = None
    ) -> RememberReport:
        """Import one file. What is known is skipped, what cannot be read is reported, and the rest is imported."""
        from .imports import import_file

        return import_file(self._core, path, reading, progress)

    def preview(
        self, path: Path, reading: Reading | None = None, seen: set[int] | None = None, progress: Counted | None = None
    ) -> Preview:
        """What an import of a file would do. `seen` remembers over several what an earlier one would add."""
        from .preview import preview_file

        return preview_file(self._core, path, reading, seen, progress)

    def count(self, path: Path, reading: Reading, progress: Counted) -> None:
        """Read a source for its size alone; `progress` is called with (conversations, turns) since the last call."""
        from .preview import count_turns

        count_turns(self._core, path, reading, progress)

    def watch_round(
        self, followed: Sequence[Watched], state: Watch, reading: Reading
    ) -> Iterator[tuple[Path, RememberReport]]:
        """Import what came since the last round, a report for each file that was read."""
        from .watch import watch_round

        yield from watch_round(self._core, list(followed), state, reading)

    def export(self) -> Iterator[str]:
        """Everything said in this namespace as JSON lines; importing them gives the same memory."""
        from .export import export_lines

        return export_lines(self._core)

    def backup(self, target: Path) -> None:
        """The whole store, all namespaces, in one zip file, while others may go on writing."""
        from .backup import backup

        backup(self._core, target)

    def move(self, target: str, told: Told, *, plain: bool = False) -> Moved:
        """Copy the whole store to another database, compared row by row; the source stays as it is."""
        from .migrate import move

        return move(self._core, target, told, plain=plain)
