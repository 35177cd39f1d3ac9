"""Small functions over text: ids, token estimates, names that are safe as file names."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from urllib.parse import quote, unquote

from ..records import Origin, Role, SegmentKind
from .graphemes import first_characters
from .times import format_time

# Where notes and documents are kept: a note is a session of its own, and so is a document.
NOTES = "engramma:notes"
DOCUMENTS = "engramma:documents"
MAIL = "email-"  # what the ids of conversations by mail begin with
LONGEST_NAME = 120  # characters of a file's name: systems allow 255 bytes
PROXY = "proxy"  # the source of what the capture proxy stores
KINDS: dict[str, SegmentKind] = {NOTES: "note", DOCUMENTS: "chunk"}

# Speakers whose name alone tells their role in a chat with an assistant.
ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
}
GENERIC_SPEAKERS = ("user", "You", "me", "human")  # what exports call the one who writes
NAMELESS = frozenset(name.casefold() for name in GENERIC_SPEAKERS)


def infer_role(speaker: str, role: Role | None) -> Role | None:
    """The role given, or the one the speaker's name tells; None for people."""
    return role if role is not None else ROLES.get(speaker.strip().lower())


def speaker_name(speaker: str, me: str) -> str:
    """What a speaker is called: the user's name, where it is known, for whoever exports only call "user" or "You"."""
    return me if me and speaker.strip().casefold() in NAMELESS else speaker


def estimate_tokens(text: str) -> int:
    """About as many tokens as a language model would count: four ASCII characters or one other each."""
    ascii_count = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    return -(-ascii_count // 4) + (len(text) - ascii_count)


def digest(*parts: str) -> bytes:
    """A hash of parts that no other split of the same characters shares."""
    hasher = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        hasher.update(len(data).to_bytes(8, "big"))
        hasher.update(data)
    return hasher.digest()


def turn_hash(speaker: str, said_at: datetime, text: str) -> str:
    """The id of a turn that came without one."""
    return "t-" + digest(speaker, format_time(said_at), text).hex()[:16]


def chunk_hash(speaker: str, text: str) -> str:
    """The id of a document's chunk: the same words under the same headings stay the same chunk."""
    return "c-" + digest(speaker, text).hex()[:16]


def file_title(document: str) -> str:
    """What a reader knows a document by: its file's name, without the folders it lies in."""
    return re.split(r"[/\\]", document.rstrip("/\\"))[-1] or document


def segment_id(conversation: str, session: str, index: int) -> str:
    """`seg_<session>_<index>`, the session qualified by its conversation because callers reuse names.

    A note's id is its session's own, and a chunk of a document is `doc_<document>_<index>`.
    """
    if conversation == NOTES:
        return session
    if conversation == DOCUMENTS:
        return f"doc_{_escape(session)}_{index}"
    return f"seg_{_escape(conversation)}/{_escape(session)}_{index}"


@lru_cache(maxsize=4096)
def parse_segment_id(segment: str) -> tuple[str, str, int] | None:
    """(conversation, session, index) that a segment's id names; None if it is no such id."""
    if segment.startswith("note_"):
        return NOTES, segment, 0
    head, _, index = segment.rpartition("_")
    if not (index.isascii() and index.isdecimal() and len(index) <= 18):
        return None
    if head.startswith("doc_"):
        return DOCUMENTS, unquote(head.removeprefix("doc_")), int(index)
    conversation, _, session = head.removeprefix("seg_").partition("/")
    return unquote(conversation), unquote(session), int(index)


def labelled(turns: Sequence[tuple[str, str]]) -> str:
    """Turns as they are embedded and shown: who, then the words, verbatim."""
    return "\n".join(f"{speaker}: {text}" for speaker, text in turns)


def joined_text(turns: Sequence[tuple[str, str]]) -> tuple[str, list[tuple[int, int]]]:
    """A segment's text, and where in it the words of each turn begin and end."""
    if len(turns) == 1:
        return turns[0][1], [(0, len(turns[0][1]))]
    parts, at = list[tuple[int, int]](), 0
    for speaker, text in turns:
        at += len(speaker) + 2
        parts.append((at, at + len(text)))
        at += len(text) + 1
    return labelled(turns), parts


def origin_of(conversation: str, source: str | None, captured: bool = False) -> Origin:
    """How the turns of a conversation came into the memory."""
    if conversation in KINDS:
        return "note" if conversation == NOTES else "document"
    if captured or source == PROXY:
        return "capture"
    return "api" if source is None else "import"


def _escape(part: str) -> str:
    return part.replace("%", "%25").replace("/", "%2F")


def file_name(identifier: str) -> str:
    """A portable file name for any id: readable when it can be, unique always."""
    name = quote(identifier, safe=" -_.+@()[]=,")
    if len(name) <= LONGEST_NAME and name not in ("", ".", "..") and not name.endswith((".", " ")):
        # A case-insensitive file system would join "A" and "a": mark what lower-casing loses.
        if name == name.lower():
            return name
        return f"{name}~{digest(identifier).hex()[:6]}"
    return f"{name[: LONGEST_NAME - 18].rstrip('. ')}~{digest(identifier).hex()[:16]}"


_ACCENTS = re.compile("[\u0300-\u036f]")
_WITHOUT_ACCENT = str.maketrans("łøđı’", "lodi'")  # letters that Unicode does not take apart


def spaced_text(text: str) -> str:
    """A text in small letters, however it is spaced."""
    return " ".join(text.split()).casefold()


def fold_text(text: str) -> str:
    """A text as it is compared: however it is spaced, capitalised and accented."""
    folded = spaced_text(text)
    if folded.isascii():
        return folded
    plain = _ACCENTS.sub("", unicodedata.normalize("NFD", folded)).translate(_WITHOUT_ACCENT)
    return unicodedata.normalize("NFC", plain)  # Hangul is whole again


def shorten(text: str, limit: int) -> str:
    """One line of at most `limit` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else first_characters(flat, limit - 1).rstrip() + "…"


MAX_TITLE = 300  # characters of a title as it is stored: some programs make one of a whole first message


def fit_title(title: str, limit: int = MAX_TITLE) -> str:
    """A title of at most `limit` characters: a longer one is cut behind a word, on one line, with … at its end."""
    if len(title) <= limit:
        return title
    flat = " ".join(title.split())
    if len(flat) <= limit:
        return flat
    cut = first_characters(flat, limit - 1)
    blank = cut.rfind(" ") if flat[len(cut)] != " " else len(cut)
    return (cut[:blank] if blank * 3 > limit * 2 else cut).rstrip() + "…"  # a single long word is cut within


def short_title(title: str, limit: int) -> str:
    """A title as lists show it: on one line."""
    return fit_title(" ".join(title.split()), limit)


_WORD = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
_NEGATIONS = {"no", "not", "never", "none", "nobody", "nothing", "nowhere", "neither", "nor", "without", "cannot"}


def same_facts(one: str, other: str) -> bool:
    """Whether two similar texts name the same numbers and names, and both or neither say no.

    "Port 8080" and "port 8081" mean almost the same to an encoder, and are not the same.
    """
    first, second = _facts(one), _facts(other)
    return (
        first.numbers == second.numbers
        and first.negated == second.negated
        and first.names <= second.words
        and second.names <= first.words
    )


def _begins(before: str) -> bool:
    """Whether a sentence begins after this."""
    stripped = before.rstrip(" \t\"'“‘(*_-")
    return not stripped or stripped.endswith((".", "!", "?", ":", "\n", "…"))


@dataclass(frozen=True, slots=True)
class _Facts:
    words: frozenset[str]
    names: frozenset[str]
    numbers: tuple[str, ...]
    negated: bool


def _facts(text: str) -> _Facts:
    found = list(_WORD.finditer(text))
    words = frozenset(match[0].lower() for match in found)
    # a capital at the beginning of a sentence tells nothing
    names = frozenset(
        match[0].lower() for match in found if match[0][0].isupper() and not _begins(text[: match.start()])
    )
    numbers = tuple(sorted(match[0] for match in found if match[0][0].isdigit()))
    return _Facts(words, names, numbers, bool(words & _NEGATIONS) or any(w.endswith(("n't", "n’t")) for w in words))


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
