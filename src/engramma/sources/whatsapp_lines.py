"""The lines of a WhatsApp export: stamps in the forms of Android and iOS, and what WhatsApp itself wrote.

    12/31/23, 9:41 PM - Ann: Hello            Android
    [31.12.23, 21:41:05] Ann: Hello           iOS
Phones write dates as their region does, with narrow spaces and invisible marks of direction, and
digits of their own script.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Literal

Order = Literal["day", "month", "year"]

# Left-to-right and right-to-left marks, embeddings and isolates, and the byte order mark.
MARKS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c\ufeff"
# WhatsApp puts this mark before words of its own.
OWN = "\u200e"

_SPACE = r"[ \u00a0\u202f\u2009]"
_HALF = r"[ap]\.?[ \u00a0\u202f\u2009]?m\.?|ص|م|上午|下午|오전|오후"
_STAMP = (
    r"(?P<a>\d{1,4})(?P<sep>[./-])\ ?(?P<b>\d{1,2})(?P=sep)\ ?(?P<c>\d{1,4})\.?"
    rf"(?P<comma>[,،]?){_SPACE}+(?:(?:à|às|at|klo|kl\.?|um){_SPACE}+)?"
    rf"(?:(?P<early>上午|下午|오전|오후){_SPACE}?)?"
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<second>\d{2}))?"
    rf"(?:{_SPACE}?(?P<late>{_HALF}))?"
)
_BOXED = re.compile(rf"\[{_STAMP}\]{_SPACE}?(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_DASHED = re.compile(rf"{_STAMP}{_SPACE}[-–]{_SPACE}(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_NAMED = re.compile(r"(?P<name>[^:\n]{1,100}?):(?:[ \u00a0](?P<text>.*)|$)", re.DOTALL)
_AFTERNOON = re.compile(r"p|م|下午|오후", re.IGNORECASE)

# In English these tell notices that name someone from messages; in other languages a notice is told
# by having no name before a colon (Android), or by the mark (iOS).
_NOTICE = re.compile(
    r"end-to-end encrypted|changed (?:the (?:subject|group)|this group|their phone number|to \+|the settings)|"
    r"created (?:this )?group|security code|joined using (?:this|a)|(?:turned|set) (?:on|off) disappearing|"
    r"disappearing messages|pinned a message|deleted this group|waiting for this message|"
    r"^missed (?:voice|video|group)|missed (?:voice|video) call|^(?:voice|video) call|is a contact$|"
    r"(?:^you|^.{1,60}) (?:added|removed|left|were added|was added)\b[^.!?]*$|"
    r"^(?:this message was deleted|you deleted this message)",
    re.IGNORECASE,
)
_DELETED = re.compile(
    r"(?:this message was deleted|you deleted this message|diese nachricht wurde gelöscht|du hast diese nachricht "
    r"gelöscht|se eliminó este mensaje|eliminaste este mensaje|ce message a été supprimé|vous avez supprimé ce message|"
    r"mensagem apagada|você apagou esta mensagem|questo messaggio è stato eliminato|hai eliminato questo messaggio)\.?",
    re.IGNORECASE,
)
_OMITTED = re.compile(
    r"(?:^|.* )(?:omitted|weggelassen|ausgeschlossen|omitid[oa]s?|absente?s?|omis(?:e?s?)|omess[oaei]|ocultad[oa]s?|"
    r"ocult[oa]|weggelaten|dahil edilmedi|utelämna\w*|udeladt|utelatt|pominięt[oeay]|vynechán[oay]?)",
    re.IGNORECASE,
)
_WORDS_OMITTED = 4  # at most: "Arquivo de mídia oculto"
# What WhatsApp writes is short; the limit keeps a huge message from being searched at every position.
_MAX_OWN = 300
_ATTACHED_IOS = re.compile(r"[\u200e ]?<[^<>:]{1,40}:[ \u00a0]*(?P<file>[^<>/\\]{1,200}\.\w{1,6})>$")
_ATTACHED_ANDROID = re.compile(r"(?P<file>[^<>/\\]{1,200}\.\w{1,6}) \([^()]{3,40}\)")
_FILE_NAME = re.compile(r"\.\w{1,6}\b")
_BRACKETED = re.compile(r"<[^<>:\n]{3,60}>")
# With the mark in any language, without it in those that are known.
_EDITED = re.compile(
    r"[ \u00a0]?(?:\u200e ?<[^<>:\n]{5,60}>|<(?:this message was edited|diese nachricht wurde bearbeitet|"
    r"(?:se editó este mensaje|este mensaje fue editado)|ce message a été modifié|"
    r"questo messaggio è stato modificato|(?:esta )?mensagem (?:foi )?editada)\.?>)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Stamped:
    """A line that opens a message: its date as it is written, its time, and what follows them."""

    date: tuple[int, int, int]
    separator: str
    comma: bool
    clock: tuple[int, int, int]
    halved: bool  # a clock of twelve hours
    padded: bool  # day and month have two digits each
    rest: str


def stamped(row: str, boxed: bool) -> Stamped | None:
    """The stamp of a row in the one form or the other, None where it has none."""
    # Digits stand within the first characters of a stamp: most rows are told by that alone.
    if not any(char.isdigit() for char in row[:8]):
        return None
    lead = row.lstrip(MARKS)
    # Marks stand between the parts of a stamp in right-to-left exports; behind it they are the text's.
    head, tail = lead[:48], lead[48:]
    found = (_BOXED if boxed else _DASHED).fullmatch(_bare_head(head) + tail)
    if not found:
        return None
    halves = found["early"] or found["late"]
    hour = int(found["hour"])
    if halves and hour <= 12:
        hour = hour % 12 + (12 if _AFTERNOON.match(halves) else 0)
    return Stamped(
        (int(found["a"]), int(found["b"]), int(found["c"])),
        found["sep"],
        bool(found["comma"]),
        (hour, int(found["minute"]), int(found["second"] or 0)),
        bool(halves),
        len(found["a"]) == 2 and len(found["b"]) == 2,
        found["rest"],
    )


def _bare_head(head: str) -> str:
    """The beginning of a line without marks before the end of its stamp."""
    found = re.search(r"\]" if head.startswith("[") else f"{_SPACE}[-–]{_SPACE}", head)
    end = found.start() if found else 0
    return "".join(char for char in head[:end] if char not in MARKS) + head[end:]


def name_and_text(rest: str) -> tuple[str, str] | None:
    """Who speaks and what, None for a notice that names nobody."""
    found = _NAMED.fullmatch(rest)
    if not found or _NOTICE.search(found["name"]):
        return None
    name = found["name"].strip(MARKS + " \u00a0\u202f~")
    return (name, found["text"] or "") if name else None


def is_notice(text: str) -> bool:
    """Whether the words of a message are WhatsApp's own: a notice, or what is left of a deleted message."""
    words = text.strip(MARKS + " ")
    if len(words) > _MAX_OWN:
        return False
    return bool(_DELETED.fullmatch(words)) or (text.startswith(OWN) and bool(_NOTICE.search(words)))


def is_omitted_media(text: str) -> bool:
    """Whether a message says only that something was sent, and not even its file's name: "<Media omitted>".

    A caption stands before the mark: "Our new kitchen (mark) image omitted".
    """
    words = text.strip(MARKS + " \n")
    if len(words) > _MAX_OWN or OWN in words or "\n" in words or _FILE_NAME.search(words):
        return False
    inner = words[1:-1] if _BRACKETED.fullmatch(words) else words if text.lstrip().startswith(OWN) else ""
    return inner.count(" ") < _WORDS_OMITTED and bool(_OMITTED.fullmatch(inner))


def read_message(text: str) -> tuple[str, bool]:
    """The words of a message with a placeholder for what was attached, and whether it was edited."""
    mark = _EDITED.search(text[-_MAX_OWN:])
    rest = text[: len(text) - len(mark[0])] if mark else ""
    edited = bool(rest.strip(MARKS + " "))
    text = rest if edited else text
    words = text.strip(MARKS + " \n")
    if found := _ATTACHED_IOS.search(words[-_MAX_OWN:]):
        return _attached(found["file"], words[: len(words) - len(found[0])]), edited
    first, _, after = words.partition("\n")
    if len(first) <= _MAX_OWN and (found := _ATTACHED_ANDROID.fullmatch(first)):
        return _attached(found["file"], after), edited
    if _BRACKETED.fullmatch(words) and (" " in words or not words.isascii()):
        return f"[{words[1:-1]}]", edited
    if OWN in text and len(words) <= _MAX_OWN and _OMITTED.fullmatch(words.replace(OWN, "")):
        return f"[{words.replace(OWN, '')}]", edited
    return text.removeprefix(OWN), edited


def _attached(file: str, caption: str) -> str:
    """The placeholder of a file, with the words that were sent with it below."""
    words = caption.strip(MARKS + " \n")
    placeholder = f"[attached: {file.strip(MARKS)}]"
    return f"{placeholder}\n{words}" if words else placeholder


def date_order(stamps: Sequence[Stamped]) -> tuple[Order, bool]:
    """Whether day, month or year comes first, and whether that is known or only likely.

    A number over 12 is a day. Where there is none, an export is in the order of time: the reading
    with fewer steps back is right. Where both have as many, the region's habits decide.
    """
    dates = [stamp.date for stamp in stamps]
    if sum(a > 31 for a, _, _ in dates) * 2 > len(dates):
        return "year", True
    first = sum(12 < a <= 31 for a, _, _ in dates)
    second = sum(12 < b <= 31 for _, b, _ in dates)
    if first != second:
        return ("day" if first > second else "month"), True
    if all(a == b for a, b, _ in dates):
        return "day", True
    by_day, by_month = (_steps_back(stamps, order) for order in ("day", "month"))
    if by_day != by_month:
        return ("day" if by_day < by_month else "month"), True
    # A slash, twelve hours and no leading zeros: as in the United States.
    american = sum(s.separator == "/" and s.halved and not s.padded for s in stamps) * 2 > len(stamps)
    return ("month" if american else "day"), False


def _steps_back(stamps: Sequence[Stamped], order: Literal["day", "month"]) -> int:
    days = [
        (year, *((b, a) if order == "day" else (a, b)), *stamp.clock) for stamp in stamps for a, b, year in [stamp.date]
    ]
    return sum(later < earlier for earlier, later in pairwise(days))


def parse_stamp(stamp: Stamped, order: Order) -> datetime:
    """The local time of a stamp; a ValueError where the calendar has no such day."""
    a, b, c = stamp.date
    year, month, day = {"day": (c, b, a), "month": (c, a, b), "year": (a, b, c)}[order]
    return datetime(year + 2000 if year < 100 else year, month, day, *stamp.clock)
