"""Paths about backups: make, list, download and restore them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path as File
from typing import Annotated, Literal

from fastapi import APIRouter, Path
from fastapi.responses import FileResponse
from pydantic import Field

from ...errors import BadInput
from ...language.times import from_seconds
from ...transfer.backup_settings import changes_by
from ...transfer.replace import backup_named, backups_in, new_backup, replace_store
from .backup_jobs import Told, Work
from .problems import RequestRefused
from .request import Asked, Face, Where, Writing
from .request_models import RequestModel, Text
from .response_models import JsonAnswer, Removed

paths = APIRouter(tags=["store"])

BackupName = Annotated[Text, Path(min_length=1, max_length=200, pattern=r"^[\w.-]+\.zip$", description="Its name.")]


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup in the store's folder."""

    name: str
    bytes: int
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Backups:
    """The backups, the newest first, and what is done with them."""

    items: list[Backup]
    work: Work | None


class RestoreIn(RequestModel):
    """That a restore is meant."""

    confirm: Literal[True] = Field(description="A restore replaces the whole memory: set true to confirm.")


@paths.get("/backups", response_model=Backups, summary="List the backups")
def list_backups(where: Asked) -> JsonAnswer:
    """The backups in the store's folder, newest first, and the job running now. Only for the store's owner."""
    where.check_owner()
    found = backups_in(where.face.daemon.store)
    items = [Backup(one.name, (at := one.stat()).st_size, from_seconds(at.st_mtime)) for one in found]
    return JsonAnswer(Backups(items, where.face.backups.work))


@paths.post("/backups", response_model=Work, status_code=202, summary="Make a backup")
def make_backup(where: Writing) -> JsonAnswer:
    """The whole store, all namespaces, in one file in the store's folder `backups`. The store may be in use.

    GET /api/backups shows the progress.
    """
    where.check_owner()
    memory, store = where.memory, where.face.daemon.store

    def act(told: Told) -> File:
        told("copying the memory", 0.0)
        target = new_backup(store)
        memory.backup(target)
        return target

    return JsonAnswer(where.face.backups.begin(Work("backup", "running"), act), 202)


@paths.get("/backups/{name}", response_class=FileResponse, summary="Download a backup")
def get_backup(where: Asked, name: BackupName) -> FileResponse:
    """The file itself; `engramma restore` creates a memory from it."""
    return FileResponse(_named(where, name), filename=name, media_type="application/zip")


@paths.delete("/backups/{name}", response_model=Removed, summary="Delete a backup")
def delete_backup(where: Writing, name: BackupName) -> JsonAnswer:
    """Permanently. It may still contain what was purged after it was made."""
    _named(where, name).unlink()
    return JsonAnswer(Removed(True))


@paths.post("/backups/{name}/restore", response_model=Work, status_code=202, summary="Restore a backup")
def restore_backup(where: Writing, name: BackupName, given: RestoreIn) -> JsonAnswer:
    """Replace the memory with a backup; the current one is first kept as a backup. GET /api/backups shows the progress.

    A damaged backup is detected before anything is changed, and a memory that another program has open is not replaced.
    The settings in the backup are left out; `settings` shows what they would change.
    """
    source, face = _named(where, name), where.face
    if any(not job.ended.is_set() for job in face.jobs.listed()):
        raise RequestRefused(409, "An import is in progress. Wait until it ends, or cancel it.")
    return JsonAnswer(face.backups.begin(Work("restore", "running"), lambda told: replaced(face, source, told)), 202)


def replaced(face: Face, source: File, told: Told) -> File:
    """Everything of this daemon lets go of the store; requests that need it wait until it is there again."""
    daemon = face.daemon
    told("storing what was captured", 0.0)
    with face.writes.alone(), daemon.scribe.resting(), daemon.memories.apart():
        face.backups.note_settings([str(change) for change in changes_by(source, daemon.store)])
        return replace_store(source, daemon.store, told)


def _named(where: Where, name: str) -> File:
    where.check_owner()
    try:
        return backup_named(where.face.daemon.store, name)
    except BadInput:
        raise RequestRefused(404, f"There is no backup {name!r:.100}. GET /api/backups lists them.") from None
