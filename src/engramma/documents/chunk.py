"""A document to chunks: what is stored, embedded and found as one.

Blocks under the same headings are joined while they fit. A list, a code block or a table is cut only
when it alone is too large, and then where it is loosest: between items, definitions, rows or sentences.
Nothing is repeated and nothing is reworded; only blank space at a cut is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from ..records import Block, BlockKind, Chunk, Document
from ..sources.documents.outline import blanks_trimmed

# What encoders take in whole: 512 tokens, of about four characters each in English.
TARGET_TOKENS = 512
TARGET_CHARACTERS = 4 * TARGET_TOKENS
# A shorter chunk (a page number, a stray mark) says nothing by itself; words under a heading do: a diary's day.
LEAST_CHARACTERS = 20
_WORDS = re.compile(r"[^\W\d_]{2,}\W+[^\W\d_]{2,}|[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{3}")

BETWEEN = "\n\n"

_ITEM = re.compile(r"[^\S\n]*(?:[-*+•]|\d{1,9}[.)])\s")
# A line that closes what stands above it.
_CLOSES = re.compile(r"\s*(?:[})\]]|```|~~~|end\b|fi\b|done\b|esac\b|else\b|elif\b|except\b|finally\b|catch\b)")
# A line that belongs to the one below it: a decorator, a comment.
_LEADS = re.compile(r"\s*(?:@|#|//|/\*|\*|--|\[)")
_SENTENCE = re.compile(r"[.!?…]['\"”’)\]]*\s+|[。！？]['\"”’」』）]*\s*")
_ENDS_SENTENCE = re.compile(r"[.!?…:。！？]['\"”’)\]」』）]*\s*\Z")


@dataclass(slots=True)
class _Draft:
    """A chunk in the making: whole blocks, or one part of a block that had to be cut."""

    headings: tuple[str, ...]
    texts: list[str]
    part: bool = False

    @property
    def length(self) -> int:
        return sum(map(len, self.texts)) + len(BETWEEN) * (len(self.texts) - 1)

    @property
    def is_noise(self) -> bool:
        text = BETWEEN.join(self.texts).strip()
        if self.part or len(text) >= LEAST_CHARACTERS:
            return False
        return not (self.headings and _WORDS.search(text))


def cut_document(document: Document) -> tuple[Chunk, ...]:
    """The chunks of a document in order: every block but noise, each in one chunk or cut into several."""
    drafts: list[_Draft] = []
    for block in document.blocks:
        texts = [text for text in map(blanks_trimmed, _parts(block)) if text]
        for number, text in enumerate(texts):
            last = drafts[-1] if drafts and number == 0 else None
            if last and last.headings == block.headings and last.length + len(BETWEEN) + len(text) <= TARGET_CHARACTERS:
                last.texts.append(text)
                last.part = last.part or len(texts) > 1
            else:
                drafts.append(_Draft(block.headings, [text], part=len(texts) > 1))
    _widen(drafts)
    kept = [draft for draft in drafts if not draft.is_noise]
    return tuple(Chunk(BETWEEN.join(one.texts), one.headings, number) for number, one in enumerate(kept))


def _widen(drafts: list[_Draft]) -> None:
    """Give a chunk that is too short the block before it, where the chunk before can spare one."""
    for before, short in pairwise(drafts):
        if not short.is_noise or before.headings != short.headings or len(before.texts) == 1:
            continue
        moved = len(before.texts[-1]) + len(BETWEEN)
        if before.length - moved >= LEAST_CHARACTERS and short.length + moved <= TARGET_CHARACTERS:
            short.texts.insert(0, before.texts.pop())


def _parts(block: Block) -> list[str]:
    """The block whole if it fits, else cut; the parts put together are the block."""
    if _fits(block.text):
        return [block.text]
    return _evened(list(_cut(block.text, _CUTTERS[block.kind])))


def _cut(text: str, cutters: tuple[_Cutter, ...]) -> Iterator[str]:
    """Pieces that fit: as much as possible between the loosest cuts, and closer ones where those leave too much."""
    part = ""
    for piece in cutters[0](text):
        if _fits(part + piece):
            part += piece
            continue
        if part:
            yield part
        part = piece
        if not _fits(piece):
            *full, part = _cut(piece, cutters[1:])
            yield from full
    if part:
        yield part


def _evened(parts: list[str]) -> list[str]:
    """The parts, where one would be too short cut again in the middle of it and the part before it."""
    even: list[str] = []
    for part in parts:
        short = even and min(len(part.strip()), len(even[-1].strip())) < LEAST_CHARACTERS
        both = even[-1] + part if short else ""
        if not short:
            even.append(part)
        elif _fits(both):
            even[-1] = both
        elif len(both) < 2 * TARGET_CHARACTERS:
            even[-1:] = _halves(both)
        else:  # far apart, with nothing but blank space between
            even.append(part)
    return even


def _halves(text: str) -> tuple[str, str]:
    """A text of up to twice the target, cut near its middle: at a line, else a sentence, else a space."""
    least, most = max(len(text) // 4, len(text) - TARGET_CHARACTERS), min(len(text) * 3 // 4, TARGET_CHARACTERS)
    for pattern in (r"\n", _SENTENCE.pattern, r"\s"):
        ends = [found.end() for found in re.finditer(pattern, text) if least <= found.end() <= most]
        if ends:
            middle = min(ends, key=lambda end: abs(2 * end - len(text)))
            return text[:middle], text[middle:]
    return text[: len(text) // 2], text[len(text) // 2 :]


# --- lines ----------------------------------------------------------------------------------------


def _lines(text: str) -> list[str]:
    """The lines with their ends; blank lines belong to the line before them."""
    lines: list[list[str]] = []
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        if line.strip() or not lines:
            lines.append([line])
        else:
            lines[-1].append(line)
    return ["".join(line) for line in lines]


def _before(lines: list[str], cut: Callable[[list[str], int], bool]) -> list[str]:
    """The lines in groups, each begun by a line before which to cut."""
    groups = [[line] for line in lines[:1]]
    for at in range(1, len(lines)):
        if cut(lines, at):
            groups.append([])
        groups[-1].append(lines[at])
    return ["".join(group) for group in groups]


def _begins(lines: list[str], at: int, indent: int) -> bool:
    return _indent(lines[at]) == indent and not _CLOSES.match(lines[at])


def _outermost(lines: list[str]) -> int:
    return min((_indent(line) for line in lines[1:] if not _CLOSES.match(line)), default=0)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _ends_blank(line: str) -> bool:
    return line.count("\n", len(line.rstrip())) > 1


def _fits(text: str) -> bool:
    return len(text) <= TARGET_CHARACTERS or len(blanks_trimmed(text)) <= TARGET_CHARACTERS


# --- where a text may be cut ----------------------------------------------------------------------


_Cutter = Callable[[str], list[str]]


def _at_blank_lines(text: str) -> list[str]:
    return _before(_lines(text), lambda lines, at: _ends_blank(lines[at - 1]))


def _at_items(text: str) -> list[str]:
    lines = _lines(text)
    least = min((_indent(line) for line in lines[1:] if _ITEM.match(line)), default=0)
    return _before(lines, lambda lines, at: bool(_ITEM.match(lines[at])) and _indent(lines[at]) == least)


def _at_spaced_definitions(text: str) -> list[str]:
    """Before the outermost lines below the first that follow a blank line."""
    lines = _lines(text)
    least = _outermost(lines)
    return _before(lines, lambda lines, at: _begins(lines, at, least) and _ends_blank(lines[at - 1]))


def _at_definitions(text: str) -> list[str]:
    """Before the outermost lines below the first."""
    lines = _lines(text)
    least = _outermost(lines)
    return _before(lines, lambda lines, at: _begins(lines, at, least) and not _LEADS.match(lines[at - 1]))


def _at_full_lines(text: str) -> list[str]:
    """After lines that end a sentence."""
    return _before(_lines(text), lambda lines, at: bool(_ENDS_SENTENCE.search(lines[at - 1][-LEAST_CHARACTERS:])))


def _at_sentences(text: str) -> list[str]:
    ends = [found.end() for found in _SENTENCE.finditer(text)]
    return [text[begin:end] for begin, end in zip([0, *ends], [*ends, len(text)], strict=True) if begin < end]


def _at_spaces(text: str) -> list[str]:
    """Pieces of at most the target; the last two alike, so that no crumb is left."""
    pieces = []
    begin = 0
    while (rest := len(text) - begin) > TARGET_CHARACTERS:
        most = begin + (TARGET_CHARACTERS if rest >= 2 * TARGET_CHARACTERS else (rest + 1) // 2)
        spaces = (text.rfind(space, begin + TARGET_CHARACTERS // 4, most) + 1 for space in " \t\n")
        end = max(spaces) or most
        pieces.append(text[begin:end])
        begin = end
    return [*pieces, text[begin:]]


_PROSE: tuple[_Cutter, ...] = (_at_blank_lines, _at_full_lines, _lines, _at_sentences, _at_spaces)
_CODE: tuple[_Cutter, ...] = (
    *(_at_spaced_definitions, _at_definitions) * 3,  # of the file, of its classes, of theirs
    *(_at_blank_lines, _lines, _at_spaces),
)
_CUTTERS: dict[BlockKind, tuple[_Cutter, ...]] = {
    "paragraph": _PROSE,
    "quote": _PROSE,
    "list": (_at_items, _at_items, *_PROSE),
    "table": _PROSE[2:],
    "code": _CODE,
}
