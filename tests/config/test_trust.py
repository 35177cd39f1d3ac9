"""An address that is only found in a store is used once its owner confirmed it, on this machine, for this place."""

from __future__ import annotations

import json
import shutil
import stat

import pytest

from engramma import Memory
from engramma.apps.daemon.settings import UPSTREAMS, daemon_addresses
from engramma.config.settings import Config, load_config
from engramma.config.trust import (
    EMBED_KEYS,
    INDEX_KEY,
    LLM_KEY,
    OLLAMA,
    OPENAI,
    Outgoing,
    addresses_in,
    check,
    confirm,
    embedder_address,
    llm_address,
    trust_folder,
    unconfirmed,
)
from engramma.errors import AddressNotConfirmed
from engramma.index.external import settings as index_settings
from engramma.models import environment, llm, remote
from tests.commands import ran
from tests.fakes import HashEmbedder
from tests.models.servers import serve
from tests.models.test_remote import openai

__all__ = ["serve"]


def test_what_is_known_of_keys_and_servers_is_what_is_used():
    assert (EMBED_KEYS, LLM_KEY, INDEX_KEY) == (environment.KEYS, llm.KEY, index_settings.KEY)
    assert (remote.OLLAMA.default_base, remote.OPENAI.default_base) == (OLLAMA, OPENAI)


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:11434",
        "http://localhost/v1",
        "https://[::1]:8080/v1",
        "http://127.1.2.3",
    ],
)
def test_this_machine_without_a_key_needs_no_word(tmp_path, address, monkeypatch):
    monkeypatch.delenv("MY_KEY", raising=False)
    table = {"url": address, "model": "m", "key_env": "MY_KEY"}
    check(tmp_path, llm_address(table))
    monkeypatch.setenv("MY_KEY", "s3cr3t")
    with pytest.raises(AddressNotConfirmed, match="MY_KEY"):
        check(tmp_path, llm_address(table))


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/v1",
        "http://127.0.0.1.evil.com",
        "http://127.0.0.1@evil.com/",
        "http://evil.com\\@127.0.0.1/",
        "http://127.0.0.1:80@evil.com",
        "http://localhost.evil.com",
        "http://127.0.0.1#@evil.com/",
        "http://127.0.0.1\n.evil.com",
        "http://0.0.0.0",
        "http://10.0.0.1",
        "HTTP://evil.com",
        "",
    ],
)
def test_other_addresses_are_refused_whatever_they_look_like(tmp_path, address):
    for one in (llm_address({"url": address}), embedder_address(f"ollama:m@{address or 'x'}")):
        with pytest.raises(AddressNotConfirmed):
            check(tmp_path, one)


def test_a_confirmation_is_for_one_place_one_address_and_its_keys(tmp_path):
    table = {"url": "https://example.org/v1", "key_env": "ONE"}
    confirm(tmp_path / "a", llm_address(table))
    check(tmp_path / "a", llm_address(table))
    for store, other in (
        ("b", table),
        ("a", {**table, "key_env": "TWO"}),
        ("a", {**table, "url": "https://example.com/v1"}),
    ):
        with pytest.raises(AddressNotConfirmed):
            check(tmp_path / store, llm_address(other))
    for path in (trust_folder(), *trust_folder().iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


def test_a_copied_store_asks_again_and_brings_no_confirmation_along(tmp_path, serve, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-mine")
    server = serve(openai)
    with Memory.open(tmp_path / "mine", embedder=f"openai:bge@{server.address}/v1") as memory:
        memory.remember("The heron stands in the pond.")
    with Memory.open(tmp_path / "mine") as memory:  # said once, known from then on
        assert memory.recall("heron").context
    shutil.copytree(tmp_path / "mine", tmp_path / "copy")
    asked = len(server.asked)
    with Memory.open(tmp_path / "copy") as memory:
        assert memory.sessions()  # what needs no address works
        for use in (lambda: memory.recall("heron"), lambda: memory.remember("one more")):
            with pytest.raises(AddressNotConfirmed, match="engramma trust"):
                use()
    assert len(server.asked) == asked
    moved = ran("migrate", "--to", tmp_path / "moved", "--store", tmp_path / "mine")
    assert moved.returncode == 0, moved.stderr
    with Memory.open(tmp_path / "moved") as memory:  # a copy that this command made at the owner's word
        assert memory.recall("heron").context


def test_the_command_shows_confirms_and_takes_back(tmp_path):
    Memory.open(tmp_path / "store", embedder=HashEmbedder()).close()
    store = ("--store", tmp_path / "store")
    assert "name no external address" in ran("trust", *store).stdout
    (tmp_path / "store" / "config.toml").write_text(
        'embedder = "openai:bge@https://embed.example/v1"\n'
        '[llm]\nurl = "https://llm.example/\\u001b]52;c;x\\u0007"\nmodel = "m"\n'
        '[index]\nbackend = "qdrant"\nurl = "https://q.example"\nkey_env = "AWS_SECRET"\n'
        '[daemon]\nhost = "0.0.0.0"\nallow_hosts = ["evil.example"]\n'
        '[daemon.upstreams]\nopenai = "https://api.evil.example"\nanthropic = "https://api.anthropic.com"\n',
        encoding="utf-8",
    )
    shown = ran("trust", "--show", *store)
    assert shown.returncode == 1 and shown.stdout.count("not confirmed") == 6
    for word in ("embed.example", "OPENAI_API_KEY", "q.example", "AWS_SECRET", "0.0.0.0", "api.evil.example"):
        assert word in shown.stdout
    assert "\x1b" not in shown.stdout and "anthropic" not in shown.stdout
    assert ran("trust", "--yes", *store).stdout.count("ok ") == 6
    listed = json.loads(ran("trust", "--json", *store).stdout)["addresses"]
    assert len(listed) == 6 and all(one["ok"] for one in listed)
    assert "6 confirmations" in ran("trust", "--remove", *store).stdout
    assert ran("trust", *store).returncode == 1


def test_a_daemon_serves_no_upstream_or_host_that_only_the_settings_name(tmp_path):
    Memory.open(tmp_path / "store", embedder=HashEmbedder()).close()
    for table in ('[daemon]\nhost = "0.0.0.0"\n', '[daemon.upstreams]\nopenai = "http://127.0.0.1:9"\n'):
        (tmp_path / "store" / "config.toml").write_text(table, encoding="utf-8")
        for command in ("serve", "start"):
            done = ran(command, "--port", "0", "--store", tmp_path / "store")
            assert done.returncode == 1 and "have not confirmed: [daemon]" in done.stderr, (command, done.stderr)
    said = daemon_addresses({"host": "0.0.0.0", "upstreams": {"openai": "http://127.0.0.1:9"}}, ("host", "openai"))
    assert said == []  # the command line said otherwise
    assert daemon_addresses({"upstreams": UPSTREAMS, "host": "127.0.0.1"}) == []


def test_a_setting_that_is_found_stays_found_when_it_is_changed(tmp_path):
    """Code that reads a store's settings and opens it with them does not speak for the user."""
    from dataclasses import replace

    Memory.open(tmp_path / "store", embedder=HashEmbedder()).close()
    (tmp_path / "store" / "config.toml").write_text('[llm]\nurl = "https://llm.example"\nmodel = "m"\n')
    found = replace(load_config(tmp_path / "store"), edge_cap=5)
    with Memory.open(tmp_path / "store", config=found) as memory, pytest.raises(AddressNotConfirmed):
        memory.llm.model()
    assert unconfirmed(tmp_path / "store", addresses_in(Config())) == []


def test_a_database_elsewhere_is_not_opened_before_it_is_confirmed(tmp_path):
    (tmp_path / "store").mkdir()
    config = tmp_path / "store" / "config.toml"
    config.write_text('[store]\nengine = "postgres://me:hidden@db.example/x"\n', encoding="utf-8")
    with pytest.raises(AddressNotConfirmed, match=r"db\.example") as refused:
        Memory.open(tmp_path / "store")
    assert "hidden" not in str(refused.value)


def test_a_link_in_the_place_of_a_confirmation_is_none_of_ours(tmp_path, monkeypatch):
    import os

    one = Outgoing("[llm] url", "https://llm.example")
    confirm(tmp_path, one)
    check(tmp_path, one)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)  # a file that another user put there
    with pytest.raises(AddressNotConfirmed):
        check(tmp_path, one)
