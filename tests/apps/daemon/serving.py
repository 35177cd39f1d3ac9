"""The daemon's server with an application of a few lines, on a thread or in a process with few descriptors."""

from __future__ import annotations

import asyncio
import datetime
import resource
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn

from engramma.apps.daemon.connections import BoundedListener, Connection, ConnectionTimeouts, Door, GuardedServer
from engramma.apps.daemon.guard import Guard
from engramma.apps.daemon.logfile import log_to

TOKEN = "a-token"
HOST = b"Host: 127.0.0.1\r\n"
AUTH = b"Authorization: Bearer a-token\r\n"
SHORT = ConnectionTimeouts(head=1.0, body=1.0, idle=1.0, stranger=1.0, reply=1.0)


async def app(scope: Any, receive: Any, send: Any) -> None:
    """/health and /login answer with the length of the body; /stream says a word ten times a second for ever."""
    if scope["type"] == "lifespan":
        while (message := await receive())["type"] != "lifespan.shutdown":
            await send({"type": f"{message['type']}.complete"})
        return await send({"type": "lifespan.shutdown.complete"})
    await send_start(scope, receive, send)


async def send_start(scope: Any, receive: Any, send: Any) -> None:
    if scope["path"] == "/stream":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(600):
            await send({"type": "http.response.body", "body": b"word ", "more_body": True})
            await asyncio.sleep(0.1)
        return await send({"type": "http.response.body", "body": b""})
    if scope["path"] == "/later":  # lets the body wait, as an import does while it writes
        await asyncio.sleep(2.0)
    size = 0
    while scope["path"] != "/unread":
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        size += len(message["body"])
        if not message.get("more_body"):
            break
    said = str(size).encode()
    headers = [(b"content-length", str(len(said)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    return await send({"type": "http.response.body", "body": said})


def made(door: Door, behind: Any = app, **options: Any) -> tuple[GuardedServer, BoundedListener]:
    listener = BoundedListener(fileno=socket.create_server(("127.0.0.1", 0), backlog=512).detach())
    listener.door = door
    guard = Guard(behind, TOKEN, open_paths=["/login", "/unread"])
    http: Any = partial(Connection, door)
    config = uvicorn.Config(
        guard, loop="asyncio", http=http, ws="none", log_config=None, timeout_graceful_shutdown=1, **options
    )
    return GuardedServer(config, door), listener


@contextmanager
def serving(most: int = 1_000, patience: ConnectionTimeouts = SHORT, **options: Any) -> Iterator[tuple[int, Door]]:
    """The port of a server on a thread, and its door."""
    door = Door(most, patience)
    server, listener = made(door, **options)
    with listener:
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        until(lambda: server.started)
        yield listener.getsockname()[1], door
        server.should_exit = True
        thread.join(30)
        assert not thread.is_alive()


def until(check: Callable[[], Any], seconds: float = 30.0) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
    return found


def sent(port: int, data: bytes) -> socket.socket:
    line = socket.create_connection(("127.0.0.1", port), timeout=30)
    line.sendall(data)
    return line


def healthy(port: int) -> bool:
    with sent(port, b"GET /health HTTP/1.1\r\n" + HOST + b"\r\n") as line:
        return line.recv(4096).startswith(b"HTTP/1.1 200")


def heard(line: socket.socket) -> bytes:
    """All that comes until the other side closes."""
    data = b""
    try:
        while part := line.recv(1 << 16):
            data += part
    except ConnectionResetError:
        pass
    return data


def certified(folder: Path, password: bytes | None = None) -> tuple[str, str]:
    """A certificate for memory.lan, signed by itself, and its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "memory.lan")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("memory.lan")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    locked: Any = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    cert, secret = folder / "cert.pem", folder / "key.pem"
    cert.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, locked)
    )
    return str(cert), str(secret)


if __name__ == "__main__":  # a door that counts on more descriptors than there are
    soft = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, soft))
    log_to(sys.stderr)
    server, listener = made(Door(10_000, ConnectionTimeouts()))
    print(listener.getsockname()[1], flush=True)
    server.run([listener])
