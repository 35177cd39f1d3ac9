"""An encrypted store is salvaged into an encrypted one, under the same key, and nothing of it lies in the open."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest

pytest.importorskip("sqlcipher3")
pytest.importorskip("cryptography")

from engramma.admin.encrypt import KeyChoice, make_encrypted
from engramma.admin.salvage.salvage import salvage
from engramma.encryption import is_encrypted
from tests.admin.salvage.stores import emptied, make_store, pages_of_zeros, visible
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.long


@pytest.mark.parametrize("damage", [None, emptied, pages_of_zeros], ids=lambda d: getattr(d, "__name__", "sound"))
def test_what_is_left_of_an_encrypted_store_is_saved_encrypted(tmp_path, damage):
    store = tmp_path / "store"
    key = tmp_path / "key"
    key.write_text(secrets.token_hex(32))
    key.chmod(0o600)
    store.mkdir()
    make_encrypted(store, KeyChoice("file", key_file=key))
    make_store(store)
    before = visible(store)
    if damage is not None:
        damage(store)
    found = salvage(store, embedder=HashEmbedder())
    made = Path(found.salvaged)
    assert is_encrypted(made)
    assert visible(made).keys() == before.keys()
    assert [check for check in found.checks if not check.ok] == []
    for path in made.rglob("*"):
        assert not (path.is_file() and b"second paragraph" in path.read_bytes()), path
