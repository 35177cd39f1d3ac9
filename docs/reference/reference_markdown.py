"""Rows, tables and paragraphs of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence


def row(*cells: object) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    return [row(*heads), "|" + "---|" * len(heads), *(row(*cells) for cells in rows), ""]


def paragraphs(text: str) -> str:
    """A help text or docstring with its line breaks taken out of its paragraphs."""
    parts = re.split(r"\n\s*\n", text.replace("\b", "").replace("\f", "").strip())
    return "\n\n".join(" ".join(part.split()) for part in parts)
