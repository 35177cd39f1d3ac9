"""Exports a namespace as JSON lines."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.core import Core
from ..sources import engramma_jsonl
from .annotations import extras


def export_lines(core: Core) -> Iterator[str]:
    """Everything said in this namespace as JSON lines; importing them gives the same memory."""
    return engramma_jsonl.write_export_lines(core.store.conversations(), core.namespace, extras(core))
