"""Checks that the archive's text files say what the database says, and rewrites those that do not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..core.core import ARCHIVE_FOLDER, Core
from ..errors import StoreCorrupt, StoreNotWritable
from ..ingest.archive import archive_path, has_text, read_archive, render, write_archive
from ..language.text import plural
from ..rescan.names import find_text_files, remove_strays
from ..store.store import session_row
from .doctor_checks import Check


def archive_check(core: Core) -> Check:
    if core.archive_folder is None:
        return _no_archive_check(core)
    found = _compared(core)
    return found if found.ok else _settled_archive_check(core)


def _settled_archive_check(core: Core) -> Check:
    with core.store.transaction():  # files and rows change together under this lock: somebody may just have written
        return _compared(core)


def _compared(core: Core) -> Check:
    missing, different = [], []
    for path, text in _expected_archive(core):
        try:
            if read_archive(path) != text.encode("utf-8"):
                different.append(path)
        except StoreCorrupt:  # sealed, and changed since
            different.append(path)
        except OSError:
            missing.append(path)
    if not missing and not different:
        return Check("archive matches", True, "yes")
    first = (missing + different)[0].name
    found = f"{plural(len(missing), 'file')} missing, {len(different)} different (first: {first})"
    detail = f"{found}; `engramma doctor --fix` rewrites them"
    return Check("archive matches", False, detail)


def _no_archive_check(core: Core) -> Check:
    folder = core.path / ARCHIVE_FOLDER
    told = "none: the store is on a shared server"
    if left := list(find_text_files(folder)):
        told = f"{len(left)} text files of an earlier version in {folder}, missed by a purge; --fix deletes them"
    return Check("archive matches", not left, told)


def _expected_archive(core: Core) -> Iterator[tuple[Path, str]]:
    store = core.store
    for row in map(session_row, store.all("sessions_listed", conversation=None)):
        if row.closed and row.archived:
            path = archive_path(core.path / ARCHIVE_FOLDER, store.namespace, row)
            yield path, render(store.namespace, row, store.turns(row.key))


def repair_archive(core: Core) -> None:
    store, folder = core.store, core.path / ARCHIVE_FOLDER
    if core.archive_folder is None:
        with store.transaction():
            remove_strays(folder, store, everything=True)
        return
    for row in map(session_row, store.all("sessions_listed", conversation=None)):
        if not row.closed:
            continue
        path = archive_path(folder, store.namespace, row)
        text = render(store.namespace, row, store.turns(row.key))
        try:
            if not has_text(path, text):
                with store.transaction():
                    write_archive(folder, store, row)
        except OSError as error:
            raise StoreNotWritable(
                f"Cannot rewrite {path}: {error}. Check that {folder} may be written, that nothing else has the "
                "file's name and that the disk is not full; then run `engramma doctor --fix` again."
            ) from error
