"""Which lines of a Markdown file open the turns of a chat, and whether it is one at all.

A heading or a bold name is believed when the file as a whole speaks for it. One form is looked for: the
level of heading, or bold, with the most names of roles in it. In that form someone must ask and
someone must answer, in turns; and where each does so only once, no other heading of that level may
stand between or behind, as in a document that explains what users and assistants are. A name
that is no role ("### Ann (2024-05-01 10:00)") is believed with a time, if it comes back; without one
where people take turns and speak to each other (markdown_names.py).
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ..records import Role
from .markdown_days import clock_time
from .markdown_names import NamedPiece, reads_like_name, speaking_names
from .transcript_lines import session_break

_MAX_ROW = 200  # no opener is longer, but for the text behind a bold name

_TIME = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?: ?Z\b| ?[+-][0-9]{2}:?[0-9]{2})?)?"
)
# A time of day, or of a recording: "10:32", "9:05:10 pm".
_CLOCK = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:\s?[AaPp]\.?[Mm]\.?)?"
_HEADING = re.compile(r"(?P<level>#{1,6})[ \t]+(?P<words>.+?)[ \t#]*")
_BOLD = re.compile(r"(?P<lead>[^\w\s*]{0,4}[ \t]?)_?(?:\*\*|__)(?P<words>[^*_]{1,80}?)(?:\*\*|__)_?(?P<rest>.*)")
# What decorates a name: emoji before it, a colon behind it, a time or a model in brackets or after a dash.
_PLAIN = r"\W*(?P<name>\w[^()\[\]:]{0,60}?)"
_END = r"\s*(?P<colon>:?)\s*"
_BEFORE_TIME = r"(?:\s*[(\[]\s*|,?\s+(?:[—–·|@-]\s+)?)"
_TIMED = re.compile(rf"{_PLAIN}{_BEFORE_TIME}(?:(?P<time>{_TIME})|(?P<clock>{_CLOCK}))[)\]]?{_END}")
# The time behind a bold name: "**Ann** (10:32)", "**Ann** · *10:32*: text".
_BOLD_TIME = re.compile(rf"[(\[*_—–·|@ \t-]*(?P<time>{_TIME}|{_CLOCK})[)\]*_]*[ \t]*(?::(?P<text>.*))?")
_NAMED = re.compile(rf"{_PLAIN}(?:\s*[(\[][^()\[\]]{{1,60}}[)\]])?{_END}")

_ASKS = {"user", "human", "you", "me"}
_ANSWERS = {"assistant", "ai", "ai assistant", "bot", "chatbot", "model", "copilot", "github copilot", "chatgpt", "gpt"}
_PRODUCTS = re.compile(
    r"(?:chatgpt|gpt|claude|gemini|grok|llama|mistral|deepseek|qwen|copilot|perplexity|o[134])"
    r"(?:[ -](?:[0-9][\w.]*|mini|nano|pro|plus|max|turbo|flash|opus|sonnet|haiku|instant|preview|chat|code|r1|"
    r"v[0-9]))*",
    re.IGNORECASE,
)
# Words that are as common above sections of a document: only with the colon of ChatGPT Exporter.
_WITH_COLON: dict[str, Role] = {"prompt": "user", "question": "user", "response": "assistant", "answer": "assistant"}


@dataclass(frozen=True, slots=True)
class MarkdownOpener:
    """A line that opens a turn: who speaks, as which role, when, and the text behind the name.

    `clock` is a time of day, of a line that states no date.
    """

    name: str
    role: Role | None
    time: str | None
    text: str = ""
    quoted: bool = False
    clock: str | None = None


@dataclass(frozen=True, slots=True)
class _Mark:
    """A line that may be an opener: its row and its form, 1 to 6 for headings, 0 for bold."""

    row: int
    form: int
    opener: MarkdownOpener


def openers(rows: Sequence[str], is_chat: bool = False) -> dict[int, MarkdownOpener]:
    """The openers by the index of their row; empty where the text is no chat.

    Where the caller knows that it `is_chat`, the names of roles alone are enough.
    """
    fenced = _fenced(rows)
    marks = [mark for n, row in enumerate(rows) if n not in fenced and (mark := _mark(n, row))]
    of_form = {form: [mark for mark in marks if mark.form == form] for form in _forms(marks)}
    found = (_believed(own, _headings(rows, fenced, form)) for form, own in of_form.items())
    named = (_named(own, rows, _headings(rows, fenced, form, higher=1), is_chat) for form, own in of_form.items())
    roles = ([mark for mark in own if mark.opener.role] for own in of_form.values() if is_chat)
    believed = next((own for own in (*found, *named, *roles) if own), [])
    return {mark.row: mark.opener for mark in believed}


def _forms(marks: Sequence[_Mark]) -> list[int]:
    """The forms that occur, those with the most names of roles first."""
    roles = Counter({mark.form: 0 for mark in marks})
    roles.update(mark.form for mark in marks if mark.opener.role in ("user", "assistant"))
    return sorted(roles, key=lambda form: (-roles[form], form))


def _believed(marks: Sequence[_Mark], headings: Sequence[int]) -> list[_Mark]:
    """The marks of one form that open turns; none where they do not make a chat."""
    known = [mark for mark in marks if mark.opener.role]
    spoken = [mark.opener.role for mark in known if mark.opener.role in ("user", "assistant")]
    changes = sum(one != other for one, other in pairwise(spoken))
    if changes >= 2:
        return _with_named(marks, known)
    if changes == 1 and spoken[0] == "user" and len(known) <= 3:
        own = {mark.row for mark in known}
        return [] if any(row > known[0].row and row not in own for row in headings) else known
    timed = [mark for mark in marks if mark.opener.time]
    names = Counter(mark.opener.name for mark in timed)
    if len(names) > 1 and len(timed) > 2 and len(names) <= len(timed) / 2 + 1:
        return timed
    return []


def _with_named(marks: Sequence[_Mark], known: list[_Mark]) -> list[_Mark]:
    """The known speakers and those of other names that state a time as they do: a third in the chat."""
    if any(mark.opener.time for mark in known):
        return [mark for mark in marks if mark.opener.role or mark.opener.time]
    if any(mark.opener.clock for mark in known):
        return [mark for mark in marks if mark.opener.role or mark.opener.clock]
    return known


def _named(marks: Sequence[_Mark], rows: Sequence[str], headings: Sequence[int], is_chat: bool) -> list[_Mark]:
    """The marks of one form that are names of people who talk with each other, or with an assistant."""
    inline = sum(bool(mark.opener.text and not mark.opener.clock) for mark in marks)
    if inline * 2 > len(marks):  # "**Ann:** text" is a transcript's
        return []
    is_timed = _goes_on([mark.opener.clock for mark in marks])
    # Days part the pages of a diary, but not what people say at times of day.
    parting = [row for row in headings if not (is_timed and session_break(rows[row]))]
    ends = [*(mark.row for mark in marks[1:]), len(rows)]
    pieces = [
        NamedPiece(
            bisect(parting, mark.row),
            mark.opener.name,
            mark.opener.role == "assistant",
            "\n".join([mark.opener.text, *rows[mark.row + 1 : end]]),
        )
        for mark, end in zip(marks, ends, strict=True)
    ]
    names = speaking_names(pieces, is_chat or is_timed)
    talk = [mark for mark in marks if mark.opener.name in names]
    others = {mark.opener.name for mark in talk if not mark.opener.role}
    if len(others) == 1 and len(names) == 2:  # whoever talks with an assistant is its user
        return [replace(mark, opener=replace(mark.opener, role=mark.opener.role or "user")) for mark in talk]
    return talk


def _goes_on(clocks: Sequence[str | None]) -> bool:
    """Whether most names state a time of day, and these go on as in a talk; how long an exercise takes does not."""
    shown = [clock_time(clock) for clock in clocks if clock]
    hours = [one.hour + one.minute / 60 + one.second / 3600 for one in shown if one]
    back = sum(0 < one - other < 12 for one, other in pairwise(hours))  # past midnight it goes on
    return len(hours) * 2 > len(clocks) and len(set(hours)) > 1 and back * 10 <= len(hours)


def _mark(n: int, row: str) -> _Mark | None:
    bare = re.sub(r"^\s{0,3}>\s?", "", row)
    quoted = bare != row
    if len(bare) <= _MAX_ROW and (heading := _HEADING.fullmatch(bare)):
        words = heading["words"].strip("*_ ")
        opener = _opener(words, "", quoted, colon=False)
        return _Mark(n, len(heading["level"]), opener) if opener else None
    if bold := _BOLD.fullmatch(bare):
        words, rest = bold["words"], bold["rest"]
        if timed := _BOLD_TIME.fullmatch(rest):
            words, rest = f"{words.rstrip(' :')} {timed['time']}", ":" + (timed["text"] or "")
        colon = rest.startswith(":")
        text = rest.removeprefix(":").strip(" \t")
        # "**User** asked for it" is a sentence, not an opener.
        if text and not colon and not words.rstrip().endswith(":"):
            return None
        opener = _opener(words, text, quoted, colon)
        return _Mark(n, 0, opener) if opener else None
    return None


def _opener(words: str, text: str, quoted: bool, colon: bool) -> MarkdownOpener | None:
    words = " ".join(words.split())  # many blanks in a row would be tried in many ways
    timed = _TIMED.fullmatch(words)
    found = timed or _NAMED.fullmatch(words)
    if not found:
        return None
    name = found["name"].strip()
    role = _role(name, colon or bool(found["colon"]))
    date, clock = (timed["time"], timed["clock"]) if timed else (None, None)
    if not (role or date or clock or reads_like_name(name)):
        return None
    return MarkdownOpener(name, role, date, text, quoted, clock)


def _role(name: str, colon: bool) -> Role | None:
    plain = name.lower()
    if plain in _ASKS:
        return "user"
    if plain in _ANSWERS or _PRODUCTS.fullmatch(plain):
        return "assistant"
    if plain in ("system", "system prompt"):
        return "system"
    if plain in ("tool", "tool result"):
        return "tool"
    return _WITH_COLON.get(plain) if colon else None


def _headings(rows: Sequence[str], fenced: set[int], form: int, higher: int = 0) -> list[int]:
    """The rows of headings as high as the form's, or so many levels higher; of any where the form is bold."""
    plain = [n for n, row in enumerate(rows) if n not in fenced and len(row) <= _MAX_ROW]
    found = [(n, heading) for n in plain if (heading := _HEADING.fullmatch(rows[n]))]
    return [n for n, heading in found if form == 0 or len(heading["level"]) <= form - higher]


def _fenced(rows: Sequence[str]) -> set[int]:
    """The rows inside code fences; a fence that never closes is none."""
    inside: set[int] = set()
    for first, last in _fences(rows):
        inside.update(range(first, last + 1))
    return inside


def _fences(rows: Sequence[str]) -> Iterator[tuple[int, int]]:
    opened: tuple[int, str] | None = None
    for n, row in enumerate(rows):
        mark = re.match(r"\s*(?:>\s?)?(`{3,}|~{3,})", row)
        if not mark:
            continue
        if opened is None:
            opened = (n, mark[1])
        # A fence is closed by one as long, of the same kind, with nothing behind it.
        elif mark[1].startswith(opened[1]) and not row[mark.end() :].strip():
            yield opened[0], n
            opened = None
