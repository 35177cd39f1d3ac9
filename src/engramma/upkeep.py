"""Care of a store as a whole: its figures, its health, and new vectors for all of it."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from .backlog import backlog_check
from .config import CONFIG_FILE
from .engines import engine_check, health
from .errors import EmbedderMismatch, EngrammaError, StoreError, StoreNotWritable
from .index.codes import sign_code
from .ingest.archive import archive_path, has_text, read_archive, render, write_archive
from .ingest.near import ENTRY, SCALE
from .ingest.reword_names import remove_strays, written
from .memory import ARCHIVE_FOLDER, Memory, write_embedder
from .models.embed import Embedder
from .models.lazy import insisting
from .models.segments import embed_segments
from .steward.doctor import (
    Check,
    NearLists,
    archive_check,
    examine,
    guarded,
    integrity,
    pending,
    words_are_well,
    words_integrity,
)
from .store.holders import can_look, with_deleted
from .store.rescue import rescued_copies
from .store.sqlite import Database as Sqlite
from .store.store import Store, as_json, session_row
from .text import labelled
from .times import format_time, from_micros
from .trust import embedder_address, say

REINDEX_BATCH = 256  # segments a transaction: what an interrupt can cost


def stats(memory: Memory) -> dict[str, Any]:
    """What is remembered, how large it is, which model and which thresholds it works with."""
    store = memory.store
    counts = store.one("counts")
    span = store.one("time_span")
    assert counts is not None and span is not None
    figures: dict[str, Any] = {"store": str(memory.path), "namespace": memory.namespace, **dict(counts)}
    figures["edges"] = {row["kind"]: row["edges"] for row in store.all("counts_edges")}
    figures["first_turn"] = None if span[0] is None else format_time(from_micros(span[0]))
    figures["last_turn"] = None if span[1] is None else format_time(from_micros(span[1]))
    figures["redacted"] = {row["rule"]: row["found"] for row in store.all("redactions_counts")}
    figures["speakers"] = {row["speaker"]: row["turns"] for row in store.all("speakers", limit=20)}
    figures["namespaces"] = [row["name"] for row in store.database.all("namespace_names", {})]
    figures["bytes"] = {
        name: size_of(memory.path / name) for name in ("memory.db", "memory.db-wal", ARCHIVE_FOLDER, "index")
    }
    if not isinstance(store.database, Sqlite):
        figures["bytes"] = {"database": store.database.size(), **figures["bytes"]}
    figures["embedder"] = {part: store.meta(f"embedder_{part}") for part in ("name", "sha256", "dimension")}
    figures["embedder"]["name"] = figures["embedder"]["name"] or store.meta("embedder_spec")  # one never reached yet
    figures["backlog"] = memory.backlog().values()
    figures["index"] = asdict(health(memory))
    figures["thresholds"] = None
    if counts["vectors"] and (found := memory.known_thresholds()) is not None:
        figures["thresholds"] = {
            "mode": found.mode,
            "floor": found.floor,
            "edge": found.edge,
            "dedup": found.dedup,
            "background": dict(found.background),
        }
    return figures


def size_of(path: Path) -> int:
    if path.is_dir():
        return sum(p.stat().st_size for p in path.rglob("*") if p.is_file())
    return path.stat().st_size if path.exists() else 0


# --- doctor -----------------------------------------------------------------------------------------


def doctor(memory: Memory, fix: bool = False) -> list[Check]:
    """Look the namespace over; with `fix`, first finish what a crash left and rewrite archive files that differ."""
    working = embedder_check(memory)
    return [*database_checks(memory, fix), *look_over(memory, fix), working]


def doctor_all(memory: Memory, fix: bool = False) -> list[Check]:
    """Look every namespace of the store over; what concerns the store as a whole, once."""
    checks = database_checks(memory, fix)
    try:
        names = [row["name"] for row in memory.store.database.all("namespace_names", {})]
    except StoreError:
        names = [memory.namespace]
    working = embedder_check(memory)
    for name in names:
        try:
            embedder = memory.embedder if working.ok else None
            with Memory.open(memory.path, name, embedder=embedder, config=memory.config) as other:
                found = look_over(other, fix)
        except EngrammaError as error:
            found = [Check("namespace opens", False, str(error))]
        checks += [replace(check, namespace=name) for check in found] if len(names) > 1 else found
    return [*checks, working]


def folder_check(folder: Path, fix: bool) -> Check:
    """Only the owner may look into a store's folder; with `fix` it is made so."""
    mode = stat.S_IMODE(folder.stat().st_mode)
    if fix and mode & 0o077 and os.name == "posix":
        with suppress(OSError):  # not ours
            folder.chmod(mode & 0o700)
            mode &= 0o700
    wide = bool(mode & 0o077) and os.name == "posix"
    said = f"others on this machine may look into it (mode {mode:04o}); `engramma doctor --fix` closes it"
    return Check("folder is private", not wide, said if wide else "only its owner may look into it")


def database_checks(memory: Memory, fix: bool = False) -> list[Check]:
    """What concerns the database as a whole, and the server that it is on, if it is on one."""
    checks = [guarded("database file", lambda: integrity(memory.store)), folder_check(memory.path, fix)]
    if not isinstance(memory.store.database, Sqlite):
        from .store.postgres_probe import probe

        dimension = int(memory.store.meta("embedder_dimension") or 384)
        try:
            checks += [Check(*finding) for finding in probe(memory.store.database, dimension)]
        except EngrammaError as error:
            checks.append(Check("database server", False, str(error)))
        return checks
    return [*checks, files_check(memory.path), rescued_check(memory.path)]


def rescued_check(folder: Path) -> Check:
    """Nothing waits to be brought in that a process saved when its files went under it: it told so only once."""
    found = rescued_copies(folder)
    told = f"{', '.join(map(str, found))}: what was stored when files of the database went away under a process, "
    told += "some of it perhaps only there; `engramma doctor --salvage` brings it in, or delete it"
    return Check("rescued copies", not found, told if found else "none")


def files_check(folder: Path) -> Check:
    """Nobody writes to files of this store that were deleted or replaced: what goes there is lost."""
    name = "files in use"
    if not can_look():
        return Check(name, True, "this system does not tell who has files open (no /proc, no lsof)")
    if not (found := with_deleted(folder)):
        return Check(name, True, "none that was deleted")
    told = "; ".join(f"{one.told()} has {', '.join(one.deleted)} open" for one in found)
    return Check(name, False, f"{told}, which was deleted under it: end it, what it stores now is lost")


def look_over(memory: Memory, fix: bool) -> list[Check]:
    """What can be checked of one namespace. What cannot be read is a finding too, and the rest goes on."""
    store = memory.store
    repaired = repair(memory) if fix else []
    floor = edge_floor(memory)
    with store.snapshot():  # one state, whoever writes meanwhile
        checks = examine(store, lambda: near_lists(store), memory.config.edge_cap, floor)
    checks.append(guarded("full text index", lambda: words_integrity(store)))
    archive = guarded("archive matches", lambda: looked_archive_check(memory))
    checks.append(guarded("nothing left unfinished", lambda: pending(store)))
    checks.append(guarded("nothing waits for a vector", lambda: backlog_check(memory.backlog())))
    return [*repaired, *checks, archive, *engine_check(memory)]


def edge_floor(memory: Memory) -> float | None:
    """The least cosine of an edge; None if only the embedder knows it and does not work."""
    if memory.config.edge_floor is not None:
        return memory.config.edge_floor
    try:
        return memory.embedder.edge_floor
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


def settled_archive_check(memory: Memory) -> Check:
    with memory.store.transaction():  # files and rows change together under this lock: somebody may just have written
        return archive_check(lambda: expected_archive(memory), read_archive)


def looked_archive_check(memory: Memory) -> Check:
    if memory._archive_folder is None:
        return no_archive_check(memory)
    found = archive_check(lambda: expected_archive(memory), read_archive)
    return found if found.ok else settled_archive_check(memory)


def no_archive_check(memory: Memory) -> Check:
    folder = memory.path / ARCHIVE_FOLDER
    told = "none: the store is on a shared server"
    if left := list(written(folder)):
        told = f"{len(left)} text files of an earlier version in {folder}, out of a purge's reach; --fix deletes them"
    return Check("archive matches", not left, told)


def expected_archive(memory: Memory) -> Iterator[tuple[Path, str]]:
    store = memory.store
    for row in map(session_row, store.all("sessions_listed", conversation=None)):
        if row.closed and row.archived:
            path = archive_path(memory.path / ARCHIVE_FOLDER, store.namespace, row)
            yield path, render(store.namespace, row, store.turns(row.key))


def repair(memory: Memory) -> list[Check]:
    """Finish what a crash left, mend words and archive; a finding for what does not let itself be repaired."""
    failed = []
    mends = (lambda: repair_words(memory), lambda: repair_tallies(memory.store))
    for act in (*mends, memory.finish_pending, lambda: repair_archive(memory)):
        try:
            act()
        except EngrammaError as error:
            failed.append(Check("repaired", False, str(error)))
    return failed


def repair_words(memory: Memory) -> None:
    if not words_are_well(memory.store):
        rebuild_words(memory.store)


def repair_tallies(store: Store) -> None:
    """Count anew what is counted as it comes and goes, if a count is wrong."""
    wrong = store.one("check_tallies")
    if wrong is not None and wrong[0]:
        with store.transaction():
            for name in ("namespace_drop_tallies", "tallies_fill", "sessions_visible_fill"):
                store.run(name)


def rebuild_words(store: Store) -> None:
    """Build the namespace's full text index anew from what was said."""
    with store.transaction():
        store.fill_words()


def repair_archive(memory: Memory) -> None:
    store, folder = memory.store, memory.path / ARCHIVE_FOLDER
    if memory._archive_folder is None:
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
                f"Cannot rewrite {path}: {error}. Check that {folder} may be written, that nothing else bears the "
                "file's name and that the disk has room; then run `engramma doctor --fix` again."
            ) from error


def embedder_check(memory: Memory) -> Check:
    try:
        embedder = memory.embedder
        with insisting():
            embedder.embed(["hello"], "query")
    except EngrammaError as error:
        return Check("embedder works", False, str(error))
    return Check("embedder works", True, f"{embedder.name}, {embedder.dimension} dimensions")


# --- reindex ----------------------------------------------------------------------------------------


def reindex(
    memory: Memory,
    embedder: Embedder,
    spec: str,
    progress: Callable[[int, int], None] | None = None,
    *,
    force: bool = False,
) -> int:
    """Give every segment of every namespace a new vector, then swap them in at once and link anew.

    New vectors are kept aside as they come, so an interrupted run goes on where it stopped, and until
    the swap everybody goes on with the old ones. A store that has this embedder's vectors already is
    only linked where that is missing, unless `force` asks for more: it builds the full text index anew too.
    Returns how many segments were embedded.
    """
    check_config(memory, spec)
    say(memory.path, embedder_address(spec), lasting=True)
    store = memory.store
    embedded = 0
    if force or not is_embedded(store, embedder):
        embed_anew(store, embedder, spec, progress)
        embedded = int(store.database.all("reindex_counts", {})[0][0])
    elif store.meta("embedder_spec") != spec:  # the same model, found at another place
        with store.database.transaction():
            write_embedder(store, embedder, spec)
    if force:
        for row in store.database.all("namespace_names", {}):
            rebuild_words(Store(store.database, row["name"]))
    memory.forget_parts()
    finish_linking(memory, embedder)
    return embedded


def check_config(memory: Memory, spec: str) -> None:
    """config.toml decides which model opens the store: with another one's vectors it could not be opened."""
    chosen = memory.config.embedder
    if chosen is not None and chosen != spec:
        path = memory.path / CONFIG_FILE
        raise EmbedderMismatch(
            f"{path} says embedder = {json.dumps(chosen)}, so the store could not be opened after a reindex with "
            f"{spec}. Change that line to embedder = {json.dumps(spec)}, or delete it, and run the same command again."
        )


def is_embedded(store: Store, embedder: Embedder) -> bool:
    """Whether the store has this embedder's vectors and no run that makes them anew was interrupted."""
    stored, begun = store.meta("embedder_sha256"), store.meta("reindex_sha256")
    return bool(stored == embedder.sha256 != begun)


def embed_anew(store: Store, embedder: Embedder, spec: str, progress: Callable[[int, int], None] | None) -> None:
    begin(store, embedder)
    while True:
        fill(store, embedder, progress)
        with store.database.transaction():  # of all namespaces at once
            check_target(store, embedder)
            if store.database.all("reindex_missing", {"limit": 1}):
                continue  # something was said while we embedded
            swap(store, embedder, spec)
        break


def begin(store: Store, embedder: Embedder) -> None:
    """Vectors of another target that an earlier run left are of no use."""
    if store.meta("reindex_sha256") != embedder.sha256:
        with store.database.transaction():
            store.database.run("reindex_clear", {})
            store.put_meta("reindex_sha256", embedder.sha256)


def check_target(store: Store, embedder: Embedder) -> None:
    """Asked inside a transaction: two reindexes at once would mix the vectors of two models."""
    if store.meta("reindex_sha256") != embedder.sha256:
        raise EmbedderMismatch(
            "Another reindex of this store began or ended meanwhile, so this one stopped. "
            "See `engramma stats` for the embedder, and start again if it is not the one you want."
        )


def fill(store: Store, embedder: Embedder, progress: Callable[[int, int], None] | None) -> None:
    while rows := store.database.all("reindex_missing", {"limit": REINDEX_BATCH}):
        texts = segment_texts(store, [(row["ns"], row["key"]) for row in rows])
        found = [row for row in rows if row["key"] in texts]
        vectors = embed_segments(embedder, [texts[row["key"]] for row in found])
        with store.database.transaction():
            check_target(store, embedder)
            store.database.many(
                "reindex_put",
                [
                    {
                        "key": row["key"],
                        "owner": row["ns"],
                        "code": code.tobytes(),
                        "vector": vector.astype("<f2").tobytes(),
                    }
                    for row, code, vector in zip(found, sign_code(vectors), vectors, strict=True)
                ],
            )
        if progress is not None:
            total, done = store.database.all("reindex_counts", {})[0]
            progress(done, total)


def segment_texts(store: Store, owned: list[tuple[int, int]]) -> dict[int, list[str]]:
    """What each segment is embedded from, over all namespaces: its turns."""
    turns: dict[int, list[str]] = {}
    for ns in {ns for ns, _ in owned}:
        keys = as_json(key for owner, key in owned if owner == ns)
        for row in store.database.all("turns_by_segments", {"ns": ns, "keys": keys}):
            turns.setdefault(row["key"], []).append(labelled([(row["speaker"], row["text"])]))
    return turns


def swap(store: Store, embedder: Embedder, spec: str) -> None:
    """Inside one transaction: old vectors, lists and semantic edges out, new vectors in."""
    run = store.database.run
    store.database.unsettle()
    for name in (
        "reindex_drop_embeddings",
        "reindex_take_embeddings",
        "reindex_drop_near",
        "reindex_drop_edges",
        "reindex_unlink",
        "reindex_changes",
        "reindex_clear",
    ):
        run(name, {})
    if store.meta("embedder_sha256") == embedder.sha256:
        run("reindex_relisted", {})
    run("meta_delete", {"key": "reindex_sha256"})
    write_embedder(store, embedder, spec)


def finish_linking(memory: Memory, embedder: Embedder) -> None:
    """Link every namespace's sessions by the new vectors, oldest first, and archive them; goes on where it stopped.

    The embedder is handed on: loading it once more could fail, half way.
    """
    listed = (memory.store.database.all(name, {}) for name in ("reindex_unlinked", "reindex_waiting"))
    for name in sorted({row["name"] for rows in listed for row in rows}):
        with Memory.open(memory.path, name, embedder=embedder, config=memory.config) as other:
            other.finish_pending()
            other.store.database.settle(other.store.ns)
