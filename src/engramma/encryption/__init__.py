"""Encryption at rest: whose key opens a store, and how the files beside its database are sealed.

The database is SQLCipher's work (store/sqlite/driver.py); all else is sealed here with constructions that are not
ours, by the package `cryptography`. docs/explanation/encryption.md describes the formats.
"""

from .access import handed, keys_in, unlock
from .files import SealedWriter, is_sealed, seal, unseal
from .keys import KEY_FILE, KeyRecord, StoreKeys, is_encrypted, read_record

__all__ = [
    "KEY_FILE",
    "KeyRecord",
    "SealedWriter",
    "StoreKeys",
    "handed",
    "is_encrypted",
    "is_sealed",
    "keys_in",
    "read_record",
    "seal",
    "unlock",
    "unseal",
]
