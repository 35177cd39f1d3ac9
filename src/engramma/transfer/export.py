"""Exports a namespace as JSON lines."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.core import Core
from ..sources import engramma_jsonl
from .annotations import extras


def export_lines(core: Core) -> Iterator[str]:
    """Everything said in this namespace as JSON lines; importing them gives the same memory.

    A conversation of which nothing is left to be seen is left out.
    """
    talks = (talk for talk in core.store.conversations() if any(session.turns for session in talk.sessions))
    return engramma_jsonl.write_export_lines(talks, core.namespace, extras(core))
