"""The import command: what to read and how, with a preview before and a report after."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...errors import BadInput
from ...language.times import HERE, from_seconds, zoned_minute
from .command_list import PlainCommand
from .common import command, open_memory, say, say_if_paused, store_path, tell, time_in, wants_json

if TYPE_CHECKING:
    from ...memory import Memory
    from ...sources.places import TranscriptPlace
    from ...transfer.imports import Reading
    from .import_runs import Given


class ImportCommand(PlainCommand):
    """Its help ends with the formats, looked up only when it is asked for."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        from ...sources import READERS

        with formatter.section("Formats, recognised by content"):
            formatter.write_dl([(name, reader.DESCRIPTION) for name, reader in READERS.items()])


@dataclass(frozen=True, slots=True)
class HowRead:
    """How to read conversations: from when on, under which names, and with which times if they have none."""

    since: Annotated[
        str | None,
        typer.Option(
            help="Import only what was said at or after this time: a date, or words such as last week.",
            show_default=False,
        ),
    ] = None
    speaker: Annotated[
        list[str] | None,
        typer.Option(
            "--speaker",
            help="Another name for a speaker, such as me=Ann or assistant=Claude; me is the speaker with the role "
            "user. "
            "May be repeated.",
            metavar="NAME=OTHER",
            show_default=False,
        ),
    ] = None
    timezone: Annotated[
        str | None,
        typer.Option(help="Time zone for times without one, e.g. Europe/Berlin.", show_default="this machine's"),
    ] = None
    date: Annotated[
        str | None,
        typer.Option(help="Time for turns without one, in --timezone; by default the file's date."),
    ] = None

    def reading(self) -> Reading:
        from ...transfer.imports import Reading, zone_named

        zone = HERE if self.timezone is None else zone_named(self.timezone, "--timezone")
        since, date = time_in("--since", self.since, zone), time_in("--date", self.date, zone)
        return Reading(zone=zone, since=since, speakers=speaker_names(self.speaker), fallback_time=date)


@command("import", cls=ImportCommand)
def import_(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Files, zips and folders to import.", show_default=False)
    ] = None,
    format: Annotated[
        str | None, typer.Option(help="One of the formats below; recognised by content if not given.")
    ] = None,
    *,
    read: HowRead,
    paused: Annotated[
        bool,
        typer.Option(
            "--paused", help="Of assistants' transcripts, also import what was said while capture was paused."
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Read everything, store nothing, show what would be added.")
    ] = False,
    discover: Annotated[
        bool,
        typer.Option(
            "--discover", help="List where assistants keep conversations on this machine, and ask about each."
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --discover: import them all without asking.")] = False,
    formats: Annotated[bool, typer.Option("--formats", help="List the formats and exit.")] = False,
) -> None:
    """Import conversations from chat exports, assistant transcripts, messengers and text files."""
    from ..daemon.pauses import without_paused
    from .import_runs import expanded

    if formats:
        return list_formats()
    if not paths and not discover:
        raise BadInput("Give a file, a zip or a folder to import. --discover shows what is on this machine.")
    if paths and discover:
        raise BadInput("Give paths to import or --discover, not both.")
    if yes and not discover:
        raise BadInput("--yes requires --discover.")
    how = read.reading() if paused else without_paused(store_path(), read.reading())
    given = [(path.expanduser(), format) for path in paths or []]
    if discover:
        chosen = discovered(yes)
        if chosen is None:
            return None
        given = [(place.path, format or place.reader) for place in chosen]
    found = expanded([(path, replace(how, format=name)) for path, name in given])
    found = replace(found, given=[(path, dated(one, path)) for path, one in found.given])
    return preview(found) if dry_run else store_all(found)


def store_all(found: Given) -> None:
    from ...ingest.pipeline import add_reports
    from ...records import RememberReport
    from ..render import as_value, report_line
    from .import_report import masked_line, report_import
    from .import_runs import any_readable, import_each

    say_if_paused()
    # What cannot be read makes no new memory: it is told by one that is gone afterwards.
    is_begun = is_there() or any_readable(found.given)
    with open_memory(create=True) if is_begun else looked_into() as memory:
        known, was_open = memory.user_name, memory.people.is_me_open()
        outcomes = import_each(memory, found.given)
        if (name := memory.user_name) != known:
            say(f"You are {name} here now, as the export says. `engramma undo` takes it back.")
        if not was_open:  # once: with the first chat of a "user" in this store
            ask_who(memory)
    report = RememberReport()
    for outcome in outcomes:
        if isinstance(outcome.found, RememberReport):
            report = add_reports(report, outcome.found)
    lines = [report_line(report), *([masked_line(report.redactions)] if report.redactions else [])]
    report_import(outcomes, found, report, {"store": str(store_path()), **as_value(report)}, lines)


def ask_who(memory: Memory) -> None:
    """Ask, in a terminal, who "user" is in what was imported; elsewhere say what the talk tells."""
    if wants_json() or not memory.people.is_me_open():
        return
    found = memory.people.me() if sys.stdin.isatty() and sys.stderr.isatty() else None
    if sys.stdin.isatty() and sys.stderr.isatty():
        told = found.name if found is not None else ""
        name = typer.prompt(
            "Your name, for what “user” says here (Enter to skip)", default=told, show_default=bool(told), err=True
        )
        if name.strip():
            made = memory.people.me(name)
            say(f"You are {name.strip()}. `engramma undo {made.act if made else ''}` takes it back.")
    else:
        say("“user” is you: `engramma me NAME` makes it one person with what else is known of you.")


def preview(found: Given) -> None:
    from ...transfer.preview import Preview, add_previews
    from ..render import as_value
    from .import_report import preview_lines, report_import
    from .import_runs import look_at_each

    with looked_into() as memory:
        outcomes = look_at_each(memory, found.given)
    seen = Preview()
    for outcome in outcomes:
        if isinstance(outcome.found, Preview):
            seen = add_previews(seen, outcome.found)
    value = {"store": str(store_path()), "dry_run": True, **as_value(seen)}
    report_import(outcomes, found, seen, value, preview_lines(seen))


def list_formats() -> None:
    from ...sources import READERS

    width = max(map(len, READERS))
    told = [{"name": name, "description": reader.DESCRIPTION} for name, reader in READERS.items()]
    tell(told, (f"{one['name']:<{width}}  {one['description']}" for one in told))


def is_there() -> bool:
    from ...memory import DATABASE_FILE

    return (store_path() / DATABASE_FILE).exists()


@contextmanager
def looked_into() -> Iterator[Memory]:
    """The memory to compare with; an empty one, gone afterwards, where there is none yet."""
    import tempfile

    from ...config.settings import load_config
    from ...errors import StoreNotFound
    from ...memory import Memory

    with ExitStack() as stack:
        try:
            memory = stack.enter_context(open_memory())
        except StoreNotFound:
            empty = stack.enter_context(tempfile.TemporaryDirectory(prefix="engramma-"))
            memory = stack.enter_context(Memory.open(empty, config=load_config(store_path())))
        yield memory


# --- options as they are meant ---------------------------------------------------------------------


def discovered(yes: bool) -> list[TranscriptPlace] | None:
    """The places to import: those agreed to. None where nobody could be asked; then they are only listed."""
    from ...sources.places import known_places
    from ..render import as_value, plural

    places = known_places()
    is_asked = sys.stdin.isatty() and sys.stderr.isatty()
    if yes:
        return places
    none = "Nothing was found. Give a file, a zip or a folder instead; `engramma import --help` lists the formats."
    tell([{**as_value(place), "path": str(place.path)} for place in places], map(place_line, places), none=none)
    if not places or wants_json():
        return None
    if not is_asked:
        say(f"{plural(len(places), 'place')}; nothing was read. Import one by its path, or all with --discover --yes.")
        return None
    chosen = [place for place in places if typer.confirm(f"Import {place.name}, {place.path}?", err=True)]
    return chosen or None


def place_line(place: TranscriptPlace) -> str:
    from ..render import plural, size

    newest = f", newest {zoned_minute(place.newest)}" if place.newest else ""
    return f"{place.name}: {place.path} ({plural(place.files, 'file')}, {size(place.bytes)}{newest})"


def speaker_names(given: list[str] | None) -> dict[str, str]:

    names: dict[str, str] = {}
    for pair in given or []:
        old, sign, new = (part.strip() for part in pair.partition("="))
        if not (old and sign and new):
            raise BadInput(f"--speaker {pair!r:.80}: write it as NAME=OTHER, for example me=Ann.")
        names[old] = new
    return names


def dated(how: Reading, path: Path) -> Reading:
    """Turns without a time have the one that was given, else the file's own date."""
    try:
        own = from_seconds(int(path.stat().st_mtime))
    except OSError:
        own = None
    return replace(how, fallback_time=how.fallback_time or own)
