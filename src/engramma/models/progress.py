"""A progress bar on the terminal for downloads."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

Received = Callable[[str, int, int], None]  # (what is being received, how much so far, how much in all)


@contextlib.contextmanager
def bar_on_terminal(title: str, wanted: Received | None) -> Iterator[Received]:
    """The caller's own reporter; else a bar on stderr where a person looks on; else silence."""
    if wanted is not None:
        yield wanted
        return
    if not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=Console(file=getattr(sys.stderr, "unfiltered", sys.stderr)), transient=True
    ) as progress:
        task = progress.add_task(f"{title}: looking for it", total=None)

        def received(what: str, done: int, total: int) -> None:
            progress.update(task, description=f"{title}: {what}", completed=done, total=total)

        yield received
