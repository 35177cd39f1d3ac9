"""Finds the conversation or the document that a person names: by its id, its title, its file, or a part of these."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from ..errors import BadInput
from ..language.near_names import near_names
from ..language.text import DOCUMENTS, file_title, fold_text, plural, short_title
from ..language.times import local_day

if TYPE_CHECKING:
    from ..memory import Memory
    from ..records import SessionInfo

TITLE = 60  # characters of a title in a list
LISTED = 10  # of those that a name could mean
SMALL = 3  # letters of a word that tells nothing
FEW = 3  # of those that are like a name
BEGINNING = 4  # letters of an id's beginning: fewer may be meant for something else
LIST_ALL = "`engramma sessions` lists them."


@dataclass(frozen=True, slots=True)
class PlaceMeant:
    """A conversation by its id, or a document, which is a session of the conversation of all documents."""

    conversation: str
    document: str | None = None
    remark: str = ""  # what it is, where only a part of its name was given


def place_meant(memory: Memory, given: str) -> PlaceMeant:
    """What is meant by an id or its beginning, by a title or a file's name, or by words of one title or path.

    A part of a title is whole words of one title: more than was named must not go where something is forgotten.
    """
    if memory.sessions(given):
        return PlaceMeant(given)
    firsts: dict[str, SessionInfo] = {}
    for row in memory.sessions():
        firsts.setdefault(_typed_id(row), row)
    name = fold_text(given)
    if same := [row for row in firsts.values() if name and name in _called(row)]:
        return _only(given, same)
    if stems := [row for row in firsts.values() if _is_document(row) and name == document_file(row).rpartition(".")[0]]:
        return _only(given, stems)
    begun = {id: row for id, row in firsts.items() if _begins(row, given)}
    if len(begun) > 1:
        raise BadInput("\n".join(may_mean(given, begun)))
    if begun:
        id = next(iter(begun))
        return PlaceMeant(id, None, f"The conversation is {id}.")
    part = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    holding = [row for row in firsts.values() if name and part.search(fold_text(_whole_name(row)))]
    if len(holding) == 1:
        found = _only(given, holding)
        called = short_title(holding[0].title or "", TITLE)
        return found if found.document else PlaceMeant(found.conversation, None, f'The conversation is "{called}".')
    if holding:
        listed = "\n".join(titled_lines(holding))
        of = "titles" if not any(map(_is_document, holding)) else "titles and paths"
        raise BadInput(f"{given!r:.200} is a part of {len(holding)} {of}. Give a whole title or an id:\n{listed}")
    raise BadInput(f"There is no conversation {given!r:.200}. {near_or_all(given, firsts.values())}")


def near_or_all(name: str, rows: Iterable[SessionInfo]) -> str:
    """The conversations and documents that are called like a name, a line each; else what lists all of them."""
    near = _places_near(fold_text(name), rows)
    return "\n".join(("Did you mean one of these?", *titled_lines(near))) if near else LIST_ALL


def may_mean(name: str, firsts: Mapping[str, SessionInfo]) -> Iterator[str]:
    """What a name could mean, a line each: what to type for it, its title and when it began."""
    yield f"{name!r:.200} may be any of these. Be more specific, or type one of them:"
    for id, row in islice(firsts.items(), LISTED):
        title = f'  "{short_title(row.title, TITLE)}",' if row.title else " "
        yield f"  engramma show {typed_name(id)}{title} {local_day(row.started_at)}"
    if len(firsts) > LISTED:
        yield f"  … and {len(firsts) - LISTED:,} more; `engramma sessions -c {shlex.quote(name)}` lists them."


def titled_lines(rows: Sequence[SessionInfo]) -> Iterator[str]:
    """Conversations and documents as one picks them: title, id or path, and when it began, a line each."""
    for row in rows[:LISTED]:
        title = file_title(row.id) if _is_document(row) else short_title(row.title or "", TITLE)
        yield f'  "{title}"  {typed_name(_typed_id(row))}  {local_day(row.started_at)}'
    if len(rows) > LISTED:
        yield f"  … and {len(rows) - LISTED:,} more. {LIST_ALL}"


def typed_name(name: str) -> str:
    """A name as a shell takes it, on one line and never for an option."""
    if name.isprintable():
        shown = shlex.quote(name)
    else:
        signs = (sign if sign.isprintable() else f"\\U{ord(sign):08x}" for sign in name)
        shown = "$'" + "".join(f"\\{sign}" if sign in "\\'" else sign for sign in signs) + "'"
    return f"-- {shown}" if name.startswith("-") else shown


def document_file(row: SessionInfo) -> str:
    """A document's file without its folders, as it is compared."""
    return fold_text(file_title(row.id))


# --- steps -------------------------------------------------------------------------------------------


def _is_document(row: SessionInfo) -> bool:
    return row.conversation == DOCUMENTS


def _typed_id(row: SessionInfo) -> str:
    """What may be typed for it: a conversation's id, a document's path."""
    return row.id if _is_document(row) else row.conversation


def _whole_name(row: SessionInfo) -> str:
    return row.id if _is_document(row) else row.title or ""


def _called(row: SessionInfo) -> tuple[str, ...]:
    return tuple(map(fold_text, (row.id, file_title(row.id)) if _is_document(row) else (row.title or "",)))


def _begins(row: SessionInfo, given: str) -> bool:
    return not _is_document(row) and len(given.strip()) >= BEGINNING and row.conversation.startswith(given)


def _only(given: str, rows: Sequence[SessionInfo]) -> PlaceMeant:
    """The one that has a name; refused where several have it."""
    documents = sum(map(_is_document, rows))
    if len(rows) > 1 and not documents:
        ids = ", ".join(row.conversation for row in rows)
        raise BadInput(f"{given!r:.200} is the title of {len(rows)} conversations. Give an id: {ids}.")
    if len(rows) > 1:
        talks = [plural(len(rows) - documents, "conversation")] if documents < len(rows) else []
        of = " and ".join([plural(documents, "document"), *talks])
        raise BadInput("\n".join((f"{given!r:.200} is the name of {of}. Give one of these:", *titled_lines(rows))))
    (row,) = rows
    if not documents:
        return PlaceMeant(row.conversation)
    return PlaceMeant(DOCUMENTS, row.id, "" if given == row.id else f"The document is {row.id}.")


def _places_near(name: str, rows: Iterable[SessionInfo]) -> list[SessionInfo]:
    """A few of those whose titles or files have something of a name in them or are spelt like it."""
    words = {word for word in name.split() if len(word) > SMALL}
    firsts: dict[str, SessionInfo] = {}
    for row in rows:
        if _is_document(row) or row.title:
            firsts.setdefault(_typed_id(row), row)
    called = {id: _called(row)[-1] for id, row in firsts.items()}
    shares = {id: (name in title, len(words & set(title.split()))) for id, title in called.items() if name}
    found = sorted((id for id, share in shares.items() if any(share)), key=lambda id: shares[id], reverse=True)
    alike = near_names(name, called.values(), FEW)
    spelt = (id for title in alike for id, other in called.items() if other == title)
    return [firsts[id] for id in dict.fromkeys([*found, *spelt])][:FEW]
