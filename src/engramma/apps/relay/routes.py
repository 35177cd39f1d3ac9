"""Routes a request: to the daemon, if it is running and proves its identity, or straight to the provider."""

from __future__ import annotations

import asyncio
import base64
import hmac
import secrets
import ssl
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from ipaddress import ip_address
from typing import Any
from urllib.parse import unquote, urlsplit

from ...config.trust import unconfirmed
from ..daemon.folder import DaemonFolder, inject_key, proxy_key, read_json, relay_key, relay_proof, state_of
from ..daemon.proof import address_in
from ..daemon.settings import daemon_addresses, upstream_setting
from ..proxy.rules import HELLO, MOUNT, auth_of, authority_of, proxy_for
from .wire import BrokeOff, Head, Malformed, Peer, read_head, status_of

CONNECT_SECONDS = 30.0  # to a provider
HELLO_SECONDS = 1.0  # for the daemon to say that it is there
REST_SECONDS = 2.0  # after one that hung: requests do not wait for it each time


class UpstreamUnreachable(Exception):
    """There is no connection to be had."""


@dataclass(slots=True)
class KnownStore:
    """What the relay knows of a store: keys derived from its token, never the token, and where providers are."""

    place: DaemonFolder
    keys: frozenset[bytes] = frozenset()
    relay_key: str = ""
    upstreams: dict[str, str] = field(default_factory=dict)
    resting_until: float = 0.0
    _seen: tuple[Any, ...] = ()

    def refresh(self) -> None:
        """Read the store's files anew where they have changed; a daemon may have been told other providers."""
        seen = (stamp(self.place.token), stamp(self.place.upstreams))
        if seen == self._seen:
            return
        self._seen = seen
        with suppress(OSError):
            token = self.place.token.read_text(encoding="ascii").strip()
            if token:
                self.keys = frozenset((proxy_key(token).encode(), inject_key(token).encode()))
                self.relay_key = relay_key(token)
        told = read_json(self.place.upstreams).get("upstreams")
        if isinstance(told, dict):
            self.upstreams = confirmed(self.place, {str(name): str(url) for name, url in told.items()})

    def has(self, key: bytes) -> bool:
        """Whether a key is one of ours; each is compared whole, so that time does not tell."""
        return sum(hmac.compare_digest(key, one) for one in self.keys) > 0


def confirmed(place: DaemonFolder, told: dict[str, str]) -> dict[str, str]:
    """Those providers whose addresses the user confirmed, or gave a daemon: the others may have come with a copy."""
    doubtful = unconfirmed(place.folder.parent, daemon_addresses({"upstreams": told}))
    return {name: url for name, url in told.items() if upstream_setting(name) not in {one.setting for one in doubtful}}


def stamp(path: Any) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


async def to_daemon(known: KnownStore) -> Peer:
    """A connection to the daemon once it has proven that it knows the store's token: another may have its port."""
    loop = asyncio.get_running_loop()
    if loop.time() < known.resting_until:
        raise UpstreamUnreachable
    state = state_of(known.place)
    try:
        host, port = address_in(state)
        async with asyncio.timeout(HELLO_SECONDS):
            peer = Peer(*await asyncio.open_connection(host, port, ssl=daemon_tls(state)))
            try:
                await prove(peer, known, port)
            except BaseException:
                peer.close()
                raise
            return peer
    except TimeoutError:
        known.resting_until = loop.time() + REST_SECONDS
        raise UpstreamUnreachable from None
    except (OSError, Malformed, BrokeOff) as error:
        raise UpstreamUnreachable from error


async def prove(peer: Peer, known: KnownStore, port: int) -> None:
    """Have the daemon answer a question that nobody else can; the same connection then carries the request."""
    nonce = secrets.token_hex(16)
    asked = b"GET %b%b/%b HTTP/1.1\r\nhost: 127.0.0.1:%d\r\n\r\n" % (MOUNT, HELLO, nonce.encode(), port)
    await peer.write(asked)
    head = await read_head(peer)
    if head is None or status_of(head)[0] != 200 or head.values(b"content-length") != [b"32"]:
        raise Malformed("no daemon")
    said = b""
    while len(said) < 32:
        if not (piece := await peer.read()):
            raise BrokeOff
        said += piece
    if not hmac.compare_digest(said, relay_proof(known.relay_key, nonce, port)):
        raise Malformed("another daemon")


# --- the provider ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Provider:
    """Where a provider is. `whole`: requests name it whole, as a proxy wants them for http."""

    authority: bytes
    path: bytes
    peer: Peer
    whole: bytes = b""
    proxy_headers: tuple[tuple[bytes, bytes], ...] = ()


async def to_provider(address: str) -> Provider:
    """A connection to a provider, through the proxy that the environment names, if it names one."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UpstreamUnreachable(f"{address!r} is not a provider's address")
    host, port = parts.hostname, parts.port or {"http": 80, "https": 443}[parts.scheme]
    authority = authority_of(parts.scheme.encode(), host.encode("idna"), parts.port)
    path = parts.path.rstrip("/").encode()
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            proxy = None if _is_here(host) else proxy_for(parts.scheme, host)
            if proxy is None:
                peer = await connected(host, port, parts.scheme == "https")
                return Provider(authority, path, peer)
            assert proxy.hostname is not None
            there = proxy.port or {"http": 80, "https": 443}[proxy.scheme]
            peer = await connected(proxy.hostname, there, proxy.scheme == "https")
            auth = proxy_auth(auth_of(proxy))
            if parts.scheme == "http":
                return Provider(authority, path, peer, b"http://" + authority, auth)
            await tunnel(peer, host, port, auth)
            return Provider(authority, path, peer)
    except TimeoutError:
        raise UpstreamUnreachable(f"no connection within {CONNECT_SECONDS:g} s") from None
    except (OSError, Malformed, BrokeOff) as error:
        raise UpstreamUnreachable(str(error) or type(error).__name__) from error


async def connected(host: str, port: int, encrypted: bool) -> Peer:
    context = tls() if encrypted else None
    return Peer(*await asyncio.open_connection(host, port, ssl=context))


def daemon_tls(state: dict[str, Any]) -> ssl.SSLContext | None:
    """For a daemon that speaks TLS. Its certificate may name another address: what it proves counts instead."""
    if not str(state.get("url", "")).startswith("https:"):
        return None
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


@cache
def tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _is_here(host: str) -> bool:
    """A proxy is for other machines."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def proxy_auth(auth: tuple[str, str] | None) -> tuple[tuple[bytes, bytes], ...]:
    if auth is None:
        return ()
    both = f"{unquote(auth[0])}:{unquote(auth[1])}".encode()
    return ((b"Proxy-Authorization", b"Basic " + base64.b64encode(both)),)


async def tunnel(peer: Peer, host: str, port: int, auth: tuple[tuple[bytes, bytes], ...]) -> None:
    """Through a proxy to the other side of it, encrypted from here to there."""
    named = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    await peer.write(Head(f"CONNECT {named} HTTP/1.1".encode(), [(b"Host", named.encode()), *auth]).to_bytes())
    head = await read_head(peer)
    if head is None or status_of(head)[0] != 200:
        raise Malformed(f"the proxy answered {head.start.decode('latin-1') if head else 'nothing'}")
    await peer.writer.start_tls(tls(), server_hostname=host)
