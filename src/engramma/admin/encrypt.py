"""Encrypts a store, decrypts it, and changes the key that opens it."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from ..config.settings import load_config
from ..encryption.access import keys_in, known, out_of_keyring, unlock_keys, wrapped_anew
from ..encryption.keys import (
    KEY_FILE,
    KeyRecord,
    Method,
    StoreKeys,
    is_encrypted,
    need_extra,
    new_keys,
    read_record,
    unbox,
    write_record,
)
from ..errors import BadInput, StoreBusy, StoreError, StoreNotFound
from ..files.folders import make_folder
from ..index.external.settings import index_settings
from ..store.engine import DATABASE_FILE, SQLITE
from ..store.sqlite.driver import open_connection
from ..store.sqlite.key_switch import (
    CLEARED,
    NEW,
    SPOOLS,
    finish_switch,
    forget_unready,
    put_in_place,
    ready,
    replace_item,
    switching,
)
from ..store.sqlite.rescue import rescued_copies
from ..store.sqlite.swap import held
from ..transfer.replace import BACKUPS_FOLDER, LET_GO_SECONDS, finish

Told = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class KeyChoice:
    """Which secret opens a store. Its own words are never shown."""

    method: Method
    passphrase: str | None = None
    key_file: Path | None = None

    def __repr__(self) -> str:
        return f"KeyChoice({self.method})"


@dataclass(frozen=True, slots=True)
class Switched:
    """What became of a store, and which of its backups are still in plain text."""

    store: Path
    encrypted: bool
    method: str | None
    plain_backups: tuple[Path, ...]


def make_encrypted(store: Path, choice: KeyChoice) -> None:
    """Give a store that is about to be made its key; its database is encrypted from the first byte."""
    need_extra()
    make_folder(store, create=True)
    check_kind(store)
    if is_encrypted(store):
        raise BadInput(f"There is already an encrypted memory at {store}.")
    if (store / DATABASE_FILE).exists():
        raise BadInput(f"There is already a memory at {store}. `engramma encrypt` encrypts it.")
    keys = new_keys()
    write_record(store, wrapped_anew(keys, store, choice.method, choice.passphrase, choice.key_file))
    known[keys.id] = keys


def encrypt_store(
    store: Path, choice: KeyChoice, told: Told = lambda *_: None, seconds: float = LET_GO_SECONDS
) -> Switched:
    """Encrypt a store that nobody else has open: at any moment it is the old one as a whole, or the new one."""
    need_extra()
    finish_switch(store)
    check_there(store)
    if is_encrypted(store):
        raise BadInput("This memory is already encrypted. `engramma key` shows how, and changes the passphrase.")
    check_kind(store)
    check_no_links(store)
    keys = new_keys()
    record = wrapped_anew(keys, store, choice.method, choice.passphrase, choice.key_file)
    _switch(store, keys.database, record, told, seconds)
    known[keys.id] = keys
    finish(store)
    return Switched(store, True, choice.method, plain_backups(store))


def decrypt_store(store: Path, told: Told = lambda *_: None) -> Switched:
    """Write a store in plain text again. It takes its key once more, and keeps nothing that needs it."""
    finish_switch(store)
    check_there(store)
    record = read_record(store)
    if record is None:
        raise BadInput("This memory is not encrypted.")
    keys = unlock_keys(record)
    _switch(store, None, None, told, LET_GO_SECONDS, before=lambda: open_spool(store, keys))
    finish(store)
    return Switched(store, False, None, plain_backups(store))


def change_key(store: Path, choice: KeyChoice) -> None:
    """Let another secret open a store. Its data key stays, so nothing but key.json is written."""
    finish_switch(store)
    old = read_record(store)
    if old is None:
        raise BadInput("This memory is not encrypted. `engramma encrypt` encrypts it.")
    keys = unlock_keys(old)
    write_record(store, wrapped_anew(keys, store, choice.method, choice.passphrase, choice.key_file))
    if old.method == "keyring" and old.where:
        out_of_keyring(old.where)


# --- steps ---------------------------------------------------------------------------------------


def _switch(
    store: Path,
    key: bytes | None,
    record: KeyRecord | None,
    told: Told,
    seconds: float,
    before: Callable[[], None] = lambda: None,
) -> None:
    """Write the database anew under another key, then change both at once."""
    new = store / f"{DATABASE_FILE}{NEW}"
    try:
        with switching(store, wait=False) as is_alone:
            if not is_alone:
                raise StoreBusy("This memory is being encrypted or decrypted by another command. Wait until it ends.")
            forget_unready(store)
            with held(store / DATABASE_FILE, seconds, cipher=True) as old:
                os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
                old.recode(new, key, told)
                with closing(open_connection(new, key, cipher=True, isolation_level=None)) as copy:
                    from ..store.sqlite.database import query

                    copy.execute(query("archive_forget", {}))  # the text files are written anew, sealed or plain
                _written(new)
                if record is not None:
                    write_record(store, record, f"{KEY_FILE}{NEW}")
                before()
                ready(store, encrypted=record is not None)
                put_in_place(store)
    except OSError as error:
        raise StoreError(f"Cannot write the new database: {error}. The memory was not changed.") from error
    finally:
        if not (store / "switching.json").exists():
            with suppress(OSError):
                forget_unready(store)


def _written(path: Path) -> None:
    """On the disk, not only on its way there. Nobody has this file open."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def open_spool(store: Path, keys: StoreKeys) -> None:
    """What waits in the spool in plain text, for a store that is about to have no key."""
    for path in [path for name in SPOOLS for path in (store / name).glob("*.sealed")]:
        replace_item(path, path.with_suffix(".json"), unbox(keys, path.read_bytes()))


def check_there(store: Path) -> None:
    if rescued_copies(store):
        raise BadInput(
            "There are copies of a lost journal next to this memory, which could no longer be opened: run `engramma "
            "doctor --salvage` first."
        )
    if not (store / DATABASE_FILE).is_file():
        raise StoreNotFound(f"There is no memory at {store}. `engramma init --encrypted` creates one.")


def check_kind(store: Path) -> None:
    """Refuse what writes files of its own, which nobody would encrypt."""
    config = load_config(store)
    if config.store.get("engine", SQLITE) != SQLITE:
        raise BadInput("Only a memory on SQLite can be encrypted: a PostgreSQL server writes its own files.")
    if not (index := index_settings(config.index)).is_built_in:
        raise BadInput(
            f"The index backend {index.backend} keeps vectors in its own files or on its own server, in plain text. "
            "Run "
            "`engramma reindex --backend faiss` first."
        )


def check_no_links(store: Path) -> None:
    """Refuse a database, archive, index or spool that lies elsewhere: the link would be replaced, and what it leads to
    would stay in plain text."""
    for name in (DATABASE_FILE, *CLEARED, *SPOOLS):
        path = store / name
        if path.is_symlink():
            raise BadInput(
                f"{path} is a link to {path.resolve()}, which would stay in plain text. Replace the link with its "
                "target and try again. Nothing was changed."
            )
    if (store / DATABASE_FILE).stat().st_nlink > 1:
        raise BadInput(
            f"{store / DATABASE_FILE} has another name somewhere (a hard link), which would stay in plain text. "
            "Delete that, or replace this file with a copy, and try again. Nothing was changed."
        )


def plain_backups(store: Path) -> tuple[Path, ...]:
    """The backups in a store's folder that anybody can read."""
    return tuple(path for path in sorted((store / BACKUPS_FOLDER).glob("*.zip")) if not is_encrypted_backup(path))


def is_encrypted_backup(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return KEY_FILE in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def described(store: Path) -> dict[str, object]:
    """How a store is encrypted, for people and scripts: nothing of it is secret."""
    record = read_record(store)
    if record is None:
        return {"store": str(store), "encrypted": False}
    told: dict[str, object] = {"store": str(store), "encrypted": True, "key": record.method, "id": record.id}
    told |= {"key_file": record.where} if record.method == "file" else {}
    told |= {"argon2id": json.dumps(record.options)} if record.method == "passphrase" else {}
    return told


__all__ = [
    "KeyChoice",
    "Switched",
    "change_key",
    "decrypt_store",
    "described",
    "encrypt_store",
    "keys_in",
    "make_encrypted",
    "plain_backups",
]
