"""PDF: the text of each page under the heading "page 3". Needs pypdf (`pip install 'engramma[pdf]'`)."""

from __future__ import annotations

import io
import logging
import re
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UnreadableSource
from .outline import Content, Outline
from .plain import paragraphs

if TYPE_CHECKING:
    from pypdf import PdfReader

INSTALL = "pip install 'engramma[pdf]'"
# Characters that broken fonts give and that no text may hold.
_UNFIT = re.compile("[\0\ud800-\udfff]")
# pypdf reports what it repaired while reading; whoever listens to logging hears it, nobody else.
logging.getLogger("pypdf").addHandler(logging.NullHandler())


def read_pdf(data: bytes, path: Path) -> Content:
    """The text of every page that has any."""
    reader = _opened(data, path)
    outline = Outline()
    empty: list[int] = []
    notes: list[str] = []
    for number in range(1, _pages(reader, path) + 1):
        try:
            text = _UNFIT.sub("\ufffd", reader.pages[number - 1].extract_text())
        except Exception as error:  # a damaged page may raise anything, and the other pages may be whole
            notes.append(f"page {number} cannot be read: {_words(error)}")
            continue
        if text.strip():
            outline.heading(1, f"page {number}", f"page {number}")
            for paragraph in paragraphs(text):
                outline.add(paragraph)
        else:
            empty.append(number)
    if not outline.blocks:
        raise UnreadableSource(_nothing(path, notes))
    if empty:
        notes.append(f"no text on {'page' if len(empty) == 1 else 'pages'} {', '.join(map(str, empty))}")
    return Content(outline.done(), _title(reader), tuple(notes))


def _opened(data: bytes, path: Path) -> PdfReader:
    try:
        from pypdf import PdfReader
    except ImportError:
        raise UnreadableSource(f"{path} is a PDF, which needs pypdf. Install it with: {INSTALL}") from None
    try:
        reader = PdfReader(io.BytesIO(data))
        locked = reader.is_encrypted and not reader.decrypt("")
    except Exception as error:
        if b"/Encrypt" in data:
            raise UnreadableSource(_locked(path)) from None
        raise UnreadableSource(f"{path} is a damaged PDF: {_words(error)}") from None
    if locked:
        raise UnreadableSource(_locked(path))
    return reader


def _pages(reader: PdfReader, path: Path) -> int:
    try:
        return len(reader.pages)
    except Exception as error:
        raise UnreadableSource(f"{path} is a damaged PDF: {_words(error)}") from None


def _title(reader: PdfReader) -> str | None:
    try:
        title = reader.metadata.title if reader.metadata else None
        return " ".join(_UNFIT.sub("\ufffd", title).split()) or None if title else None
    except Exception:  # the title is a courtesy
        return None


def _locked(path: Path) -> str:
    return f"{path} is an encrypted PDF: save a copy without the password"


def _nothing(path: Path, notes: list[str]) -> str:
    if notes:
        return f"{path} is a damaged PDF: {notes[0]}"
    return f"{path} contains no text, only images of pages: run text recognition (OCR) on it first"


def _words(error: Exception) -> str:
    return (str(error) or type(error).__name__)[:200]
