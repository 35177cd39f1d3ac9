"""Sentences of a text, as places in it: a line ends one, and so does a full stop that no abbreviation made.

This is the one place that knows where a sentence ends. What was fitted or trained with other ends names them:
`TURN_RULES` for answers, `PLAIN_END` for the reader's windows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ..patterns import late
from .graphemes import cut_place

Span = tuple[int, int]

_LINES = re.compile(r"[^\n]+")
# A stop with what may close a quotation or a bracket after it, then a blank; in unspaced scripts no blank is needed.
# Runs of stops are gone through once: a page may have thousands of them in a row.
_STOP = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]*_]*+\s+|[。！？]+[」』”）]*")
_ABBREVIATION = late(
    r"(?:\b(?:[A-Za-z]|dr|mr|mrs|ms|prof|st|vs|etc|approx|e\.g|i\.e|a\.m|p\.m|no|inc|jr|sr|fig|vol|dept)"
    r"|^\W*\d{1,3})\.\s+$",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_POINT = late(r"(?:\b(?:mr|mrs|ms|dr|st|vs|prof|jr|sr|e\.g|i\.e|[a-z])\.|\d\.)$", re.IGNORECASE)
# What is short before a number ("no. 9", "ca. 5", "Tel. 030") and may be a word elsewhere ("he said no. Then …").
_NUMBERED = late(
    r"\b(?:nos?|nr|núm|approx|aprox|ca|tel|тел|ext|figs?|vol|pp|art|ch|sec|apt|pág|pag|env|стр|кв"
    r"|jan|feb|apr|jun|jul|aug|sept?|oct|nov|dec)\.$",
    re.IGNORECASE,
)
_GOES_ON = late(r"\b(?:approx|aprox|incl|excl|inkl|tel|etc|usw|bzw|evtl|ca|esp|dept|vol)\.$", re.IGNORECASE)  # in small
_AMOUNT_SIGNS = "£$€¥#+"
NEAR = 12  # characters before a stop that tell whether it ends anything
BRACKET = 300  # characters in which a bracket is looked for
_UNSPACED = late("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff]")

# Every stop before a blank ends a sentence, abbreviations or not: cheap, and what the reader was trained with.
PLAIN_END = late(r"(?<=[.!?])\s+|\n+")
DENSE_END = late(r"(?<=[.!?])\s+|\n+|(?<=[。！？])(?![。！？」』”’）)])")  # where no blank follows a stop
WIDE_END = late(r"(?<=[.!?…。！？])\s+|\n+")  # with the stops of other scripts

LEAST_WORDS = 3  # of what is understood without what it answers: "ok", "yes, please" and "B" are not
LEAST_UNSPACED = 4  # characters, in scripts without spaces


@dataclass(frozen=True, slots=True)
class SentenceRules:
    """Where sentences end: at which stops, at which of them not, and whether a small letter may begin one."""

    stop: re.Pattern[str]
    no_end: re.Pattern[str]  # of an abbreviation, an initial, a number
    before_small: bool = False


TEXT_RULES = SentenceRules(_STOP, _ABBREVIATION)
# Of a turn that may answer a question: a stop ends a sentence also within a word ("example.com") and before a small
# letter. The verdict over answers was fitted with these (docs/log/answers.md).
TURN_RULES = SentenceRules(
    late(r"[.!?…]++(?:(?=[\s\"')\]*]|$)[\"')\]*]*)?|[。！？｡]+[」』”’）)]*"), _POINT, before_small=True
)


@lru_cache(maxsize=512)  # a budget tries many lengths of the same texts
def sentences(text: str, rules: SentenceRules = TEXT_RULES) -> tuple[Span, ...]:
    """Where each sentence begins and ends, without the blanks around it; together they are all of the text's words."""
    found, is_ascii = list[Span](), text.isascii()
    for line in _LINES.finditer(text):
        start = line.start()
        for stop in rules.stop.finditer(text, line.start(), line.end()):
            at = stop.end()
            is_small = not rules.before_small and text[at : at + 1].islower()
            if not is_ascii and cut_place(text, at) != at:
                continue  # an accent or half of a joined emoji follows: the stop is part of a character
            if is_small or rules.no_end.search(text[max(line.start(), at - NEAR) : at]):
                continue
            if _is_in_midst(text, (start, line.end()), at):
                continue
            found.append((start, at))
            start = at
        found.append((start, line.end()))
    return tuple(trimmed for span in found if (trimmed := _trimmed(text, span)) is not None)


def _is_in_midst(text: str, sentence: Span, at: int) -> bool:
    """Whether a sentence goes on after a stop: it made a word short, or a remark in brackets has ended or goes on."""
    first = text[at : min(at + NEAR, sentence[1])].lstrip()[:1]
    if not first.islower() and not first.isdecimal() and first not in _AMOUNT_SIGNS:
        return False
    before = text[max(sentence[0], at - NEAR) : at].rstrip()
    if not first.islower():
        return bool(first) and _NUMBERED.search(before) is not None
    return _GOES_ON.search(before) is not None or _is_bracketed(text, sentence, at)


def _is_bracketed(text: str, sentence: Span, at: int) -> bool:
    """Whether a stop stands in brackets that the same sentence opens and closes."""
    since, until = max(sentence[0], at - BRACKET), min(at + BRACKET, sentence[1])
    closed = text.rfind(")", since, at)
    if closed >= 0 and not text[closed + 1 : at].strip():  # "(£1,180 a week!!) and"
        since, at = max(sentence[0], closed - BRACKET), closed
        closed = text.rfind(")", since, at)
    opened = text.rfind("(", since, at)
    if opened <= closed or text[max(since, opened - 1) : opened] in (":", ";", "-", "="):  # or it is a face
        return False
    return text.find(")", at, until) >= 0


def _trimmed(text: str, span: Span) -> Span | None:
    inner = text[span[0] : span[1]]
    if not inner.strip():
        return None
    start = span[0] + len(inner) - len(inner.lstrip())
    return start if inner.isascii() else cut_place(text, start), span[0] + len(inner.rstrip())


def is_fragment(text: str) -> bool:
    """Whether a text is too short to be understood on its own: a nod, a letter, a number."""
    if len(text) > 200:
        return False
    words = _WORD.findall(text)
    least = LEAST_WORDS - any(word.isdecimal() for word in words)  # "port 8080" says something
    return len(words) < least and len(_UNSPACED.findall(text)) < LEAST_UNSPACED
