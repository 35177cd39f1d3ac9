"""Keys of a store's own, made when first needed: hashes under them mean nothing elsewhere."""

from __future__ import annotations

import secrets

from .store import Store

FINGERPRINTS = "fingerprint_key"  # of masked secrets
TOMBSTONES = "tombstone_key"  # of what was purged


def own_key(store: Store, name: str) -> bytes:
    """A key, made inside the caller's transaction if there is none yet; a writer elsewhere may be faster."""
    if (key := store.meta(name)) is None:
        store.database.run("meta_keep", {"key": name, "value": secrets.token_bytes(32)})
        key = store.meta(name)
    return bytes(key)
