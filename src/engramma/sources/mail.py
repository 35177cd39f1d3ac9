"""E-mail: one mail a file (.eml), or a mailbox of many (.mbox, as Thunderbird, Apple Mail and Google Takeout write it).

A thread is a conversation: mails that refer to each other, else replies with the same subject among the same people.
A mail is a turn of who wrote it, under the Message-ID. Kept are the plain text, or that of the HTML, and the names of
what was attached. What a mail quotes of earlier ones is left out and counted: those are mails of their own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BufferedReader
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Literal

from ..errors import UnreadableSource
from ..language.text import MAIL
from ..records import Conversation, Problem, Turn
from .chats import sessions_by_start
from .clock import written_time
from .containers import open_source
from .ids import content_id, content_ids
from .reader import ReaderOptions
from .sessions import cut_conversation, no_times, timed

if TYPE_CHECKING:
    from .mail_text import Mail

NAME = "email"
DESCRIPTION = "e-mail: one mail (.eml) or a mailbox (.mbox)"

MAX_MAIL_BYTES = 8 * 1024 * 1024  # of one mail: what is beyond is attachments
_LINE_BYTES = 64 * 1024
_HEADERS_TRIED = 200  # lines
_HEADER = re.compile(r"([!-9;-~]{1,80}):(?: |\t|\r?$)")
_MAILBOX = re.compile(r"From \S+ .*\d{4}", re.ASCII)  # the line before each mail of a mailbox
_ENVELOPE = ("message-id", "mime-version", "subject", "to", "received", "content-type")
_PREFIX = re.compile(
    r"(?:(?:re|aw|antw|sv|vs|rv|odp|fwd?|wg|tr|vb|回复|答复|转发)(?:\[\d+\])?\s*[:：]\s*)+", re.IGNORECASE
)  # "Re:" and "Fwd:", in the languages of the usual programs
Skipped = Literal["quoted", "binned", "empty"]
_SKIPPED: dict[Skipped, tuple[str, str]] = {  # one of a kind, and several
    "quoted": ("quotation of an earlier mail", "quotations of earlier mails"),
    "binned": ("mail in the bin or in spam", "mails in the bin or in spam"),
    "empty": ("mail without text", "mails without text"),
}


def looks_like(head: str, path: Path) -> bool:
    """Headers of a mail up to an empty line: who wrote it, when, and one more that mails have."""
    rows = [row.removesuffix("\r") for row in head.lstrip("\ufeff\r\n").split("\n", _HEADERS_TRIED)[:_HEADERS_TRIED]]
    if rows and _MAILBOX.match(rows[0]):
        rows = rows[1:]
    names: set[str] = set()
    for row in rows:
        if not row.strip():
            break
        found = _HEADER.match(row)
        if found is None and (not names or not row.startswith((" ", "\t"))):
            return False
        if found is not None and not row.startswith((" ", "\t")):
            names.add(found[1].lower())
    else:
        return False
    return {"from", "date"} <= names and not names.isdisjoint(_ENVELOPE)


def takes(names: Sequence[str]) -> list[str]:
    """The mails and mailboxes of a folder; Apple Mail's mailbox is a file "mbox" in a folder "Name.mbox"."""
    paths = map(PurePosixPath, names)
    return [str(one) for one in paths if one.suffix.lower() in (".eml", ".mbox") or one.name.lower() == "mbox"]


def read(path: Path, options: ReaderOptions) -> Iterator[Conversation | Problem]:
    reading = _Reading(str(path))
    reading.file(path)
    yield from reading.told(options)


def read_members(path: Path, names: Sequence[str], options: ReaderOptions) -> Iterator[Conversation | Problem]:
    """Mails that lie in files of their own: a thread is spread over them."""
    reading = _Reading(str(path))
    for name in names:
        try:
            reading.file(path / name)
        except UnreadableSource as error:
            reading.problems.append(Problem(str(path / name), "file", f"{error}; skipped", damage=True))
    yield from reading.told(options)


@dataclass(slots=True)
class _Reading:
    """One pass over files: mails by their thread, and what was left out."""

    path: str
    threads: dict[str, list[tuple[str, Turn]]] = field(default_factory=dict)  # with the subject of each
    roots: dict[str, str] = field(default_factory=dict)  # of mails by their id, which thread
    left_out: Counter[Skipped] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)

    def file(self, path: Path) -> None:
        from .mail_text import BadMail, read_mail

        number = 0
        for data, is_cut in _mails(path):
            number += 1
            where = f"mail {number}"
            try:
                mail = read_mail(data)
            except BadMail as error:
                self.problems.append(Problem(str(path), where, f"{error}; skipped"))
                continue
            if is_cut and not mail.text.strip():
                reason = f"larger than {MAX_MAIL_BYTES >> 20} MiB, and no text before that; skipped"
                self.problems.append(Problem(str(path), where, reason))
            else:
                self.take(mail, str(path), where)
        if not number:
            raise UnreadableSource(f"{path} holds no mail: there are no headers, such as From and Date")

    def take(self, mail: Mail, path: str, where: str) -> None:
        if mail.is_unwanted:
            self.left_out["binned"] += 1
            return
        self.left_out["quoted"] += mail.quotes
        if not mail.text.strip():
            self.left_out["empty"] += 1
            return
        said_at = None
        try:
            said_at = None if mail.date is None else written_time(mail.date)
        except ValueError as error:
            self.problems.append(Problem(path, where, f"kept without its time: {error}"))
        name = mail.id or content_id(mail.date, mail.address, mail.text)
        root = self.root_of(mail, name)
        self.roots.setdefault(name, root)
        turn = Turn(mail.sender, mail.text, said_at, name, meta=mail.meta)
        self.threads.setdefault(root, []).append((mail.subject, turn))

    def root_of(self, mail: Mail, name: str) -> str:
        """Which thread a mail is of: that of the mails it refers to, else that of its subject if it replies."""
        if mail.refers_to:
            return self.roots.get(mail.refers_to[-1]) or self.roots.get(mail.refers_to[0]) or mail.refers_to[0]
        if (subject := _plain_subject(mail.subject)) != mail.subject:
            return content_id(subject.casefold(), *sorted(mail.people))
        return name

    def told(self, options: ReaderOptions) -> Iterator[Conversation | Problem]:
        yield from self.problems
        timeless = 0
        for root, mails in self.threads.items():
            mails.sort(key=lambda mail: mail[1].said_at or datetime.min.replace(tzinfo=UTC))
            turns = [turn for _, turn in mails]
            timeless += all(turn.said_at is None for turn in turns)
            yield from self.thread(root, mails[0][0], turns, options)
        if counts := +self.left_out:
            told = (f"{counts[kind]:,} {names[counts[kind] > 1]}" for kind, names in _SKIPPED.items() if kind in counts)
            yield Problem(self.path, "left out", f"{', '.join(told)}; skipped")
        if timeless:
            yield no_times(self.path, timeless, options.fallback_time)
        if not self.threads and not self.problems and not self.left_out:
            raise UnreadableSource(f"{self.path} holds no mail")

    def thread(
        self, root: str, subject: str, turns: Iterable[Turn], options: ReaderOptions
    ) -> Iterator[Conversation | Problem]:
        name = f"{MAIL}{root if len(root) <= 200 else content_id(root)}"
        title = _plain_subject(subject) or None
        sessions = sessions_by_start(name, content_ids(timed(turns, options.fallback_time)), options.idle_gap)
        yield from cut_conversation(Conversation(name, (), title=title, source=NAME), sessions)


def _plain_subject(subject: str) -> str:
    """A subject without what says that a mail is a reply or forwarded."""
    found = _PREFIX.match(subject)
    return subject[found.end() :].strip() or subject if found else subject


def _mails(path: Path) -> Iterator[tuple[bytes, bool]]:
    """The bytes of each mail, and whether its end was left out; one file is one mail, or many after "From " lines."""
    held, size, is_cut, is_box, is_after_blank = list[bytes](), 0, False, False, True
    with open_source(path) as file:
        begun = False
        while line := _line(path, file):
            if not begun:
                line = line.removeprefix(b"\xef\xbb\xbf")
                if not line.strip():
                    continue
                begun, is_box = True, line.startswith(b"From ")
                if is_box:
                    continue
            elif is_box and is_after_blank and line.startswith(b"From ") and _MAILBOX.match(line.decode("latin-1")):
                if held:
                    yield b"".join(held), is_cut
                held, size, is_cut, is_after_blank = [], 0, False, False
                continue
            is_after_blank = not line.strip()
            if size + len(line) > MAX_MAIL_BYTES:
                is_cut = True
                continue
            size += len(line)
            held.append(_unescaped(line) if is_box else line)
    if held:
        yield b"".join(held), is_cut


def _unescaped(line: bytes) -> bytes:
    """A line as it was written: mailboxes put ">" before one that begins with "From "."""
    return line[1:] if line.startswith(b">") and line.lstrip(b">").startswith(b"From ") else line


def _line(path: Path, file: BufferedReader) -> bytes:
    try:
        return file.readline(_LINE_BYTES)
    except OSError as error:
        raise UnreadableSource(f"{path} cannot be read: {error.strerror or error}") from None
