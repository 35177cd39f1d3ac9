"""Where a shared database is: an address, its schema, and how both may be shown."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from ..errors import BadInput

SCHEMES = ("postgres", "postgresql")
DEFAULT_SCHEMA = "engramma"
_passwords: dict[str, str] = {}  # given to this process with an address, by the address without it
_SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,62}")


@dataclass(frozen=True, slots=True)
class Address:
    """A database and a schema in it. `parameters` are libpq's; the password is in them and nowhere else."""

    parameters: dict[str, Any] = field(repr=False)
    schema: str
    shown: str
    beside: tuple[str, ...] = ("public",)  # schemas of extensions

    @property
    def slug(self) -> str:
        """A name for the folder of its local files."""
        plain = re.sub(r"[^a-z0-9]+", "-", self.shown.partition("://")[2].lower()).strip("-")[:60]
        return f"{plain}-{hashlib.sha256(self.shown.encode()).hexdigest()[:8]}"


def is_address(text: object) -> bool:
    return isinstance(text, str) and text.partition("://")[0].lower() in SCHEMES and "://" in text


def parsed(url: str, password: str | None = None) -> Address:
    """An address from postgres://user:password@host:port/database?schema=name; what else it says is libpq's."""
    parts = urlsplit(url)
    if parts.scheme.lower() not in SCHEMES:
        raise BadInput(f"{without_password(url)} is no address of PostgreSQL; one begins with postgres://.")
    try:
        port = parts.port
    except ValueError as error:
        raise BadInput(f"The port in {without_password(url)} is no number. Correct the address.") from error
    options = dict(parse_qsl(parts.query))
    schema = options.pop("schema", DEFAULT_SCHEMA)
    if not _SCHEMA.fullmatch(schema):
        raise BadInput("A schema's name has small letters, digits and _ only, at most 63 of them.")
    said = {
        "host": unquote(parts.hostname or ""),
        "port": port,
        "user": unquote(parts.username or ""),
        "password": password_in(url) or password or _passwords.get(without_password(url)),
        "dbname": unquote(parts.path.lstrip("/")),
    }
    parameters = {**options, **{name: value for name, value in said.items() if value}}
    return Address(parameters, schema, without_password(url))


def without_password(url: str) -> str:
    """An address as it may be shown and stored."""
    parts = urlsplit(url)
    user, at, host = parts.netloc.rpartition("@")
    kept = [(name, value) for name, value in parse_qsl(parts.query) if name not in ("password", "sslpassword")]
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}{at}{host}", query=urlencode(kept)))


def remember_password(url: str) -> None:
    """Keep an address's password for as long as the process lives, so that nobody has to hand it on."""
    if (password := password_in(url)) is not None:
        _passwords[without_password(url)] = password


def password_in(url: str) -> str | None:
    """The password that an address holds, if it holds one."""
    parts = urlsplit(url)
    found = unquote(parts.password) if parts.password else dict(parse_qsl(parts.query)).get("password")
    return found or None


def socket_address(folder: str, port: int, user: str, database: str) -> str:
    """The address of a server that listens on a socket in a folder."""
    return f"postgres://{quote(user)}@/{quote(database)}?{urlencode({'host': folder, 'port': port})}"
