"""Markdown: blocks as CommonMark and GitHub tables define them, their lines verbatim.

Only the blocks are parsed, not what stands in a line. Lines that belong to no block (definitions of
links) are paragraphs; rules between blocks hold no words and are left out.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ...records import BlockKind
from .outline import Content, Outline

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_KINDS: dict[str, BlockKind] = {
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "fence": "code",
    "code_block": "code",
    "table_open": "table",
    "blockquote_open": "quote",
}
_FENCES = {"---": ("---", "..."), "+++": ("+++",)}


def read_markdown(text: str) -> Content:
    """The blocks of a Markdown text under its headings."""
    outline = Outline()
    lines = text.split("\n")
    at = _front_matter(lines)
    outline.add("\n".join(lines[:at]), "code")
    lines = lines[at:]
    tokens = _tokens("\n".join(lines))
    done = 0
    for place, token in enumerate(tokens):
        if token.level or token.nesting < 0 or token.map is None:
            continue
        begin, end = max(token.map[0], done), max(token.map[1], done)
        outline.add("\n".join(lines[done:begin]))
        source = "\n".join(lines[begin:end])
        if token.type == "heading_open":
            outline.heading(int(token.tag[1:]), tokens[place + 1].content, source.strip())
        elif token.type != "hr":
            outline.add(source, _KINDS.get(token.type, "paragraph"))
        done = end
    outline.add("\n".join(lines[done:]))
    return Content(outline.done(), outline.first_h1)


def _front_matter(lines: list[str]) -> int:
    """How many lines the settings at the top of a file take; 0 without any."""
    closing = _FENCES.get(lines[0].rstrip())
    if closing is None or len(lines) < 2 or not lines[1].strip():
        return 0
    ends = (number for number, line in enumerate(lines[1:], start=2) if line.rstrip() in closing)
    return next(ends, 0)


def _tokens(text: str) -> list[Token]:
    tokens: list[Token] = []
    parser = _parser()
    parser.block.parse(text, parser, {}, tokens)
    return tokens


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")
