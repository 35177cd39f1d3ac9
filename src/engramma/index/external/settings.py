"""The table [index] of config.toml: which engine finds neighbours, and where it is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import urlsplit

from ...config.environment import blamed, variables_of
from ...errors import BadInput

KEY = "ENGRAMMA_INDEX_KEY"
BUILT_IN = "faiss"

# Which engines there are, and the schemes of the addresses each can be reached at.
SCHEMES: dict[str, tuple[str, ...]] = {
    BUILT_IN: (),
    "sqlite-vec": (),
    "chroma": ("http", "https"),
    "qdrant": ("http", "https"),
    "pgvector": ("postgres", "postgresql"),
}
PRIVATE = ("chroma", "qdrant")  # whose files only one process may have open
LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """Where neighbours are looked for. The key is never in it: only the variable's name that holds it."""

    backend: str = BUILT_IN
    url: str | None = None  # of a server; None: files in the store
    path: str | None = None  # a folder for the files instead of the store's index/
    key_env: str = KEY
    timeout: float = 2.0  # seconds a search may take before the built-in scan answers
    allow_http: bool = False  # plain http to another machine: anyone on the network path can read it

    @property
    def is_built_in(self) -> bool:
        return self.backend == BUILT_IN

    @property
    def key(self) -> str | None:
        return os.environ.get(self.key_env) or None


def index_settings(table: Mapping[str, Any], where: str = "config.toml") -> IndexSettings:
    """The settings of an index; BadInput for what could not work."""

    def need(ok: bool, what: str) -> None:
        if not ok:
            raise BadInput(f"{blamed(what, where, variables_of(table))}: [index] {what}.")

    known = sorted(one.name for one in fields(IndexSettings))
    unknown = sorted(set(table) - set(known))
    need(not unknown, f"has an unknown setting: {', '.join(unknown)}. Known: {', '.join(known)}")
    found = replace(IndexSettings(), **table)
    need(found.backend in SCHEMES, f"backend must be one of {', '.join(SCHEMES)}")
    schemes = SCHEMES[found.backend]
    need(found.path is None or isinstance(found.path, str), "path must be a folder")
    need(isinstance(found.key_env, str) and found.key_env.isidentifier(), "key_env must name an environment variable")
    need(
        isinstance(found.timeout, int | float) and not isinstance(found.timeout, bool) and 0.05 <= found.timeout <= 600,
        "timeout must be 0.05 to 600 seconds",
    )
    need(isinstance(found.allow_http, bool), "allow_http must be true or false")
    need(found.url is None or bool(schemes), f"{found.backend} has no url")
    need(found.url is not None or found.backend != "pgvector", "pgvector needs a url, postgresql://user@host/database")
    need(found.url is None or found.path is None, "takes a url or a path, not both")
    if found.url is not None:
        _check_url(found, schemes, need)
    return found


def _check_url(found: IndexSettings, schemes: tuple[str, ...], need: Any) -> None:
    try:
        parts = urlsplit(str(found.url))
        host, _ = parts.hostname, parts.port
    except ValueError:
        parts, host = urlsplit(""), None
    need(parts.scheme in schemes, f"url of {found.backend} must begin with {' or '.join(f'{s}://' for s in schemes)}")
    if found.backend != "pgvector":
        need(bool(host), "url must name a server")
        is_safe = parts.scheme == "https" or host in LOOPBACK or found.allow_http
        need(is_safe, "url must be https for another machine, or say allow_http = true")
    need(not parts.password, f"url must not hold a password: set {found.key_env} in the environment")
