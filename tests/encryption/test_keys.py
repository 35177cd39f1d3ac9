"""What opens a store: passphrase, keyring, key file; wrong ones, missing ones, changed ones."""

from __future__ import annotations

import json
import os

import pytest

pytest.importorskip("sqlcipher3")

from engramma import Memory
from engramma.admin.encrypt import KeyChoice, change_key, described, make_encrypted
from engramma.encryption import access, files, keys, unlock
from engramma.errors import BadInput, StoreCorrupt, StoreError, StoreLocked, StoreTooNew
from tests.encryption.helpers import PASSPHRASE, forget_keys, new_encrypted
from tests.fakes import HashEmbedder

SAID = "the spare key hangs behind the lighthouse"


@pytest.fixture
def cheap(monkeypatch):
    """Argon2 with the least cost: what is tested is not how long it takes."""
    monkeypatch.setattr(keys, "ARGON2", {"passes": 1, "memory_kib": 64, "lanes": 1})


@pytest.fixture
def ring(monkeypatch):
    """A keyring of the package's own plug-in kind, in memory."""
    keyring = pytest.importorskip("keyring")
    from keyring.backend import KeyringBackend

    class Ring(KeyringBackend):
        priority = 5
        kept: dict[tuple[str, str], str] = {}  # noqa: RUF012

        def get_password(self, service, username):
            return self.kept.get((service, username))

        def set_password(self, service, username, password):
            self.kept[service, username] = password

        def delete_password(self, service, username):
            del self.kept[service, username]

    made = Ring()
    before = keyring.get_keyring()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


def said_in(store) -> str:
    forget_keys()
    with Memory.open(store, embedder=HashEmbedder(), create=False) as memory:
        return memory.recall("spare key").candidates[0].text


def filled(store):
    with Memory.open(store, embedder=HashEmbedder()) as memory:
        memory.remember(SAID)
    return store


def test_a_passphrase_opens_it_and_another_does_not(tmp_path, cheap, monkeypatch):
    make_encrypted(tmp_path / "s", KeyChoice("passphrase", PASSPHRASE))
    store = filled(tmp_path / "s")
    before = (store / "memory.db").read_bytes()
    forget_keys()
    with pytest.raises(StoreLocked, match="does not open"):
        unlock(store, passphrase="four other random words")
    with pytest.raises(StoreLocked, match="ENGRAMMA_PASSPHRASE_FILE"):
        Memory.open(store)
    assert (store / "memory.db").read_bytes() == before  # nothing was destroyed by trying
    secret = tmp_path / "secret"
    secret.write_text(PASSPHRASE + "\n")
    monkeypatch.setenv("ENGRAMMA_PASSPHRASE_FILE", str(secret))
    secret.chmod(0o644)
    with pytest.raises(StoreLocked, match="can be read by others"):
        Memory.open(store)
    secret.chmod(0o600)
    assert said_in(store) == SAID


def test_a_passphrase_comes_from_a_descriptor(tmp_path, cheap, monkeypatch):
    make_encrypted(tmp_path / "s", KeyChoice("passphrase", PASSPHRASE))
    store = filled(tmp_path / "s")
    reading, writing = os.pipe()
    os.write(writing, PASSPHRASE.encode() + b"\n")
    os.close(writing)
    monkeypatch.setenv("ENGRAMMA_PASSPHRASE_FD", str(reading))
    assert said_in(store) == SAID
    assert "ENGRAMMA_PASSPHRASE_FD" not in os.environ


def test_a_key_file_opens_it_and_lies_elsewhere(tmp_path, monkeypatch):
    store = filled(new_encrypted(tmp_path / "s", tmp_path / "key"))
    assert said_in(store) == SAID
    assert (tmp_path / "key").stat().st_mode & 0o077 == 0
    (tmp_path / "key").rename(tmp_path / "moved")
    forget_keys()
    with pytest.raises(StoreLocked, match="key file"):
        Memory.open(store)
    monkeypatch.setenv("ENGRAMMA_KEY_FILE", str(tmp_path / "moved"))
    assert said_in(store) == SAID
    with pytest.raises(BadInput, match="Keep it elsewhere"):
        new_encrypted(tmp_path / "t", tmp_path / "t" / "key")


def test_the_keyring_opens_it(tmp_path, ring):
    make_encrypted(tmp_path / "s", KeyChoice("keyring"))
    store = filled(tmp_path / "s")
    assert said_in(store) == SAID
    ring.kept.clear()
    forget_keys()
    with pytest.raises(StoreLocked, match="keyring"):
        Memory.open(store)


def test_a_keyring_that_keeps_no_secret_is_refused(tmp_path, ring):
    type(ring).priority = 0.5
    with pytest.raises(StoreLocked, match="no usable system keyring"):
        make_encrypted(tmp_path / "s", KeyChoice("keyring"))
    assert not (tmp_path / "s" / "key.json").exists()


def test_changing_the_key_writes_key_json_and_nothing_else(tmp_path, cheap, ring):
    make_encrypted(tmp_path / "s", KeyChoice("keyring"))
    store = filled(tmp_path / "s")
    before = (store / "memory.db").read_bytes()
    change_key(store, KeyChoice("passphrase", PASSPHRASE))
    assert (store / "memory.db").read_bytes() == before and ring.kept == {}
    forget_keys()
    unlock(store, passphrase=PASSPHRASE)
    change_key(store, KeyChoice("keyring"))
    assert said_in(store) == SAID
    assert described(store)["key"] == "keyring"


def test_key_json_holds_no_secret_and_cannot_be_changed_unnoticed(tmp_path, cheap):
    forget_keys()
    make_encrypted(tmp_path / "s", KeyChoice("passphrase", PASSPHRASE))
    data = next(iter(access.known.values())).data
    text = (tmp_path / "s" / "key.json").read_text()
    assert PASSPHRASE not in text and data.hex() not in text and keys.encode_bytes(data) not in text
    record = keys.record_from(text, "key.json")
    for name, value in (("id", "another"), ("public", keys.encode_bytes(bytes(32)))):
        changed = keys.record_from(json.dumps({**json.loads(text), name: value}), "key.json")
        with pytest.raises(StoreLocked):
            keys.unwrap(changed, PASSPHRASE.encode())
    assert keys.unwrap(record, PASSPHRASE.encode()).data == data


@pytest.mark.parametrize("change", [{"method": "magic"}, {"wrapped": "%%"}, {"argon2id": {"passes": 1, "lanes": 1}}])
def test_a_damaged_key_json_is_told(tmp_path, cheap, change):
    make_encrypted(tmp_path / "s", KeyChoice("passphrase", PASSPHRASE))
    path = tmp_path / "s" / "key.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(StoreCorrupt, match="damaged"):
        Memory.open(tmp_path / "s")
    path.write_text(json.dumps({**json.loads(path.read_text()), "engramma_key": 9}))
    with pytest.raises(StoreTooNew):
        Memory.open(tmp_path / "s")


def test_a_key_json_that_asks_for_all_memory_is_refused(tmp_path, cheap):
    make_encrypted(tmp_path / "s", KeyChoice("passphrase", PASSPHRASE))
    path = tmp_path / "s" / "key.json"
    greedy = {"passes": 3, "memory_kib": 1 << 40, "lanes": 4}
    path.write_text(json.dumps({**json.loads(path.read_text()), "argon2id": greedy}))
    with pytest.raises(StoreCorrupt):
        Memory.open(tmp_path / "s")


def test_a_lost_key_json_is_named_and_nothing_is_made_anew(tmp_path):
    store = filled(new_encrypted(tmp_path / "s", tmp_path / "key"))
    before = (store / "memory.db").read_bytes()
    (store / "key.json").rename(tmp_path / "key.json")
    with pytest.raises(StoreCorrupt, match=r"key\.json is missing"):
        Memory.open(store)
    assert (store / "memory.db").read_bytes() == before
    (tmp_path / "key.json").rename(store / "key.json")
    assert said_in(store) == SAID


def test_a_missing_extra_names_itself(tmp_path, monkeypatch):
    store = filled(new_encrypted(tmp_path / "s", tmp_path / "key"))
    forget_keys()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(StoreError, match=r"engramma\[encrypted\]"):
        Memory.open(store)


def test_a_short_passphrase_is_refused(tmp_path):
    with pytest.raises(BadInput, match="8 characters"):
        make_encrypted(tmp_path / "s", KeyChoice("passphrase", "short"))
    assert not (tmp_path / "s" / "key.json").exists()


@pytest.mark.parametrize("size", [0, 1, files.CHUNK - 1, files.CHUNK, files.CHUNK + 1, 3 * files.CHUNK])
def test_a_sealed_file_comes_back_and_no_change_goes_unnoticed(size):
    key, text = os.urandom(32), os.urandom(size)
    sealed = files.seal(text, key)
    assert files.unseal(sealed, key) == text
    assert files.seal(text, key) != sealed  # a salt of its own
    for spoiled in (
        sealed[:-1],
        sealed[: len(sealed) - files.TAG - 1] + b"x",
        sealed[:60] + bytes([sealed[60] ^ 1]) + sealed[61:],
    ):
        with pytest.raises(StoreCorrupt):
            files.unseal(spoiled, key)
    if size > files.CHUNK:  # cut off at the end of a chunk, or two chunks swapped
        begins, long = 48, files.CHUNK + files.TAG
        with pytest.raises(StoreCorrupt):
            files.unseal(sealed[: begins + long], key)
        swapped = sealed[:begins] + sealed[begins + long : begins + 2 * long] + sealed[begins : begins + long]
        with pytest.raises(StoreCorrupt):
            files.unseal(swapped, key)
    with pytest.raises(StoreCorrupt):
        files.unseal(sealed, os.urandom(32))
