"""Which addresses may be asked, and what is kept from them."""

from __future__ import annotations

import pytest

from engramma.errors import ModelError, RemoteFailed
from engramma.models import http_client
from engramma.models.load import load
from engramma.models.remote import open_remote
from tests.models.servers import Asked, Reply, as_json

KEY = "sk-secret-1234567890"


def openai(asked: Asked) -> Reply:
    return as_json({"data": [{"index": at, "embedding": [1.0, 2.0]} for at, _ in enumerate(asked.body["input"])]})


@pytest.mark.parametrize("switch", ["argument", "environment"])
def test_offline_only_this_machine_is_asked(serve, monkeypatch, switch):
    if switch == "environment":
        monkeypatch.setenv("ENGRAMMA_OFFLINE", "1")
    offline = True if switch == "argument" else None
    assert load(f"openai:m@{serve(openai).address}", offline=offline).dimension == 2
    for spec in ("openai:m", "ollama:m@http://192.168.1.5:11434", "openai:m@https://localhost.example.com/v1"):
        with pytest.raises(RemoteFailed, match="is not on this machine and ENGRAMMA_OFFLINE is set"):
            load(spec, offline=offline)


def test_a_proxy_is_not_asked_about_this_machine(serve, monkeypatch):
    proxy = serve(lambda asked: Reply(status=400))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy.address)
    assert load(f"openai:m@{serve(openai).address}").dimension == 2
    assert proxy.asked == []


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("10.0.0.1", False),
        ("a.localhost", False),
        ("example.com", False),
        ("localhost.example.com", False),
        ("0.0.0.0", False),
    ],
)
def test_which_addresses_are_this_machines(host, own):
    assert http_client.is_local_server(host) is own


@pytest.mark.parametrize(
    "spec", ["ollama:", "openai:@http://x", "ollama:m@localhost:11434", "ollama:m@ftp://x", "openai:m@http://[::1"]
)
def test_an_address_or_a_name_that_is_none_is_explained(spec):
    with pytest.raises(ModelError, match="http://host:port"):
        load(spec)


def test_credentials_do_not_belong_into_an_address():
    with pytest.raises(ModelError, match="set ENGRAMMA_EMBED_API_KEY instead") as caught:
        load(f"openai:m@https://user:{KEY}@example.com/v1")
    assert KEY not in str(caught.value)


def test_a_key_that_no_header_can_carry_is_refused_unseen():
    with pytest.raises(ModelError, match="set it again") as caught:
        open_remote("openai:m@http://127.0.0.1:1", key=f"{KEY}\nX: y")
    assert KEY not in str(caught.value)
