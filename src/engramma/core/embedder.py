"""Finds a store's embedder: by what the store and its settings say, whether or not the model can be loaded now."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path

from ..config.trust import check, embedder_address
from ..errors import EmbedderMismatch
from ..models.embed import Embedder
from ..models.lazy import Identity, LazyEmbedder
from ..models.load import floor_of, load
from ..store.keys import CONTEXT, own_key
from ..store.store import Store

PARTS = ("name", "sha256", "dimension", "spec")


def stored_identity(store: Store, spec: str | None) -> Identity | None:
    """The model that made the store's vectors; None where it has none yet."""
    name, sha256, dimension, made_by = (store.meta(f"embedder_{part}") for part in PARTS)
    if sha256 is None:
        return None
    kept = store.meta("embedder_edge_floor")
    floor = float(kept) if kept is not None else floor_of(made_by or spec)
    return Identity(str(name), str(sha256), int(dimension), floor)


def named_embedder(store: Store, folder: Path, spec: str | None) -> LazyEmbedder:
    """The embedder that a name means, for this store; nothing is loaded yet."""
    known = stored_identity(store, spec)
    adopt = adopting(store, spec) if known is None else comparing(known, spec)

    def loaded() -> Embedder:
        check(folder, embedder_address(spec))
        return load(spec)

    return LazyEmbedder(spec or "the packaged encoder", known, loaded, adopt, folder)


def given_embedder(store: Store, folder: Path, embedder: Embedder, spec: str | None) -> LazyEmbedder:
    """An embedder that the caller has already, if the store is new or was made with it."""
    if isinstance(embedder, LazyEmbedder):  # of another namespace of this store
        if embedder.known is not None:
            adopting(store, spec)(embedder)
        return embedder
    known = adopting(store, spec)(embedder)
    return LazyEmbedder(embedder.name, known, lambda: embedder, comparing(known, spec), folder)


def adopting(store: Store, spec: str | None) -> Callable[[Embedder], Identity]:
    """Take a model for the store's if it has none yet, else hold it against the one it has."""

    def adopt(embedder: Embedder) -> Identity:
        if stored_identity(store, spec) is None:
            with store.database.transaction():
                if store.meta("embedder_sha256") is None:
                    write_embedder(store, embedder, spec)
        known = stored_identity(store, spec)
        assert known is not None
        return comparing(known, spec)(embedder)

    return adopt


def comparing(known: Identity, spec: str | None) -> Callable[[Embedder], Identity]:
    """Hold a model against the one that made the store's vectors. It asks no store: that may be closed by then."""

    def compare(embedder: Embedder) -> Identity:
        if (known.sha256, known.dimension) != (embedder.sha256, embedder.dimension):
            raise EmbedderMismatch(
                f"This store was embedded with {known.name} ({known.dimension} dims, sha256 {known.sha256[:12]}…), "
                f"not with {embedder.name} ({embedder.dimension} dims, sha256 {embedder.sha256[:12]}…). Open it with "
                f"the first, or re-embed everything with `engramma reindex --embedder {spec or embedder.name}`."
            )
        return Identity(known.name, known.sha256, known.dimension, embedder.edge_floor)

    return compare


def write_embedder(store: Store, embedder: Embedder, spec: str | None) -> None:
    """Note, inside a transaction, which model the store is embedded with."""
    store.put_meta("embedder_name", embedder.name)
    store.put_meta("embedder_sha256", embedder.sha256)
    store.put_meta("embedder_dimension", embedder.dimension)
    store.put_meta("embedder_edge_floor", repr(float(embedder.edge_floor)))
    store.put_meta("embedder_spec", lasting(spec or embedder.name))
    if store.meta("store_id") is None:
        store.put_meta("store_id", uuid.uuid4().hex)
    own_key(store, CONTEXT)  # with the store's first write: later it may lie where nobody can write


def lasting(spec: str) -> str:
    """A model's folder by its whole path: the store may be opened from anywhere."""
    folder = Path(spec).expanduser()
    return str(folder.resolve()) if folder.is_dir() else spec
