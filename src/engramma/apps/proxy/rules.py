"""What the proxy and the relay agree on: paths, headers that go on, errors in a provider's words. Standard library."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Literal
from urllib.parse import SplitResult, unquote_to_bytes, urlsplit

Headers = list[tuple[bytes, bytes]]
Dialect = Literal["anthropic", "openai", "ollama"]

MOUNT = b"/p/"
HELLO = b"_relay"  # in the place of a key: the relay asks the daemon to prove that it is one
NO_SOCKET = "WebSockets are not supported. Use HTTP."
NOTHING = "There is nothing here."
# RFC 9110, 7.6.1, and what older programs send: they concern one connection, not the message.
HOP_BY_HOP = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding "
    b"upgrade".split()
)
OWN = b"x-engramma-"
ERROR = b"x-engramma-error"


def split_path(raw: bytes) -> tuple[bytes, str, str, bytes]:
    """(key, provider, namespace, path for the provider) of a path; the last byte for byte as it was sent."""
    if raw.startswith(MOUNT):
        raw = raw[len(MOUNT) - 1 :]
    key, _, rest = raw.removeprefix(b"/").partition(b"/")
    named, slash, path = rest.partition(b"/")
    provider, _, namespace = unquote_to_bytes(named).decode("utf-8", "replace").partition("@")
    return key, provider, namespace, slash + path


def authority_of(scheme: bytes, host: bytes, port: int | None) -> bytes:
    """What the Host header says."""
    shown = b"[" + host + b"]" if b":" in host else host
    usual = {b"http": 80, b"https": 443}[scheme]
    return shown if port in (None, usual) else shown + b":" + str(port).encode()


def proxy_for(scheme: str, host: str) -> SplitResult | None:
    """The proxy that the environment names for a host (HTTPS_PROXY, NO_PROXY and their like)."""
    import urllib.request  # takes a while, and most machines need none

    address = urllib.request.getproxies().get(scheme)
    if not address or urllib.request.proxy_bypass(host):
        return None
    parts = urlsplit(address if "://" in address else f"http://{address}")
    return parts if parts.scheme in ("http", "https") and parts.hostname else None


def auth_of(proxy: SplitResult) -> tuple[str, str] | None:
    return (proxy.username, proxy.password or "") if proxy.username else None


def outgoing(headers: Iterable[tuple[bytes, bytes]], authority: bytes) -> Headers:
    """A client's headers as the provider gets them: in order, less what is for us or for this connection alone."""
    listed = list(headers)
    dropped = HOP_BY_HOP | named_by_connection(listed) | {b"expect"}
    kept = [(name, value) for name, value in listed if name.lower() not in dropped and not is_own_header(name)]
    kept = [(name, authority if name.lower() == b"host" else value) for name, value in kept]
    if any(name.lower() == b"transfer-encoding" for name, _ in listed):
        kept.append((b"transfer-encoding", b"chunked"))
    return kept


def incoming(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """A provider's headers as the client gets them. Of two lengths the one in chunks was read: the other is none."""
    listed = list(headers)
    dropped = HOP_BY_HOP | named_by_connection(listed)
    if any(name.lower() == b"transfer-encoding" for name, _ in listed):
        dropped |= {b"content-length"}
    return [(name.lower(), value) for name, value in listed if name.lower() not in dropped and not is_own_header(name)]


def named_by_connection(headers: Iterable[tuple[bytes, bytes]]) -> frozenset[bytes]:
    """The headers that Connection names: they go no further, either."""
    values = (value for name, value in headers if name.lower() == b"connection")
    return frozenset(part.strip().lower() for value in values for part in value.split(b","))


def is_own_header(name: bytes) -> bool:
    return name.lower().startswith(OWN)


def dialect_of(provider: str, path: bytes) -> Dialect:
    """Whose errors a client understands: told by the path, which other providers copy, then by the provider."""
    if b"/v1/messages" in path or provider == "anthropic":
        return "anthropic"
    if path.startswith(b"/api/") or (provider == "ollama" and not path.startswith(b"/v1/")):
        return "ollama"
    return "openai"


def error_body(dialect: Dialect, message: str, code: str) -> bytes:
    """An error in the words of a provider, so that its SDK shows it."""
    shapes: Mapping[Dialect, object] = {
        "anthropic": {"type": "error", "error": {"type": "api_error", "message": message}},
        "openai": {"error": {"message": message, "type": "api_error", "param": None, "code": code}},
        "ollama": {"error": message},
    }
    return json.dumps(shapes[dialect]).encode()
