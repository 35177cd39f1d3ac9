"""Paths about notes and typed links."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field

from ...errors import BadInput
from ...records import Forgotten, Link, Note, Remembered
from ...records.notes import MAX_TAGS
from .problems import RequestRefused
from .request import Administering, Asked, Limit, Offset, Where, Writing
from .request_models import MOST_IDS, AnyLink, Id, LinkIn, NoteChange, NoteIn, RequestModel, Tag
from .response_models import JsonAnswer, NoteChanged, NoteOut, Page, Removed, page

notes = APIRouter(tags=["notes"])
links = APIRouter(tags=["links"])


class RetagIn(RequestModel):
    """Which notes, and which tags to add or remove."""

    ids: list[Id] = Field(min_length=1, max_length=MOST_IDS)
    add: list[Tag] = Field([], max_length=MAX_TAGS)
    remove: list[Tag] = Field([], max_length=MAX_TAGS)


class NotesMerge(RequestModel):
    """Notes that say the same, and the one that stays."""

    ids: list[Id] = Field(min_length=1, max_length=MOST_IDS)
    into: Id


@dataclass(frozen=True, slots=True)
class Bulk:
    """How many notes changed, and the act that undoes it; no act if none did."""

    changed: int
    act: int | None


NoteId = Annotated[Id, Path(description="A note's id (note_…).")]


@notes.post("/notes", response_model=Remembered, summary="Add a note")
def add_note(where: Writing, given: NoteIn) -> JsonAnswer:
    """A note that repeats another is counted with it as a repeat, verbatim."""
    noted = dict(given)
    days, at = noted.pop("ttl_days"), noted.pop("said_at")
    with where.writing() as memory:
        return JsonAnswer(memory.remember(**noted, ttl=None if days is None else timedelta(days=days), at=at))


@notes.get("/notes", response_model=Page[Note], summary="List the notes")
def list_notes(
    where: Asked,
    tag: Annotated[Tag | None, Query(description="Only those with this tag.")] = None,
    all_states: Annotated[bool, Query(description="Include archived and retired notes.")] = False,
    offset: Offset = 0,
    limit: Limit = 100,
) -> JsonAnswer:
    """The notes, oldest first."""
    return JsonAnswer(page(where.memory.notes.all(tag, all_states=all_states), offset, limit))


@notes.get("/notes/{id}", name="get_note", response_model=NoteOut, summary="Read a note")
def show_note(where: Asked, id: NoteId) -> JsonAnswer:
    """A note with everything that repeated it."""
    note = found_note(where, id)
    return JsonAnswer(NoteOut(note, where.memory.notes.repeats(note.id)))


@notes.patch("/notes/{id}", response_model=NoteChanged, summary="Change a note")
def change_note(where: Writing, id: NoteId, given: NoteChange) -> JsonAnswer:
    """Changes its tags, or its text: then a new note replaces it, and the old one stays stored, as superseded.

    The returned act undoes it (POST /api/undo).
    """
    note, memory = found_note(where, id), where.memory
    with where.face.writes.alone():
        if given.text is not None:
            return JsonAnswer(NoteChanged(*memory.notes.revise(note.id, given.text, tags=given.tags)))
        if given.tags is not None:
            return JsonAnswer(NoteChanged(*memory.notes.retag(note.id, given.tags)))
    raise BadInput("Give what to change: text, tags, or both.")


@notes.post("/notes/retag", name="retag_notes", response_model=Bulk, summary="Retag many notes")
def post_notes_retag(where: Writing, given: RetagIn) -> JsonAnswer:
    """Add tags to notes or remove them, all or none; the returned act undoes it."""
    with where.writing() as memory:
        return JsonAnswer(Bulk(*memory.notes.retag_many(given.ids, given.add, given.remove)))


@notes.post("/notes/merge", name="merge_notes", response_model=Bulk, summary="Merge notes into one")
def post_notes_merge(where: Writing, given: NotesMerge) -> JsonAnswer:
    """One note replaces the others, which stay stored, as superseded; the returned act undoes it."""
    with where.writing() as memory:
        return JsonAnswer(Bulk(len(set(given.ids) - {given.into}), memory.notes.merge(given.ids, given.into)))


@notes.delete("/notes/{id}", response_model=Forgotten, summary="Forget a note")
def forget_note(where: Administering, id: NoteId) -> JsonAnswer:
    """Hide a note; the returned act undoes it (POST /api/undo)."""
    note = found_note(where, id)
    with where.face.writes.alone():
        return JsonAnswer(where.memory.forget([note.id]))


@links.post("/links", response_model=Link, summary="Link two segments")
def add_link(where: Writing, given: LinkIn) -> JsonAnswer:
    """Link two segments with a typed link; linking them again replaces its values."""
    said = dict(given)
    ends = said.pop("source"), said.pop("kind"), said.pop("target")
    with where.writing() as memory:
        return JsonAnswer(memory.links.add(*ends, **said))


@links.get("/links", response_model=Page[Link], summary="List the typed links")
def list_links(
    where: Asked,
    id: Annotated[Id | None, Query(description="Only links of this segment, in either direction.")] = None,
    kind: Annotated[AnyLink | None, Query(description="Only this kind.")] = None,
    offset: Offset = 0,
    limit: Limit = 100,
) -> JsonAnswer:
    """Typed links with their weights, in the order of their ids."""
    return JsonAnswer(page(where.memory.links.all(id, kind), offset, limit))


@links.delete("/links", name="remove_link", response_model=Removed, summary="Remove a link")
def delete_link(
    where: Writing,
    source: Annotated[Id, Query(description="Where it starts.")],
    kind: Annotated[AnyLink, Query()],
    target: Annotated[Id, Query(description="Where it points to.")],
) -> JsonAnswer:
    """Remove a typed link, whoever made it. Can be undone."""
    with where.writing() as memory:
        return JsonAnswer(Removed(memory.links.remove(source, kind, target)))


def found_note(where: Where, id: str) -> Note:
    note = where.memory.notes.get(id)
    if note is None or note.state == "forgotten":
        raise RequestRefused(404, f"There is no note {id!r:.100}. GET /api/notes lists them.")
    return note
