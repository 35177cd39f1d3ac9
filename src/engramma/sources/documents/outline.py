"""Blocks under their headings, collected in the order of the document."""

from __future__ import annotations

from typing import NamedTuple

from ...records import Block, BlockKind

# A longer heading is a paragraph that was marked up as one; as a heading it would stand above every block.
MAX_HEADING = 200


class Content(NamedTuple):
    """What a reader makes of a file's text."""

    blocks: tuple[Block, ...]
    title: str | None = None
    notes: tuple[str, ...] = ()


class _Open:
    """A heading whose section has not ended."""

    def __init__(self, level: int, text: str, source: str) -> None:
        self.level, self.text, self.source, self.filled = level, text, source, False


class Outline:
    """Collects blocks; a heading with nothing below it becomes a block, so that nothing written is lost."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.first_h1: str | None = None
        self._open: list[_Open] = []

    def heading(self, level: int, text: str, source: str) -> None:
        """Begin a section; `source` is the heading as it is written."""
        words = " ".join(text.split())
        if len(words) > MAX_HEADING:
            self.add(source)
            return
        self._close(level)
        if not words:
            return
        if level == 1 and self.first_h1 is None:
            self.first_h1 = words
        self._open.append(_Open(level, words, source))

    def add(self, text: str, kind: BlockKind = "paragraph") -> None:
        """A block under the headings that are open; blank lines around it are not part of it."""
        text = blanks_trimmed(text)
        if not text:
            return
        if self._open:
            self._open[-1].filled = True
        self.blocks.append(Block(text, tuple(one.text for one in self._open), kind))

    def done(self) -> tuple[Block, ...]:
        """All blocks, after the last line."""
        self._close(0)
        return tuple(self.blocks)

    def _close(self, level: int) -> None:
        while self._open and self._open[-1].level >= level:
            ended = self._open.pop()
            if not ended.filled:
                self.add(ended.source)
            elif self._open:
                self._open[-1].filled = True


def blanks_trimmed(text: str) -> str:
    """The text without blank lines before it and blank space after it; its first line keeps its indent."""
    text = text.rstrip()
    return text[text.rfind("\n", 0, len(text) - len(text.lstrip())) + 1 :]
