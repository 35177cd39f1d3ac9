"""Looks a store over: every promise that can be checked from what is stored, one line each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..index.codes import sign_code
from ..store.store import Store, as_json

CHUNK = 5_000


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: its name, whether it is well, and what was found."""

    name: str
    ok: bool
    detail: str


def examine(store: Store, dimension: int | None, edge_cap: int) -> Iterator[Check]:
    """All checks of one namespace."""
    yield integrity(store)
    for name, query, wrong in (
        ("turns belong to sessions", "check_turns_without_session", "turns without a session"),
        ("segments belong to sessions", "check_segments_without_session", "segments without a session"),
        ("segments have vectors", "check_segments_without_vector", "segments without a vector"),
        ("vectors have segments", "check_vectors_without_segment", "vectors without a segment"),
        ("edges join segments", "check_edges_without_segment", "edges with a missing end"),
        ("chains are adjacent", "check_chain_wrong", "chain edges between segments that are not neighbours"),
        ("chains are whole", "check_chain_missing", "neighbours without a chain edge"),
        (
            "edges point to older sessions",
            "check_semantic_direction",
            "semantic edges to a younger or the same session",
        ),
    ):
        yield counted(store, name, query, wrong)
    yield counted(
        store, "edge cap holds", "check_semantic_degree", f"segments with over {edge_cap} edges", cap=edge_cap
    )
    yield coverage(store)
    if dimension is not None:
        yield from vectors(store, dimension)
    yield pending(store)


def integrity(store: Store) -> Check:
    rows = [str(row[0]) for row in store.database.all("store_integrity", {})]
    return Check("database file", rows == ["ok"], "sound" if rows == ["ok"] else "; ".join(rows[:3]))


def counted(store: Store, name: str, query: str, wrong: str, **params: int) -> Check:
    row = store.one(query, **params)
    assert row is not None
    return Check(name, row[0] == 0, "yes" if row[0] == 0 else f"{row[0]} {wrong}")


def coverage(store: Store) -> Check:
    """Every turn lies in exactly one segment, and segments follow each other without a gap."""
    bad = []
    for row in store.all("sessions_listed", conversation=None):
        expected = 0
        for segment in store.segments(row["key"]):
            if segment.first != expected:
                break
            expected = segment.last + 1
        if expected != row["turns"]:
            bad.append(f"{row['conversation']}/{row['id']}")
    detail = "yes" if not bad else f"{len(bad)} sessions are not covered: {', '.join(bad[:3])}"
    return Check("segments cover every turn once", not bad, detail)


def vectors(store: Store, dimension: int) -> Iterator[Check]:
    """Vectors have the right size and unit length, and their codes are theirs."""
    sizes = {"vector_bytes": 2 * dimension, "code_bytes": (dimension + 7) // 8}
    size_check = counted(store, "vectors have the embedder's size", "check_vector_sizes", "of another size", **sizes)
    yield size_check
    if not size_check.ok:
        return
    keys = store.keys("keys_all").tolist()
    wrong_length = wrong_code = 0
    for start in range(0, len(keys), CHUNK):
        rows = store.all("embeddings_by_keys", keys=as_json(keys[start : start + CHUNK]))
        block = np.frombuffer(b"".join(r["vector"] for r in rows), dtype="<f2").reshape(len(rows), dimension)
        lengths = np.linalg.norm(block.astype(np.float32), axis=1)
        wrong_length += int((~(np.abs(lengths - 1) < 0.01)).sum())
        codes = np.frombuffer(b"".join(r["code"] for r in rows), dtype=np.uint8).reshape(len(rows), -1)
        wrong_code += int((codes != sign_code(block)).any(axis=1).sum())
    detail = f"{wrong_length} are not of unit length, {wrong_code} have a wrong code"
    yield Check(
        "vectors are sound",
        not (wrong_length or wrong_code),
        "yes" if not (wrong_length or wrong_code) else detail,
    )


def pending(store: Store) -> Check:
    """Closed sessions that a crash left unlinked or without their text file."""
    rows = [s for s in store.sessions_pending() if s.closed]
    detail = "none" if not rows else f"{len(rows)} closed sessions wait; `engramma doctor --fix` finishes them"
    return Check("nothing left unfinished", not rows, detail)


def archive_check(store: Store, expected: Callable[[], Iterator[tuple[Path, str]]]) -> Check:
    """The text archive says what the database says."""
    missing, different = [], []
    for path, text in expected():
        try:
            if path.read_bytes() != text.encode("utf-8"):
                different.append(path)
        except OSError:
            missing.append(path)
    if not missing and not different:
        return Check("archive matches", True, "yes")
    first = (missing + different)[0].name
    found = f"{len(missing)} files missing, {len(different)} different (first: {first})"
    detail = f"{found}; `engramma doctor --fix` rewrites them"
    return Check("archive matches", False, detail)
