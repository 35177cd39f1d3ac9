"""Commands that write: init, remember, import."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .common import (
    JsonOption,
    NamespaceOption,
    StoreOption,
    opened,
    out,
    progress_bar,
    say,
    store_path,
    wants_json,
)

if TYPE_CHECKING:
    from ...memory import Memory
    from ...records import Problem, RememberReport
    from ...transfer import Reading


def register(app: typer.Typer) -> None:
    app.command("init")(init)
    app.command("remember")(remember)
    app.command("import")(import_)


def init(
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    embedder: Annotated[
        str | None, typer.Option(help="Model to embed with: the packaged encoder unless told otherwise.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Make a memory: one directory that holds everything."""
    from ..render import as_json

    with opened(store, namespace, create=True, embedder=embedder) as memory:
        name = memory.embedder.name
        if wants_json(json):
            out(as_json({"store": str(memory.path), "namespace": memory.namespace, "embedder": name}))
        else:
            out(f"Memory ready at {memory.path} (namespace {memory.namespace}, embedder {name}).")
            say('Next: engramma import FILE, or engramma remember "…", then engramma recall "…"')


def remember(
    text: Annotated[str, typer.Argument(help="What was said; - reads it from standard input.")],
    speaker: Annotated[str, typer.Option("--speaker", "-s", help="Who said it.")] = "user",
    conversation: Annotated[str, typer.Option("--conversation", "-c", help="Thread it belongs to.")] = "cli",
    session: Annotated[str | None, typer.Option(help="Sitting it belongs to; by default silence decides.")] = None,
    at: Annotated[str | None, typer.Option(help="When, ISO 8601 with an offset; by default now.")] = None,
    turn_id: Annotated[str | None, typer.Option("--id", help="An id of your own for the turn.")] = None,
    close: Annotated[bool, typer.Option("--close", help="Nothing follows: close the session.")] = False,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """Remember one turn. It can be recalled at once."""
    from ...errors import BadInput
    from ...times import parse_time
    from ..render import as_json

    try:
        text = sys.stdin.read() if text == "-" else text
    except UnicodeDecodeError as error:
        raise BadInput(f"Standard input is not UTF-8 ({error}). Decode it first.") from error
    try:
        said_at = parse_time(at) if at else datetime.now(UTC)
    except ValueError as error:
        raise BadInput(f"--at {at!r}: {error}") from error
    with opened(store, namespace, create=True) as memory:
        # By the turn's own time: turns of the past, a minute apart, belong to one sitting.
        memory.close_idle(said_at)
        live = memory.session(conversation, session)
        given = live.add(speaker, text, said_at, turn_id)
        if close:
            live.close()
        where = {"conversation": conversation, "session": live.id, "turn": given}
        out(as_json(where) if wants_json(json) else f"Remembered as turn {given} of {conversation}/{live.id}.")


def import_(
    paths: Annotated[list[Path], typer.Argument(help="Files to import.", exists=False)],
    format: Annotated[
        str | None,
        typer.Option(help="locomo, messages, transcript or engramma; recognised by content if not given."),
    ] = None,
    timezone: Annotated[str, typer.Option(help="Zone of times that name none, e.g. Europe/Berlin.")] = "UTC",
    date: Annotated[
        str | None,
        typer.Option(help="Time of turns that have none, ISO 8601, in --timezone; by default the file's own date."),
    ] = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """Import conversations: LoCoMo JSON, OpenAI messages, "Name: text" transcripts, Engramma's own export."""
    from ...transfer import Reading
    from ..render import as_json, as_value, problem_lines, report_line

    where = zone(timezone)
    sources = [(path, Reading(format, where, fallback_time(date, path, where))) for path in paths]
    with opened(store, namespace, create=True) as memory:
        report, unread = import_each(memory, sources)
    if wants_json(json):
        everything = replace(report, problems=(*report.problems, *unread))
        out(as_json({"store": str(store_path(store)), **as_value(everything)}))
    else:
        out(report_line(report))
        for line in problem_lines(report.problems):
            say(f"note: {line}")
        for line in problem_lines(unread, limit=len(unread)):
            say(f"not read: {line}")
    if unread:
        raise typer.Exit(1)


def import_each(memory: Memory, sources: list[tuple[Path, Reading]]) -> tuple[RememberReport, list[Problem]]:
    """Import every file that can be read; the second value names those that cannot."""
    from ...errors import UnreadableSource
    from ...ingest.pipeline import add_reports
    from ...records import Problem, RememberReport
    from ...transfer import import_file

    report = RememberReport()
    unread: list[Problem] = []
    with progress_bar() as bar:
        for path, reading in sources:
            task = bar.add_task(path.name, total=None)
            try:
                part = import_file(memory, path, reading, lambda turns, _: bar.advance(task, turns))  # noqa: B023
            except UnreadableSource as error:
                unread.append(Problem(str(path), "the whole file", str(error).removeprefix(f"{path} ")))
                continue
            if not part.turns and not part.known_turns:
                nothing = Problem(str(path), "the whole file", "nothing was taken from it")
                part = replace(part, problems=(*part.problems, nothing))
            report = add_reports(report, part)
    return report, unread


def zone(name: str) -> tzinfo:
    from zoneinfo import ZoneInfo

    from ...errors import BadInput

    if name.upper() == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise BadInput(f"--timezone {name!r} is unknown. Use a name such as Europe/Berlin.") from error


def fallback_time(date: str | None, path: Path, where: tzinfo) -> datetime | None:
    from ...errors import BadInput
    from ...times import parse_time

    if date is not None:
        try:
            return parse_time(date, where)
        except ValueError as error:
            raise BadInput(f"--date {date!r}: {error}") from error
    try:
        return datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
    except OSError:
        return None
