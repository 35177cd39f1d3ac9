"""A store's keys. One random data key opens everything; `key.json` holds it wrapped under a key of the user's.

The user's key comes from a passphrase (argon2id), from the system keyring, or from a file. So changing it rewrites
`key.json` and nothing else. Every purpose has a key of its own, derived from the data key (HKDF-SHA256). What is
spooled is sealed to a public key (HPKE, RFC 9180): a hook has no secret, and can add an item but read none.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import secrets
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from ..errors import StoreCorrupt, StoreError, StoreLocked, StoreNotWritable, StoreTooNew
from ..files import foreign_json

KEY_FILE = "key.json"
VERSION = 1
BYTES = 32
Method = Literal["passphrase", "keyring", "file"]
METHODS: tuple[Method, ...] = ("passphrase", "keyring", "file")
# RFC 9106, section 4: the second recommended choice, for machines that cannot spare 2 GiB.
ARGON2 = {"passes": 3, "memory_kib": 64 * 1024, "lanes": 4}
MOST_ARGON2 = {"passes": 100, "memory_kib": 4 * 1024 * 1024, "lanes": 64}  # a damaged file must not take all memory
EXTRA = "Encryption needs an extra that is not installed: pip install 'engramma[encrypted]'."


@dataclass(frozen=True)
class StoreKeys:
    """The keys of an unlocked store."""

    id: str
    data: bytes = field(repr=False)

    def of(self, purpose: str) -> bytes:
        """The key of one purpose: "database", "archive", "archive names", "index", "spool"."""
        return derived(self.data, f"engramma {purpose} v1".encode())

    @cached_property
    def database(self) -> bytes:
        return self.of("database")

    @cached_property
    def archive(self) -> bytes:
        return self.of("archive")

    def name(self, text: str) -> str:
        """A file's name that says nothing: the same for the same text in this store, and for nobody else."""
        return hmac.new(self._names, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:32]

    @cached_property
    def _names(self) -> bytes:
        return self.of("archive names")

    def public(self) -> bytes:
        """The public half of the spool's key."""
        return bytes(self.spool().public_key().public_bytes_raw())

    def spool(self) -> Any:
        """The private half."""
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

        return X25519PrivateKey.from_private_bytes(self.of("spool"))


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """What `key.json` holds: nothing that opens the store by itself."""

    id: str
    method: Method
    public: bytes  # of the spool's key
    salt: bytes  # of argon2id, and of the tags in the spool's file names
    nonce: bytes
    wrapped: bytes
    options: dict[str, int] = field(default_factory=dict)  # of argon2id
    where: str | None = None  # the key file's path, or the keyring's name of the key

    def head(self) -> dict[str, Any]:
        """All of it but the wrapped key, which it is bound to."""
        told: dict[str, Any] = {"engramma_key": VERSION, "id": self.id, "method": self.method}
        told |= {"public": encode_bytes(self.public), "salt": encode_bytes(self.salt)}
        told |= {"argon2id": self.options} if self.method == "passphrase" else {}
        return told

    def bound(self) -> bytes:
        return json.dumps(self.head(), sort_keys=True).encode()

    def written(self) -> str:
        wrapped = {"nonce": encode_bytes(self.nonce), "wrapped": encode_bytes(self.wrapped)}
        where = {} if self.where is None else {"where": self.where}
        return json.dumps({**self.head(), **where, **wrapped}, indent=1) + "\n"


def new_keys() -> StoreKeys:
    """Keys of a store that is about to be made."""
    need_extra()
    return StoreKeys(secrets.token_hex(8), secrets.token_bytes(BYTES))


def is_encrypted(store: Path) -> bool:
    """Whether a store has a key: that decides, whatever else lies in it."""
    return (store / KEY_FILE).is_file()


def read_record(store: Path) -> KeyRecord | None:
    """What a store's `key.json` says; None if it has none, and so is not encrypted."""
    path = store / KEY_FILE
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise StoreLocked(f"Cannot read {path}: {error}. Without it nothing in this memory can be read.") from error
    return record_from(text, str(path))


def record_from(text: str | bytes, where: str) -> KeyRecord:
    """The record that a `key.json` holds."""
    try:
        found = foreign_json.loads(text)
        if found["engramma_key"] > VERSION:
            raise StoreTooNew(f"{where} was written by a newer version of Engramma. Upgrade; nothing was changed.")
        options = {name: int(found["argon2id"][name]) for name in ARGON2} if found["method"] == "passphrase" else {}
        if found["method"] not in METHODS or any(not 0 < options[name] <= MOST_ARGON2[name] for name in options):
            raise ValueError("an unknown method, or values out of range")
        names = ("public", "salt", "nonce", "wrapped")
        public, salt, nonce, wrapped = (base64.b64decode(found[name], validate=True) for name in names)
        return KeyRecord(str(found["id"]), found["method"], public, salt, nonce, wrapped, options, found.get("where"))
    except (ValueError, KeyError, TypeError) as error:
        raise StoreCorrupt(
            f"{where} is damaged ({type(error).__name__}). Nothing was changed: get {KEY_FILE} from a backup."
        ) from error


def write_record(store: Path, record: KeyRecord, name: str = KEY_FILE) -> None:
    """Put a record in its place at once, for its owner only: half a `key.json` would be the end of a memory."""
    path = store / name
    beside = store / f".{name}.new"
    try:
        beside.unlink(missing_ok=True)
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(record.written())
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
        sync(store)
    except OSError as error:
        raise StoreNotWritable(f"Cannot write {path}: {error}. Check the permissions of {store}.") from error


def sync(folder: Path) -> None:
    """A renamed file survives a power cut once its folder is written. Windows cannot, and need not."""
    if os.name != "nt":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


# --- wrapping ------------------------------------------------------------------------------------


def wrap(keys: StoreKeys, method: Method, secret: bytes, where: str | None = None) -> KeyRecord:
    """A record that holds the data key under a secret of the user's."""
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    options = dict(ARGON2) if method == "passphrase" else {}
    salt, nonce = secrets.token_bytes(16), secrets.token_bytes(12)
    record = KeyRecord(keys.id, method, keys.public(), salt, nonce, b"", options, where)
    outer = ChaCha20Poly1305(key_from(record, secret))
    return replace(record, wrapped=outer.encrypt(nonce, keys.data, record.bound()))


def unwrap(record: KeyRecord, secret: bytes) -> StoreKeys:
    """The keys that a record holds; StoreLocked if the secret is another one."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    try:
        data = ChaCha20Poly1305(key_from(record, secret)).decrypt(record.nonce, record.wrapped, record.bound())
    except (InvalidTag, ValueError):
        what = {"passphrase": "This passphrase", "keyring": "The key in the keyring", "file": "This key file"}
        raise StoreLocked(f"{what[record.method]} does not open the memory. Nothing was changed.") from None
    return StoreKeys(record.id, data)


def key_from(record: KeyRecord, secret: bytes) -> bytes:
    """The key that wraps: a passphrase can be guessed, so every guess is made to cost; other secrets cannot."""
    if record.method != "passphrase":
        return derived(secret, b"engramma wrapping v1", record.salt)
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

    cost = record.options
    try:
        made = Argon2id(
            salt=record.salt,
            length=BYTES,
            iterations=cost["passes"],
            lanes=cost["lanes"],
            memory_cost=cost["memory_kib"],
        )
        return made.derive(secret)
    except UnsupportedAlgorithm as error:
        raise StoreError(
            "The installed cryptography package has no argon2. Install the one from PyPI: "
            "pip install --force-reinstall cryptography."
        ) from error


def derived(key: bytes, purpose: bytes, salt: bytes | None = None) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(algorithm=SHA256(), length=BYTES, salt=salt, info=purpose).derive(key)


def need_extra() -> None:
    """Refuse with the command that installs what is missing."""
    import importlib.util

    if any(importlib.util.find_spec(name) is None for name in ("sqlcipher3", "cryptography")):
        raise StoreError(EXTRA)


def encode_bytes(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


# --- what is spooled -----------------------------------------------------------------------------

BOX = b"ENGRAMMA-BOX\x01"
BOX_INFO = b"engramma spool v1"


def box(record: KeyRecord, data: bytes) -> bytes:
    """Seal an item so that only who can open the store can read it. No secret is needed."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey

    return BOX + bytes(suite().encrypt(data, X25519PublicKey.from_public_bytes(record.public), info=BOX_INFO))


def unbox(keys: StoreKeys, data: bytes) -> bytes:
    from cryptography.exceptions import InvalidTag

    try:
        return bytes(suite().decrypt(data.removeprefix(BOX), keys.spool(), info=BOX_INFO))
    except (InvalidTag, ValueError):
        raise StoreCorrupt("An item in the spool was changed, or was encrypted for another store.") from None


def suite() -> Any:
    try:
        from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite
    except ImportError as error:
        raise StoreError(EXTRA) from error
    return Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.CHACHA20_POLY1305)


def tag(record: KeyRecord, data: bytes) -> str:
    """The same for the same item, so that one that waits already is not added again; it does not tell the item."""
    return hmac.new(record.salt, data, hashlib.sha256).hexdigest()[:16]
