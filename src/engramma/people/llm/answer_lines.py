"""Reads a model's reply while it is written: sentences and the numbers of the turns that they cite.

A sentence is complete when its citation is, or its line. Small models cite in many ways, and all of these are read:
`… [1]`, `… [1][2].`, `… (turn 1, 2)`, `[1] …`, `- … 【1】`, and a turn's whole label.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...language.sentences import sentences

MOST_CITED = 12  # turns of one sentence; more is a list, not a source
LONGEST_SENTENCE = 1_200  # characters
_BRACKETS = re.compile(r"[\[【]([^\[\]【】\n]{1,200})[\]】]|\(([^()\n]{1,60})\)")
_NUMBERS = re.compile(
    r"(?:turns?|sources?|entry|entries|memory|no\.?|[#^]|\s)*\d{1,4}"
    r"(?:\s*(?:,|;|and|&|-|–|to|\s)\s*(?:turns?|[#^]|\s)*\d{1,4})*",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(\d+)\s*(?:-|–|to)\s*(\d+)")
_IN_LABEL = re.compile(r"\bturn (\d{1,4})\b", re.IGNORECASE)
_LEADING = re.compile(
    r"^(?:\s|>|#+\s|[-*•]\s|\d{1,2}[.)]\s|(?:final |short )?answer\s*:|sentence \d+\s*:)+", re.IGNORECASE
)
_MARKS = re.compile(r"\*\*|__|`+")
_AFTER = re.compile(r"[\s.,;!?]*")
_THINK = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.IGNORECASE | re.DOTALL)
_REFUSES = re.compile(
    r"^\W*(?:the answer is\s+)?(?:not known|unknown|i (?:do not|don['’]t) know|i(?: am|['’]m) (?:not sure|unable|sorry)"
    r"|i (?:cannot|can['’]t|could not|couldn['’]t)|(?:there is|there['’]s) (?:no|not enough|nothing)"
    r"|no (?:answer|information|relevant)|(?:the|these|this|none of the) (?:turns?|context|memory|conversations?|text"
    r"|provided \w+|given \w+|information) (?:\w+ )?(?:do(?:es)? not|don['’]t|doesn['’]t|is not|are not)"
    r"|it is (?:not|un)\s?(?:known|clear|stated|mentioned|specified)|not (?:mentioned|specified|stated|enough))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence of a reply and the numbers that it cites; none if it cites nothing."""

    text: str
    cited: tuple[int, ...]

    @property
    def refuses(self) -> bool:
        """Whether it says that there is no answer."""
        return bool(_REFUSES.match(self.text))


class ReplyParser:
    """Takes a reply piece by piece and gives back its sentences as they are completed."""

    def __init__(self, turns: int) -> None:
        self._turns, self._rest = turns, ""  # a number in round brackets cites only if there is such a turn

    def feed(self, piece: str) -> list[CitedSentence]:
        """The sentences that this piece completes."""
        self._rest += piece
        if "<think" in self._rest.lower() and "</think" not in self._rest.lower():
            return []  # a model that thinks aloud has not begun to answer
        *lines, last = _THINK.sub("", self._rest).split("\n")
        found = [one for line in lines for one in self._whole(line)]
        done, self._rest = self._completed(last)
        return found + done

    def end(self) -> list[CitedSentence]:
        """What is left when the reply has ended."""
        rest, self._rest = _THINK.sub("", self._rest), ""
        return self._whole(rest)

    def _whole(self, line: str) -> list[CitedSentence]:
        done, rest = self._completed(line)
        return done + self._line(rest)

    def _completed(self, line: str) -> tuple[list[CitedSentence], str]:
        """The sentences of a line that may go on, one after the other, up to a citation that no words follow yet."""
        found = list[CitedSentence]()
        while cut := self._cut(line):
            found, line = found + self._line(line[:cut]), line[cut:]
        return found, line

    def _cut(self, line: str) -> int:
        """Where the first sentence of a line ends, with its citation; 0 if that cannot be told yet."""
        for start, end in self._groups(line):
            if not _LEADING.sub("", line[:start]).strip():
                return 0  # its numbers stand first: what they belong to ends with the line
            after = _AFTER.match(line, end)
            assert after is not None
            if after.end() < len(line) and line[after.end()] not in "[【(":
                return after.end()
        return 0

    def _line(self, line: str) -> list[CitedSentence]:
        text = _MARKS.sub("", _LEADING.sub("", line)).strip()
        if not text:
            return []
        groups = self._groups(text)
        if groups and groups[0][0] == 0 and _AFTER.sub("", text[groups[-1][1] :], count=1):
            ends = [start for start, _ in groups[1:]] + [len(text)]
            parts = [(text[end:stop], (start, end)) for (start, end), stop in zip(groups, ends, strict=True)]
        else:
            starts = [0] + [end for _, end in groups]
            parts = [(text[begin : group[0]], group) for begin, group in zip(starts, groups, strict=False)]
            parts.append((text[starts[-1] :], (0, 0)))
        found = list[CitedSentence]()
        for words, group in parts:
            found += _sentences(words, self._numbers(text[slice(*group)]))
        return found

    def _groups(self, text: str) -> list[tuple[int, int]]:
        """Where citations stand; those that follow each other are one."""
        found = list[tuple[int, int]]()
        for match in _BRACKETS.finditer(text):
            if not self._numbers(match[0]):
                continue
            if found and not text[found[-1][1] : match.start()].strip(" ,;"):
                found[-1] = (found[-1][0], match.end())
            else:
                found.append(match.span())
        return found

    def _numbers(self, text: str) -> tuple[int, ...]:
        """The numbers in some brackets, each once."""
        found = dict[int, None]()
        for match in _BRACKETS.finditer(text):
            inside = (match[1] or match[2]).strip()
            if not _NUMBERS.fullmatch(inside):
                found |= dict.fromkeys(map(int, _IN_LABEL.findall(inside)))
                continue
            numbers = list(map(int, re.findall(r"\d+", inside)))
            for first, last in ((int(a), int(b)) for a, b in _RANGE.findall(inside)):
                numbers += range(first, min(last, first + MOST_CITED))
            if match[2] is None or max(numbers) <= self._turns:
                found |= dict.fromkeys(numbers)
        return tuple(found)[:MOST_CITED]


def _sentences(words: str, cited: tuple[int, ...]) -> list[CitedSentence]:
    """The sentences of some words that share their citation; a heading ("Based on the turns:") is none."""
    text = _AFTER.sub("", words, count=1).strip()[:LONGEST_SENTENCE]
    is_cited = bool(cited) and any(c.isalnum() for c in text)  # a bare date is an answer
    if not is_cited and (text.endswith(":") or not any(c.isalpha() for c in text)):
        return []
    whole = " ".join(_paired(text).split())
    return [CitedSentence(_ended(whole[start:end]), cited) for start, end in sentences(whole)]


def _paired(text: str) -> str:
    """A text whose halves of characters, as some servers send them one by one, are characters again."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _ended(text: str) -> str:
    """A sentence with a full stop where its citation stood before it."""
    bare = text.strip().rstrip(",;").rstrip()
    return bare if bare.endswith((".", "!", "?", "…", '"', "”", "»", "。", "！", "？")) else f"{bare}."
