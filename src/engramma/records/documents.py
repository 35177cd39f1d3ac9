"""What a document holds, and what reading it did."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

from .talk import Problem

DocumentKind = Literal["markdown", "text", "html", "pdf", "code"]
BlockKind = Literal["paragraph", "list", "code", "table", "quote"]


@dataclass(frozen=True, slots=True)
class Block:
    """One unit of a document, a paragraph or a whole list, and the headings above it, outermost first."""

    text: str
    headings: tuple[str, ...] = ()
    kind: BlockKind = "paragraph"


@dataclass(frozen=True, slots=True)
class Document:
    """A file as it was read: its blocks in order, and notes on what a reader of them should know."""

    name: str
    kind: DocumentKind
    blocks: tuple[Block, ...]
    title: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a document that is stored and found as one, under its headings; `position` counts from 0."""

    text: str
    headings: tuple[str, ...]
    position: int


@dataclass(frozen=True, slots=True)
class Ingested:
    """What reading documents did, in chunks; `purged` stay out because they were purged before."""

    documents: int = 0
    added: int = 0
    unchanged: int = 0
    removed: int = 0
    purged: int = 0
    problems: tuple[Problem, ...] = ()

    def __add__(self, other: Ingested) -> Ingested:
        return Ingested(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))
