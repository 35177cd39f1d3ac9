"""The interface of external index backends. Each keeps the vectors of one namespace under their keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from ..vector_index import Keys, Similarities, Vectors

# Whose vectors these are, and up to which change they follow the database.
Stamp = dict[str, int | str]


class BackendFailed(Exception):
    """A backend could not do what it was asked, in words for a person; never leaves the index."""


class Backend(Protocol):
    """An engine that proposes candidates. What it says is checked against the database, which stays the truth.

    Similarity is the dot product: stored vectors are float16 and of unit length only to three digits, so an
    engine's cosine would put them in another order. Any exception means that it failed.
    """

    name: str
    where: str  # for people: a path or an address, never a password
    most: int  # candidates it can be asked for at once

    def stamp(self) -> Stamp | None:
        """What was marked last; None where nothing was."""

    def mark(self, stamp: Stamp) -> None:
        """Keep this stamp, durably, after what was written before it."""

    def clear(self) -> None:
        """Drop every vector and the stamp, from the files too, and begin empty."""

    def add(self, keys: Keys, vectors: Vectors) -> None:
        """Add rows; a key that is present already is replaced."""

    def remove(self, keys: Keys) -> None:
        """Drop rows; unknown keys are ignored."""

    def nearest(self, query: Vectors, k: int) -> tuple[Keys, Similarities]:
        """About the k nearest rows and how similar they are, as this engine sees it."""

    def count(self) -> int: ...

    def settle(self) -> None:
        """Build what makes searches fast, after many rows came."""

    def close(self) -> None: ...


def read_statements(python_file: str) -> dict[str, str]:
    """Name -> SQL of the file beside a module."""
    text = Path(python_file).with_suffix(".sql").read_text("utf-8")
    return {name: sql.strip() for name, _, sql in (part.partition("\n") for part in text.split("-- name: ")[1:])}


def missing(extra: str, error: ImportError) -> BackendFailed:
    """What to say where an extra is not installed."""
    return BackendFailed(f"{error}; install it with `pip install 'engramma[{extra}]'`")


def list_numbers(array: Any) -> list[Any]:
    """An array as plain numbers."""
    found: list[Any] = array.tolist()
    return found
