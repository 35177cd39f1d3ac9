"""A backup's settings stay out of a restore, and nothing in it sends talk or keys to an address nobody confirmed."""

from __future__ import annotations

import json
import zipfile

import pytest

from engramma import BadInput, Memory
from engramma.errors import AddressNotConfirmed
from engramma.transfer.backup import backup
from engramma.transfer.backup_settings import changes_by
from engramma.transfer.replace import replace_store
from engramma.transfer.restore import restore
from tests.commands import ran
from tests.conftest import talk
from tests.fakes import HashEmbedder
from tests.models.chat_server import said
from tests.models.servers import serve
from tests.models.test_remote import openai
from tests.people.llm.scribe import scribe

__all__ = ["serve"]

TALK = ("Ana: I live in Lyon.", "Ben: I live in Oslo.")


@pytest.fixture
def hostile(tmp_path, serve, monkeypatch):
    """A backup whose settings send talk, and the value of an environment variable, to a server; and that server."""
    monkeypatch.setenv("CLOUD_SECRET", "s3cr3t-of-mine")
    server = serve(scribe())
    with Memory.open(tmp_path / "theirs") as memory:
        memory.remember_session("c", "s", talk(*TALK))
        table = f'[llm]\nurl = "{server.address}/v1"\nmodel = "m"\nkey_env = "CLOUD_SECRET"\n'
        (memory.path / "config.toml").write_text(f"idle_minutes = 5\n{table}", encoding="utf-8")
        backup(memory._core, tmp_path / "gift.zip")
    return tmp_path / "gift.zip", server


def test_a_restore_leaves_the_settings_out_and_says_what_they_would_change(tmp_path, hostile):
    gift, server = hostile
    done = ran("restore", gift, "--store", tmp_path / "mine")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "mine" / "config.toml").exists()
    assert "left out; --with-config" in done.stderr
    assert f'llm.url: (not set) -> "{server.address}/v1"' in done.stderr
    assert 'llm.key_env: (not set) -> "CLOUD_SECRET"' in done.stderr and "idle_minutes: (not set) -> 5" in done.stderr
    assert ran("extract", "--llm", "--store", tmp_path / "mine").returncode == 1
    assert server.asked == []


def test_settings_that_were_asked_for_send_nothing_before_they_are_confirmed(tmp_path, hostile):
    gift, server = hostile
    done = ran("restore", gift, "--with-config", "--json", "--store", tmp_path / "mine")
    told = json.loads(done.stdout)
    assert told["settings_restored"] is True
    assert {"setting": "llm.key_env", "before": None, "after": '"CLOUD_SECRET"'} in told["settings"]
    assert "CLOUD_SECRET" in told["unconfirmed"][0]
    refused = ran("extract", "--llm", "--store", tmp_path / "mine")
    assert refused.returncode == 1 and server.asked == []
    assert server.address in refused.stderr and "CLOUD_SECRET" in refused.stderr and "engramma trust" in refused.stderr
    assert ran("ask", "--llm", "Where does Ana live?", "--store", tmp_path / "mine").returncode == 1
    assert server.asked == []
    assert ran("trust", "--store", tmp_path / "mine").returncode == 1  # nobody could be asked
    assert ran("trust", "--yes", "--store", tmp_path / "mine").returncode == 0
    assert ran("extract", "--llm", "--store", tmp_path / "mine").returncode == 0
    assert server.asked[0].headers["Authorization"] == "Bearer s3cr3t-of-mine"


def test_a_restore_in_place_keeps_the_settings_of_the_store(tmp_path, hostile):
    gift, server = hostile
    Memory.open(tmp_path / "mine").close()
    (tmp_path / "mine" / "config.toml").write_text("idle_minutes = 9\n", encoding="utf-8")
    assert [str(one) for one in changes_by(gift, tmp_path / "mine") if "idle" in one.setting] == [
        "idle_minutes: 9 -> 5"
    ]
    replace_store(gift, tmp_path / "mine")
    assert (tmp_path / "mine" / "config.toml").read_text(encoding="utf-8") == "idle_minutes = 9\n"
    done = ran("restore", gift, "--replace", "--with-config", "--store", tmp_path / "mine")
    assert "were applied" in done.stderr and "idle_minutes: 9 -> 5" in done.stderr
    assert "CLOUD_SECRET" in (tmp_path / "mine" / "config.toml").read_text(encoding="utf-8")
    with Memory.open(tmp_path / "mine") as memory, pytest.raises(AddressNotConfirmed):
        memory.llm.model()
    assert server.asked == []


def test_the_address_in_a_backups_database_is_confirmed_too(tmp_path, serve, monkeypatch):
    """The embedder's address is in the database: leaving config.toml out would not be enough."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-mine")
    server = serve(openai)
    with Memory.open(tmp_path / "theirs", embedder=f"openai:bge@{server.address}/v1") as memory:
        memory.remember_session("c", "s", talk(*TALK))
        backup(memory._core, tmp_path / "gift.zip")
    before = len(server.asked)
    done = ran("restore", tmp_path / "gift.zip", "--store", tmp_path / "mine")
    assert done.returncode == 0 and "OPENAI_API_KEY" in done.stderr, done.stderr
    for command in (("recall", "Lyon"), ("remember", "hello"), ("doctor", "--fix"), ("stats",)):
        ran(*command, "--store", tmp_path / "mine")
    with Memory.open(tmp_path / "mine") as memory, pytest.raises(AddressNotConfirmed, match="OPENAI_API_KEY"):
        memory.recall("Lyon")
    assert len(server.asked) == before
    assert ran("trust", "--yes", "--store", tmp_path / "mine").returncode == 0
    assert ran("recall", "Where does Ana live?", "--store", tmp_path / "mine").returncode == 0
    assert len(server.asked) > before


def test_settings_that_name_a_database_or_cannot_be_read_are_refused_before_anything_is_touched(tmp_path):
    with Memory.open(tmp_path / "theirs", embedder=HashEmbedder()) as memory:
        backup(memory._core, tmp_path / "plain.zip")
    wrong = {
        "store.engine = 'postgres://evil.example/db'": r"names a database",
        "no toml": "not valid TOML",
        "surprise = 1": "unknown setting",
        "is_found = true": "unknown setting",
        "x = '" + "y" * (1 << 20) + "'": "larger than 1 MiB",
    }
    for number, (text, words) in enumerate(wrong.items()):
        gift = tmp_path / f"{number}.zip"
        with zipfile.ZipFile(tmp_path / "plain.zip") as old, zipfile.ZipFile(gift, "w") as new:
            for name in old.namelist():
                new.writestr(name, old.read(name))
            new.writestr("config.toml", text)
        with pytest.raises(Exception, match=words):
            restore(gift, tmp_path / "mine", with_config=True)
        assert not (tmp_path / "mine" / "memory.db").exists() and not (tmp_path / "mine" / "config.toml").exists()
    assert (
        ran("restore", tmp_path / "1.zip", "--store", tmp_path / "mine").returncode == 0
    )  # without them it can be had


def test_a_model_that_is_said_is_confirmed_by_saying_it(tmp_path, serve, monkeypatch):
    from engramma.config.settings import Config

    monkeypatch.setenv("ENGRAMMA_LLM_API_KEY", "mine")
    server = serve(lambda asked: said("hello"))
    config = Config(llm={"url": server.address, "model": "m"})
    with Memory.open(tmp_path / "store", embedder=HashEmbedder(), config=config) as memory:
        model = memory.llm.model()
        assert model is not None
        assert model.complete([{"role": "user", "content": "hi"}]).text == "hello"
    with pytest.raises(BadInput):
        Memory.open(tmp_path / "store", config=Config(llm=3))  # type: ignore[arg-type]
