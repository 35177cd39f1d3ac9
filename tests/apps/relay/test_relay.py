"""A program that was given an address reaches its provider through it, whatever has become of the daemon."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import anthropic
import httpx2
import ollama
import openai
import pytest

from engramma.apps.daemon import control
from engramma.apps.daemon.folder import inject_key, place_in, proxy_key, read_json, token_of, write_json
from engramma.apps.daemon.run import is_running
from engramma.apps.daemon.settings import daemon_addresses
from engramma.apps.relay import control as relay
from engramma.config.trust import confirm
from tests.commands import ran

sys.path.insert(0, str(Path(__file__).parents[3] / "evaluate" / "bench"))
from proxy_upstream import Script, Upstream, reply, serving

pytestmark = pytest.mark.long

MESSAGES: Any = [{"role": "user", "content": "Hi"}]


@pytest.fixture
def provider() -> Iterator[tuple[Upstream, str]]:
    upstream = Upstream()
    with serving(upstream) as port:
        yield upstream, f"http://127.0.0.1:{port}"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A store whose relay has a port of its own: the usual one may be taken while it is killed and started again."""
    monkeypatch.setattr(relay, "PORT", 10_000 + os.getpid() % 20_000)
    path = tmp_path / "store"
    yield path
    relay.stop_relay(path)
    if is_running(place_in(path)):
        control.stop_daemon(path)


def start(store: Path, address: str) -> dict[str, Any]:
    options = [f"--upstream={name}={address}" for name in ("openai", "anthropic", "ollama")]
    return control.start_daemon(store, ["--port", "0", *options])


@pytest.fixture
def alone(store: Path, provider: tuple[Upstream, str]) -> tuple[Upstream, str]:
    """A relay with no daemon behind it: the provider, and the address in front of the provider's name."""
    upstream, address = provider
    token = token_of(place_in(store))
    tell(store, dict.fromkeys(("openai", "anthropic", "ollama"), address))
    return upstream, f"{relay.start_relay(store)}/p/{proxy_key(token)}"


def tell(store: Path, upstreams: dict[str, str]) -> None:
    """Leave word of providers as a daemon does that was given them."""
    confirm(store, *daemon_addresses({"upstreams": upstreams}))
    write_json(place_in(store).upstreams, {"upstreams": upstreams})


def until(check: Any, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def ask_all(upstream: Upstream, urls: dict[str, str], text: str) -> None:
    """With each of the real SDKs, at once and streamed: the provider's words come back."""
    for stream in (False, True):
        for api in ("completions", "messages", "chat"):
            upstream.scripts[f"{api}-{stream}"] = reply(api, text, stream, Random(1))
    with openai.OpenAI(base_url=urls["openai"], api_key="k", max_retries=0) as client:
        whole = client.chat.completions.create(model="completions-False", messages=MESSAGES)
        assert whole.choices[0].message.content == text
        pieces = client.chat.completions.create(model="completions-True", messages=MESSAGES, stream=True)
        assert "".join(p.choices[0].delta.content or "" for p in pieces if p.choices) == text
    with anthropic.Anthropic(base_url=urls["anthropic"], api_key="k", max_retries=0) as other:
        said = other.messages.create(model="messages-False", max_tokens=5, messages=MESSAGES)
        assert said.content[0].text == text  # type: ignore[union-attr]
        with other.messages.stream(model="messages-True", max_tokens=5, messages=MESSAGES) as streamed:
            assert streamed.get_final_text() == text
    third = ollama.Client(host=urls["ollama"])
    assert third.chat(model="chat-False", messages=MESSAGES).message.content == text
    assert (
        "".join(p.message.content or "" for p in third.chat(model="chat-True", messages=MESSAGES, stream=True)) == text
    )
    third._client.close()


def turns(store: Path) -> int:
    return int(control.ask_daemon_status(store)["worker"].get("turns", 0))


def test_programs_with_the_real_sdks_go_on_while_the_daemon_is_stopped_killed_and_started_again(
    store: Path, provider: tuple[Upstream, str]
) -> None:
    upstream, address = provider
    start(store, address)
    urls = json.loads(ran("--store", store, "env", "--json").stdout)
    held = relay.relay_url(place_in(store))
    assert held is not None and all(url.startswith(f"{held}/p/") for url in urls.values())
    ask_all(upstream, urls, "with a daemon")
    until(lambda: turns(store) > 0)

    assert control.stop_daemon(store)
    ask_all(upstream, urls, "without one")
    shown = ran("--store", store, "status").stdout
    assert held in shown and "uncaptured" in shown
    assert json.loads(ran("--store", store, "env", "--json").stdout) == urls  # handed out without a daemon, too

    os.kill(read_json(place_in(store).relay)["pid"], signal.SIGKILL)  # as after a reboot: `start` brings it back
    until(lambda: relay.relay_url(place_in(store)) is None)
    start(store, address)
    assert relay.relay_url(place_in(store)) == held  # at the address that programs have
    before = turns(store)
    ask_all(upstream, urls, "with the next one")
    until(lambda: turns(store) > before)

    os.kill(read_json(place_in(store).state)["pid"], signal.SIGKILL)  # its state file stays, and says where it was
    until(lambda: not is_running(place_in(store)))
    ask_all(upstream, urls, "after it was killed")
    assert json.loads(ran("--store", store, "stop", "--relay", "--json").stdout)["relay_stopped"]
    assert relay.relay_url(place_in(store)) is None


def test_bodies_pass_byte_for_byte_without_a_daemon(alone: tuple[Upstream, str]) -> None:
    upstream, base = alone
    rng = Random(5)
    with httpx2.Client(timeout=60) as client:
        for number in range(30):
            body = rng.randbytes(rng.choice((0, 1, 1000, 300_000)))
            script = Script([rng.randbytes(rng.randint(1, 30_000)) for _ in range(rng.randint(1, 5))], "x/y")
            script.sized = rng.random() < 0.5
            script.status = rng.choice((200, 200, 429, 500))
            upstream.scripts[f"s{number}"] = script
            chunked = rng.random() < 0.5
            content: Any = iter([body[:7], body[7:]]) if chunked and body else body
            headers = {"x-script": f"s{number}", "X-Engramma-Session": "mine", "Authorization": "Bearer theirs"}
            with client.stream("POST", f"{base}/openai@work/v1/x?a=%2F&b", content=content, headers=headers) as answer:
                got = b"".join(answer.iter_raw())
            assert (answer.status_code, got) == (script.status, script.body)
            seen = upstream.seen[f"s{number}"]
            assert seen.sha256 == hashlib.sha256(body).hexdigest() and seen.target == b"/v1/x?a=%2F&b"
            names = [name for name, _ in seen.headers]
            assert b"x-engramma-session" not in names and (b"authorization", b"Bearer theirs") in seen.headers


def test_a_reply_is_streamed_and_not_held_back(alone: tuple[Upstream, str], store: Path) -> None:
    _, base = alone
    go = threading.Event()

    def provide(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65_536)
            connection.sendall(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n")
            assert go.wait(30)  # the second piece is not even made before the first has arrived
            connection.sendall(b"3\r\ntwo\r\n0\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=provide, args=(listener,), daemon=True).start()
        tell(store, {"openai": f"http://127.0.0.1:{listener.getsockname()[1]}"})
        with httpx2.stream("POST", f"{base}/openai/v1/x", timeout=30) as answer:
            pieces = answer.iter_raw()
            assert next(pieces) == b"one"
            go.set()
            assert b"".join(pieces) == b"two"


def test_a_client_that_leaves_ends_the_request_at_the_provider(alone: tuple[Upstream, str], store: Path) -> None:
    _, base = alone
    ended = threading.Event()

    def provide(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65_536)
            connection.sendall(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n")
            connection.settimeout(30)
            while connection.recv(65_536):
                pass
            ended.set()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=provide, args=(listener,), daemon=True).start()
        tell(store, {"openai": f"http://127.0.0.1:{listener.getsockname()[1]}"})
        with httpx2.stream("GET", f"{base}/openai/v1/x", timeout=30) as answer:
            assert next(answer.iter_raw()) == b"one"
        assert ended.wait(30)


def test_only_the_key_passes_and_only_to_known_providers(alone: tuple[Upstream, str], store: Path) -> None:
    upstream, base = alone
    upstream.scripts["s"] = Script([b"{}"], sized=True)
    headers = {"x-script": "s"}
    held = base.partition("/p/")[0]
    read = inject_key(token_of(place_in(store)))
    assert httpx2.post(f"{held}/p/{read}/openai/v1/x", headers=headers).status_code == 200
    upstream.seen.clear()
    for wrong in (
        f"{held}/p/{'0' * 32}/openai/v1/x",
        f"{held}/p/{'0' * 16}-{'0' * 32}/openai/v1/x",
        f"{base}/nobody/v1/x",
        f"{held}/api/status",
        f"{held}/p//openai/v1/x",
    ):
        assert httpx2.post(wrong, headers=headers).status_code == 404
    foreign = httpx2.post(f"{base}/openai/v1/x", headers={**headers, "Host": "127.0.0.1.evil.example"})
    assert foreign.status_code == 421
    upgrade = {"connection": "Upgrade", "upgrade": "websocket"}
    assert httpx2.get(f"{base}/openai/v1/x", headers=upgrade).status_code == 426
    assert upstream.seen == {}


@pytest.mark.parametrize(
    "head",
    [
        b"POST %b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST %b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n",
        b"POST %b HTTP/1.1\r\nHost: localhost\r\nContent-Length: +2\r\n\r\n",
        b"POST %b HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        b"POST %b HTTP/1.1\r\nHost: localhost\r\n folded: x\r\n\r\n",
        b"POST %b HTTP/1.1\r\nHost: localhost\r\nA : x\r\n\r\n",
        b"POST %b HTTP/1.1\r\nHost: localhost\r\nA: x\nB: y\r\n\r\n",
        b"POST http://evil%b HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST %b HTTP/9\r\nHost: localhost\r\n\r\n",
        b"\x16\x03\x01 %b" + b"x" * 70_000,
    ],
)
def test_what_could_be_read_in_two_ways_is_not_passed_on(alone: tuple[Upstream, str], head: bytes) -> None:
    upstream, base = alone
    _, _, path = base.partition("/p/")
    with raw_to(base) as connection:
        connection.sendall(head % f"/p/{path}/openai/v1/x".encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 400 ")
    assert upstream.seen == {}


@contextmanager
def raw_to(base: str) -> Iterator[socket.socket]:
    port = int(base.split(":")[2].partition("/")[0])
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        yield connection


def test_a_stranger_on_the_daemons_port_gets_nothing(alone: tuple[Upstream, str], store: Path) -> None:
    """A daemon that was killed leaves its address behind, and another program may listen there now."""
    upstream, base = alone
    upstream.scripts["s"] = Script([b"{}"], sized=True)
    heard: list[bytes] = []

    def listen(listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                heard.append(connection.recv(65_536))
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 32\r\n\r\n" + b"0" * 32)
                connection.settimeout(5)
                heard.append(connection.recv(65_536))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=listen, args=(listener,), daemon=True)
        thread.start()
        write_json(place_in(store).state, {"host": "127.0.0.1", "port": listener.getsockname()[1]})
        secret = {"x-script": "s", "Authorization": "Bearer provider-key"}
        assert httpx2.post(f"{base}/openai/v1/x", headers=secret, json={"a": "words"}).content == b"{}"
        until(lambda: len(heard) == 2)
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(5)
    told = b"".join(heard)
    assert (
        b"provider-key" not in told
        and b"words" not in told
        and proxy_key(token_of(place_in(store))).encode() not in told
    )


def test_half_sent_heads_take_no_place_from_those_who_ask(alone: tuple[Upstream, str]) -> None:
    upstream, base = alone
    upstream.scripts["s"] = Script([b"{}"], sized=True)
    held = []
    try:
        for _ in range(260):
            with_port = int(base.split(":")[2].partition("/")[0])
            held.append(socket.create_connection(("127.0.0.1", with_port), timeout=30))
            held[-1].sendall(b"POST /p/")
        assert httpx2.post(f"{base}/openai/v1/x", headers={"x-script": "s"}, timeout=30).content == b"{}"
    finally:
        for one in held:
            one.close()


def test_a_provider_that_cannot_be_reached_is_said_in_its_own_words(alone: tuple[Upstream, str], store: Path) -> None:
    _, base = alone
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    tell(store, {"anthropic": f"http://127.0.0.1:{port}"})
    with (
        anthropic.Anthropic(base_url=f"{base}/anthropic", api_key="k", max_retries=0) as client,
        pytest.raises(anthropic.InternalServerError, match="cannot be reached"),
    ):
        client.messages.create(model="m", max_tokens=5, messages=MESSAGES)


def test_the_relay_needs_nothing_but_the_standard_library_and_writes_no_word_down(
    alone: tuple[Upstream, str], store: Path
) -> None:
    upstream, base = alone
    upstream.scripts["s"] = Script([b"{}"], sized=True)
    httpx2.post(f"{base}/openai/v1/x", headers={"x-script": "s", "Authorization": "Bearer s3cret"}, json={"a": "words"})
    with raw_to(base) as connection:
        connection.sendall(b"nonsense words\r\n\r\n")
        connection.recv(100)
    assert place_in(store).relay_log.read_bytes() == b""
    assert token_of(place_in(store)) not in place_in(store).relay.read_text()
    code = "import engramma.apps.relay.serve, sys; print([m for m in sys.modules if m in %r])"
    heavy = ("numpy", "httpcore2", "httpx2", "uvicorn", "fastapi", "pydantic", "typer", "sqlite3", "onnxruntime")
    told = subprocess.run([sys.executable, "-c", code % (heavy,)], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
