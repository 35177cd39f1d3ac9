"""Chroma: embedded, with its files in the store, or a Chroma server."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from ..vector_index import Keys, Similarities, Vectors
from .backend import Stamp, list_numbers, missing
from .settings import IndexSettings
from .zeroed_memory import blanking

# Its graph is searched this widely, whatever is asked for; more finds more and takes longer.
WIDTH = 1_000
BATCH = 1_000


class ChromaBackend:
    """A collection with nothing in it but keys and vectors."""

    name = "chroma"
    most = 4_096

    def __init__(self, settings: IndexSettings, name: str, dimension: int, folder: Path) -> None:
        try:
            import chromadb
        except ImportError as error:
            raise missing("chroma", error) from error
        self._chroma: Any = chromadb
        self._settings, self._name = settings, name if settings.url else "vectors"
        self._path = folder / f"{name}.{self.name}"
        self.where = settings.url or str(self._path)
        self._client = self._opened()

    def stamp(self) -> Stamp | None:
        collection = self._collection()
        if collection is None or not collection.metadata:
            return None
        return {key: value for key, value in collection.metadata.items() if isinstance(value, int | str)}

    def mark(self, stamp: Stamp) -> None:
        self._collection().modify(metadata=dict(stamp))

    @blanking()
    def clear(self) -> None:
        """Embedded, the whole folder goes: Chroma keeps what was deleted in its files."""
        if self._settings.url is None:
            self._client.close()
            shutil.rmtree(self._path)
            self._client = self._opened()
        elif self._collection() is not None:
            self._client.delete_collection(self._name)
        shape = {"space": "ip", "ef_search": WIDTH}
        self._client.create_collection(self._name, embedding_function=None, configuration={"hnsw": shape})

    @blanking()
    def add(self, keys: Keys, vectors: Vectors) -> None:
        collection = self._collection()
        for start in range(0, len(keys), BATCH):
            part = slice(start, start + BATCH)
            collection.upsert(ids=_ids(keys[part]), embeddings=vectors[part].astype(np.float32))

    @blanking()
    def remove(self, keys: Keys) -> None:
        collection = self._collection()
        for start in range(0, len(keys), BATCH):
            if known := collection.get(ids=_ids(keys[start : start + BATCH]), include=[])["ids"]:
                collection.delete(ids=known)

    @blanking()
    def nearest(self, query: Vectors, k: int) -> tuple[Keys, Similarities]:
        found = self._collection().query(
            query_embeddings=query.astype(np.float32)[None], n_results=k, include=["distances"]
        )
        keys = np.array([int(one) for one in found["ids"][0]], dtype=np.int64)
        return keys, 1.0 - np.array(found["distances"][0], dtype=np.float64)

    @blanking()
    def count(self) -> int:
        return int(self._collection().count())

    def settle(self) -> None:
        """Nothing: its graph grows with the rows."""

    @blanking()
    def close(self) -> None:
        self._client.close()

    def _opened(self) -> Any:
        quiet = self._chroma.config.Settings(anonymized_telemetry=False)
        if self._settings.url is None:
            self._path.mkdir(parents=True, exist_ok=True, mode=0o700)
            return self._chroma.PersistentClient(str(self._path), settings=quiet)
        parts = urlsplit(self._settings.url)
        is_tls = parts.scheme == "https"
        key = self._settings.key
        return self._chroma.HttpClient(
            parts.hostname,
            parts.port or (443 if is_tls else 8000),
            ssl=is_tls,
            headers={"x-chroma-token": key} if key else None,
            settings=quiet,
        )

    def _collection(self) -> Any:
        """Asked for anew each time: another process may have begun it again."""
        try:
            return self._client.get_collection(self._name, embedding_function=None)
        except self._chroma.errors.NotFoundError:
            return None


def _ids(keys: Keys) -> list[str]:
    return [str(key) for key in list_numbers(keys)]
