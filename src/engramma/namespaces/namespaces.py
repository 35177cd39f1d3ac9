"""The namespaces of a store: list, create, rename, delete them, and place one on another server."""

from __future__ import annotations

import shutil
from pathlib import Path

from ..config.trust import Outgoing, check, note_named_addresses
from ..core.core import ARCHIVE_FOLDER, INDEX_FOLDER, Core
from ..errors import BadInput, StoreBusy, StoreFull, StoreNotWritable
from ..ingest.archive import archive_folders, archive_pending
from ..records import NamespaceInfo
from ..store import audit, namespaces
from ..store.copy_tables import Told
from ..store.postgres.address import without_password
from ..store.sqlite.database import SqliteDatabase
from ..store.store import Store


class Namespaces:
    """The namespaces of a store: the only calls that reach namespaces other than the open one."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def all(self) -> list[NamespaceInfo]:
        """Every namespace of the store with its size, by name; of those on other servers, where they are."""
        return sorted(
            [*namespaces.read_namespaces(self._core.store.database), *self._elsewhere()], key=lambda info: info.name
        )

    def create(self, name: str) -> NamespaceInfo:
        """Create an empty namespace. Opening one by a new name also creates it."""
        self._core.check_namespace_name(name)
        check_local(self._core, name)
        namespaces.create(self._core.store.database, name)
        return namespaces.read_namespaces(self._core.store.database, name)[0]

    def rename(self, old: str, new: str) -> NamespaceInfo:
        """Rename a namespace; its archive is rewritten under the new name.

        The one that is open here continues under its new name. Elsewhere, the next call fails with an error.
        """
        database = self._core.store.database
        check_local(self._core, old, new)
        ns = namespaces.number_of(database, old)
        self._core.check_namespace_name(new)
        namespaces.check_free(database, new)
        self._unarchive(ns)
        with database.transaction():
            self._check_number(ns, old)
            namespaces.check_free(database, new)
            self._remove_archive(old)
            database.run("namespace_unarchive", {"ns": ns})
            database.run("namespace_rename", {"ns": ns, "name": new})
            audit.note_doing(database, {"namespace": old, "renamed": new})
        if ns == self._core.store.ns:
            self._core.store.namespace = new
        archive_pending(self._core.archive_folder, Store(database, new, create=False))
        return namespaces.read_namespaces(database, new)[0]

    def delete(self, name: str) -> None:
        """Delete a namespace with all that is in it, for good: rows, words, archive, index, and their traces.

        Not the one that is open here. Existing backups and exports are not touched.
        """
        database = self._core.store.database
        check_local(self._core, name)
        ns = namespaces.number_of(database, name)
        if ns == self._core.store.ns:
            raise BadInput(f"This memory is open on the namespace {name!r}. Open another one to delete it.")
        self._unarchive(ns)
        if not self._core.index_settings.is_built_in:
            engine = self._core.follower_of(Store(database, name, create=False))
            engine.clear()
            engine.close()
        with database.transaction():
            self._check_number(ns, name)
            self._remove_archive(name)
            self._remove_index(ns)
            namespaces.drop_namespace(database, ns)
            namespaces.note_traces(database)
            audit.note_doing(database, {"namespace": name})
        try:
            namespaces.wipe_traces(database)
        except (StoreBusy, StoreFull) as error:
            why = "other processes kept it busy" if isinstance(error, StoreBusy) else "there is no space left"
            raise type(error)(
                f"The namespace {name!r} is deleted, but {database.name} could not be written anew: {why}. Traces of "
                "it may remain in its free pages until `engramma doctor --fix` has run."
            ) from error

    def place(self, name: str, url: str, told: Told = lambda *_: None) -> int:
        """Move a namespace to another PostgreSQL server: postgres://user@host/database?schema=name.

        Every row is copied, compared and then deleted here; opening the namespace connects to that server.
        Text files and index caches stay in the directory of whoever uses it. Returns the number of rows.
        """
        self._check_several()
        from ..store.postgres.homes import home_address, move_namespace

        if namespaces.number_of(self._core.store.database, name) == self._core.store.ns:
            raise BadInput(f"This memory is open on the namespace {name!r}. Open another one to move it.")
        copied = move_namespace(self._core.store.database, name, url, told)
        note_named_addresses(self._core.path, home_address(name, without_password(url)), lasting=True)
        return sum(table.rows for table in copied)

    def bring_back(self, name: str, told: Told = lambda *_: None) -> int:
        """Bring a namespace back to where the store is. Returns the number of rows."""
        self._check_several()
        from ..store.postgres.homes import bring_namespace_back, find_home, home_address

        if (home := find_home(self._core.store.database, name)) is not None:
            check(self._core.path, home_address(name, home))
        return sum(table.rows for table in bring_namespace_back(self._core.store.database, name, told))

    def home_addresses(self) -> list[Outgoing]:
        """The servers of namespaces that live elsewhere: each is confirmed before it is used."""
        if isinstance(self._core.store.database, SqliteDatabase):
            return []
        from ..store.postgres.homes import home_address

        return [home_address(one.name, one.home) for one in self._elsewhere() if one.home is not None]

    # --- steps ---------------------------------------------------------------------------------

    def _elsewhere(self) -> list[NamespaceInfo]:
        """Namespaces that live on other servers."""
        if isinstance(self._core.store.database, SqliteDatabase):
            return []
        from ..store.postgres.homes import elsewhere

        return elsewhere(self._core.store.database)

    def _check_several(self) -> None:
        if isinstance(self._core.store.database, SqliteDatabase):
            raise BadInput(
                "Only a store on PostgreSQL has namespaces on other servers: `engramma migrate --to postgres://…`."
            )

    def _check_number(self, ns: int, name: str) -> None:
        """Asked under the write lock: another process may have been faster."""
        if namespaces.number_of(self._core.store.database, name) != ns:
            raise BadInput(f"The namespace {name!r} was replaced by another meanwhile. Check before you continue.")

    def _unarchive(self, ns: int) -> None:
        """Note that the files are due, before any of them goes: a crash in between then loses none."""
        with self._core.store.database.transaction():
            self._core.store.database.run("namespace_unarchive", {"ns": ns})

    def _remove_archive(self, name: str) -> None:
        """Under the write lock, under which they are written, too."""
        for folder in archive_folders(self._core.path / ARCHIVE_FOLDER, name):
            try:
                if folder.is_dir():
                    shutil.rmtree(folder)
            except OSError as error:
                raise StoreNotWritable(f"Cannot delete {folder}: {error}. Nothing else was changed.") from error

    def _remove_index(self, ns: int) -> None:
        for file in Path(self._core.path / INDEX_FOLDER).glob(f"{ns}.*"):
            if file.is_dir():
                shutil.rmtree(file, ignore_errors=True)
            else:
                file.unlink(missing_ok=True)


def check_local(core: Core, *names: str) -> None:
    """Refuse what concerns a namespace that lives on another server; without names, any."""
    if not isinstance(core.store.database, SqliteDatabase):
        from ..store.postgres import homes

        homes.check_namespace_home(core.store.database, *names)
