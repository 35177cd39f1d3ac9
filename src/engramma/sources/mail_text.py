"""One mail as text: its headers decoded, its plain words or those of its HTML, without what it quotes of others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime

from .documents.html import read_html

MOST_PARTS = 20  # nested or beside each other, by their boundaries
MOST_LISTED = 10  # addresses and attachments
LONGEST_NAME = 200
LONGEST_HEADER = 20_000  # characters
_ID = re.compile(r"<([^<>\s]{1,900})>")
_BOUNDARY = re.compile(rb"boundary\s*=", re.IGNORECASE)
_BINNED = re.compile(r"(?:^|,)\s*\"?(?:spam|trash|papierkorb|corbeille|papelera|cestino)\"?\s*(?:,|$)", re.IGNORECASE)
# The line above a quotation: "On 3 May 2026, Ann wrote:", with a figure or an address in it.
_WROTE = re.compile(
    r"\s*(?=.*[\d@])(?:.*\b(?:wrote|writes|schrieb|schreef|skrev|escribió|escreveu|ha scritto|a écrit|napisał\w*|пишет"
    r"|написала?|kirjoitti|yazdı)\b.{0,200}|.{0,200}写道)\s*[:：]\s*",
    re.IGNORECASE,
)
_ORIGINAL = re.compile(
    r"\s*-{3,}\s*(?:original message|original appointment|ursprüngliche nachricht|message d'origine|mensaje original"
    r"|messaggio originale|oorspronkelijk bericht|mensagem original)\s*-{3,}\s*",
    re.IGNORECASE,
)
_OUTLOOK = re.compile(r"\s*\**(?:from|von|de|da|van|från)\**\s*:\**\s.+", re.IGNORECASE)
_OUTLOOK_NEXT = re.compile(
    r"\s*\**(?:sent|date|gesendet|datum|envoyé|enviado(?: el)?|inviato|data|verzonden|skickat)\**\s*:\**\s",
    re.IGNORECASE,
)
_FORWARDED = re.compile(r"\s*(?:fwd?|wg|tr|rv|vb|enc|doorst|转发)\s*[:：]", re.IGNORECASE)


class BadMail(ValueError):
    """A mail that cannot be read, in words."""


@dataclass(frozen=True, slots=True)
class Mail:
    """What a mail says: who, when, to whom, about what, and in answer to which others, the oldest first."""

    id: str | None
    sender: str
    address: str
    people: frozenset[str]  # addresses of all
    subject: str
    date: str | None  # with its zone, if it can be read
    refers_to: tuple[str, ...]
    text: str
    quotes: int
    is_unwanted: bool
    meta: Mapping[str, str] = field(default_factory=dict)


def read_mail(data: bytes) -> Mail:
    """A mail from its bytes, whatever is wrong with it; BadMail says why not."""
    if len(_BOUNDARY.findall(data)) > MOST_PARTS:
        raise BadMail(f"more than {MOST_PARTS} parts within each other")
    try:
        return _read(message_from_bytes(data))
    except (MessageError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise BadMail(f"its parts cannot be read ({type(error).__name__})") from None


def _read(message: Message) -> Mail:
    senders = _addresses(message, "from") or _addresses(message, "sender")
    name, address = senders[0] if senders else ("", "")
    if not (name or address):
        raise BadMail("nobody is named who wrote it")
    others = _addresses(message, "to") + _addresses(message, "cc")
    subject = " ".join(_header(message, "subject").split())
    refers_to = tuple(_ID.findall(_header(message, "references")) or _ID.findall(_header(message, "in-reply-to"))[:1])
    texts, attached = _parts(message)
    text, quotes = without_quotations("\n".join(texts), is_forward=_FORWARDED.match(subject) is not None)
    text = "\n".join([*([text] if text.strip() else []), *(f"[attachment: {one}]" for one in attached[:MOST_LISTED])])
    own = _ID.search(_header(message, "message-id"))
    told = {"address": address, "to": ", ".join(one or other for one, other in others[:MOST_LISTED])}
    return Mail(
        own[1] if own else None,
        name or address,
        address,
        frozenset(one.casefold() for _, one in [*senders, *others] if one),
        subject,
        _date(message),
        refers_to,
        text,
        quotes,
        bool(_BINNED.search(_header(message, "x-gmail-labels"))),
        {key: value for key, value in told.items() if value},
    )


def without_quotations(text: str, is_forward: bool = False) -> tuple[str, int]:
    """A mail's words without what it quotes of earlier ones, and how many quotations were left out.

    What is forwarded was meant to be read, and stays.
    """
    if is_forward:
        return text.strip("\n"), 0
    rows = text.split("\n")
    kept, quotes, was_quoted = list[str](), 0, False
    for at, row in enumerate(rows):
        ends = _ORIGINAL.fullmatch(row) and "".join(rows[at + 1 :]).strip()
        if ends or (_OUTLOOK.fullmatch(row) and at + 1 < len(rows) and _OUTLOOK_NEXT.match(rows[at + 1])):
            quotes += 1
            while kept and not kept[-1].strip(" _-*"):
                kept.pop()
            break
        is_quoted = row.startswith(">")
        if is_quoted and not was_quoted:
            quotes += 1
            _drop_attribution(kept)
        if not is_quoted:
            kept.append(row)
        was_quoted = is_quoted or (was_quoted and not row.strip())
    return "\n".join(kept).strip("\n").rstrip(), quotes


def _drop_attribution(kept: list[str]) -> None:
    """Take the line "Ann wrote on 3 May:" away that stands last, over one line or two."""
    while kept and not kept[-1].strip():
        kept.pop()
    for count in (1, 2):
        if len(kept) >= count and _WROTE.fullmatch(" ".join(kept[-count:])[:1_000]):
            del kept[-count:]
            return


# --- parts -------------------------------------------------------------------------------------------


def _parts(message: Message) -> tuple[list[str], list[str]]:
    """The texts of a mail, plain where there is a plain one, and the names of what is attached."""
    plain, pages, attached = list[str](), list[str](), list[str]()
    for part in _leaves(message):
        kind, name = part.get_content_type(), _filename(part)
        if kind == "message/rfc822":
            name = name or "mail"
        if part.get_content_disposition() == "attachment" or (name and not kind.startswith("text/")):
            attached.append(name or kind)
        elif kind == "text/plain":
            plain.append(_unwrapped(_decoded(part), part))
        elif kind == "text/html":
            pages.append(_decoded(part))
    if not any(one.strip() for one in plain):
        plain = [_page_text(page) for page in pages]
    return [one for one in plain if one.strip()], attached


def _leaves(message: Message) -> Iterator[Message]:
    """The parts that hold no others, in order; a mail that is attached is one of them."""
    waiting = [message]
    while waiting:
        part = waiting.pop()
        inner = part.get_payload()
        if isinstance(inner, list) and part.get_content_maintype() != "message":
            waiting += [one for one in reversed(inner) if isinstance(one, Message)]
        else:
            yield part


def _page_text(page: str) -> str:
    """The words of a mail in HTML; what it quotes stands behind ">", as in plain ones."""
    blocks = read_html(page).blocks
    texts = (re.sub(r"^", "> ", one.text, flags=re.MULTILINE) if one.kind == "quote" else one.text for one in blocks)
    return "\n\n".join(texts)


def _decoded(part: Message) -> str:
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    stated = _charset(part)
    for charset in (stated, "utf-8", "cp1252"):
        try:
            return data.decode(charset).replace("\r\n", "\n").replace("\r", "\n")
        except (LookupError, ValueError):
            continue
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


def _charset(part: Message) -> str:
    try:
        return part.get_content_charset() or "utf-8"
    except (ValueError, LookupError, TypeError):
        return "utf-8"


def _unwrapped(text: str, part: Message) -> str:
    """The lines as they were written where the mail says that they were wrapped to be sent."""
    if str(part.get_param("format", "")).lower() != "flowed":
        return text
    return re.sub(r"(?m)(?<!^--) $\n(?![> ]|-- $)", " ", text)


# --- headers -----------------------------------------------------------------------------------------


def _header(message: Message, name: str) -> str:
    """A header in plain letters; one whose code is broken as it stands."""
    value = str(message.get(name, ""))[:LONGEST_HEADER]
    try:
        return str(make_header(decode_header(value)))
    except (MessageError, LookupError, ValueError):
        return value


def _addresses(message: Message, name: str) -> list[tuple[str, str]]:
    """Names and addresses of a header, each decoded by itself: a coded name may hold a comma."""
    found = getaddresses([str(value)[:LONGEST_HEADER] for value in message.get_all(name, [])][:MOST_LISTED])
    return [(_name(shown), address.strip()[:LONGEST_NAME]) for shown, address in found if shown or address]


def _name(shown: str) -> str:
    with suppress(MessageError, LookupError, ValueError):
        shown = str(make_header(decode_header(shown)))
    return " ".join(shown.split()).strip("\"' ")[:LONGEST_NAME]


def _date(message: Message) -> str | None:
    stated = _header(message, "date")
    try:
        return parsedate_to_datetime(stated).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return stated.strip() or None


def _filename(part: Message) -> str:
    try:
        return _name(part.get_filename() or "")
    except (ValueError, LookupError, TypeError):
        return ""
