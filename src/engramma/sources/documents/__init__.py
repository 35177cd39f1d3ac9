"""Files that people keep (notes, pages, papers, code) to documents: blocks of text under their headings.

To add a format, write a module with read, and name its suffixes in `SUFFIXES`.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

from ...errors import UnreadableSource
from ...records import Document, DocumentKind
from ..talk_exports import talk_export
from . import code, html, markdown, pdf, plain
from .decode import decode_document
from .find import MAX_BYTES, below, read_file_bytes

__all__ = ["MAX_BYTES", "SUFFIXES", "find_documents", "read_document"]

_SUFFIXES_BY_KIND: dict[DocumentKind, str] = {
    "markdown": ".md .markdown .mdx",
    "text": ".txt .text .rst .log .org .adoc",
    "html": ".html .htm .xhtml",
    "pdf": ".pdf",
    "code": (
        ".py .pyi .js .mjs .cjs .jsx .ts .tsx .vue .svelte .go .rs .java .kt .kts .scala .groovy .swift .dart"
        " .c .h .cc .cpp .cxx .hh .hpp .m .cs .fs .vb .zig .nim .rb .php .pl .pm .lua .r .jl .ex .exs .erl .hs .ml"
        " .clj .lisp .el .scm .sh .bash .zsh .fish .ps1 .bat .sql .graphql .proto .tf .toml .yaml .yml .json"
        " .ini .cfg .css .scss .less .xml .tex"
    ),
}

SUFFIXES: dict[str, DocumentKind] = {
    suffix: kind for kind, suffixes in _SUFFIXES_BY_KIND.items() for suffix in suffixes.split()
}

MAIL = (".eml", ".mbox")
_READERS = {
    "markdown": markdown.read_markdown,
    "text": plain.read_plain_text,
    "html": html.read_html,
    "code": code.read_code,
}


def find_documents(path: Path, left_out: Callable[[Path], None] = lambda _: None) -> Iterator[Path]:
    """The file itself, or every document below a folder in sorted order.

    Left out are hidden files and folders, packages and environments that tools put there, binary and
    empty files, and files over MAX_BYTES. Links are not followed: `left_out` is called with each.
    """
    if not path.exists():
        raise UnreadableSource(f"{path} cannot be read: there is no such file or folder")
    return below(path, frozenset(SUFFIXES), left_out) if path.is_dir() else iter((path,))


def read_document(path: Path) -> Document:
    """A file as blocks under their headings, read as its suffix says; UnreadableSource says why not."""
    kind = SUFFIXES.get(path.suffix.lower())
    if (export := talk_export(path)) is not None:
        raise UnreadableSource(
            f"{path} looks like {export}, which is imported as talk: `engramma import {shlex.quote(str(path))}`."
        )
    data = read_file_bytes(path)
    if kind is None:
        if path.suffix.lower() in MAIL:
            raise UnreadableSource(f"{path} is mail, which is imported as talk: `engramma import {path}`.")
        known = ", ".join(SUFFIXES)
        raise UnreadableSource(f"{path} has no file extension that Engramma reads. Known: {known}.")
    if kind == "pdf":
        found = pdf.read_pdf(data, path)
        return Document(path.name, kind, found.blocks, found.title, found.notes)
    text, notes = decode_document(data, path)
    found = _READERS[kind](text)
    if not found.blocks:
        notes = (*notes, "the file contains no text" if data else "the file is empty")
    return Document(path.name, kind, found.blocks, found.title, notes + found.notes)
