"""Paths about what is kept on purpose: notes and typed links."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field

from ...errors import BadInput
from ...records import Forgotten, Link, Note, Remembered
from ...records.notes import MAX_TAGS
from .answers import Answer, Changed, NoteOut, Page, Removed, page
from .problems import Refused
from .request import Administering, Asked, Limit, Offset, Where, Writing
from .shapes import MOST_IDS, AnyLink, Id, LinkIn, NoteChange, NoteIn, Shape, Tag

notes = APIRouter(tags=["notes"])
links = APIRouter(tags=["links"])


class RetagIn(Shape):
    """Which notes, and which tags they are to have or not to have."""

    ids: list[Id] = Field(min_length=1, max_length=MOST_IDS)
    add: list[Tag] = Field([], max_length=MAX_TAGS)
    remove: list[Tag] = Field([], max_length=MAX_TAGS)


class NotesMerge(Shape):
    """Notes that say the same, and the one that stays."""

    ids: list[Id] = Field(min_length=1, max_length=MOST_IDS)
    into: Id


@dataclass(frozen=True, slots=True)
class Bulk:
    """How many notes changed, and the act that undoes it; no act if none did."""

    changed: int
    act: int | None


NoteId = Annotated[Id, Path(description="A note's id (note_…).")]


@notes.post("/notes", response_model=Remembered, summary="Keep a note")
def add_note(where: Writing, given: NoteIn) -> Answer:
    """A note that says what another says already is counted there as a repeat, verbatim."""
    noted = dict(given)
    days, at = noted.pop("ttl_days"), noted.pop("said_at")
    with where.writing() as memory:
        return Answer(memory.remember(**noted, ttl=None if days is None else timedelta(days=days), at=at))


@notes.get("/notes", response_model=Page[Note], summary="List the notes")
def list_notes(
    where: Asked,
    tag: Annotated[Tag | None, Query(description="Only those with this tag.")] = None,
    all_states: Annotated[bool, Query(description="Also those archived or retired.")] = False,
    offset: Offset = 0,
    limit: Limit = 100,
) -> Answer:
    """The notes, oldest first."""
    return Answer(page(where.memory.notes.all(tag, all_states=all_states), offset, limit))


@notes.get("/notes/{id}", response_model=NoteOut, summary="Read a note")
def get_note(where: Asked, id: NoteId) -> Answer:
    """A note with everything that repeated it."""
    note = found_note(where, id)
    return Answer(NoteOut(note, where.memory.notes.repeats(note.id)))


@notes.patch("/notes/{id}", response_model=Changed, summary="Change a note")
def change_note(where: Writing, id: NoteId, given: NoteChange) -> Answer:
    """Other tags, or other words: then a new note takes its place, and the old one stays stored, as superseded.

    The act that is answered undoes it (POST /api/undo).
    """
    note, memory = found_note(where, id), where.memory
    with where.face.writes.alone():
        if given.text is not None:
            return Answer(Changed(*memory.notes.revise(note.id, given.text, tags=given.tags)))
        if given.tags is not None:
            return Answer(Changed(*memory.notes.retag(note.id, given.tags)))
    raise BadInput("Say what to change: text, tags, or both.")


@notes.post("/notes/retag", response_model=Bulk, summary="Tag notes, many at once")
def retag_notes(where: Writing, given: RetagIn) -> Answer:
    """Put tags on notes, or take them off, all or none; the act that is answered undoes it."""
    with where.writing() as memory:
        return Answer(Bulk(*memory.notes.retag_many(given.ids, given.add, given.remove)))


@notes.post("/notes/merge", response_model=Bulk, summary="Merge notes into one")
def merge_notes(where: Writing, given: NotesMerge) -> Answer:
    """One note stands for the others, which stay stored, as superseded; the act that is answered undoes it."""
    with where.writing() as memory:
        return Answer(Bulk(len(set(given.ids) - {given.into}), memory.notes.merge(given.ids, given.into)))


@notes.delete("/notes/{id}", response_model=Forgotten, summary="Forget a note")
def forget_note(where: Administering, id: NoteId) -> Answer:
    """Hide a note; the act that is answered undoes it (POST /api/undo)."""
    note = found_note(where, id)
    with where.face.writes.alone():
        return Answer(where.memory.forget([note.id]))


@links.post("/links", response_model=Link, summary="Link two segments")
def add_link(where: Writing, given: LinkIn) -> Answer:
    """Join two segments by a typed link; again with other values replaces them."""
    said = dict(given)
    ends = said.pop("source"), said.pop("kind"), said.pop("target")
    with where.writing() as memory:
        return Answer(memory.links.add(*ends, **said))


@links.get("/links", response_model=Page[Link], summary="List the typed links")
def list_links(
    where: Asked,
    id: Annotated[Id | None, Query(description="Only those at this segment, whichever way they point.")] = None,
    kind: Annotated[AnyLink | None, Query(description="Only of this kind.")] = None,
    offset: Offset = 0,
    limit: Limit = 100,
) -> Answer:
    """Typed links with their weights, in the order of their ids."""
    return Answer(page(where.memory.links.all(id, kind), offset, limit))


@links.delete("/links", response_model=Removed, summary="Take a link away")
def remove_link(
    where: Writing,
    source: Annotated[Id, Query(description="Where it begins.")],
    kind: Annotated[AnyLink, Query()],
    target: Annotated[Id, Query(description="Where it points to.")],
) -> Answer:
    """Take a typed link away, whoever made it. The act can be undone."""
    with where.writing() as memory:
        return Answer(Removed(memory.links.remove(source, kind, target)))


def found_note(where: Where, id: str) -> Note:
    note = where.memory.notes.get(id)
    if note is None or note.state == "forgotten":
        raise Refused(404, f"There is no note {id!r:.100}. GET /api/notes lists them.")
    return note
