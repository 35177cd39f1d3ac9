"""The providers behind the proxy: where they are, and connections to them."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpcore2 as http

from .network import Network
from .rules import Headers, auth_of, authority_of, proxy_for

CONNECT_SECONDS = 30.0
REST_SECONDS = 20.0  # a connection is kept so long; providers keep theirs longer
RESTING = 100


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
        return authority_of(self.scheme, self.host, self.port)

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
        raise ValueError(f"{address!r} is not an http:// or https:// address.")
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
    found = proxy_for(scheme, host)
    if found is None:
        return None
    port = f":{found.port}" if found.port else ""
    return http.Proxy(f"{found.scheme}://{found.hostname}{port}", auth=auth_of(found))
