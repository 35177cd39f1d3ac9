"""What every command shares: its options, its memory, and where its words go.

Data goes to stdout, progress and remarks to stderr. Exit codes: 0 done, 1 refused or failed with a
message, 2 wrong usage, 3 `doctor` found something, 4 imported, but a source was incomplete, 130 interrupted.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from ...errors import BadInput
from ...language.times import HERE, parse_end, parse_time
from ..printed import Printed
from ..styled import Styled
from .command_list import Grouped, PlainCommand
from .endings import ended_by_signals
from .terminal import escaped_json, in_colours, unfiltered, visible

if TYPE_CHECKING:
    from rich.progress import Progress

    from ...memory import Memory
    from ...models.llm import LLM

Function = TypeVar("Function", bound=Callable[..., None])

StoreOption = Annotated[
    Path | None,
    typer.Option("--store", help="Directory of the memory (or set ENGRAMMA_STORE).", show_default=False),
]
NamespaceOption = Annotated[
    str | None, typer.Option("--namespace", "-n", help="Namespace within it.", show_default="default")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@dataclass(slots=True)
class Shared:
    """What most commands take after their own options."""

    store: StoreOption = None
    namespace: NamespaceOption = None
    json: JsonOption = False


app = typer.Typer(
    name="engramma",
    cls=Grouped,
    help="A private, local-first memory for AI assistants: verbatim, linked, with sources.",
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help: drawing it in boxes doubles the start-up time
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# Commands whose writes are noted in the audit; others write nothing but what they learn on the way.
WRITING = (
    *("import", "remember", "ingest", "watch", "link", "unlink", "feedback", "forget", "purge", "undo", "steward"),
    *("redact", "overrule", "entities", "review", "notes", "namespace", "reindex"),
)


@dataclass(slots=True)
class Chosen(Shared):
    """These, as they were given before the command and after it, where they win."""

    command: str = ""  # the one that runs


chosen = Chosen()


def note_shared_options(store: Path | None = None, namespace: str | None = None, json: bool = False) -> None:
    """Note what a command was given; what it was not stays as it was given before the command."""
    chosen.store = store or chosen.store
    chosen.namespace = namespace or chosen.namespace
    chosen.json = json or chosen.json


def command(
    name: str, *, without: Sequence[str] = (), within: typer.Typer = app, **settings: Any
) -> Callable[[Function], Function]:
    """Declare a command: its own options, then those that commands share, which it finds in `chosen`.

    A parameter that is a dataclass stands for an option a field: so commands share a list of them.
    """

    def declare(function: Function) -> Function:
        own = declared_options(function)
        lists: dict[str, Any] = {one.name: one.annotation for one in own if is_dataclass(one.annotation)}
        listed = [inner for one in own for inner in (declared_options(one.annotation) if one.name in lists else [one])]
        options = {one.name: one for one in (*listed, *SHARED) if one.name not in without}

        def run(**given: Any) -> None:
            note_shared_options(**pop_fields(Shared, given))
            with ended_by_signals(chosen.command):
                try:
                    function(**{one: kind(**pop_fields(kind, given)) for one, kind in lists.items()}, **given)
                except BrokenPipeError:
                    raise typer.Exit from None  # the reader of our pipe has enough

        run.__doc__ = function.__doc__
        run.__signature__ = inspect.Signature(list(options.values()))  # type: ignore[attr-defined]  # typer goes by it
        within.command(name, **{"cls": PlainCommand, **settings})(run)
        return function

    return declare


def declared_options(declared: Callable[..., Any]) -> list[inspect.Parameter]:
    """The options that a function or a dataclass declares, all by name: so they may stand in any order."""
    found = inspect.signature(declared, eval_str=True).parameters.values()
    return [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in found]


SHARED = declared_options(Shared)


def pop_fields(kind: type, given: dict[str, Any]) -> dict[str, Any]:
    """What was given for the fields of a dataclass, out of all that was given."""
    return {one.name: given.pop(one.name) for one in fields(kind) if one.name in given}


def _noted_as_owners(command: str) -> AbstractContextManager[Any]:
    from ...records.team import OWNER
    from ...store.audit import acting

    return acting(OWNER, command)


@contextmanager
def open_memory(namespace: str | None = None, *, create: bool = False, **options: Any) -> Iterator[Memory]:
    """The memory a command works on; what a command writes is noted as the owner's."""
    from ...memory import Memory

    name = namespace or chosen.namespace or "default"
    noted = _noted_as_owners(chosen.command) if chosen.command in WRITING else nullcontext()
    with noted, Memory.open(store_path(), name, create=create, **options) as memory:
        yield memory
        if chosen.command in WRITING and (left := memory.backlog()).segments:
            say(f"note: embedder {left}. Until then they are found by words.")


def store_path() -> Path:
    from ...config.settings import default_store_path

    return (chosen.store or default_store_path()).expanduser()


# 5 January or 1 May: countries differ.
# What languages put before a day: "la semana pasada".
_ARTICLE = re.compile(
    r"^(?:el|la|los|las|le|les|il|lo|i|gli|o|a|os|as|der|die|das|den|dem|am|im|de|het) |^l['’]", re.IGNORECASE
)
_DAY_OR_MONTH = re.compile(r"(0?[1-9]|1[0-2])([./-])(?!\1\2)(0?[1-9]|1[0-2])\2\d{2,4}")


def given_time(name: str, text: str | None) -> datetime | None:
    """A date or time given on the command line, in the zone of this machine unless it says otherwise."""
    return time_in(f"{name}:", text, HERE)


def given_end(name: str, text: str | None) -> datetime | None:
    """The end of a span given on the command line: a date without a time includes that day, a month its days."""
    if text is None:
        return None
    try:
        return parse_end(text, HERE)
    except ValueError:
        return _named_span(f"{name}:", text, HERE)[1]


def time_in(name: str, text: str | None, zone: tzinfo | None) -> datetime | None:
    """The same in a zone unless it says otherwise; without one it has to. Of a month or a week its beginning."""
    if text is None:
        return None
    try:
        return parse_time(text, zone)
    except ValueError as error:
        if zone is None:
            raise BadInput(f"{name} {text!r:.80}: {error}") from error
        return _named_span(name, text, zone)[0]


def _named_span(name: str, text: str, zone: tzinfo) -> tuple[datetime, datetime]:
    """When a time begins and ends that is given in words: yesterday, monday, last week, May 2026."""
    from ...language.dates import EARLIEST, LATEST, intervals

    words = text.strip()
    found = intervals(words, datetime.now(zone))
    is_whole = len(found) == 1 and _ARTICLE.sub("", words) == found[0].text
    if not is_whole or found[0].start == EARLIEST or found[0].end == LATEST or _DAY_OR_MONTH.fullmatch(words):
        raise BadInput(
            f"{name} {text!r:.80} is no time. Give a date such as 2026-05-01 or May 2026, a time such as "
            "2026-05-01T10:00, or words such as yesterday, monday or last week. Fourteen other languages are read, "
            "too: letzte Woche, ayer."
        )
    one = found[0]
    return one.start, one.start if one.end - one.start <= timedelta(minutes=1) else one.end


def one_name(words: Sequence[str] | None) -> str | None:
    """What was typed as one name or question, with or without quotes around its words; None if nothing was."""
    return " ".join(words) if words else None


def needed_model(memory: Memory) -> LLM:
    """The language model that the settings name."""
    if (model := memory.llm.model()) is None:
        say("engramma: no language model is configured. Add a table [llm] to the store's config.toml.")
        raise typer.Exit(1)
    return model


def wants_json() -> bool:
    return chosen.json


def tell(value: Any, lines: Iterable[str], *remarks: str, none: str | None = None) -> None:
    """Data as JSON where that is wanted, else as lines for people, with remarks, or with `none` where it is empty."""
    if chosen.json:
        out_json(value)
        return
    for line in lines:
        out(line)
    for remark in remarks if value or none is None else [none]:
        say(remark)


def out(text: str) -> None:
    """Data for people, in colours where a terminal shows them; nothing that is stored speaks to a terminal."""
    if isinstance(text, Styled) and in_colours(sys.stdout):
        sys.stdout.flush()
        terminal = unfiltered(sys.stdout)
        terminal.write(text.painted(visible) + "\n")
        terminal.flush()
        return
    sys.stdout.write(visible(text) + "\n")


def out_json(value: Any) -> None:
    """Data for programs."""
    from ..render import as_json

    out_json_text(as_json(value))


def out_json_text(text: str) -> None:
    sys.stdout.write((escaped_json(text) if sys.stdout.isatty() else text) + "\n")


def show(printed: Printed) -> None:
    """What a command prints, whoever made it."""
    if printed.data is not None:
        out_json_text(printed.data)
    for line in printed.lines:
        out(line)
    for remark in printed.remarks:
        say_masked(remark)


def say(text: str) -> None:
    """A remark, for people. It may quote what was read, so secrets are masked, by the usual rules."""
    from ...redaction import redact

    say_masked(redact(text).text)


def say_masked(text: str) -> None:
    """A remark without secrets."""
    with suppress(BrokenPipeError):  # met again where data is written
        sys.stdout.flush()  # where both go to one file or pipe, what came first stands first
    sys.stderr.write(visible(text) + "\n")


def say_if_paused() -> None:
    """Whoever stores something by hand while capture is paused hears that it is stored."""
    from ..daemon.folder import is_paused, place_in

    if is_paused(place_in(store_path())):
        say("Capture is paused; what you store yourself is stored all the same.")


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
