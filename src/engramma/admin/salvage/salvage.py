"""Salvage: a new store from whatever is left of one. What is left is only read, and stays as it is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...config.settings import CONFIG_FILE, load_config
from ...core.core import ARCHIVE_FOLDER, INDEX_FOLDER
from ...encryption import KEY_FILE, is_encrypted
from ...errors import BadInput, StoreError, StoreNotFound, StoreNotWritable
from ...files.folders import make_folder
from ...language.text import plural
from ...language.times import format_time, from_micros
from ...models.embed import Embedder
from ...namespaces.open import borrow_core
from ...store.engine import DATABASE_FILE, SQLITE
from ...store.sqlite.holders import holders
from ...store.sqlite.readable_rows import Remains, read_remains
from ..doctor import doctor_all
from ..doctor_checks import Check
from .leftovers import ARCHIVE, Left, LeftSession, Place, gather
from .rebuild import RebuiltStore, rebuild_store

RESCUED_FOLDER = "rescued"  # copies that a process wrote which found its files replaced
SALVAGED = ".salvaged"
LISTED = 50  # sessions that are named one by one
OWN = (ARCHIVE_FOLDER, INDEX_FOLDER, RESCUED_FOLDER)
# In a process of its own: closing a descriptor of a database drops the locks that this process may hold on it.
COPY = "import shutil, sys; [shutil.copyfile(a, b) for a, b in zip(sys.argv[1::2], sys.argv[2::2])]"


@dataclass(frozen=True, slots=True)
class Salvaged:
    """What was saved from where, what could not be, and where the new store is."""

    store: str
    salvaged: str
    sources: tuple[dict[str, Any], ...]
    namespaces: dict[str, int]  # turns that the new store has
    sessions: int
    notes: int
    links: int
    forgotten_turns: int
    kept_out: int  # turns that were purged before
    lost: tuple[dict[str, Any], ...]  # sessions of which turns are known to be missing
    lost_turns: int
    unreadable_files: tuple[str, ...]
    not_carried_over: dict[str, int]
    problems: tuple[str, ...]
    checks: tuple[Check, ...]
    replaced: str | None = None  # where the damaged store is now

    @property
    def ok(self) -> bool:
        """Whether everything that is known to have been there is there again, and sound."""
        return not (self.lost or self.unreadable_files or self.problems) and all(check.ok for check in self.checks)


def salvage(
    store: Path, to: Path | None = None, *, replace: bool = False, embedder: Embedder | None = None
) -> Salvaged:
    """Build a new store beside one that is damaged; with `replace`, put it in the place of that one, which is moved."""
    store = store.expanduser().absolute()
    check_worth(store)
    target = (to or store.with_name(f"{store.name}{SALVAGED}")).expanduser().absolute()
    if target.exists() and any(target.iterdir()):
        raise BadInput(f"{target} is not empty. Choose another folder with --to.")
    if replace and (open_in := [one.told() for one in holders(store)]):
        raise StoreError(
            f"Others have this memory open: {'; '.join(open_in)}. Stop them, then run the same command again."
        )
    make_folder(target, create=True)
    try:
        for name in (KEY_FILE, CONFIG_FILE):  # what is encrypted is so again, under the same key
            take_along(store, target, name)
        left = whats_left(store)
        if not left.sessions:
            raise StoreNotFound(
                f"No conversations can be read at {store}: neither in {DATABASE_FILE} nor in {ARCHIVE_FOLDER}. "
                f"Restore a backup with `engramma restore`.{locked_words(store)}"
            )
        built = rebuild_store(left, target, embedder)
        checks = _look_over(target, embedder)
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise
    moved = _put_in_place(store, target) if replace else None
    return reported(store, store if moved else target, left, built, checks, moved)


def check_worth(store: Path) -> None:
    if not store.is_dir():
        raise StoreNotFound(f"There is no memory at {store}.")
    if load_config(store).store.get("engine", SQLITE) != SQLITE:
        raise BadInput("Salvage is for memories on SQLite. PostgreSQL has its own tools: pg_dump, pg_amcheck.")


def locked_words(store: Path) -> str:
    """A hint for a memory that cannot be read because its key is missing, and is not damaged at all."""
    if is_encrypted(store) or not any((store / ARCHIVE_FOLDER).rglob("*.sealed")):
        return ""
    return f" The memory is encrypted and its {KEY_FILE} is missing: get it from a backup, then try again."


def whats_left(store: Path) -> Left:
    """Read copies of the databases, and the archive."""
    with tempfile.TemporaryDirectory(prefix="engramma-salvage-") as work:
        found: list[tuple[str, Remains]] = []
        for number, path in enumerate(databases_in(store)):
            copy = Path(work) / f"{number}.db"
            take_along(store, Path(work), KEY_FILE)
            _copied(path, copy)
            found.append((str(path.relative_to(store)), read_remains(copy)))
        return gather(found, store / ARCHIVE_FOLDER)


def databases_in(store: Path) -> Iterator[Path]:
    """The store's database, then copies that were rescued, the newest first."""
    yield store / DATABASE_FILE
    rescued = [path for path in (store / RESCUED_FOLDER).glob("*.db") if path.is_file()]
    yield from sorted(rescued, key=lambda path: (path.stat().st_mtime_ns, path.name), reverse=True)


def _copied(path: Path, copy: Path) -> None:
    """Copy a database and its journal aside, by a child process."""
    pairs = [
        (str(one), str(copy.with_name(f"{copy.name}{end}")))
        for end in ("", "-wal")
        if (one := path.with_name(f"{path.name}{end}")).is_file()
    ]
    if not pairs:
        return
    command = [sys.executable, "-I", "-c", COPY, *(name for pair in pairs for name in pair)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise StoreError(f"{path} cannot be copied: {done.stderr.strip().splitlines()[-1]}")


def take_along(store: Path, target: Path, name: str) -> None:
    """Copy a small file of the store, for its owner's eyes only."""
    if (store / name).is_file():
        shutil.copyfile(store / name, target / name)
        (target / name).chmod(0o600)


def _look_over(target: Path, embedder: Embedder | None) -> list[Check]:
    with borrow_core(target, create=False, embedder=embedder) as core:
        return doctor_all(core)


# --- putting it in place -----------------------------------------------------------------------------------


def _put_in_place(store: Path, target: Path) -> Path:
    """Move the damaged store aside and the new one where it was; what else lay in the folder comes along."""
    aside = store.with_name(f"{store.name}.damaged-{datetime.now(UTC):%Y%m%d-%H%M%S}")
    try:
        for path in store.iterdir():
            if path.name not in OWN and not path.name.startswith(DATABASE_FILE) and not (target / path.name).exists():
                if path.is_dir():
                    shutil.copytree(path, target / path.name, symlinks=True, copy_function=linked_or_copied)
                elif path.is_file():
                    shutil.copy2(path, target / path.name)
        store.rename(aside)
        target.rename(store)
    except OSError as error:
        raise StoreNotWritable(
            f"The salvaged memory could not be put in place: {error}. It is at {target}, the damaged one at "
            f"{aside if aside.exists() else store}."
        ) from error
    return aside


def linked_or_copied(source: str, target: str) -> str:
    """Backups are large and never change: a second name for the file does."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
    return target


# --- the report --------------------------------------------------------------------------------------------


def reported(
    store: Path, made: Path, left: Left, built: RebuiltStore, checks: list[Check], moved: Path | None
) -> Salvaged:
    short = {place: one for place, one in left.sessions.items() if one.missing}
    return Salvaged(
        str(store),
        str(made),
        tuple(asdict(source) for source in left.sources),
        dict(sorted(built.turns.items())),
        sum(bool(one.turns) for one in left.sessions.values()),
        built.notes,
        built.links,
        built.forgotten,
        built.purged,
        tuple(lost_session(place, one) for place, one in sorted(short.items())),
        sum(one.missing for one in short.values()),
        tuple(left.unreadable),
        built.left_out,
        tuple(built.problems),
        tuple(checks),
        None if moved is None else str(moved),
    )


def lost_session(place: Place, session: LeftSession) -> dict[str, Any]:
    namespace, conversation, id = place
    begun, ended = (format_time(from_micros(moment)) for moment in session.span) if session.span else (None, None)
    found = {"namespace": namespace, "conversation": conversation, "session": id}
    return {**found, "lost_turns": session.missing, "saved_turns": len(session.turns), "from": begun, "to": ended}


def describe_salvage(found: Salvaged) -> Iterator[str]:
    """The report for people."""
    total = sum(found.namespaces.values())
    spaces = ", ".join(f"{name} {count}" for name, count in found.namespaces.items())
    saved = [plural(total, "turn"), plural(found.sessions, "session"), plural(found.notes, "note")]
    yield f"Saved {saved[0]} in {saved[1]} ({spaces}), {saved[2]} and {plural(found.links, 'link')}."
    for source in found.sources:
        pages = f", {source['damaged_pages']} of {source['pages']} pages damaged" if source["damaged_pages"] else ""
        what = "turns that are in no database" if source["name"] == ARCHIVE else "turns"
        yield f"  from {source['name']}: {source['turns']} {what} ({source['how']}{pages})"
    if found.forgotten_turns:
        yield f"  {found.forgotten_turns} of them were forgotten and are hidden again"
    if found.kept_out:
        yield f"  {plural(found.kept_out, 'turn')} purged before and left out"
    if found.lost:
        yield f"NOT saved: {plural(found.lost_turns, 'turn')} of {plural(len(found.lost), 'session')}:"
        for one in found.lost[:LISTED]:
            when = f", {one['from']} to {one['to']}" if one["from"] else ""
            place = f"{one['namespace']}/{one['conversation']}/{one['session']}"
            yield f"  {place}: {plural(one['lost_turns'], 'turn')}{when}"
        if len(found.lost) > LISTED:
            yield f"  and {plural(len(found.lost) - LISTED, 'more session')} (--json lists them)"
    for name in found.unreadable_files:
        yield f"NOT readable: {ARCHIVE_FOLDER}/{name}"
    for name, count in found.not_carried_over.items():
        yield f"not carried over: {count} {name}"
    yield from (f"problem: {problem}" for problem in found.problems)
    bad = [check for check in found.checks if not check.ok]
    yield f"doctor: {'all checks passed' if not bad else '; '.join(f'{check.name}: {check.detail}' for check in bad)}"
    if found.replaced:
        yield f"It is in place at {found.store}; the damaged memory is at {found.replaced}."
    else:
        yield f"The new memory is at {found.salvaged}; {found.store} is unchanged."
        yield "Look at it with --store, then replace the damaged one: stop every program that uses the memory and run"
        yield f"  mv {found.store} {found.store}.damaged && mv {found.salvaged} {found.store}"
