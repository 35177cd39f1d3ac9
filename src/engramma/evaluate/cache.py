"""An embedder that remembers its vectors in files, so that a second run embeds nothing."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..language.text import digest
from ..models.embed import Embedder, Kind, Progress

SUFFIX = ".vectors"


class CachedEmbedder:
    """Vectors by the hash of (model, purpose, text), in append-only files of fixed-size records.

    Each process writes a file of its own and reads everybody's, so any number may share a folder; a record
    that an interrupt cut short is not read. Vectors are kept as float32: exactly what the model gave.
    """

    def __init__(self, inner: Embedder, folder: Path | None = None) -> None:
        self.inner = inner
        self.embedded = 0  # texts the model had to read
        self._known: dict[bytes, NDArray[np.float32]] = {}
        self._record = np.dtype([("key", "V32"), ("vector", "<f4", (inner.dimension,))])
        self._target: Path | None = None
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            stem = inner.sha256[:16]
            for path in sorted(folder.glob(f"{stem}-*{SUFFIX}")):
                self._load(path)
            self._target = folder / f"{stem}-{time.time_ns()}-{os.getpid()}{SUFFIX}"

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def sha256(self) -> str:
        return self.inner.sha256

    @property
    def dimension(self) -> int:
        return self.inner.dimension

    @property
    def edge_floor(self) -> float:
        return self.inner.edge_floor

    @property
    def window(self) -> int | None:
        return getattr(self.inner, "window", None)

    def embed(
        self, texts: Sequence[str], kind: Kind = "document", progress: Progress | None = None
    ) -> NDArray[np.float32]:
        keys = [digest(self.inner.sha256, kind, text) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        if missing:
            vectors = self.inner.embed(list(missing.values()), kind, progress)
            self._add(list(missing), vectors)
            self.embedded += len(missing)
        if not keys:
            return np.zeros((0, self.dimension), np.float32)
        return np.stack([self._known[key] for key in keys])

    def _add(self, keys: list[bytes], vectors: NDArray[np.float32]) -> None:
        self._known.update(zip(keys, vectors, strict=True))
        if self._target is not None:
            records = np.zeros(len(keys), self._record)
            records["key"] = np.array(keys, dtype="V32")
            records["vector"] = vectors
            with self._target.open("ab") as file:
                file.write(records.tobytes())

    def _load(self, path: Path) -> None:
        whole = path.stat().st_size // self._record.itemsize
        records = np.fromfile(path, self._record, count=whole)
        self._known.update((row["key"].tobytes(), row["vector"]) for row in records)
