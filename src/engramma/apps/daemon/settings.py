"""The daemon's settings: the table [daemon] of a store's config.toml, and what the command line says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any
from urllib.parse import urlsplit

from ...config.environment import blamed, variables_of
from ...config.trust import Outgoing, is_here
from ...errors import BadInput
from .limits import BURST, RATE
from .spool import MAX_BYTES, MAX_ITEMS

UPSTREAMS: Mapping[str, str] = {
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com",
    "ollama": "http://127.0.0.1:11434",
}
PORT = 7733
OPTIONS = {"allow_hosts": "--allow-host", "upstreams": "--upstream"}  # of the command line, where not named as settings
CARRIED = "what your programs say to a provider, and their key"


@dataclass(frozen=True, slots=True)
class DaemonSettings:
    """How a daemon serves a store."""

    host: str = "127.0.0.1"
    port: int = PORT  # 0: any free port
    allow_hosts: tuple[str, ...] = ()  # host names that others may use for it, besides the loopback's
    tls_cert: str = ""  # PEM files: a certificate, and its key
    tls_key: str = ""
    insecure_no_tls: bool = False  # let other machines connect without TLS
    read_only: bool = False
    inject: bool = False  # add memories to requests that pass through the proxy
    capture: bool = True  # False: the proxy relays and stores nothing
    upstreams: Mapping[str, str] = field(default_factory=lambda: dict(UPSTREAMS))
    steward_hours: float = 24.0  # 0: the steward is left to you
    spool_items: int = MAX_ITEMS
    spool_bytes: int = MAX_BYTES
    worker_memory_mb: int | None = None  # memory limit of the worker; 0: none; None: 2,048 plus three times the store
    user_rate: float = RATE  # requests per second of a user; 0: no limit
    user_burst: int = BURST  # and in a burst


def settings_from(table: Mapping[str, Any], where: str = "config.toml", **given: Any) -> DaemonSettings:
    """The defaults, over them the store's table, over it what was given; BadInput for what could not work."""
    known = {one.name for one in fields(DaemonSettings)}
    if unknown := sorted(set(table) - known):
        raise BadInput(f"{where}: unknown setting {', '.join(unknown)} in [daemon]. Known: {', '.join(sorted(known))}.")
    values = {**table, **{name: value for name, value in given.items() if value is not None}}
    upstreams = dict(UPSTREAMS)
    for source in (table.get("upstreams", {}), given.get("upstreams") or {}):
        if not isinstance(source, Mapping):
            raise BadInput(f"{where}: upstreams must be a table of names and URLs.")
        upstreams.update(source)
    hosts = values.get("allow_hosts", ())
    if not (isinstance(hosts, list | tuple) and all(isinstance(one, str) for one in hosts)):
        raise BadInput(f"{where}: allow_hosts must be a list of names.")
    options = {name: OPTIONS.get(name, f"--{name.replace('_', '-')}") for name in given if given[name] is not None}
    made = replace(DaemonSettings(), **{**values, "upstreams": upstreams, "allow_hosts": tuple(hosts)})
    return _checked(made, where, {**variables_of(table), **options})


def daemon_addresses(table: Mapping[str, Any], given: Iterable[str] = ()) -> list[Outgoing]:
    """What a store's table [daemon] opens to others, but for what was `given` instead: names of settings and upstreams.

    Providers get the keys of those who ask, so only Ollama, which has none, may be on this machine unconfirmed.
    """
    upstreams, hosts = table.get("upstreams"), table.get("allow_hosts")
    found = [
        Outgoing(upstream_setting(name), url, (), CARRIED, name == "ollama" and is_here(url))
        for name, url in (upstreams.items() if isinstance(upstreams, Mapping) else ())
        if isinstance(url, str) and url.rstrip("/") != UPSTREAMS.get(name) and name not in given
    ]
    host = table.get("host")
    if isinstance(host, str) and "host" not in given and not is_here(f"http://{host}"):
        found.append(Outgoing("[daemon] host", host, (), "requests of other machines"))
    names = [one for one in hosts if isinstance(one, str)] if isinstance(hosts, list | tuple) else []
    return found + [Outgoing("[daemon] allow_hosts", name, (), "requests under this name") for name in names]


def upstream_setting(name: str) -> str:
    return f"[daemon] upstreams.{name}"


def _checked(settings: DaemonSettings, where: str, sources: Mapping[str, str]) -> DaemonSettings:
    def need(ok: bool, what: str) -> None:
        if not ok:
            raise BadInput(f"{blamed(what, where, sources)}: {what}.")

    def whole(value: object, least: int, most: int) -> bool:
        return type(value) is int and least <= value <= most

    need(isinstance(settings.host, str) and bool(settings.host), "host must be an address, such as 127.0.0.1")
    need(whole(settings.port, 0, 65_535), "port must be 0 to 65535")
    need(all(isinstance(one, str) for one in (settings.tls_cert, settings.tls_key)), "tls_cert and tls_key are files")
    need(bool(settings.tls_cert) == bool(settings.tls_key), "tls_cert and tls_key belong together; give both")
    for name in ("read_only", "inject", "capture", "insecure_no_tls"):
        need(isinstance(getattr(settings, name), bool), f"{name} must be true or false")
    hours = settings.steward_hours
    need(type(hours) in (int, float) and 0 <= hours <= 8_760, "steward_hours must be 0 to 8760")
    need(whole(settings.spool_items, 1, 10_000_000), "spool_items must be 1 to 10,000,000")
    need(whole(settings.spool_bytes, 1, 2**50), "spool_bytes must be a number of bytes")
    memory = settings.worker_memory_mb
    need(memory is None or memory == 0 or whole(memory, 512, 2**24), "worker_memory_mb must be 0 or 512 and more")
    rate = settings.user_rate
    need(type(rate) in (int, float) and 0 <= rate <= 1e6, "user_rate must be 0 to 1,000,000 requests a second")
    need(whole(settings.user_burst, 1, 10_000_000), "user_burst must be 1 to 10,000,000")
    for name, url in settings.upstreams.items():
        need(isinstance(name, str) and name.isidentifier(), f"upstream {name!r:.50} needs a name of letters")
        need(
            isinstance(url, str) and is_base(url), f"upstream {name}: {url!r:.200} is not an http(s) URL without query"
        )
    return settings


def is_base(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and not (parts.query or parts.fragment)
    except ValueError:
        return False
