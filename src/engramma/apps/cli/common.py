"""What every command shares: its options, its memory, and where its words go.

Data goes to stdout, progress and remarks to stderr. Exit codes: 0 done, 1 refused or failed with a
message, 2 wrong usage, 3 `doctor` found something, 4 imported, but a source was incomplete, 130 interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .terminal import unfiltered, visible

if TYPE_CHECKING:
    from rich.progress import Progress

    from ...memory import Memory

StoreOption = Annotated[
    Path | None,
    typer.Option("--store", help="Directory of the memory (or set ENGRAMMA_STORE).", show_default=False),
]
NamespaceOption = Annotated[
    str | None, typer.Option("--namespace", "-n", help="Namespace within it.", show_default="default")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


# Commands whose writes are noted in the audit; others write nothing but what they learn on the way.
WRITING = (
    *("import", "remember", "ingest", "watch", "link", "unlink", "feedback", "forget", "purge", "undo", "steward"),
    *("redact", "overrule", "entities", "review", "notes", "namespace", "reindex"),
)


@dataclass(slots=True)
class Chosen:
    """Options given before the command; the command's own win."""

    store: Path | None = None
    namespace: str | None = None
    json: bool = False
    command: str = ""  # the one that runs


chosen = Chosen()


@contextmanager
def opened(store: Path | None, namespace: str | None, *, create: bool = False, **options: Any) -> Iterator[Memory]:
    """The memory a command works on; what a command writes is noted as the owner's."""
    from ...memory import Memory
    from ...records.team import OWNER
    from ...store.audit import acting

    name = namespace or chosen.namespace or "default"
    noted = acting(OWNER, chosen.command) if chosen.command in WRITING else nullcontext()
    with noted, Memory.open(store_path(store), name, create=create, **options) as memory:
        yield memory
        if chosen.command in WRITING and (left := memory.backlog()).segments:
            say(f"note: embedder {left}. Words find them already.")


def store_path(store: Path | None) -> Path:
    from ...config.settings import default_store_path

    return (store or chosen.store or default_store_path()).expanduser()


def given_time(name: str, text: str | None) -> datetime | None:
    """A date or time given on the command line, in UTC unless it says otherwise."""
    from ...errors import BadInput
    from ...language.times import parse_time

    try:
        return parse_time(text, UTC) if text is not None else None
    except ValueError as error:
        raise BadInput(f"{name}: {error}.") from error


def wants_json(flag: bool) -> bool:
    return flag or chosen.json


def out(text: str) -> None:
    """Data, for pipes and people."""
    sys.stdout.write((visible(text) if sys.stdout.isatty() else text) + "\n")


def say(text: str) -> None:
    """A remark, for people. It may quote what was read, so secrets are masked, by the usual rules."""
    from ...redaction import redact

    with suppress(BrokenPipeError):  # met again where data is written
        sys.stdout.flush()  # where both go to one file or pipe, what came first stands first
    told = redact(text).text
    sys.stderr.write((visible(told) if sys.stderr.isatty() else told) + "\n")


def progress_bar() -> Progress:
    """A bar with rate and remaining time on stderr; silent when nobody is looking."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Described(TextColumn):
        """What is done now: it names files, so it is written as it stands, and visibly."""

        def render(self, task: Task) -> Text:
            return Text(visible(task.description))

    class Plain(Console):
        """While a bar is drawn, it takes what others print, too."""

        def print(self, *objects: Any, **options: Any) -> None:
            super().print(*(Text(visible(one.plain)) if isinstance(one, Text) else one for one in objects), **options)

    console = Plain(file=unfiltered(sys.stderr))
    return Progress(
        Described(""),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )
