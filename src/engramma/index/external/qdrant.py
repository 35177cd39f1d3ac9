"""Qdrant: a server or a cluster by its address, or files in the store for trying it out."""

from __future__ import annotations

import math
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np

from ..vector_index import Keys, Similarities, Vectors
from .backend import Stamp, list_numbers, missing
from .settings import IndexSettings

# A server scans up to so many rows instead of walking its graph: it misses nothing and is as fast.
EXACT_UP_TO = 10_000
BATCH = 500


class QdrantBackend:
    """A collection with nothing in it but keys and vectors."""

    name = "qdrant"
    most = 8_192

    def __init__(self, settings: IndexSettings, name: str, dimension: int, folder: Path) -> None:
        try:
            import qdrant_client
        except ImportError as error:
            raise missing("qdrant", error) from error
        self._qdrant: Any = qdrant_client
        self._settings, self._dimension = settings, dimension
        self._name = name if settings.url else "vectors"
        self._path = folder / f"{name}.{self.name}"
        self.where = settings.url or str(self._path)
        self._client = self._opened()

    def stamp(self) -> Stamp | None:
        if not self._client.collection_exists(self._name):
            return None
        kept = self._client.get_collection(self._name).config.metadata or {}
        return dict(kept) or None

    def mark(self, stamp: Stamp) -> None:
        self._client.update_collection(self._name, metadata=dict(stamp))

    def clear(self) -> None:
        """With the files: deleted points stay in them for a while."""
        if self._settings.url is None:
            self._client.close()
            shutil.rmtree(self._path)
            self._client = self._opened()
        else:
            self._client.delete_collection(self._name)
        shape = self._qdrant.models.VectorParams(size=self._dimension, distance=self._qdrant.models.Distance.DOT)
        self._client.create_collection(self._name, vectors_config=shape)
        self._hasten()

    def add(self, keys: Keys, vectors: Vectors) -> None:
        for start in range(0, len(keys), BATCH):
            part = slice(start, start + BATCH)
            rows = self._qdrant.models.Batch(
                ids=list_numbers(keys[part]), vectors=list_numbers(vectors[part].astype(np.float32))
            )
            self._client.upsert(self._name, points=rows, wait=True)

    def remove(self, keys: Keys) -> None:
        for start in range(0, len(keys), BATCH):
            chosen = self._qdrant.models.PointIdsList(points=list_numbers(keys[start : start + BATCH]))
            self._client.delete(self._name, points_selector=chosen, wait=True)

    def nearest(self, query: Vectors, k: int) -> tuple[Keys, Similarities]:
        how = None  # files are always scanned whole
        if self._settings.url is not None:
            how = self._qdrant.models.SearchParams(exact=self.count() <= EXACT_UP_TO, hnsw_ef=max(128, k))
        found = self._client.query_points(
            self._name,
            query=list_numbers(query.astype(np.float32)),
            limit=k,
            search_params=how,
            with_payload=False,
            with_vectors=False,
        ).points
        keys = np.array([int(one.id) for one in found], dtype=np.int64)
        return keys, np.array([one.score for one in found], dtype=np.float64)

    def count(self) -> int:
        return int(self._client.count(self._name, exact=True).count)

    def settle(self) -> None:
        """Nothing: a server builds its graph by itself."""

    def close(self) -> None:
        self._client.close()

    def _opened(self) -> Any:
        if self._settings.url is None:
            self._client = self._qdrant.QdrantClient(path=str(self._path), force_disable_check_same_thread=True)
            self._hasten()
            return self._client
        return self._qdrant.QdrantClient(
            url=self._settings.url,
            api_key=self._settings.key,
            timeout=math.ceil(self._settings.timeout * 10),
            check_compatibility=False,  # it would ask before anything is wanted
        )

    def _hasten(self) -> None:
        """Files: do not wait for the disk with every single vector; an end that is lost is filled anew."""
        inner = getattr(self._client, "_client", None)
        for collection in getattr(inner, "collections", {}).values():
            kept = getattr(getattr(collection, "storage", None), "storage", None)
            if isinstance(kept, sqlite3.Connection):
                kept.execute("PRAGMA journal_mode = WAL")
                kept.execute("PRAGMA synchronous = NORMAL")
