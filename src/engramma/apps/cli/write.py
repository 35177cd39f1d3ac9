"""Commands that write: init, remember, import."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...records import Turn
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


THREAD = "cli"  # of a turn that names none


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
    text: Annotated[str, typer.Argument(help="What to remember; - reads it from standard input.")],
    tags: Annotated[str | None, typer.Option(help="Tags, separated by commas.", show_default=False)] = None,
    ttl: Annotated[
        str | None, typer.Option(help="How long it is worth keeping: 90m, 12h, 30d, 8w.", show_default=False)
    ] = None,
    strength: Annotated[float, typer.Option(help="How much it matters, 0 to 1.", min=0, max=1)] = 0.5,
    source: Annotated[str | None, typer.Option(help="Where it comes from.", show_default=False)] = None,
    speaker: Annotated[str, typer.Option("--speaker", "-s", help="Who says it.")] = "user",
    conversation: Annotated[
        str | None,
        typer.Option(
            "--conversation", "-c", help="Remember a turn of this thread instead of a note.", show_default=False
        ),
    ] = None,
    session: Annotated[
        str | None, typer.Option(help="Sitting it belongs to; for a turn, silence decides by default.")
    ] = None,
    at: Annotated[str | None, typer.Option(help="When, ISO 8601 with an offset; by default now.")] = None,
    turn_id: Annotated[str | None, typer.Option("--id", help="An id of your own for the turn.")] = None,
    close: Annotated[bool, typer.Option("--close", help="Nothing follows: close the turn's session.")] = False,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """Remember a note, or with --conversation a turn of a thread. It can be recalled at once."""
    from ...errors import BadInput
    from ...times import parse_time

    try:
        text = sys.stdin.read() if text == "-" else text
    except UnicodeDecodeError as error:
        raise BadInput(f"Standard input is not UTF-8 ({error}). Decode it first.") from error
    try:
        said_at = parse_time(at) if at else datetime.now(UTC)
    except ValueError as error:
        raise BadInput(f"--at {at!r}: {error}") from error
    is_turn = conversation is not None or turn_id is not None or close
    if is_turn and (tags or ttl or source):
        raise BadInput("--tags, --ttl and --source concern a note; --conversation, --id and --close a turn.")
    with opened(store, namespace, create=True) as memory:
        if not is_turn:
            kept = {"source": source, "session": session, "strength": strength, "at": said_at}
            remember_note(memory, text, speaker, tags, ttl, kept, wants_json(json))
        else:
            turn = Turn(speaker, text, said_at, turn_id)
            remember_turn(memory, turn, conversation or THREAD, session, close, wants_json(json))


def remember_note(
    memory: Memory, text: str, speaker: str, tags: str | None, ttl: str | None, kept: dict[str, Any], json: bool
) -> None:
    from ..render import as_json, plural

    named = [tag.strip() for tag in (tags or "").split(",") if tag.strip()]
    made = memory.remember(text, speaker=speaker, tags=named, ttl=span(ttl), **kept)
    if json:
        out(as_json(made))
    elif made.is_new:
        linked = f", with {plural(len(made.links), 'link')}" if made.links else ""
        out(f"Remembered as {made.note.id}{linked}.")
    else:
        out(f"Known already as {made.note.id} ({made.similarity:.2f} alike); kept there as a repeat.")


def remember_turn(memory: Memory, turn: Turn, conversation: str, session: str | None, close: bool, json: bool) -> None:
    from ..render import as_json

    # By the turn's own time: turns of the past, a minute apart, belong to one sitting.
    memory.close_idle(turn.said_at)
    live = memory.session(conversation, session)
    given = live.add(turn.speaker, turn.text, turn.said_at, turn.id)
    if close:
        live.close()
    where = {"conversation": conversation, "session": live.id, "turn": given}
    out(as_json(where) if json else f"Remembered as turn {given} of {conversation}/{live.id}.")


def span(text: str | None) -> timedelta | None:
    """A time span as people write it: 90m, 12h, 30d, 8w."""
    from ...errors import BadInput

    if text is None:
        return None
    units = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
    number, unit = text[:-1].strip(), units.get(text[-1:].lower())
    try:
        return timedelta(**{unit or "days": float(number if unit else text)})
    except (ValueError, OverflowError) as error:
        raise BadInput(f"--ttl {text!r:.40} is no time span. Write 90m, 12h, 30d or 8w.") from error


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
