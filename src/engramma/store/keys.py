"""Keys of a store's own, made when first needed: hashes under them mean nothing elsewhere."""

from __future__ import annotations

import hashlib
import secrets

from .store import Store

FINGERPRINTS = "fingerprint_key"  # of masked secrets
TOMBSTONES = "tombstone_key"  # of what was purged
CONTEXT = "context_key"  # of the fences around recalled memory


def own_key(store: Store, name: str) -> bytes:
    """A key, made inside the caller's transaction if there is none yet; a writer elsewhere may be faster."""
    if (key := store.meta(name)) is None:
        store.database.run("meta_keep", {"key": name, "value": secrets.token_bytes(32)})
        key = store.meta(name)
    return bytes(key)


def context_key(store: Store) -> bytes:
    """The key of the fences around recalled memory; recall writes nothing, so where there is none yet (a store of an
    earlier version, a medium that cannot be written) it follows from the store's own secret id."""
    if (key := store.meta(CONTEXT)) is not None:
        return bytes(key)
    return hashlib.sha256(f"{CONTEXT} {store.meta('store_id')}".encode()).digest()


def fingerprint_key(store: Store) -> bytes:
    """The key of this store's fingerprints, made when the first secret is met."""
    if (key := store.meta(FINGERPRINTS)) is None:
        with store.transaction():
            key = own_key(store, FINGERPRINTS)
    return bytes(key)
