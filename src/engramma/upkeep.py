"""Care of a store as a whole: its figures, its health, and new vectors for all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .errors import EmbedderMismatch, EngrammaError
from .index.codes import sign_code
from .ingest.archive import archive_path, render, write_archive
from .memory import ARCHIVE_FOLDER, Memory, write_embedder
from .models.embed import Embedder
from .steward.doctor import Check, archive_check, examine
from .store.store import Store, as_json, session_row
from .text import labelled
from .times import format_time, from_micros

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
    figures["speakers"] = {row["speaker"]: row["turns"] for row in store.all("speakers", limit=20)}
    figures["namespaces"] = [row["name"] for row in store.database.all("namespace_names", {})]
    figures["bytes"] = {
        name: size_of(memory.path / name) for name in ("memory.db", "memory.db-wal", ARCHIVE_FOLDER, "index")
    }
    figures["embedder"] = {part: store.meta(f"embedder_{part}") for part in ("name", "sha256", "dimension")}
    figures["thresholds"] = None
    if counts["segments"]:
        found = memory.thresholds()
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
    store = memory.store
    if fix:
        memory.finish_pending()
        repair_archive(memory)
    dimension = store.meta("embedder_dimension")
    with store.snapshot():  # one state, whoever writes meanwhile
        checks = list(examine(store, dimension, memory.config.edge_cap))
    archive = archive_check(store, lambda: expected_archive(memory))
    if not archive.ok:
        with store.transaction():  # files and rows change together under this lock: somebody may just have written
            archive = archive_check(store, lambda: expected_archive(memory))
    return [*checks, archive, embedder_check(memory)]


def expected_archive(memory: Memory) -> Iterator[tuple[Path, str]]:
    store = memory.store
    for row in map(session_row, store.all("sessions_listed", conversation=None)):
        if row.closed and row.archived:
            path = archive_path(memory.path / ARCHIVE_FOLDER, store.namespace, row)
            yield path, render(store.namespace, row, store.turns(row.key))


def repair_archive(memory: Memory) -> None:
    store, folder = memory.store, memory.path / ARCHIVE_FOLDER
    for row in map(session_row, store.all("sessions_listed", conversation=None)):
        if not row.closed:
            continue
        path = archive_path(folder, store.namespace, row)
        text = render(store.namespace, row, store.turns(row.key))
        if not path.is_file() or path.read_bytes() != text.encode("utf-8"):
            with store.transaction():
                write_archive(folder, store, row)


def embedder_check(memory: Memory) -> Check:
    try:
        embedder = memory.embedder
        embedder.embed(["hello"], "query")
    except EngrammaError as error:
        return Check("embedder works", False, str(error))
    return Check("embedder works", True, f"{embedder.name}, {embedder.dimension} dimensions")


# --- reindex ----------------------------------------------------------------------------------------


def reindex(memory: Memory, embedder: Embedder, spec: str, progress: Callable[[int, int], None] | None = None) -> int:
    """Give every segment of every namespace a new vector, then swap them in at once and link anew.

    New vectors are kept aside as they come, so an interrupted run goes on where it stopped, and until
    the swap everybody goes on with the old ones. Returns the number of segments.
    """
    store = memory.store
    begin(store, embedder)
    while True:
        fill(store, embedder, progress)
        with store.transaction():
            check_target(store, embedder)
            if store.database.all("reindex_missing", {"limit": 1}):
                continue  # something was said while we embedded
            swap(store, embedder, spec)
        break
    total = int(store.database.all("reindex_counts", {})[0][0])
    memory.forget_parts()
    finish_linking(memory.path)
    return total


def begin(store: Store, embedder: Embedder) -> None:
    """Vectors of another target that an earlier run left are of no use."""
    if store.meta("reindex_sha256") != embedder.sha256:
        with store.transaction():
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
        vectors = embedder.embed([texts[row["key"]] for row in found], "document").astype(np.float16)
        with store.transaction():
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


def segment_texts(store: Store, owned: list[tuple[int, int]]) -> dict[int, str]:
    """What each segment is embedded from, over all namespaces."""
    turns: dict[int, list[tuple[str, str]]] = {}
    for ns in {ns for ns, _ in owned}:
        keys = as_json(key for owner, key in owned if owner == ns)
        for row in store.database.all("turns_by_segments", {"ns": ns, "keys": keys}):
            turns.setdefault(row["key"], []).append((row["speaker"], row["text"]))
    return {key: labelled(said) for key, said in turns.items()}


def swap(store: Store, embedder: Embedder, spec: str) -> None:
    """Inside one transaction: old vectors, lists and semantic edges out, new vectors in."""
    run = store.database.run
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
    run("meta_delete", {"key": "reindex_sha256"})
    write_embedder(store, embedder, spec)


def finish_linking(folder: Path) -> None:
    """Link every namespace's sessions by the new vectors, oldest first; goes on where it stopped."""
    with Memory.open(folder) as memory:
        names = [row["name"] for row in memory.store.database.all("reindex_unlinked", {})]
    for name in names:
        with Memory.open(folder, name) as memory:
            memory.finish_pending()
