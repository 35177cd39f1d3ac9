"""Exports a namespace as JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..core.core import Core
from ..sources import engramma_jsonl
from .annotations import extras


def export_lines(core: Core) -> Iterator[str]:
    """Everything said in this namespace as JSON lines; importing them gives the same memory.

    A conversation or session of which nothing is left to be seen is left out: its id may be a file's path.
    """
    talks = (
        replace(talk, sessions=tuple(one for one in talk.sessions if one.turns)) for talk in core.store.conversations()
    )
    seen = (talk for talk in talks if talk.sessions)
    return engramma_jsonl.write_export_lines(seen, core.namespace, extras(core))
