"""Proves that the listening process has the store's token before a client sends it. Standard library only, for hooks.

A state file may be old, and its port somebody else's by now. So a client sends a random number, the daemon answers
with a keyed hash of it and of its own port, and the token follows on the same connection.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

try:
    from _blake2 import blake2b  # what hashlib has, without the ten milliseconds that importing it costs a hook
except ImportError:
    from hashlib import blake2b

PATH = "/proof"
NONCE_BYTES = 16
MOST_REPLY = 64 * 1024
PURPOSE = b"engramma listener"


class NotOurs(OSError):
    """Whoever listens there does not have the store's token."""


def proof(token: str, nonce: str, port: int) -> str:
    """What only who has the token can answer. The port is in it: who holds an old one cannot ask at the new one."""
    return keyed_hash(token, b"%b\0%d\0%b" % (PURPOSE, port, nonce.encode()))


def keyed_hash(token: str, content: bytes) -> str:
    """A hash that only who has the token can make; each purpose begins its content with words of its own."""
    return blake2b(content, key=blake2b(token.encode()).digest(), digest_size=32).hexdigest()


def dial(state: dict[str, Any], token: str, seconds: float) -> socket.socket:
    """A connection to the daemon that a state file tells of; NotOurs before anything secret is sent to another."""
    host, port = address_in(state)
    connection = socket.create_connection((host, port), timeout=seconds)
    try:
        if certificate := state.get("tls_cert"):
            connection = pinned(connection, Path(str(certificate)))
        challenge(connection, token, port)
    except BaseException:
        connection.close()
        raise
    return connection


def address_in(state: dict[str, Any]) -> tuple[str, int]:
    """Where the daemon of a state file listens; NotOurs if it does not say, or names another machine.

    A store may have been copied from somebody who knows its token: they could prove anything from elsewhere.
    """
    host, port = state.get("host"), state.get("port")
    if type(port) is not int or not 0 < port < 65_536:
        raise NotOurs("no daemon recorded where it listens")
    host = host if isinstance(host, str) else ""
    host = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1", "localhost": "127.0.0.1"}.get(host, host)
    return host if host in ("127.0.0.1", "::1") else own_address(host), port


def own_address(host: str) -> str:
    """An address of this machine, as numbers; NotOurs for any other. Only to one of its own can a socket be bound."""
    try:
        address = host if ":" in host else socket.gethostbyname(host)  # once: asked again, a name may lead elsewhere
        with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as probe:
            probe.bind((address, 0))
    except (OSError, ValueError):
        raise NotOurs("the recorded address is on another machine") from None
    return address


def challenge(connection: socket.socket, token: str, port: int) -> None:
    """Ask for a proof over an open connection, which can be used afterwards."""
    nonce = os.urandom(NONCE_BYTES).hex()
    request = f"GET {PATH}?nonce={nonce} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
    connection.sendall(request.encode("ascii"))
    data = bytearray()
    while (end := data.find(b"\r\n\r\n")) < 0 or len(data) < end + 4 + length_in(data[:end]):
        part = connection.recv(1 << 14)
        data += part
        if not part or len(data) > MOST_REPLY:
            raise NotOurs("what listens there does not answer like a daemon")
    if data[:12] != b"HTTP/1.1 200" or b'"' + proof(token, nonce, port).encode() + b'"' not in data[end:]:
        raise NotOurs("what listens there cannot prove that it is this memory's daemon")


def length_in(head: bytes | bytearray) -> int:
    """The length of the body that a reply announces."""
    for line in bytes(head).lower().split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name == b"content-length" and value.strip().isdigit():
            return min(int(value.strip()[:9]), MOST_REPLY)
    raise NotOurs("what listens there does not answer like a daemon")


def pinned(connection: socket.socket, certificate: Path) -> socket.socket:
    """TLS with the very certificate that the daemon was given, whatever names stand in it."""
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # it need not be an authority's
    context.load_verify_locations(cafile=certificate)
    return context.wrap_socket(connection)
