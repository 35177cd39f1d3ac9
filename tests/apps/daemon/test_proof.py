"""Nobody is shown the token, or what is derived from it, who has not proven to have it."""

from __future__ import annotations

import json
import os
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from engramma.apps.connect.server import by_daemon
from engramma.apps.daemon.client import DaemonError, ask_daemon
from engramma.apps.daemon.folder import place_in, proxy_key, read_json, token_of, write_json
from engramma.apps.daemon.proof import proof
from engramma.apps.daemon.run import only_one
from tests.apps.hooks.calling import call
from tests.commands import ran

pytestmark = pytest.mark.long

Reply = Callable[[bytes], bytes]


@contextmanager
def impostor(reply: Reply) -> Iterator[SimpleNamespace]:
    """Somebody who took the daemon's port: answers every request by `reply`, and writes down all that comes."""
    heard = bytearray()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def listen() -> None:
            while True:
                try:
                    line, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=speak, args=(line,), daemon=True).start()

        def speak(line: socket.socket) -> None:
            with line:
                line.settimeout(5)
                try:
                    while data := line.recv(1 << 16):
                        heard.extend(data)
                        line.sendall(reply(data))
                except OSError:
                    pass

        threading.Thread(target=listen, daemon=True).start()
        yield SimpleNamespace(port=listener.getsockname()[1], heard=heard)
        listener.shutdown(socket.SHUT_RDWR)


def http(body: bytes, status: bytes = b"200 OK") -> bytes:
    return b"HTTP/1.1 %b\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (status, len(body), body)


def left_behind(store: Path, port: int) -> Path:
    """A store whose daemon was killed, and whose port another has now; its process id is somebody's, too."""
    place = place_in(store)
    token_of(place)
    state = {"pid": os.getpid(), "host": "127.0.0.1", "port": port, "url": f"http://127.0.0.1:{port}"}
    write_json(place.state, state)
    return store


def asked_by_all(store: Path) -> list[str]:
    """Let everything that knows the token ask; what the commands said."""
    said = [ran("--store", store, *words) for words in (["env"], ["open", "--end-all"])]
    hook = call(store, {"hook_event_name": "UserPromptSubmit", "prompt": "hello", "session_id": "s", "cwd": "/"})
    assert hook.rc == 0 and hook.told is None
    for method, path in (("GET", "/api/status"), ("POST", "/api/dashboard/invite?page=true")):
        with pytest.raises(DaemonError):
            ask_daemon(place_in(store), method, path)
    assert all(one.returncode == 1 for one in said)
    return [one.stderr for one in said]


REPLIES: dict[str, Reply] = {
    "not found": lambda _: http(b"{}", b"404 Not Found"),
    "says yes": lambda _: http(b'{"proof": "' + b"0" * 64 + b'"}'),
    "repeats": lambda data: http(b'{"proof": "' + (re.findall(rb"[0-9a-f]{32}", data) or [b""])[0] + b'"}'),
    "never ends": lambda _: b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 20_000,
    "no http": lambda _: b"220 mail.example ESMTP\r\n\r\n",
}


@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES.keys())
def test_who_holds_the_port_is_not_shown_the_token(tmp_path: Path, reply: Reply) -> None:
    with impostor(reply) as other:
        store = left_behind(tmp_path / "store", other.port)
        for told in asked_by_all(store):
            assert "the token was not sent" in told
        token = token_of(place_in(store))
    assert b"GET /proof?nonce=" in other.heard
    for secret in (token, proxy_key(token), "Bearer"):
        assert secret.encode() not in other.heard


def test_a_proof_cannot_be_fetched_at_the_daemon_from_another_port(served: Path, tmp_path: Path) -> None:
    """An impostor with an old port who passes everything on to the daemon's new one."""
    state = read_json(place_in(served).state)

    def passed_on(data: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", state["port"]), timeout=10) as line:
            line.sendall(data)
            found = b""
            while b"}" not in found and (more := line.recv(1 << 16)):  # head and body may come apart
                found += more
            return found

    with impostor(passed_on) as other:
        store = left_behind(tmp_path / "store", other.port)
        place_in(store).token.write_text(token_of(place_in(served)) + "\n")
        asked_by_all(store)
        assert b"GET /proof?nonce=" in other.heard and b"Bearer" not in other.heard
        nonce = "0" * 32
        request = f"GET /proof?nonce={nonce} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        given = json.loads(passed_on(request.encode()).partition(b"\r\n\r\n")[2])["proof"]
    assert given == proof(token_of(place_in(served)), nonce, state["port"])
    assert given != proof(token_of(place_in(served)), nonce, other.port)


def test_clients_are_told_only_an_address_that_is_proven(served: Path, tmp_path: Path) -> None:
    assert by_daemon(served, "default").url == read_json(place_in(served).state)["url"] + "/mcp"
    with impostor(REPLIES["says yes"]) as other:
        store = left_behind(tmp_path / "store", other.port)
        assert by_daemon(store, "default").url == "http://127.0.0.1:7733/mcp"  # where it will be


def test_a_proof_asks_for_a_proper_number(served: Path) -> None:
    port = read_json(place_in(served).state)["port"]
    for nonce in ("", "x" * 32, "0" * 31, "0" * 129, "%00" * 32):
        with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
            line.sendall(f"GET /proof?nonce={nonce} HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n".encode())
            assert line.recv(1 << 16).startswith(b"HTTP/1.1 422")


def test_a_state_file_of_a_killed_daemon_is_gone_before_the_next_says_where_it_is(tmp_path: Path) -> None:
    """Whoever stops a daemon that is just starting must not end the process that a killed one was."""
    place = place_in(left_behind(tmp_path / "store", 9))
    with only_one(place):
        assert not place.state.exists()
