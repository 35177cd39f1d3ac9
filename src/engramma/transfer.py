"""Everything in and out of a memory: import, export, backup, restore."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import uuid
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import BinaryIO

from . import __version__, foreign_json, sources
from .backup_settings import read_settings, usable
from .beside import extras, notes_and_links, take_extras
from .config import CONFIG_FILE
from .copies import MANIFEST
from .encryption import KEY_FILE
from .errors import BadInput, StoreError, StoreNotWritable, UnreadableSource
from .ingest.pipeline import Prepared, Request, add_reports
from .ingest.validate import Mask, check_name, sifted_turns
from .memory import DATABASE_FILE, Memory
from .models.hashing import sha256_of
from .records import Conversation, Extra, Problem, RememberReport, Turn
from .sources import engramma_jsonl, inside
from .store.engine import settings_for_sqlite
from .store.sqlite import Database
from .times import format_time

GROUP_TURNS = 128  # embedded together: enough to keep every core busy, and all that an interrupt can cost
MOST_MANIFEST = 64 * 1024  # bytes: a packed one can claim any length
# What a restore would cover, or what would spoil it: SQLite replays a journal it finds beside a database.
IN_THE_WAY = (DATABASE_FILE, *(f"{DATABASE_FILE}-{part}" for part in ("wal", "shm", "journal")), KEY_FILE, CONFIG_FILE)


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


def import_file(
    memory: Memory,
    path: Path,
    reading: Reading | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> RememberReport:
    """Import one file. What is known is skipped; what cannot be read is reported, and the rest goes on.

    `progress` is called with (turns taken, problems) since the last call.
    """
    found = Found([], [])
    report = RememberReport()
    how, folder = reading or Reading(), path if path.is_dir() else None
    with inside.within(how.within), inside.within(folder), ThreadPoolExecutor(1, "embed") as ahead:
        waiting: tuple[list[Request], Future[Prepared]] | None = None
        for group in groups(memory, path, how, found):
            coming = (group, ahead.submit(memory.prepare, group))  # embedded while the group before it is stored
            if waiting is not None:
                report = add_reports(report, stored(memory, *waiting, path, progress))
            waiting = coming
        if waiting is not None:
            report = add_reports(report, stored(memory, *waiting, path, progress))
    memory.finish_pending()
    memory.store.database.settle(memory.store.ns)
    problems = take_extras(memory, notes_and_links(found.beside), str(path)) if found.beside else []
    return replace(report, problems=memory.told((*found.problems, *report.problems, *problems)))


@dataclass(slots=True)
class Found:
    """What a file holds beside its talk, gathered while it is read."""

    problems: list[Problem]
    beside: list[Extra]


def read(memory: Memory, path: Path, how: Reading) -> Iterator[Conversation | Problem | Extra]:
    """What a source holds of what is to be taken, and a Problem for what is not.

    Damage ends the source. What stands before it is taken; only if that is nothing, UnreadableSource is raised.
    """
    gap = timedelta(minutes=memory.config.idle_minutes)
    began, names = how.fallback_time, how.names
    items = sources.read(path, how.format, zone=how.zone, idle_gap=gap, fallback_time=began, names=names)
    older, is_empty = 0, True
    is_begun = False  # whether a piece of the conversation at hand was taken
    try:
        for item in items:
            is_empty = is_empty and isinstance(item, Problem)
            if isinstance(item, Conversation):
                kept, left_out = chosen(item, how)
                older += left_out
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
            str(path), "file", f"{str(error).removeprefix(f'{path} ')}; what stands before it was taken", True
        )
    if older and how.since:
        yield Problem(str(path), "older turns", f"{older:,} said before {format_time(how.since)}; left out as asked")


def chosen(conversation: Conversation, how: Reading) -> tuple[Conversation, int]:
    """What is to be taken of a conversation, its speakers named as asked, and how many turns are too old."""
    sessions = []
    older = 0
    for session in conversation.sessions:
        turns = []
        for turn in session.turns:
            if how.since and turn.said_at and turn.said_at < how.since:
                older += 1
            elif turn.said_at and any(begun <= turn.said_at <= ended for begun, ended in how.except_for):
                continue
            elif how.homes is None or conversation.id == how.homes.setdefault(identity(turn), conversation.id):
                turns.append(named(turn, how.speakers))
        if turns:
            sessions.append(replace(session, turns=tuple(turns)))
    return replace(conversation, sessions=tuple(sessions)), older


def identity(turn: Turn) -> int:
    """The same number, in this process, for what is the same turn in whatever file it stands."""
    return hash((turn.id, turn.speaker, turn.said_at, turn.text))


def named(turn: Turn, speakers: Mapping[str, str]) -> Turn:
    name = speakers.get(turn.speaker) or (speakers.get("me") if turn.role == "user" else None)
    return replace(turn, speaker=name) if name else turn


def groups(memory: Memory, path: Path, how: Reading, found: Found) -> Iterator[list[Request]]:
    """A file's sessions, as many at a time as are embedded together."""
    group: list[Request] = []
    size = 0
    how = replace(how, format=how.format or sources.sniff(path))
    for item in read(memory, path, how):
        if isinstance(item, Problem):
            found.problems.append(item)
        elif isinstance(item, Extra):
            found.beside.append(item)
        else:
            requests, problems = to_requests(item, path, how, memory.config.max_turn_bytes, memory.mask)
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
    memory: Memory,
    group: list[Request],
    coming: Future[Prepared],
    path: Path,
    progress: Callable[[int, int], None] | None,
) -> RememberReport:
    """Store a group once it is embedded. If one session of it is refused, each is tried alone."""
    try:
        report = memory.remember_prepared(coming.result())
    except BadInput:
        report = RememberReport()
        for request in group:
            try:
                report = add_reports(report, memory.remember_requests([request]))
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


def export_lines(memory: Memory) -> Iterator[str]:
    """Everything said in this namespace as JSON lines; importing them gives the same memory."""
    return engramma_jsonl.write(memory.conversations(), memory.namespace, extras(memory))


# --- backup and restore ---------------------------------------------------------------------------


def backup(memory: Memory, target: Path) -> None:
    """The whole store, all namespaces, in one zip file, while others may go on writing."""
    if target.exists():
        raise BadInput(f"{target} exists already. Choose another name; a backup never overwrites one.")
    memory._check_here()
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".engramma-backup-") as work:
            copy = Path(work) / DATABASE_FILE
            memory.store.database.backup(copy)
            settings = settings_for_sqlite(memory.path / CONFIG_FILE, Path(work))
            packed(copy, settings, target, memory.path / KEY_FILE)
    except OSError as error:
        raise StoreNotWritable(f"Cannot write {target}: {error}. Nothing was left behind.") from error


def packed(database: Path, config: Path, target: Path, key: Path) -> Path:
    """A copy of a database, its key's record and the settings beside it as a backup: the whole file or none.

    The copy of an encrypted store is encrypted; what opens the store when the backup is made opens the backup.
    """
    manifest = {"engramma": __version__, "sha256": sha256_of(database)}
    beside = database.with_name("backup.zip")
    with open_private(beside) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
        archive.writestr(MANIFEST, json.dumps(manifest))
        archive.write(database, DATABASE_FILE)
        if key.exists():
            archive.write(key, KEY_FILE)
        if config.exists():
            archive.write(config, CONFIG_FILE)
    os.replace(beside, target)
    return target


def restore(source: Path, folder: Path, *, with_config: bool = False) -> None:
    """Lay a backup down as a new store. The folder must not hold one already.

    Its settings stay out unless `with_config`; addresses among them are used once they are confirmed (`trust.py`).
    """
    if there := [name for name in IN_THE_WAY if os.path.lexists(folder / name)]:
        replaceable = " --replace puts the backup in its place." if DATABASE_FILE in there else ""
        raise BadInput(
            f"{folder} holds a memory already, or a part of one: {', '.join(there)}. "
            f"Restore into another folder, or move what is there away first.{replaceable}"
        )
    try:
        with unpacked(source, folder) as (database, config):
            if with_config and (settings := usable(config)) is not None:
                with open_private(folder / CONFIG_FILE) as file:
                    file.write(settings)
            if (key := database.with_name(KEY_FILE)).exists():
                os.replace(key, folder / KEY_FILE)
            os.replace(database, folder / DATABASE_FILE)
    except OSError as error:
        raise StoreError(f"Cannot restore {source} into {folder}: {error}.") from error


@contextmanager
def unpacked(source: Path, folder: Path) -> Iterator[tuple[Path, bytes | None]]:
    """A backup's database, whole and of this version's schema, in a folder of its own within `folder`; its settings."""
    with ExitStack() as stack:
        try:
            archive = stack.enter_context(zipfile.ZipFile(source))
            manifest = foreign_json.loads(archive.open(MANIFEST).read(MOST_MANIFEST))
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            work = stack.enter_context(tempfile.TemporaryDirectory(dir=folder, prefix=".restoring-"))
            unpacked = Path(work) / DATABASE_FILE
            with archive.open(DATABASE_FILE) as inside, open_private(unpacked) as file:
                shutil.copyfileobj(inside, file, 1 << 20)
            if sha256_of(unpacked) != manifest["sha256"]:
                raise UnreadableSource(f"{source} is damaged: the database in it has another checksum.")
            if KEY_FILE in archive.namelist():
                with open_private(unpacked.with_name(KEY_FILE)) as file:
                    file.write(archive.read(KEY_FILE))
            begin_anew(unpacked)  # before it is laid down: a database that cannot be opened never is
            config = read_settings(archive)
        except (zipfile.BadZipFile, zlib.error, KeyError, ValueError, TypeError, EOFError) as error:
            raise UnreadableSource(f"{source} is not a backup of Engramma, or it is damaged ({error}).") from error
        yield unpacked, config


def begin_anew(path: Path) -> None:
    """What lies beside the database is not in a backup: the archive is due again, and an old index is not its own."""
    database = Database(path, busy_seconds=1.0, create=False)
    try:
        with database.transaction():
            database.run("archive_forget", {})
            database.run("meta_put", {"key": "store_id", "value": uuid.uuid4().hex})
    finally:
        database.close()


def open_private(path: Path) -> BinaryIO:
    """A new file that only its owner can read: private talk lies in it."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600), "wb")
