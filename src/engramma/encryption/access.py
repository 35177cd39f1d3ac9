"""Gets a store's key, and passes it to child processes: through a pipe, never as an argument.

A passphrase comes from a file (ENGRAMMA_PASSPHRASE_FILE), from a descriptor (ENGRAMMA_PASSPHRASE_FD), from a program
that called `unlock`, or from a person at a terminal, whom only the command line asks. An unlocked store stays so for
as long as the process lives.
"""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..errors import BadInput, StoreError, StoreLocked
from .keys import BYTES, KeyRecord, Method, StoreKeys, need_extra, read_record, unwrap, wrap

SERVICE = "engramma"  # in the system keyring
LEAST_PASSPHRASE = 8  # characters
LEAST_KEY_FILE, MOST_KEY_FILE = 32, 1024 * 1024  # bytes
KEY_PIPE = "ENGRAMMA_KEY_FD"
PASSPHRASE_FILE, PASSPHRASE_PIPE = "ENGRAMMA_PASSPHRASE_FILE", "ENGRAMMA_PASSPHRASE_FD"
OTHER_KEY_FILE = "ENGRAMMA_KEY_FILE"

known: dict[str, StoreKeys] = {}  # by the key's id
asking: list[Callable[[], str]] = []  # the command line's question, if somebody is there to answer it


def keys_in(store: Path) -> StoreKeys | None:
    """The keys of a store; None if it is not encrypted. StoreLocked if they cannot be had."""
    record = read_record(store)
    return None if record is None else unlock_keys(record)


def unlock(store: str | Path, *, passphrase: str | None = None, key_file: str | Path | None = None) -> None:
    """Unlock an encrypted store for this process: for programs that ask their user themselves."""
    if (record := read_record(Path(store).expanduser())) is not None:
        unlock_keys(record, passphrase=passphrase, key_file=key_file)


def unlock_keys(record: KeyRecord, *, passphrase: str | None = None, key_file: str | Path | None = None) -> StoreKeys:
    """The keys that a record holds, with a secret that is given or found."""
    given = passphrase is not None or key_file is not None
    if record.id in known and not given:
        return known[record.id]
    need_extra()
    keys = None if given else inherited(record)
    if keys is None:
        keys = unwrap(record, secret_of(record, passphrase, key_file))
    known[record.id] = keys
    return keys


def secret_of(record: KeyRecord, passphrase: str | None = None, key_file: str | Path | None = None) -> bytes:
    if record.method == "passphrase":
        return in_bytes(passphrase if passphrase is not None else found_passphrase())
    if record.method == "keyring":
        return from_keyring(record.where or record.id)
    where = key_file or os.environ.get(OTHER_KEY_FILE) or record.where
    if not where:
        raise StoreLocked(f"This memory opens with a key file. Set its path: {OTHER_KEY_FILE}=PATH.")
    return from_file(Path(where).expanduser())


# --- a passphrase --------------------------------------------------------------------------------


def passphrase_path() -> Path | None:
    """The file that ENGRAMMA_PASSPHRASE_FILE names."""
    path = os.environ.get(PASSPHRASE_FILE)
    return Path(path).expanduser() if path else None


def found_passphrase() -> str:
    if (path := passphrase_path()) is not None:
        return passphrase_in(path)
    if number := os.environ.pop(PASSPHRASE_PIPE, None):  # can be read once
        try:
            with os.fdopen(int(number), encoding="utf-8") as file:
                return file.read().rstrip("\r\n")
        except (OSError, ValueError) as error:
            raise StoreLocked(f"Cannot read the passphrase from {PASSPHRASE_PIPE}={number:.20}.") from error
    if asking:
        return asking[-1]()
    raise StoreLocked(
        "This memory is encrypted with a passphrase, and there is no terminal to ask for it. Put it into a file that "
        f"only you can read and set {PASSPHRASE_FILE} to its path, or run the command in a terminal."
    )


def passphrase_in(path: Path) -> str:
    _check_private(path, "passphrase file")
    try:
        return path.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise StoreLocked(f"Cannot read the passphrase in {path}: {reason}.") from error


def in_bytes(passphrase: str) -> bytes:
    """As every keyboard and system writes it."""
    return unicodedata.normalize("NFC", passphrase).encode("utf-8", "surrogatepass")


def check_passphrase(passphrase: str) -> bytes:
    if len(passphrase) < LEAST_PASSPHRASE:
        raise BadInput(f"A passphrase needs at least {LEAST_PASSPHRASE} characters; four random words make a good one.")
    return in_bytes(passphrase)


# --- the keyring, a file -------------------------------------------------------------------------


def from_keyring(name: str) -> bytes:
    from base64 import b64decode

    found = in_keyring(lambda ring: ring.get_password(SERVICE, name))
    if found is None:
        raise StoreLocked(
            f"This memory opens with a key in the system keyring (service {SERVICE}, name {name}), and this user's "
            "keyring has none of that name. Nothing was changed."
        )
    try:
        return b64decode(found, validate=True)
    except ValueError as error:
        raise StoreLocked(f"The keyring's entry {SERVICE}/{name} is not an Engramma key.") from error


def into_keyring(name: str) -> bytes:
    """A new random key, kept in the system keyring."""
    from .keys import encode_bytes

    secret = os.urandom(BYTES)
    in_keyring(lambda ring: ring.set_password(SERVICE, name, encode_bytes(secret)))
    if from_keyring(name) != secret:
        raise StoreError("The system keyring did not store the key. Use a passphrase or a key file.")
    return secret


def out_of_keyring(name: str) -> None:
    """Remove a key that opens nothing any more."""
    with suppress(Exception):
        in_keyring(lambda ring: ring.delete_password(SERVICE, name))


def in_keyring(act: Callable[[Any], Any]) -> Any:
    try:
        import keyring
        import keyring.errors
    except ImportError as error:
        raise StoreError("The keyring needs an extra: pip install 'engramma[encrypted]'.") from error
    ring = keyring.get_keyring()
    if ring.priority < 1:  # keyring's word for backends that keep no secret, or none at all
        raise StoreLocked("There is no usable system keyring here. Use a passphrase (--key passphrase) or a key file.")
    try:
        return act(ring)
    except keyring.errors.KeyringError as error:
        raise StoreLocked(f"The system keyring refused ({error}). Unlock it and try again.") from error


def has_keyring() -> bool:
    try:
        in_keyring(lambda ring: None)
    except StoreError:
        return False
    return True


def from_file(path: Path) -> bytes:
    _check_private(path, "key file")
    try:
        with path.open("rb") as file:
            secret = file.read(MOST_KEY_FILE + 1)
    except OSError as error:
        raise StoreLocked(f"Cannot read the key file {path}: {error.strerror}. Nothing was changed.") from error
    if not LEAST_KEY_FILE <= len(secret) <= MOST_KEY_FILE:
        raise StoreLocked(
            f"{path} is not a key file: it has {len(secret)} bytes. {LEAST_KEY_FILE} random bytes are enough."
        )
    return secret


def into_file(path: Path, store: Path) -> bytes:
    """A key file's content; a new random one if there is none. It may not lie in the store: who has one had both."""
    if path.resolve().is_relative_to(store.resolve()):
        raise BadInput(
            f"{path} is in the memory's own folder: anyone who gets that folder would have the key. Keep it elsewhere."
        )
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return from_file(path)
    except OSError as error:
        raise BadInput(f"Cannot create the key file {path}: {error}.") from error
    with os.fdopen(descriptor, "wb") as file:
        file.write(os.urandom(BYTES).hex().encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
    return from_file(path)


def _check_private(path: Path, what: str) -> None:
    """A secret that others can read is none."""
    with suppress(FileNotFoundError):
        if os.name == "posix" and path.is_file() and path.stat().st_mode & 0o077:
            raise StoreLocked(f"The {what} {path} can be read by others. Make it private: chmod 600 {path}.")


def wrapped_anew(
    keys: StoreKeys, store: Path, method: Method, passphrase: str | None, key_file: Path | None
) -> KeyRecord:
    """A record of the keys under a secret that is chosen now."""
    if method == "passphrase":
        if passphrase is None:
            raise BadInput("A passphrase is needed.")
        return wrap(keys, method, check_passphrase(passphrase))
    if method == "keyring":
        name = f"{keys.id}-{os.urandom(4).hex()}"  # never an old one's: until key.json is written, that one opens it
        return wrap(keys, method, into_keyring(name), name)
    if key_file is None:
        raise BadInput("Give the path of the key file, existing or new: --key-file PATH.")
    path = key_file.expanduser().absolute()
    return wrap(keys, method, into_file(path, store), str(path))


# --- children ------------------------------------------------------------------------------------


@contextmanager
def handed(store: Path) -> Iterator[dict[str, Any]]:
    """What `subprocess.Popen` has to be told so that a child finds the store unlocked; nothing if it is not encrypted.

    The key goes through a pipe that only the child inherits; its environment names the pipe's number, and no secret.
    """
    if (keys := keys_in(store)) is None or os.name != "posix":  # elsewhere a child asks the keyring or its key file
        yield {}
        return
    reading, writing = os.pipe()
    try:
        with os.fdopen(writing, "w", encoding="ascii") as file:
            json.dump({"id": keys.id, "key": keys.data.hex()}, file)  # far less than a pipe holds
        yield {"pass_fds": (reading,), "env": {**os.environ, KEY_PIPE: str(reading)}}
    finally:
        os.close(reading)


def inherited(record: KeyRecord) -> StoreKeys | None:
    """The keys that a parent handed over, if it did and they are this store's."""
    if (number := os.environ.pop(KEY_PIPE, None)) is None:
        return None
    try:
        with os.fdopen(int(number), encoding="ascii") as file:
            found = json.load(file)
        keys = StoreKeys(str(found["id"]), bytes.fromhex(found["key"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return keys if keys.id == record.id and keys.public() == record.public else None
