"""HTML: headings, paragraphs, lists, code, tables and quotes as text; navigation and scripts left out.

Tags may be missing, crossed or never closed: a closing tag closes what was opened inside it, and one
without an opening is ignored.
"""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser

from ...language.graphemes import first_characters
from ...records import BlockKind
from .outline import MAX_HEADING, Content, Outline

_DROPPED = frozenset(("script", "style", "nav", "noscript", "template", "svg"))
_CODE = frozenset(("script", "style"))
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_UNITS: dict[str, BlockKind] = {
    "ul": "list",
    "ol": "list",
    "dl": "list",
    "pre": "code",
    "table": "table",
    "blockquote": "quote",
}
_BLOCKS = {
    *("address", "article", "aside", "body", "caption", "dd", "details", "dialog", "div", "dt", "fieldset"),
    *("figcaption", "figure", "footer", "form", "header", "hr", "html", "legend", "li", "main", "menu", "option"),
    *("p", "section", "select", "summary", "tbody", "td", "tfoot", "th", "thead", "title", "tr"),
    *_UNITS,
    *_HEADINGS,
}
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
# Deeper items are shown no further to the right: the indent of a hostile page would outgrow its text.
_MOST_INDENT = 8


def read_html(text: str) -> Content:
    """The blocks of a page under its headings."""
    text = _closable(text)
    page = _Page(_DROPPED)
    page.take(text)
    kept = page.unclosed - _CODE
    notes = [f"<{tag}> is never closed; what follows it was left out" for tag in sorted(page.unclosed & _CODE)]
    if kept:
        # Never closed, it would take the rest of the page with it.
        page = _Page(_DROPPED - kept)
        page.take(text)
        notes += [f"<{tag}> is never closed; its text was kept" for tag in sorted(kept)]
    title = first_characters(" ".join("".join(page.title).split()), MAX_HEADING)
    return Content(page.outline.done(), title or page.outline.first_h1, tuple(notes))


def _closable(text: str) -> str:
    """The page with comments and tags that never end as text: the parser would look for each one's end to the last."""
    for begin, end in (("<!--", "-->"), ("<", ">")):
        last = text.rfind(end) + 1
        text = text[:last] + text[last:].replace(begin, begin.replace("<", "&lt;"))
    return text


class _Page(HTMLParser):
    """Listens to the tags of one page and fills an outline."""

    def __init__(self, dropped: frozenset[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.outline = Outline()
        self.title: list[str] = []
        self.unclosed: frozenset[str] = frozenset()  # tags whose text was left out to the end of the page
        self._dropped = dropped
        self._stack: list[str] = []
        self._open: Counter[str] = Counter()
        self._drops = 0
        self._unit: tuple[BlockKind, int] | None = None  # the kind of the block, and how deep its tag stands
        self._heading: int | None = None
        self._lists: list[int | None] = []  # the next number of each open list; None for bullets
        self._lines: list[str] = []
        self._line: list[str] = []
        self._mark = ""
        self._cell = False  # whether the row has a cell already

    def take(self, text: str) -> None:
        """Read a whole page."""
        self.feed(text)
        self.close()
        self.unclosed = frozenset(self._stack) & self._dropped
        if self._open["title"]:
            self._line, self.title = self.title, []
        if self._stack:
            self.handle_endtag(self._stack[0])
        self._flush()

    def parse_marked_section(self, i: int, report: int = 1) -> int:
        """Word's <![if ...]> is a comment, as browsers have it; the standard library would raise."""
        end = self.rawdata.find(">", i)
        return end + 1 if end >= 0 else -1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self._drops:
            self._begin(tag)
        if tag in _VOID:
            return
        self._stack.append(tag)
        self._open[tag] += 1
        self._drops += tag in self._dropped

    def handle_endtag(self, tag: str) -> None:
        if not self._open[tag]:
            return
        while True:
            last = self._stack.pop()
            self._open[last] -= 1
            self._drops -= last in self._dropped
            if not self._drops and last not in self._dropped:
                self._end(last)
            if last == tag:
                return

    def handle_data(self, data: str) -> None:
        if self._drops:
            return
        if self._open["title"]:
            self.title.append(data)
        else:
            self._line.append(data)

    def _begin(self, tag: str) -> None:
        if tag in _BLOCKS and self._open["title"]:
            self.handle_endtag("title")
        if tag in ("td", "th") and self._in("table"):
            self._line.append(" | " if self._cell else " ")
            self._cell = True
        elif self._in("table") and tag not in ("tr", "table", *_HEADINGS):
            self._line.append(" " if tag in _BLOCKS or tag == "br" else "")
        elif tag == "br":
            self._end_line()
        elif tag in _BLOCKS:
            self._begin_block(tag)

    def _begin_block(self, tag: str) -> None:
        if tag in _HEADINGS or (tag == "table" and self._in("table")):
            # A table or list with headings or tables in it only arranges the page: its parts are blocks.
            self._flush()
            self._unit = None
            self._heading = _HEADINGS.get(tag)
        elif self._unit is None:
            self._flush()
            if tag in _UNITS:
                self._unit = (_UNITS[tag], len(self._stack))
        else:
            self._end_line()
        if tag in ("ul", "ol"):
            self._lists.append(1 if tag == "ol" else None)
        elif tag == "li" and self._lists:
            number = self._lists[-1]
            self._mark = "- " if number is None else f"{number}. "
            self._lists[-1] = None if number is None else number + 1

    def _end(self, tag: str) -> None:
        if tag == "pre" and not self._in("table"):
            self._take_verbatim()
        if tag in ("ul", "ol") and self._lists:
            self._end_line()
            self._lists.pop()
        if self._unit is None:
            if tag in _BLOCKS:
                self._flush()
        elif len(self._stack) <= self._unit[1]:
            self._flush()
            self._unit = None
        elif tag in _BLOCKS and (tag == "tr" or not self._in("table")):
            self._end_line()

    def _in(self, kind: BlockKind) -> bool:
        return self._unit is not None and self._unit[0] == kind

    def _end_line(self) -> None:
        self._cell = False
        if self._open["pre"] and not self._in("table"):
            self._line.append("\n")
            return
        text = " ".join("".join(self._line).split())
        self._line = []
        if not text.strip(" |"):
            return
        if self._unit is not None and self._lists:
            text = "  " * min(len(self._lists) - 1, _MOST_INDENT) + (self._mark or "  ") + text
        self._mark = ""
        self._lines.append(text)

    def _take_verbatim(self) -> None:
        text = "".join(self._line).strip("\n")
        self._line = []
        if text.strip():
            self._lines.extend(text.split("\n"))

    def _flush(self) -> None:
        if self._open["pre"] and not self._in("table"):
            self._take_verbatim()
        self._end_line()
        text = "\n".join(self._lines)
        self._lines, self._mark = [], ""
        if self._heading is not None:
            self.outline.heading(self._heading, text, text)
            self._heading = None
        else:
            self.outline.add(text, self._unit[0] if self._unit else "paragraph")
