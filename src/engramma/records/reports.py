"""What forgetting and masking took away, and what a namespace holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What forgetting takes or took away: how much, its first turns as a sample, and the act to undo it by.

    `act` is None for a preview. After a purge nothing is left to undo, and `backups` are the files that still hold it.
    """

    act: int | None
    turns: int
    segments: int
    sessions: int
    repeats: int
    sample: tuple[str, ...]
    purged: bool = False
    backups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RedactReport:
    """What redaction finds in what is stored, or masked there: how often by rule, how much, and in which segments.

    Never the secrets. `unfinished`: rows were masked, and some file may still hold what stood there.
    """

    is_applied: bool
    rules: Mapping[str, int]
    turns: int
    segments: int
    sessions: int
    repeats: int
    titles: int
    links: int
    acts: int
    places: tuple[str, ...]
    unfinished: bool = False
    names: int = 0  # of conversations, sessions, documents and notes' sources and tags, and the namespace's own


@dataclass(frozen=True, slots=True)
class NamespaceInfo:
    """A namespace of a store and how much is in it; `text_bytes` counts what was said, in UTF-8.

    With `home`, it lives on the PostgreSQL server of that address, which knows the rest.
    """

    name: str
    created: datetime
    segments: int
    notes: int
    text_bytes: int
    home: str | None = None
