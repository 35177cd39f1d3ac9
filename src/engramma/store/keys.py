"""Keys of a store's own, made when first needed: hashes under them mean nothing elsewhere."""

from __future__ import annotations

import secrets

from .store import Store

FINGERPRINTS = "fingerprint_key"  # of masked secrets
TOMBSTONES = "tombstone_key"  # of what was purged


def own_key(store: Store, name: str) -> bytes:
    """A key, made inside the caller's transaction if there is none yet."""
    if (key := store.meta(name)) is None:
        key = secrets.token_bytes(32)
        store.put_meta(name, key)
    return bytes(key)
