"""Reads Host and Origin headers strictly: a name, or an address, and a port, and not one character more."""

from __future__ import annotations

import ipaddress
import re

LOOPBACK = ("127.0.0.1", "localhost", "::1")
ANY = ("0.0.0.0", "::")  # to listen on every address; no name for anybody to ask by
AUTHORITY = re.compile(
    r"(?:\[(?P<six>[0-9a-f:.]{2,45})\]|(?P<name>[a-z0-9_](?:[a-z0-9_.-]{0,252}[a-z0-9_])?))(?::(?P<port>[0-9]{1,5}))?"
)
SCHEMES = ("http", "https")


def parse_host_header(host: str) -> str | None:
    """The name or address in a Host header, in lower case and without its port; None if it is anything else."""
    found = AUTHORITY.fullmatch(host.lower()) if host.isascii() else None
    if found is None or int(found["port"] or 0) > 65_535:
        return None
    if found["six"] is None:
        return found["name"]
    try:
        return ipaddress.IPv6Address(found["six"]).compressed
    except ValueError:
        return None


def name_of_origin(origin: str) -> str | None:
    """The name in an Origin header, which is a scheme and a host; None if it is anything else."""
    scheme, separator, rest = origin.partition("://")
    return parse_host_header(rest) if separator and scheme.lower() in SCHEMES else None


def normalize_host(host: str) -> str:
    """A host as a user lists it: with or without brackets, in any case."""
    host = host.strip().lower()
    try:
        return str(ipaddress.ip_address(host.removeprefix("[").removesuffix("]")))
    except ValueError:
        return host


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach who listens there. A name may lead anywhere, `localhost` excepted."""
    try:
        return ipaddress.ip_address(normalize_host(host)).is_loopback
    except ValueError:
        return host.strip().lower() == "localhost"
