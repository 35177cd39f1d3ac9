"""A turn's words and sentences, with the place of each in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engramma.people.grammar.sets import wordset

LONGEST = 20_000  # characters of a turn that are read: a pasted page is no talk
LONGEST_SENTENCE = 120  # words: beyond this it is a list or a log, and is read in pieces

# A number with its thousands (14,200), a word with what sticks to it (don't, bird-sound, C++, node.js, 4:15), a dash
# between words, a mark or a line's end.
_TOKEN = re.compile(
    r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,]*\d)"
    r"|[^\W_]+(?:['’](?=[a-zA-Z])[^\W_]+|[-_.:/&@](?=[a-z\d])[^\W_]+|-(?=[A-Z])[^\W_]+)*(?:\+\+|#)?"
    r"|['’](?:m|s|re|ve|d|ll|em)\b|#\d+|--+|\n|[^\w\s]"
)
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_SHORT = re.compile(r"(.+?)(n['’]t|['’](?:m|s|re|ve|d|ll))$", re.IGNORECASE)
_BARE = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
_UNAPOSTROPHED = {"im": ("i", "'m"), "ive": ("i", "'ve"), "dont": ("do", "n't"), "didnt": ("did", "n't")} | {
    "cant": ("can", "n't"),
    "doesnt": ("does", "n't"),
    "isnt": ("is", "n't"),
    "wasnt": ("was", "n't"),
    "wont": ("will", "n't"),
    "hasnt": ("has", "n't"),
    "havent": ("have", "n't"),
    "hadnt": ("had", "n't"),
    "couldnt": ("could", "n't"),
    "wouldnt": ("would", "n't"),
    "shouldnt": ("should", "n't"),
    "arent": ("are", "n't"),
    "werent": ("were", "n't"),
}
_ENDS = frozenset(".!?…\n;")
_TITLES = wordset("mr mrs ms dr st prof rev jr sr vs etc")
_PAIRS = {"“": "”", '"': '"', "«": "»", "„": "“"}


@dataclass(frozen=True, slots=True)
class TextWords:
    """The words of a text: as written, in lower case with short forms split, and where they stand."""

    text: str
    as_is: tuple[str, ...]
    low: tuple[str, ...]
    start: tuple[int, ...]
    end: tuple[int, ...]
    quoted: frozenset[int]  # words that stand in quotation marks

    def slice(self, first: int, last: int) -> str:
        """The text from the first of these words up to but without the last."""
        return self.text[self.start[first] : self.end[last - 1]] if last > first else ""


@dataclass(frozen=True, slots=True)
class WordRun:
    """A run of words, from the first up to but without the last, and the mark that ends it."""

    first: int
    last: int
    mark: str


def read_words(text: str) -> TextWords:
    """The words of the beginning of a text; what stands in code marks is left out."""
    text = text[:LONGEST]
    searched = _CODE.sub(lambda match: "\n" * len(match[0]), text) if "`" in text else text
    as_is: list[str] = []
    low: list[str] = []
    start: list[int] = []
    end: list[int] = []
    for match in _TOKEN.finditer(searched):
        word, at = match[0], match.start()
        for piece, plain in _pieces(word):
            as_is.append(text[at : at + len(piece)])
            low.append(plain)
            start.append(at)
            at += len(piece)
            end.append(at)
    return TextWords(text, tuple(as_is), tuple(low), tuple(start), tuple(end), _quoted(as_is))


def _pieces(word: str) -> Iterator[tuple[str, str]]:
    """A word, or the two that a short form holds (don't: do, n't), as written and in plain lower case."""
    lower = word.lower()
    if len(lower) != len(word):  # a few letters change their length: then nothing is split
        yield word, lower
    elif ("'" in word or "’" in word) and (match := _SHORT.match(word)):
        head = match[1].lower()
        yield match[1], _BARE.get(head, head)
        yield match[2], match[2].lower().replace("’", "'")
    elif lower in _UNAPOSTROPHED and len(lower) > 2 - (word in ("im", "Im")):
        head, tail = _UNAPOSTROPHED[lower]
        cut = min(len(head), len(word) - 1 - (lower == "wont"))
        yield word[:cut], head
        yield word[cut:], tail
    else:
        yield word, lower.replace("’", "'")


def _quoted(words: list[str]) -> frozenset[int]:
    if not any(mark in words for mark in _PAIRS):
        return frozenset()
    inside: set[int] = set()
    opened: int | None = None
    closing = ""
    for i, word in enumerate(words):
        if opened is None and word in _PAIRS:
            opened, closing = i, _PAIRS[word]
        elif opened is not None and word == closing:
            inside.update(range(opened + 1, i))
            opened = None
    return frozenset(inside)


def split_words(words: TextWords) -> Iterator[WordRun]:
    """The sentences of a text, without the marks that end them."""
    first, low = 0, words.low
    for i, word in enumerate(low):
        if word in _ENDS and not _is_short(words, i):
            if i > first:
                yield WordRun(first, i, word)
            first = i + 1
        elif i - first >= LONGEST_SENTENCE and word in (",", "and", "-", ":"):
            yield WordRun(first, i, ".")
            first = i + 1
    if first < len(low):
        yield WordRun(first, len(low), "")


def _is_short(words: TextWords, i: int) -> bool:
    """Whether a full stop belongs to a short form: Dr. Baker, J. A. Baker."""
    if words.low[i] != "." or i == 0 or words.end[i - 1] != words.start[i]:
        return False
    before = words.as_is[i - 1]
    return before.lower() in _TITLES or (len(before) == 1 and before.isupper() and before != "I")
