"""The doctor: checks a store, and with `fix` finishes what a crash interrupted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from ..core.core import ARCHIVE_FOLDER, Core
from ..errors import EngrammaError, StoreError, StoreNotWritable
from ..ingest.archive import archive_path, has_text, read_archive, render, write_archive
from ..ingest.near_lists import ENTRY, SCALE
from ..ingest.waiting_segments import backlog, finish_pending
from ..models.lazy import insisting
from ..namespaces.open import borrow_core
from ..rescan.names import find_text_files, remove_strays
from ..store.sqlite.database import SqliteDatabase
from ..store.store import Store, session_row
from .doctor_checks import (
    Check,
    NearLists,
    archive_check,
    backlog_check,
    examine,
    guard_check,
    integrity,
    pending,
    words_are_well,
    words_integrity,
)
from .doctor_files import files_check, folder_check, rescued_checks
from .reindex import rebuild_words
from .switch_index import engine_check


def doctor(core: Core, fix: bool = False) -> list[Check]:
    """Look the namespace over; with `fix`, first finish what a crash left and rewrite archive files that differ."""
    working = embedder_check(core)
    return [*database_checks(core, fix), *_look_over(core, fix), working]


def doctor_all(core: Core, fix: bool = False) -> list[Check]:
    """Look every namespace of the store over; what concerns the store as a whole, once."""
    checks = database_checks(core, fix)
    try:
        names = [row["name"] for row in core.store.database.all("namespace_names", {})]
    except StoreError:
        names = [core.namespace]
    working = embedder_check(core)
    for name in names:
        try:
            embedder = core.embedder if working.ok else None
            with borrow_core(core.path, name, embedder=embedder, config=core.config) as other:
                found = _look_over(other, fix)
        except EngrammaError as error:
            found = [Check("namespace opens", False, str(error))]
        checks += [replace(check, namespace=name) for check in found] if len(names) > 1 else found
    return [*checks, working]


def database_checks(core: Core, fix: bool = False) -> list[Check]:
    """What concerns the database as a whole, and the server that it is on, if it is on one."""
    checks = [guard_check("database file", lambda: integrity(core.store)), folder_check(core.path, fix)]
    if not isinstance(core.store.database, SqliteDatabase):
        from ..store.postgres.probe import probe

        dimension = int(core.store.meta("embedder_dimension") or 384)
        try:
            checks += [Check(*finding) for finding in probe(core.store.database, dimension)]
        except EngrammaError as error:
            checks.append(Check("database server", False, str(error)))
        return checks
    return [*checks, files_check(core.path), *rescued_checks(core.path)]


def _look_over(core: Core, fix: bool) -> list[Check]:
    """What can be checked of one namespace. What cannot be read is a finding too, and the rest goes on."""
    store = core.store
    repaired = repair(core) if fix else []
    floor = edge_floor(core)
    with store.snapshot():  # one state, whoever writes meanwhile
        checks = examine(store, lambda: near_lists(store), core.config.edge_cap, floor)
    checks.append(guard_check("full text index", lambda: words_integrity(store)))
    archive = guard_check("archive matches", lambda: looked_archive_check(core))
    checks.append(guard_check("nothing left unfinished", lambda: pending(store)))
    checks.append(guard_check("nothing waits for a vector", lambda: backlog_check(backlog(core))))
    return [*repaired, *checks, archive, *engine_check(core)]


def edge_floor(core: Core) -> float | None:
    """The least cosine of an edge; None if only the embedder knows it and does not work."""
    if core.config.edge_floor is not None:
        return core.config.edge_floor
    try:
        return core.embedder.edge_floor
    except EngrammaError:  # reported as a finding of its own
        return None


def near_lists(store: Store) -> NearLists:
    """All near lists of the namespace as one table."""
    rows = store.all("check_near_lists")
    entries = np.frombuffer(b"".join(row["list"] for row in rows), dtype=ENTRY)
    sizes = np.array([len(row["list"]) // ENTRY.itemsize for row in rows], dtype=np.int64)
    keys = np.array([row["key"] for row in rows], dtype=np.int64)
    full = np.array([row["reach"] > 0 for row in rows], dtype=bool)
    return NearLists(
        sizes, full, np.repeat(keys, sizes), entries["key"].astype(np.int64), entries["weight"].astype(np.int64), SCALE
    )


def settled_archive_check(core: Core) -> Check:
    with core.store.transaction():  # files and rows change together under this lock: somebody may just have written
        return archive_check(lambda: expected_archive(core), read_archive)


def looked_archive_check(core: Core) -> Check:
    if core.archive_folder is None:
        return no_archive_check(core)
    found = archive_check(lambda: expected_archive(core), read_archive)
    return found if found.ok else settled_archive_check(core)


def no_archive_check(core: Core) -> Check:
    folder = core.path / ARCHIVE_FOLDER
    told = "none: the store is on a shared server"
    if left := list(find_text_files(folder)):
        told = f"{len(left)} text files of an earlier version in {folder}, missed by a purge; --fix deletes them"
    return Check("archive matches", not left, told)


def expected_archive(core: Core) -> Iterator[tuple[Path, str]]:
    store = core.store
    for row in map(session_row, store.all("sessions_listed", conversation=None)):
        if row.closed and row.archived:
            path = archive_path(core.path / ARCHIVE_FOLDER, store.namespace, row)
            yield path, render(store.namespace, row, store.turns(row.key))


def repair(core: Core) -> list[Check]:
    """Finish what a crash left, mend words and archive; a finding for what does not let itself be repaired."""
    failed = []
    mends = (lambda: repair_words(core), lambda: repair_tallies(core.store))
    for act in (*mends, partial(finish_pending, core), lambda: repair_archive(core)):
        try:
            act()
        except EngrammaError as error:
            failed.append(Check("repaired", False, str(error)))
    return failed


def repair_words(core: Core) -> None:
    if not words_are_well(core.store):
        rebuild_words(core.store)


def repair_tallies(store: Store) -> None:
    """Count anew what is counted as it comes and goes, if a count is wrong."""
    wrong = store.one("check_tallies")
    if wrong is not None and wrong[0]:
        with store.transaction():
            for name in ("namespace_drop_tallies", "tallies_fill", "sessions_visible_fill"):
                store.run(name)


def repair_archive(core: Core) -> None:
    store, folder = core.store, core.path / ARCHIVE_FOLDER
    if core.archive_folder is None:
        with store.transaction():
            remove_strays(folder, store, everything=True)
        return
    for row in map(session_row, store.all("sessions_listed", conversation=None)):
        if not row.closed:
            continue
        path = archive_path(folder, store.namespace, row)
        text = render(store.namespace, row, store.turns(row.key))
        try:
            if not has_text(path, text):
                with store.transaction():
                    write_archive(folder, store, row)
        except OSError as error:
            raise StoreNotWritable(
                f"Cannot rewrite {path}: {error}. Check that {folder} may be written, that nothing else has the "
                "file's name and that the disk is not full; then run `engramma doctor --fix` again."
            ) from error


def embedder_check(core: Core) -> Check:
    try:
        embedder = core.embedder
        with insisting():
            embedder.embed(["hello"], "query")
    except EngrammaError as error:
        return Check("embedder works", False, str(error))
    return Check("embedder works", True, f"{embedder.name}, {embedder.dimension} dimensions")
