"""A store is encrypted and decrypted as a whole: answers stay, and kill -9 leaves the old store or the new one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engramma.ingest.waiting_segments import finish_pending

pytest.importorskip("sqlcipher3")

from engramma import Memory
from engramma.admin.doctor import doctor
from engramma.admin.encrypt import KeyChoice, decrypt_store, encrypt_store
from engramma.admin.salvage.salvage import salvage
from engramma.apps.daemon.spool import Spool
from engramma.encryption import is_encrypted
from engramma.errors import BadInput, StoreBusy, StoreCorrupt
from engramma.transfer.backup import backup
from engramma.transfer.replace import new_backup
from tests.conftest import talk
from tests.encryption.helpers import forget_keys, found_in, words_of
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.long

LINES = ("Margaret: the lighthouse keeper sold his telescope", "Friedrich: then nobody watches the harbour tonight")
ROOT = Path(__file__).parents[2]
WORDS = words_of(*LINES, "greenhouse", "conversation-about-boats")


def filled(store: Path) -> Path:
    with Memory.open(store, embedder=HashEmbedder()) as memory:
        memory.remember_session("conversation-about-boats", "first", talk(*LINES))
        memory.remember("the greenhouse needs new windows", tags=["garden"])
    return store


def told(store: Path) -> tuple[str, list[str]]:
    """What it answers, and what doctor finds wrong."""
    with Memory.open(store, embedder=HashEmbedder(), create=False) as memory:
        finish_pending(memory._core)  # text files that a kill left due
        answers = "\n".join(memory.recall(question).context for question in ("telescope", "harbour", "greenhouse"))
        return answers, [f"{check.name}: {check.detail}" for check in doctor(memory._core) if not check.ok]


def test_encrypting_keeps_every_answer_and_leaves_no_word(tmp_path):
    store = filled(tmp_path / "store")
    before, choice = told(store), KeyChoice("file", key_file=tmp_path / "key")
    Spool(store / "daemon" / "spool").put("transcript", {"path": "/home/friedrich/telescope.jsonl"})
    assert found_in(store, WORDS) != []
    done = encrypt_store(store, choice)
    assert done.encrypted and done.plain_backups == ()
    assert found_in(store, WORDS) == []
    forget_keys()
    assert told(store) == before
    assert [item.value["path"] for item in Spool(store / "daemon" / "spool").items()] == [
        "/home/friedrich/telescope.jsonl"
    ]
    with pytest.raises(BadInput, match="already encrypted"):
        encrypt_store(store, choice)


def test_decrypting_gives_the_same_memory_in_plain_text(tmp_path):
    store = filled(tmp_path / "store")
    before = told(store)
    archive = {p.relative_to(store): p.read_bytes() for p in store.rglob("*.txt")}
    encrypt_store(store, KeyChoice("file", key_file=tmp_path / "key"))
    Spool(store / "daemon" / "spool").put("transcript", {"path": "/a"})
    decrypt_store(store)
    forget_keys()
    (tmp_path / "key").unlink()
    assert not is_encrypted(store) and told(store) == before
    assert {p.relative_to(store): p.read_bytes() for p in store.rglob("*.txt")} == archive
    assert [item.value["path"] for item in Spool(store / "daemon" / "spool").items()] == ["/a"]
    assert not list(store.rglob("*.sealed"))


def test_what_was_purged_is_not_in_the_pages_either(tmp_path):
    """In an encrypted file nobody can look for a word; so it is looked for once the file is plain again."""
    store = filled(tmp_path / "store")
    encrypt_store(store, KeyChoice("file", key_file=tmp_path / "key"))
    with Memory.open(store, embedder=HashEmbedder()) as memory:
        memory.purge(query="telescope")
    decrypt_store(store)
    assert found_in(store, {"telescope"}) == [] and found_in(store, {"greenhouse"}) != []


def test_it_is_refused_while_another_has_it_open(tmp_path):
    store = filled(tmp_path / "store")
    before = told(store)
    code = (
        "import sys; from engramma import Memory; from tests.fakes import HashEmbedder\n"
        "m = Memory.open(sys.argv[1], embedder=HashEmbedder()); m.recall('x')\n"
        "print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(store)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    ) as other:
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(StoreBusy, match="has this memory open"):
            encrypt_store(store, KeyChoice("file", key_file=tmp_path / "key"), seconds=0.2)
        other.stdin.close()
    assert not is_encrypted(store) and not list(store.glob("*.switched*"))
    assert told(store) == before


def test_backups_in_plain_text_are_named(tmp_path):
    store = filled(tmp_path / "store")
    with Memory.open(store, embedder=HashEmbedder()) as memory:
        backup(memory._core, plain := new_backup(store))
    assert encrypt_store(store, KeyChoice("file", key_file=tmp_path / "key")).plain_backups == (plain,)
    with Memory.open(store, embedder=HashEmbedder()) as memory:
        backup(memory._core, new_backup(store))
    plain.unlink()
    assert found_in(store, WORDS) == []


def test_an_engine_with_files_of_its_own_is_refused(tmp_path):
    store = filled(tmp_path / "store")
    (store / "config.toml").write_text('[index]\nbackend = "chroma"\n')
    with pytest.raises(BadInput, match="chroma"):
        encrypt_store(store, KeyChoice("file", key_file=tmp_path / "key"))
    (store / "config.toml").unlink()
    encrypt_store(store, KeyChoice("file", key_file=tmp_path / "key"))
    (store / "config.toml").write_text('[index]\nbackend = "chroma"\n')
    with pytest.raises(BadInput, match="words can be guessed"):
        Memory.open(store)
    (store / "config.toml").write_text('[store]\nengine = "postgres"\n')
    with pytest.raises(BadInput, match="PostgreSQL"):
        Memory.open(store)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked children")
@pytest.mark.parametrize("way", ["encrypt", "decrypt"])
def test_kill_9_at_any_step_leaves_the_old_or_the_new_store_whole(tmp_path, way):
    store = filled(tmp_path / "store")
    answers, _ = told(store)
    choice = KeyChoice("file", key_file=tmp_path / "key")
    if way == "decrypt":
        encrypt_store(store, choice)
    script = Path(__file__).with_name("killed.py")
    ended = subprocess.run(
        [sys.executable, str(script), way, str(store), str(tmp_path / "key"), str(tmp_path / "copies")],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert ended.returncode == 0, ended.stderr
    outcomes = set()
    copies = sorted((tmp_path / "copies").iterdir())
    assert len(copies) > 5
    for copy in copies:
        forget_keys()
        found, wrong = told(copy)
        assert (found, wrong) == (answers, []), copy.name
        outcomes.add(is_encrypted(copy))
        assert not (copy / "switching.json").exists()
        if is_encrypted(copy):
            assert found_in(copy, WORDS) == []
        shutil.rmtree(copy)
    assert outcomes == {True, False}


def test_salvage_of_an_encrypted_store_is_encrypted_and_reads_the_sealed_archive(tmp_path):
    store = filled(tmp_path / "store")
    encrypt_store(store, KeyChoice("file", key_file=tmp_path / "key"))
    before, _ = told(store)
    for end in ("-wal", "-shm"):
        (store / f"memory.db{end}").unlink(missing_ok=True)
    (store / "memory.db").write_bytes(b"")
    with pytest.raises(StoreCorrupt, match="--salvage"):
        Memory.open(store, embedder=HashEmbedder())
    salvage(store, tmp_path / "new", embedder=HashEmbedder())
    assert is_encrypted(tmp_path / "new") and found_in(tmp_path / "new", WORDS) == []
    with Memory.open(tmp_path / "new", embedder=HashEmbedder(), create=False) as memory:
        assert "telescope" in memory.recall("telescope").context and "telescope" in before


@pytest.mark.parametrize("name", ["memory.db", "archive", "daemon/spool"])
def test_what_lies_elsewhere_is_not_left_in_plain_text(tmp_path, name):
    store, elsewhere = filled(tmp_path / "store"), tmp_path / "elsewhere"
    Spool(store / "daemon" / "spool").put("transcript", {"path": "/home/friedrich/telescope.jsonl"})
    shutil.move(store / name, elsewhere)
    (store / name).symlink_to(elsewhere)
    with pytest.raises(BadInput, match="is a link to"):
        encrypt_store(store, KeyChoice("file", key_file=tmp_path / "key"))
    assert not is_encrypted(store) and told(store)[1] == []
    (store / name).unlink()
    shutil.move(elsewhere, store / name)
    encrypt_store(store, KeyChoice("file", key_file=tmp_path / "key"))
    assert found_in(tmp_path, WORDS) == []


def test_a_second_name_of_the_database_is_not_left_in_plain_text(tmp_path):
    store = filled(tmp_path / "store")
    os.link(store / "memory.db", tmp_path / "second.db")
    with pytest.raises(BadInput, match="hard link"):
        encrypt_store(store, KeyChoice("file", key_file=tmp_path / "key"))
    assert not is_encrypted(store)
