"""Imports files: what is known is skipped, what cannot be read is reported, and the rest goes on.

An interrupted import needs no record of its progress: run again, it skips the turns that are there
(ingest/known_turns.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from ..core.core import Core
from ..errors import BadInput, UnreadableSource
from ..ingest.pipeline import PreparedDrafts, Request, add_reports
from ..ingest.remember import prepare_requests, remember_prepared, remember_requests
from ..ingest.validate import Mask, check_name, sifted_turns
from ..ingest.waiting_segments import finish_pending
from ..language.times import format_time
from ..records import Conversation, Extra, Problem, RememberReport, Turn
from ..sources import engramma_jsonl, read_source, rooted_files, sniff
from .annotations import last_note, notes_and_links, take_extras

GROUP_TURNS = 128  # embedded together: enough to keep every core busy, and all that an interrupt can cost

PAUSED = "paused"  # where a problem stands for what was said while capture was paused
OF_A_PAUSE = "what was said while capture was paused; left out (`engramma import --paused` takes it)"


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read a source: what its format, time zone and missing times are taken for, and what to take of it.

    `since` leaves out what was said before, `except_for` what was said between two times; `speakers` gives them other
    names, and "me" is whoever has the role user. `homes` remembers over several files which conversation told a turn
    first: others do not repeat it. `names` are the files of a folder that are read together; None: all that are known.
    `within` is the folder that was named where this is a part of it: no link below it is followed.
    """

    format: str | None = None
    zone: tzinfo = UTC
    fallback_time: datetime | None = None
    since: datetime | None = None
    except_for: tuple[tuple[datetime, datetime], ...] = ()
    speakers: Mapping[str, str] = field(default_factory=dict)
    homes: dict[int, str] | None = None
    names: tuple[str, ...] | None = None
    within: Path | None = None


def zone_named(name: str, what: str = "timezone") -> tzinfo:
    """A zone by its name; `what` is what the name was given for."""
    if name.upper() == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise BadInput(f"{what} {name!r:.80} is unknown. Use a name such as Europe/Berlin.") from error


def import_file(
    core: Core, path: Path, reading: Reading | None = None, progress: Callable[[int, int], None] | None = None
) -> RememberReport:
    """Import one file. What is known is skipped, what cannot be read is reported, and the rest is imported.

    `progress` is called with (turns taken, problems) since the last call.
    """
    found, before = ImportFindings([], []), last_note(core)
    report = RememberReport()
    how, folder = reading or Reading(), path if path.is_dir() else None
    with rooted_files.within(how.within), rooted_files.within(folder), ThreadPoolExecutor(1, "embed") as ahead:
        waiting: tuple[list[Request], Future[PreparedDrafts]] | None = None
        for group in _groups(core, path, how, found):
            coming = (
                group,
                ahead.submit(prepare_requests, core, group),
            )  # embedded while the group before it is stored
            if waiting is not None:
                report = add_reports(report, stored(core, *waiting, path, progress))
            waiting = coming
        if waiting is not None:
            report = add_reports(report, stored(core, *waiting, path, progress))
    finish_pending(core)
    core.store.database.settle(core.store.ns)
    problems = take_extras(core, notes_and_links(found.beside), str(path), before) if found.beside else []
    return replace(report, problems=core.mask_problems((*found.problems, *report.problems, *problems)))


@dataclass(slots=True)
class ImportFindings:
    """What a file contains besides conversations, gathered while it is read."""

    problems: list[Problem]
    beside: list[Extra]


def read_wanted(core: Core, path: Path, how: Reading) -> Iterator[Conversation | Problem | Extra]:
    """What a source holds of what is to be taken, and a Problem for what is not.

    Damage ends the source. What stands before it is taken; only if that is nothing, UnreadableSource is raised.
    """
    gap = timedelta(minutes=core.config.idle_minutes)
    began, names = how.fallback_time, how.names
    items = read_source(path, how.format, zone=how.zone, idle_gap=gap, fallback_time=began, names=names)
    older, paused, is_empty = 0, 0, True
    is_begun = False  # whether a piece of the conversation at hand was taken
    try:
        for item in items:
            is_empty = is_empty and isinstance(item, Problem)
            if isinstance(item, Conversation):
                kept, too_old, unwanted = select_turns(item, how)
                older, paused = older + too_old, paused + unwanted
                is_begun = is_begun and item.continues
                if kept.sessions:
                    yield replace(kept, continues=is_begun)
                    is_begun = True
            else:
                yield item
    except UnreadableSource as error:
        if is_empty:
            raise
        yield Problem(
            str(path), "file", f"{str(error).removeprefix(f'{path} ')}; everything before it was imported", True
        )
    if paused:
        yield Problem(str(path), PAUSED, OF_A_PAUSE)
    if older and how.since:
        yield Problem(
            str(path), "older turns", f"{older:,} said before {format_time(how.since)}; left out as requested"
        )


def select_turns(conversation: Conversation, how: Reading) -> tuple[Conversation, int, int]:
    """What is to be taken of a conversation, its speakers named as asked; how many turns are too old, and how many
    were said at a time that is left out."""
    sessions = []
    older = paused = 0
    for session in conversation.sessions:
        turns = []
        for turn in session.turns:
            if how.since and turn.said_at and turn.said_at < how.since:
                older += 1
            elif turn.said_at and any(begun <= turn.said_at <= ended for begun, ended in how.except_for):
                paused += 1
            elif how.homes is None or conversation.id == how.homes.setdefault(identify_turn(turn), conversation.id):
                turns.append(_named(turn, how.speakers))
        if turns:
            sessions.append(replace(session, turns=tuple(turns)))
    return replace(conversation, sessions=tuple(sessions)), older, paused


def identify_turn(turn: Turn) -> int:
    """The same number, in this process, for what is the same turn in whatever file it stands."""
    return hash((turn.id, turn.speaker, turn.said_at, turn.text))


def _named(turn: Turn, speakers: Mapping[str, str]) -> Turn:
    name = speakers.get(turn.speaker) or (speakers.get("me") if turn.role == "user" else None)
    return replace(turn, speaker=name) if name else turn


def _groups(core: Core, path: Path, how: Reading, found: ImportFindings) -> Iterator[list[Request]]:
    """A file's sessions, as many at a time as are embedded together."""
    group: list[Request] = []
    size = 0
    how = replace(how, format=how.format or sniff(path))
    for item in read_wanted(core, path, how):
        if isinstance(item, Problem):
            found.problems.append(item)
        elif isinstance(item, Extra):
            found.beside.append(item)
        else:
            requests, problems = to_requests(item, path, how, core.config.max_turn_bytes, core.mask)
            found.problems += problems
            for request in requests:
                group.append(request)
                size += len(request.turns)
                if size >= GROUP_TURNS:
                    yield group
                    group, size = [], 0
    if group:
        yield group


def stored(
    core: Core,
    group: list[Request],
    coming: Future[PreparedDrafts],
    path: Path,
    progress: Callable[[int, int], None] | None,
) -> RememberReport:
    """Store a group once it is embedded. If one session of it is refused, each is tried alone."""
    try:
        report = remember_prepared(core, coming.result())
    except BadInput:
        report = RememberReport()
        for request in group:
            try:
                report = add_reports(report, remember_requests(core, [request]))
            except BadInput as error:
                where = f"conversation {request.conversation}, session {request.session}"
                report = replace(report, problems=(*report.problems, Problem(str(path), where, str(error))))
    if progress is not None:
        progress(sum(len(request.turns) for request in group), len(report.problems))
    return report


def to_requests(
    conversation: Conversation, path: Path, how: Reading, max_bytes: int, mask: Mask
) -> tuple[list[Request], list[Problem]]:
    """A conversation as requests, and its turns that cannot be kept as problems."""
    requests: list[Request] = []
    problems: list[Problem] = []
    for session in conversation.sessions:
        where = f"conversation {conversation.id}, session {session.id}"
        good, bad = sifted_turns(session.turns, max_bytes, mask)
        problems += [Problem(str(path), f"{where}, turn {number}", reason) for number, reason in bad]
        try:
            check_name(conversation.id, "conversation")
            check_name(session.id, "session")
        except BadInput as error:
            problems.append(Problem(str(path), where, str(error)))
            continue
        if good:
            requests.append(
                Request(
                    conversation.id,
                    session.id,
                    good,
                    session.closed,
                    conversation.title,
                    conversation.source,
                    str(path),
                    how.format != engramma_jsonl.NAME,  # our own export tells sessions as they are, twins included
                )
            )
    return requests, problems
