"""The doctor: checks a store, and with `fix` finishes what a crash interrupted."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ..core.core import Core
from ..errors import EngrammaError, StoreError
from ..ingest.near_lists import ENTRY, SCALE
from ..ingest.waiting_segments import backlog, finish_pending
from ..models.embed import MINI, PACKAGED
from ..models.lazy import insisting
from ..models.native import what_runs
from ..namespaces.open import borrow_core
from ..store.namespaces import are_traces_left
from ..store.sqlite.database import SqliteDatabase
from ..store.store import Store
from .doctor_archive import archive_check, repair_archive
from .doctor_checks import (
    Check,
    NearLists,
    backlog_check,
    examine,
    guard_check,
    integrity,
    pending,
    words_are_well,
    words_integrity,
)
from .doctor_folder import files_check, folder_check, rescued_checks
from .reindex import rebuild_words
from .switch_index import engine_check

GREETINGS = ("hello", "привет")  # an encoder may have a part for other languages, in files of its own


def doctor(core: Core, fix: bool = False) -> list[Check]:
    """Look the namespace over; with `fix`, first finish what a crash left and rewrite archive files that differ."""
    working = embedder_check(core)
    return [*database_checks(core, fix), *_look_over(core, fix), working, *reranker_check(core)]


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
    return [*checks, working, *reranker_check(core)]


def database_checks(core: Core, fix: bool = False) -> list[Check]:
    """What concerns the database as a whole, and the server that it is on, if it is on one."""
    checks = [guard_check("database file", lambda: integrity(core.store)), folder_check(core.path, fix)]
    checks += traces_check(core, fix)
    if not isinstance(core.store.database, SqliteDatabase):
        from ..store.postgres.probe import probe

        dimension = int(core.store.meta("embedder_dimension") or 384)
        try:
            checks += [Check(*finding) for finding in probe(core.store.database, dimension)]
        except EngrammaError as error:
            checks.append(Check("database server", False, str(error)))
        return checks
    return [*checks, files_check(core.path), *rescued_checks(core.path)]


def traces_check(core: Core, fix: bool) -> list[Check]:
    """Whether something was deleted whose traces an interrupt or a full disk left in the file."""
    name = "traces of what was deleted"
    try:
        if fix and are_traces_left(core.store.database):
            core.wipe()
        left = are_traces_left(core.store.database)
    except EngrammaError as error:
        return [Check(name, False, str(error))]
    return [Check(name, False, "free pages may hold some; `engramma doctor --fix` wipes them")] if left else []


def _look_over(core: Core, fix: bool) -> list[Check]:
    """What can be checked of one namespace. What cannot be read is a finding too, and the rest goes on."""
    store = core.store
    repaired = repair(core) if fix else []
    floor = edge_floor(core)
    with store.snapshot():  # one state, whoever writes meanwhile
        checks = examine(store, lambda: near_lists(store), core.config.edge_cap, floor)
    checks.append(guard_check("full text index", lambda: words_integrity(store)))
    archive = guard_check("archive matches", lambda: archive_check(core))
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


def embedder_check(core: Core) -> Check:
    try:
        embedder = core.embedder
        with insisting():
            embedder.embed(GREETINGS, "query")
    except EngrammaError as error:
        return Check("embedder works", False, str(error))
    by = f", run by {what_runs()}" if embedder.name in (MINI, PACKAGED) else ""
    return Check("embedder works", True, f"{embedder.name}, {embedder.dimension} dimensions{by}")


def reranker_check(core: Core) -> list[Check]:
    """Whether the user's own cross-encoder can be loaded, if there is one: no recipe that asks for it works without."""
    if core.config.reranker is None:
        return []
    from ..models.rerank import load_reranker  # its runtime is an extra

    try:
        return [Check("reranker works", True, load_reranker(core.config.reranker).name)]
    except EngrammaError as error:
        return [Check("reranker works", False, str(error))]
