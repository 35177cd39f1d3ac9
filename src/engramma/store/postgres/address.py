"""Where a shared database is: an address, its schema, and how both may be shown."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from ...errors import BadInput

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
    max_staleness: float | None = None  # seconds that a standby may be behind; None: everything is asked of the primary

    @property
    def slug(self) -> str:
        """A name for the folder of its local files."""
        plain = re.sub(r"[^a-z0-9]+", "-", self.shown.partition("://")[2].lower()).strip("-")[:60]
        return f"{plain}-{hashlib.sha256(self.shown.encode()).hexdigest()[:8]}"


def _split(url: str) -> SplitResult:
    """The parts of an address. urlsplit refuses a list of hosts that has an IPv6 one among them."""
    scheme, sign, rest = url.partition("://")
    end = min((at for at in map(rest.find, "/?#") if at >= 0), default=len(rest))
    return urlsplit(f"x://y{rest[end:]}")._replace(scheme=scheme.lower(), netloc=rest[:end]) if sign else urlsplit(url)


def is_address(text: object) -> bool:
    return isinstance(text, str) and text.partition("://")[0].lower() in SCHEMES and "://" in text


def parse_address(url: str, password: str | None = None) -> Address:
    """An address from postgres://user:password@host:port/database?schema=name; what else it says is libpq's.

    With several hosts (host1:port,host2:port) the one that takes writes is the primary, whichever that is by then.
    With max_staleness=SECONDS, what is only read is read from a standby that is not further behind.
    """
    parts = _split(url)
    if parts.scheme.lower() not in SCHEMES:
        raise BadInput(f"{without_password(url)} is not a PostgreSQL address; use postgres://….")
    hosts, ports = hosts_in(url)
    options = dict(parse_qsl(parts.query))
    staleness = options.pop("max_staleness", None)
    schema = options.pop("schema", DEFAULT_SCHEMA)
    if not _SCHEMA.fullmatch(schema):
        raise BadInput("A schema name may have only lower-case letters, digits and _, at most 63 characters.")
    said = {
        "host": ",".join(hosts),
        "port": ",".join(ports) if any(ports) else "",
        "user": unquote(parts.username or ""),
        "password": password_in(url) or password or _passwords.get(without_password(url)),
        "dbname": unquote(parts.path.lstrip("/")),
    }
    parameters = {**options, **{name: value for name, value in said.items() if value}}
    if "," in str(parameters.get("host", "")):
        parameters.setdefault("target_session_attrs", "read-write")
    bound = None if staleness is None else seconds(staleness)
    return Address(parameters, schema, without_password(url), max_staleness=bound)


def hosts_in(url: str) -> tuple[list[str], list[str]]:
    """The hosts that an address names, and the port of each, "" where it says none."""
    hosts, ports = [], []
    for one in _split(url).netloc.rpartition("@")[2].split(","):
        found = re.fullmatch(r"(\[[^\]]*\]|[^:\[\]]*)(?::(\d*))?", one)
        if found is None or int(found[2] or 0) > 65_535:
            raise BadInput(f"The port in {without_password(url)} is not a number. Correct the address.")
        hosts.append(unquote(found[1].strip("[]")))
        ports.append(found[2] or "")
    return hosts, ports


def seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < float("inf"):
        raise BadInput(f"max_staleness is a number of seconds above 0, not {text!r:.40}.")
    return found


def without_password(url: str) -> str:
    """An address as it may be shown and stored."""
    parts = _split(url)
    user, at, host = parts.netloc.rpartition("@")
    kept = [(name, value) for name, value in parse_qsl(parts.query) if name not in ("password", "sslpassword")]
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}{at}{host}", query=urlencode(kept)))


def remember_password(url: str) -> None:
    """Keep an address's password for as long as the process lives, so that nobody has to hand it on."""
    if (password := password_in(url)) is not None:
        _passwords[without_password(url)] = password


def password_in(url: str) -> str | None:
    """The password that an address holds, if it holds one."""
    parts = _split(url)
    found = unquote(parts.password) if parts.password else dict(parse_qsl(parts.query)).get("password")
    return found or None


def socket_address(folder: str, port: int, user: str, database: str) -> str:
    """The address of a server that listens on a socket in a folder."""
    return f"postgres://{quote(user)}@/{quote(database)}?{urlencode({'host': folder, 'port': port})}"
