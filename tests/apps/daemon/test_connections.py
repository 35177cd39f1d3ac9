"""What does not arrive in time is closed, what is let in is waited for, and a crowd leaves room for who asks."""

from __future__ import annotations

import signal
import socket
import ssl
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from engramma.apps.daemon import guard
from tests.apps.daemon.serving import AUTH, HOST, SHORT, certified, healthy, heard, sent, serving, until

pytestmark = pytest.mark.long

CLOSE = b"Connection: close\r\n"
HALF_HEAD = b"GET /health HTTP/1.1\r\n" + HOST + b"X-Slow: "


def posted(path: bytes, length: int, token: bytes = b"") -> bytes:
    return b"POST %b HTTP/1.1\r\n%b%bContent-Length: %d\r\n\r\n" % (path, HOST, token, length)


def test_what_does_not_arrive_in_time_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "SWALLOW_SECONDS", 0.1)
    asked = b"GET /health HTTP/1.1\r\n" + HOST + b"\r\n"
    cases = {
        "nothing": (b"", b""),
        "half a head": (HALF_HEAD, b"HTTP/1.1 408"),
        "half a code": (posted(b"/login", 50), b"HTTP/1.1 408"),
        "no token": (posted(b"/api/turns", 5_000_000), b"HTTP/1.1 401"),
        "too long a code": (posted(b"/login", 5_000_000), b"HTTP/1.1 413"),
        "a body that stands still": (posted(b"/api/turns", 50, AUTH) + b"x", b"HTTP/1.1 408"),
        "answered before its body came": (posted(b"/unread", 50) + b"x", b"HTTP/1.1 200"),
        "idle": (asked, b"HTTP/1.1 200"),
        "known and idle": (b"GET /api/x HTTP/1.1\r\n" + HOST + AUTH + b"\r\n", b"HTTP/1.1 200"),
        "the second head": (asked + HALF_HEAD, b"HTTP/1.1 200"),
    }
    with serving() as (port, door), ExitStack() as stack:
        lines = {name: stack.enter_context(sent(port, data)) for name, (data, _) in cases.items()}
        for _ in range(4):  # a byte now and then does not keep them alive
            for name in ("half a head", "half a code"):
                lines[name].sendall(b"x")
            time.sleep(SHORT.head / 10)
        for name, line in lines.items():
            said = heard(line)
            assert said.startswith(cases[name][1]) and bool(said) is bool(cases[name][0]), (name, said)
        until(lambda: len(door) == 0)


def test_replies_and_steady_uploads_take_as_long_as_they_like() -> None:
    patience, longest = replace(SHORT, body=3.0), 4.5
    with serving(patience=patience) as (port, _), ExitStack() as stack:
        stream = stack.enter_context(sent(port, b"GET /stream HTTP/1.1\r\n" + HOST + AUTH + b"\r\n"))
        upload = stack.enter_context(sent(port, posted(b"/api/import", 40, AUTH + CLOSE)))
        waits = stack.enter_context(sent(port, posted(b"/later", 3_000_000, AUTH + CLOSE)))
        waits.setblocking(False)
        left = 3_000_000
        begun = time.monotonic()
        for _ in range(40):
            upload.sendall(b"x")
            left -= pushed(waits, left)
            time.sleep(longest / 40)
        assert time.monotonic() - begun >= longest
        assert heard(upload).endswith(b"\r\n\r\n40")
        waits.setblocking(True)
        waits.sendall(b"x" * left)
        assert heard(waits).endswith(b"\r\n\r\n3000000")
        words = 0
        while words < 10 * longest * 0.5:  # as many as in half of that time at least: it was not cut
            said = stream.recv(1 << 16)
            assert said
            words += said.count(b"word")


def pushed(line: socket.socket, most: int) -> int:
    try:
        return line.send(b"x" * min(most, 20_000))
    except BlockingIOError:
        return 0


def test_a_crowd_gives_way_to_who_asks_and_never_takes_the_place_of_who_was_let_in() -> None:
    with serving(most=20) as (port, door), ExitStack() as stack:
        stream = stack.enter_context(sent(port, b"GET /stream HTTP/1.1\r\n" + HOST + AUTH + b"\r\n"))
        assert stream.recv(4096).startswith(b"HTTP/1.1 200")
        for number in range(120):
            stack.enter_context(sent(port, (HALF_HEAD, posted(b"/login", 50), b"")[number % 3]))
            if number % 10 == 0:
                assert healthy(port)
                assert len(door) <= 20
        assert door.turned_away["crowded"] >= 100
        assert b"word" in stream.recv(4096) + stream.recv(4096)


def test_a_handshake_that_does_not_come_is_not_waited_for(tmp_path: Path) -> None:
    """Over TLS a connection is none to the server before its handshake; it is counted and closed all the same."""
    cert, key = certified(tmp_path)
    trusting = ssl.create_default_context(cafile=cert)
    trusting.check_hostname = False
    with serving(most=20, ssl_certfile=cert, ssl_keyfile=key) as (port, door), ExitStack() as stack:
        silent = [stack.enter_context(sent(port, b"\x16\x03\x01")) for _ in range(30)]
        assert [heard(line) for line in silent] == [b""] * 30
        assert door.turned_away["late"] + door.turned_away["crowded"] >= 30
        with trusting.wrap_socket(sent(port, b"")) as line:
            line.sendall(b"GET /health HTTP/1.1\r\n" + HOST + b"\r\n")
            assert line.recv(4096).startswith(b"HTTP/1.1 200")
        until(lambda: len(door) == 0)


def test_a_stranger_who_asks_on_without_reading_is_closed() -> None:
    with serving() as (port, _):
        whole = b"GET /health HTTP/1.1\r\n" + HOST + b"\r\n"
        with sent(port, whole * 50) as line:
            assert heard(line).count(b"HTTP/1.1 200") < 50
        known = b"GET /api/x HTTP/1.1\r\n" + HOST + AUTH + b"\r\n"
        with sent(port, known * 50) as line:
            assert heard(line).count(b"HTTP/1.1 200") == 50


def test_running_out_of_descriptors_is_survived_and_hardly_logged(tmp_path: Path) -> None:
    """The door of this server counts on more connections than its process may have."""
    log = tmp_path / "log"
    with log.open("wb") as errors:
        command = [sys.executable, "-m", "tests.apps.daemon.serving", "64"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, cwd=Path(__file__).parents[3])
    assert server.stdout is not None
    try:
        port = int(server.stdout.readline())
        crowd = [sent(port, HALF_HEAD) for _ in range(200)]
        for _ in range(3):
            assert healthy(port)
        for line in crowd:
            line.close()
        assert healthy(port)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)
        server.stdout.close()
    text = log.read_text(encoding="utf-8")
    assert "cannot accept a connection: Too many open files" in text
    assert "Traceback" not in text and len(text) < 5_000
