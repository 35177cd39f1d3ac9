"""Documents that a client hands over: as text, or, where the server runs as the user, as a path."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from mcp.server.mcpserver.exceptions import ToolError

from ...encryption.plain_files import passing_folder
from ...records import Ingested

if TYPE_CHECKING:
    from ...memory import Memory

MOST_FILES, MOST_BYTES = 200, 50_000_000  # at a time: a client waits for the answer


def read_text(memory: Memory, text: str, name: str) -> Ingested:
    """Read a text as the document of this name. It lies in a file only for the reader, and without its secrets."""
    from ...sources.documents import SUFFIXES

    known = memory.redactor.mask_name(name)
    kind = SUFFIXES.get(Path(known).suffix.lower())
    shown = re.sub(r"[^\w.() -]", "_", known)[-80:].lstrip(". ") + ("" if kind not in (None, "pdf") else ".md")
    with tempfile.TemporaryDirectory(prefix="engramma-", dir=passing_folder(memory.path)) as folder:
        file = Path(folder, shown)
        file.write_text(memory.redactor.mask(text).text, encoding="utf-8", newline="")
        return memory.documents.ingest(file, name=known)


def read_path(memory: Memory, path: str, name: str | None, roots: Sequence[Path]) -> Ingested:
    """Read a file or the documents below a folder, if it lies in a folder that the user chose, and is not hidden."""
    from ...sources import rooted_files
    from ...sources.documents import find_documents

    if not roots:
        raise ToolError(
            "This server may not read files: the user has allowed no folder. Pass the text instead, or ask the user "
            "to allow a folder: `engramma mcp --root FOLDER` or `engramma connect CLIENT --root FOLDER`."
        )
    try:
        place = Path(path).expanduser().resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        raise ToolError(f"There is no file or folder {path!r:.300}. Give its full path.") from None
    root = next((one for one in roots if place.is_relative_to(one)), None)
    if root is None or any(part.startswith(".") for part in place.relative_to(root).parts):
        raise ToolError(
            f"{path!r:.300} is outside the folders this server may read, or in a hidden one. Pass its text instead, "
            "or ask the user to start `engramma mcp --root FOLDER`."
        )
    with rooted_files.within(root):
        found = list(islice(find_documents(place), MOST_FILES + 1))
    size = sum(file.lstat().st_size for file in found if file.exists())
    if len(found) > MOST_FILES or size > MOST_BYTES:
        raise ToolError(
            f"More than {MOST_FILES} documents or {MOST_BYTES // 1_000_000} MB are there. Give a smaller folder, or "
            "ask the user to run `engramma ingest`."
        )
    return memory.documents.ingest(place, name=name, within=root)
