"""Engines that can find neighbours instead of the built-in scan: one file each, each an extra."""

from __future__ import annotations

from pathlib import Path

from .backend import Backend
from .settings import IndexSettings


def open_backend(settings: IndexSettings, name: str, dimension: int, folder: Path) -> Backend:
    """The engine that the settings name, with the vectors kept under `name`; files in `folder`."""
    if settings.backend == "sqlite-vec":
        from .sqlite_vec import SqliteVecBackend

        return SqliteVecBackend(settings, name, dimension, folder)
    if settings.backend == "chroma":
        from .chroma import ChromaBackend

        return ChromaBackend(settings, name, dimension, folder)
    if settings.backend == "qdrant":
        from .qdrant import QdrantBackend

        return QdrantBackend(settings, name, dimension, folder)
    from .pgvector import PgvectorBackend

    return PgvectorBackend(settings, name, dimension, folder)
