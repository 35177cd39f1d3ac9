"""The doctor's checks: every invariant that can be verified from what is stored, one line each."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from ..errors import EngrammaError, StoreCorrupt, StoreNotWritable
from ..ingest.backlog import NAME, Backlog
from ..language.text import plural
from ..store.store import Store, encode_keys

CHUNK = 5_000
LOOKS, PAUSE_SECONDS = 4, 0.25  # a session that waits in all these looks is not just being stored

Ints = NDArray[np.int64]

MEND_WORDS = "`engramma doctor --fix` rebuilds the word index"

# Queries that count what must not be: name of the check, query, what it counts.
COUNTED = (
    ("turns belong to sessions", "check_turns_without_session", "turns without a session"),
    ("segments belong to sessions", "check_segments_without_session", "segments without a session"),
    ("segments have vectors", "check_segments_without_vector", "segments without a vector"),
    ("vectors have segments", "check_vectors_without_segment", "vectors without a segment"),
    (
        "segments have words",
        "check_segments_without_words",
        f"segments that full text search cannot find; {MEND_WORDS}",
    ),
    ("words have segments", "check_words_without_segment", f"entries of segments that are gone; {MEND_WORDS}"),
    ("archived words", "check_cold_words", f"archived or retired segments with wrong words; {MEND_WORDS}"),
    ("forgotten stays hidden", "check_forgotten", "segments or turns that are neither forgotten nor visible"),
    (
        "purges are finished",
        "check_purges",
        "purges were interrupted; `engramma acts` has their numbers, `engramma purge --act NUMBER --yes` finishes one",
    ),
    ("notes are whole", "check_notes", "notes without their text, or text without its note"),
    ("links are whole", "check_links", "typed links without an edge, or edges without their link"),
    ("topics are whole", "check_topics", "members of topics that do not exist; `engramma topics --find` repairs them"),
    ("counts are right", "check_tallies", "counts that are wrong; `engramma doctor --fix` recounts"),
    ("claims are whole", "check_claims", "claims or mentions of turns or entities that do not exist"),
    ("entities are named", "check_entities", "entities without a name, or names without an entity"),
    ("decisions are whole", "check_decisions", "decisions or their turns that do not exist"),
    ("edges join segments", "check_edges_without_segment", "edges with a missing end"),
    ("chains are adjacent", "check_chain_wrong", "chain edges between segments that are not neighbours"),
    ("chains are whole", "check_chain_missing", "neighbours without a chain edge"),
    ("edges point to older sessions", "check_semantic_direction", "semantic edges to a later or the same session"),
)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: its name, whether it is well, and what was found."""

    name: str
    ok: bool
    detail: str
    namespace: str | None = None  # of a store that was looked over as a whole


@dataclass(frozen=True, slots=True)
class NearLists:
    """A namespace's near lists: size and fullness of each, and all entries as one table."""

    sizes: Ints
    full: NDArray[np.bool_]  # no weaker partner enters: the list was as long as the cap when it was made
    owners: Ints
    others: Ints
    weights: Ints
    scale: int  # of the weights: cosines as integers


def guard_check(name: str, look: Callable[[], Check]) -> Check:
    """A damaged database may fail any check; that is a finding, and no reason to leave out the others."""
    try:
        return look()
    except StoreNotWritable:
        return Check(name, True, "not checked: the memory is read-only")
    except (EngrammaError, ValueError, OverflowError) as error:
        return Check(name, False, f"cannot be checked: {error}")


def examine(store: Store, load_lists: Callable[[], NearLists], edge_cap: int, edge_floor: float | None) -> list[Check]:
    """All checks of one namespace that see one state of the database."""
    checks = [guard_check(name, partial(_counted, store, name, query, wrong)) for name, query, wrong in COUNTED]
    over = f"segments with over {edge_cap} edges"
    found = partial(_counted, store, "edge cap holds", "check_semantic_degree", over, cap=edge_cap)
    checks.append(guard_check("edge cap holds", found))
    lists = cache(load_lists)  # two checks read them
    mutual = "edges are the mutual near lists"
    checks.append(guard_check(mutual, lambda: mutual_edges(store, mutual, lists())))
    settings = "graph fits the settings"
    checks.append(guard_check(settings, lambda: _fitting(settings, lists(), edge_cap, edge_floor)))
    checks.append(guard_check("segments cover every turn once", lambda: _coverage(store)))
    sizes = guard_check("vectors have the embedder's size", lambda: vector_sizes(store))
    checks.append(sizes)
    if sizes.ok:
        checks.append(guard_check("vectors are sound", lambda: _vectors(store)))
    return checks


def integrity(store: Store) -> Check:
    rows = [str(row[0]) for row in store.database.all("store_integrity", {})]
    return Check("database file", rows == ["ok"], "sound" if rows == ["ok"] else "; ".join(rows[:3]))


def words_integrity(store: Store) -> Check:
    """The full text index is whole. SQLite takes the question for a write, so not within a snapshot."""
    name = "full text index"
    try:
        with store.transaction():
            store.run("words_integrity")
    except StoreCorrupt:
        return Check(name, False, f"damaged; {MEND_WORDS}")
    return Check(name, True, "sound")


def words_are_well(store: Store) -> bool:
    """All checks of the full text index."""
    found = [
        guard_check(name, partial(_counted, store, name, query, wrong))
        for name, query, wrong in COUNTED
        if "words" in name
    ]
    found.append(guard_check("full text index", lambda: words_integrity(store)))
    return all(check.ok for check in found)


def _counted(store: Store, name: str, query: str, wrong: str, **params: int) -> Check:
    row = store.one(query, **params)
    assert row is not None
    return Check(name, row[0] == 0, "yes" if row[0] == 0 else f"{row[0]} {wrong}")


def _coverage(store: Store) -> Check:
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
    detail = "yes" if not bad else f"not covered: {plural(len(bad), 'session')}: {', '.join(bad[:3])}"
    return Check("segments cover every turn once", not bad, detail)


def mutual_edges(store: Store, name: str, lists: NearLists) -> Check:
    """A semantic edge joins two segments exactly when each stands in the other's list, with the weight it has there."""
    there = pair_codes(lists.owners, lists.others)
    back = pair_codes(lists.others, lists.owners)
    mutual = np.isin(there, back)
    due = np.unique(pair_codes(*ordered(lists.owners[mutual], lists.others[mutual])))
    rows = store.all("check_semantic_edges")
    src, dst = (np.array([row[end] for row in rows], dtype=np.int64) for end in ("src", "dst"))
    weights = np.rint(np.array([row["weight"] for row in rows], dtype=np.float64) * lists.scale).astype(np.int64)
    drawn = pair_codes(*ordered(src, dst))
    missing = len(np.setdiff1d(due, drawn))
    known = np.isin(drawn, due)
    surplus = len(drawn) - len(np.unique(drawn[known]))
    # Either end's list may say it: rounding may set two computations of one cosine apart by a ten-thousandth.
    one, other = (
        listed_weights(there, lists.weights, codes[known]) for codes in (pair_codes(src, dst), pair_codes(dst, src))
    )
    wrong = int(((weights[known] != one) & (weights[known] != other)).sum())
    if not (missing or surplus or wrong):
        return Check(name, True, "yes")
    found = f"{missing} edges missing, {surplus} too many, {wrong} of another weight"
    return Check(name, False, f"{found}; `engramma reindex --force` rebuilds the graph")


def listed_weights(there: Ints, weights: Ints, codes: Ints) -> Ints:
    """The weights of pairs that are listed for sure."""
    order = np.argsort(there)
    return np.asarray(weights[order[np.searchsorted(there, codes, sorter=order)]])


def ordered(one: Ints, other: Ints) -> tuple[Ints, Ints]:
    return np.minimum(one, other), np.maximum(one, other)


def pair_codes(one: Ints, other: Ints) -> Ints:
    """Two keys as one number: keys have 32 bits in a near list."""
    return (one << 32) | other


def _fitting(name: str, lists: NearLists, cap: int, floor: float | None) -> Check:
    """The lists were made with the cap and floor set now. A floor that was lowered since cannot be seen."""
    other_cap = int(((lists.sizes > cap) | (lists.full & (lists.sizes != cap))).sum())
    # Half a step of grace: the floor is compared before a weight is rounded.
    weak = 0 if floor is None else int((lists.weights < floor * lists.scale - 0.5).sum())
    if not (other_cap or weak):
        return Check(name, True, "yes")
    found = f"{other_cap} lists made with another edge_cap than {cap}, {weak} partners below the edge_floor"
    return Check(name, False, f"{found}; `engramma reindex --force` rebuilds the graph for the current settings")


def vector_sizes(store: Store) -> Check:
    name = "vectors have the embedder's size"
    dimension = store.meta("embedder_dimension")
    if dimension is None:
        return Check(name, True, "none yet")
    return _counted(store, name, "check_vector_sizes", "of another size", vector_bytes=2 * dimension)


def _vectors(store: Store) -> Check:
    """Vectors have unit length."""
    dimension = store.meta("embedder_dimension") or 0
    keys = store.keys("keys_all").tolist()
    wrong_length = 0
    for start in range(0, len(keys), CHUNK):
        rows = store.all("embeddings_by_keys", keys=encode_keys(keys[start : start + CHUNK]))
        block = np.frombuffer(b"".join(r["vector"] for r in rows), dtype="<f2").reshape(len(rows), dimension)
        lengths = np.linalg.norm(block.astype(np.float32), axis=1)
        wrong_length += int((~(np.abs(lengths - 1) < 0.01)).sum())
    detail = f"{wrong_length} are not of unit length" if wrong_length else "yes"
    return Check("vectors are sound", not wrong_length, detail)


def pending(store: Store) -> Check:
    """Closed sessions that a crash left unlinked or without their text file."""
    rows = _waiting(store)
    for _ in range(LOOKS - 1):
        if not rows:
            break
        time.sleep(PAUSE_SECONDS)  # another process may be between storing and archiving this very moment
        rows &= _waiting(store)
    detail = (
        "none" if not rows else f"{len(rows)} closed sessions are unfinished; `engramma doctor --fix` finishes them"
    )
    return Check("nothing left unfinished", not rows, detail)


def _waiting(store: Store) -> set[int]:
    """Closed sessions with something left to do that does not have to wait for the embedder."""
    unembedded = {row["session"] for row in store.all("segments_waiting", after=-1, limit=-1)}
    return {
        session.key
        for session in store.sessions_pending()
        if session.closed and not (session.archived and session.key in unembedded)
    }


def backlog_check(backlog: Backlog) -> Check:
    """Segments that were stored while the embedder was away have their vectors by now."""
    detail = "yes" if not backlog.segments else f"embedder {backlog}; `engramma doctor --fix` embeds them if it is back"
    return Check(NAME, not backlog.segments, detail)
