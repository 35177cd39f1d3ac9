"""Reindexes a store: new vectors for every segment of every namespace, swapped in at once."""

from __future__ import annotations

import json
from collections.abc import Callable

from ..config.settings import CONFIG_FILE
from ..config.trust import embedder_address, note_named_addresses
from ..core.core import Core
from ..core.embedder import write_embedder
from ..errors import EmbedderMismatch
from ..ingest.waiting_segments import finish_pending
from ..language.text import labelled
from ..models.embed import Embedder
from ..models.outage import end_outage
from ..models.segments import embed_segments, keeps_vector
from ..namespaces.open import borrow_core
from ..store.store import Store, encode_keys

REINDEX_BATCH = 256  # segments a transaction: what an interrupt can cost


def reindex(
    core: Core,
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
    Vectors that the new embedder would give again are kept, except by force (models/route.py).
    Returns how many segments were embedded, with those that keep their vector.
    """
    check_config(core, spec)
    note_named_addresses(core.path, embedder_address(spec), lasting=True)
    store = core.store
    embedded = 0
    if force or not is_embedded(store, embedder):
        embed_anew(store, embedder, spec, progress, force)
        embedded = int(store.database.all("reindex_counts", {})[0][0])
    elif store.meta("embedder_spec") != spec:  # the same model, found at another place
        with store.database.transaction():
            write_embedder(store, embedder, spec)
    if force:
        for row in store.database.all("namespace_names", {}):
            rebuild_words(Store(store.database, row["name"]))
    core.drop_caches()
    end_outage(core.path)  # what the model before could not do says nothing about this one, which was just loaded
    finish_linking(core, embedder)
    return embedded


def check_config(core: Core, spec: str) -> None:
    """config.toml decides which model opens the store: with another one's vectors it could not be opened."""
    chosen = core.config.embedder
    if chosen is not None and chosen != spec:
        path = core.path / CONFIG_FILE
        raise EmbedderMismatch(
            f"{path} says embedder = {json.dumps(chosen)}, so the store could not be opened after a reindex with "
            f"{spec}. Change that line to embedder = {json.dumps(spec)}, or delete it, and run the same command again."
        )


def is_embedded(store: Store, embedder: Embedder) -> bool:
    """Whether the store has this embedder's vectors and no run that makes them anew was interrupted."""
    stored, begun = store.meta("embedder_sha256"), store.meta("reindex_sha256")
    return bool(stored == embedder.sha256 != begun)


def embed_anew(
    store: Store, embedder: Embedder, spec: str, progress: Callable[[int, int], None] | None, force: bool
) -> None:
    _begin(store, embedder)
    while True:
        _fill(store, embedder, progress, force)
        with store.database.transaction():  # of all namespaces at once
            check_target(store, embedder)
            if store.database.all("reindex_missing", {"limit": 1}):
                continue  # something was said while we embedded
            swap(store, embedder, spec)
        break


def _begin(store: Store, embedder: Embedder) -> None:
    """Vectors of another target that an earlier run left are of no use."""
    if store.meta("reindex_sha256") != embedder.sha256:
        with store.database.transaction():
            store.database.run("reindex_clear", {})
            store.put_meta("reindex_sha256", embedder.sha256)


def check_target(store: Store, embedder: Embedder) -> None:
    """Asked inside a transaction: two reindexes at once would mix the vectors of two models."""
    if store.meta("reindex_sha256") != embedder.sha256:
        raise EmbedderMismatch(
            "Another reindex of this store started or finished meanwhile, so this one stopped. "
            "See `engramma stats` for the embedder, and start again if it is not the one you want."
        )


def _fill(store: Store, embedder: Embedder, progress: Callable[[int, int], None] | None, force: bool) -> None:
    while rows := store.database.all("reindex_missing", {"limit": REINDEX_BATCH}):
        owned = [(row["ns"], row["key"]) for row in rows]
        texts = segment_texts(store, owned)
        kept = {} if force else kept_vectors(store, embedder, owned, texts)
        found = [(ns, key) for ns, key in owned if key in texts and key not in kept]
        vectors = embed_segments(embedder, [texts[key] for _, key in found])
        made = {key: vector.astype("<f2").tobytes() for (_, key), vector in zip(found, vectors, strict=True)}
        put = made | kept
        with store.database.transaction():
            check_target(store, embedder)
            store.database.many(
                "reindex_put",
                [{"key": key, "owner": ns, "vector": put[key]} for ns, key in owned if key in put],
            )
        if progress is not None:
            total, done = store.database.all("reindex_counts", {})[0]
            progress(done, total)


def kept_vectors(
    store: Store, embedder: Embedder, owned: list[tuple[int, int]], texts: dict[int, list[str]]
) -> dict[int, bytes]:
    """The vectors of the segments whose vector the new embedder would give again."""
    before = str(store.meta("embedder_sha256"))
    same = {key for _, key in owned if key in texts and keeps_vector(embedder, before, texts[key])}
    kept: dict[int, bytes] = {}
    for ns in {ns for ns, key in owned if key in same}:
        keys = encode_keys(key for owner, key in owned if owner == ns and key in same)
        for row in store.database.all("embeddings_by_keys", {"ns": ns, "keys": keys}):
            kept[row["key"]] = bytes(row["vector"])
    return kept


def segment_texts(store: Store, owned: list[tuple[int, int]]) -> dict[int, list[str]]:
    """What each segment is embedded from, over all namespaces: its turns."""
    turns: dict[int, list[str]] = {}
    for ns in {ns for ns, _ in owned}:
        keys = encode_keys(key for owner, key in owned if owner == ns)
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


def finish_linking(core: Core, embedder: Embedder) -> None:
    """Link every namespace's sessions by the new vectors, oldest first, and archive them; goes on where it stopped.

    The embedder is handed on: loading it once more could fail, half way.
    """
    listed = (core.store.database.all(name, {}) for name in ("reindex_unlinked", "reindex_waiting"))
    for name in sorted({row["name"] for rows in listed for row in rows}):
        with borrow_core(core.path, name, embedder=embedder, config=core.config) as other:
            finish_pending(other)
            other.store.database.settle(other.store.ns)


def rebuild_words(store: Store) -> None:
    """Build the namespace's full text index anew from what was said."""
    with store.transaction():
        store.fill_words()
