"""The providers behind the proxy: where they are, connections to them, and what is said when they cannot be reached."""

from __future__ import annotations

import json
import ssl
import urllib.request
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

import httpcore2 as http

from .network import Network

Headers = list[tuple[bytes, bytes]]
Dialect = Literal["anthropic", "openai", "ollama"]

CONNECT_SECONDS = 30.0
REST_SECONDS = 20.0  # a connection is kept so long; providers keep theirs longer
RESTING = 100

# RFC 9110, 7.6.1, and what older programs send: they concern one connection, not the message.
HOP_BY_HOP = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding "
    b"upgrade".split()
)
OWN = b"x-engramma-"
ERROR = b"x-engramma-error"


@dataclass(slots=True)
class Upstream:
    """One provider and the connections to it."""

    name: str
    scheme: bytes
    host: bytes
    port: int | None
    path: bytes  # in front of every path
    pool: http.AsyncConnectionPool = field(repr=False)
    network: Network = field(repr=False)

    @property
    def authority(self) -> bytes:
        """What the Host header says."""
        host = b"[" + self.host + b"]" if b":" in self.host else self.host
        usual = {b"http": 80, b"https": 443}[self.scheme]
        return host if self.port in (None, usual) else host + b":" + str(self.port).encode()

    def request(
        self, method: bytes, target: bytes, headers: Headers, body: AsyncIterator[bytes] | None
    ) -> http.Request:
        """A request as it goes out: the target byte for byte, and no header that nobody sent."""
        url = http.URL(scheme=self.scheme, host=self.host, port=self.port, target=target)
        return http.Request(
            method, url, headers=headers, content=body, extensions={"timeout": {"connect": CONNECT_SECONDS}}
        )


def upstream_at(name: str, address: str) -> Upstream:
    """The provider at an address such as https://api.openai.com; ValueError if there can be none."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{address!r} is no http:// or https:// address of an upstream.")
    network = Network()
    pool = http.AsyncConnectionPool(
        ssl_context=ssl.create_default_context() if parts.scheme == "https" else None,
        proxy=system_proxy(parts.scheme, parts.hostname),
        max_connections=None,
        max_keepalive_connections=RESTING,
        keepalive_expiry=REST_SECONDS,
        network_backend=network,
    )
    path = parts.path.rstrip("/").encode("utf-8")
    return Upstream(name, parts.scheme.encode(), parts.hostname.encode("idna"), parts.port, path, pool, network)


def system_proxy(scheme: str, host: str) -> http.Proxy | None:
    """The proxy that the environment names for a host (HTTPS_PROXY, NO_PROXY and their like)."""
    address = urllib.request.getproxies().get(scheme)
    if not address or urllib.request.proxy_bypass(host):
        return None
    parts = urlsplit(address if "://" in address else f"http://{address}")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    auth = (parts.username, parts.password or "") if parts.username else None
    port = f":{parts.port}" if parts.port else ""
    return http.Proxy(f"{parts.scheme}://{parts.hostname}{port}", auth=auth)


def outgoing(headers: Iterable[tuple[bytes, bytes]], authority: bytes) -> Headers:
    """A client's headers as the provider gets them: in order, less what is for us or for this connection alone."""
    listed = list(headers)
    dropped = HOP_BY_HOP | named_by_connection(listed) | {b"expect"}
    kept = [(name, value) for name, value in listed if name.lower() not in dropped and not is_own(name)]
    kept = [(name, authority if name.lower() == b"host" else value) for name, value in kept]
    if any(name.lower() == b"transfer-encoding" for name, _ in listed):
        kept.append((b"transfer-encoding", b"chunked"))
    return kept


def incoming(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """A provider's headers as the client gets them."""
    listed = list(headers)
    dropped = HOP_BY_HOP | named_by_connection(listed)
    return [(name.lower(), value) for name, value in listed if name.lower() not in dropped and not is_own(name)]


def named_by_connection(headers: Iterable[tuple[bytes, bytes]]) -> frozenset[bytes]:
    """The headers that Connection names: they go no further, either."""
    values = (value for name, value in headers if name.lower() == b"connection")
    return frozenset(part.strip().lower() for value in values for part in value.split(b","))


def is_own(name: bytes) -> bool:
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
