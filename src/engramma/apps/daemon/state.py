"""The state that a daemon's interfaces share."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ...memory import Memory
from ..dashboard.visitors import Visitors
from .folder import DaemonFolder
from .keys import UserKeys
from .memories import Memories
from .settings import DaemonSettings
from .spool import Spool


class Scribe(Protocol):
    """Takes copies of what passed through the proxy."""

    def offer(self, frame: bytes) -> bool:
        """Hand over one exchange without waiting; False, and counted, if there is no room for it."""

    def counts(self) -> Mapping[str, Any]:
        """What it has taken and dropped so far."""

    def resting(self) -> AbstractContextManager[None]:
        """Keep the store closed meanwhile; what comes waits."""


@dataclass(slots=True)
class Daemon:
    """One store, served."""

    store: Path
    place: DaemonFolder
    memories: Memories
    spool: Spool
    scribe: Scribe
    token: str
    settings: DaemonSettings = field(default_factory=DaemonSettings)
    port: int = 0  # the one it listens on
    namespace: str = "default"  # of those who name none
    started_at: float = field(default_factory=time.time)
    relayed: Mapping[str, int] = field(default_factory=dict)  # what the proxy has seen, by what became of it
    visitors: Visitors = field(default_factory=Visitors)  # browsers that look at the dashboard
    closing: threading.Event = field(default_factory=threading.Event)  # set when it is told to stop: streams end
    keys: UserKeys = field(init=False)  # whose a token is

    def __post_init__(self) -> None:
        self.keys = UserKeys(lambda: self.memory)

    @property
    def memory(self) -> Memory:
        """That of the namespace it serves."""
        return self.memories.get(self.namespace)

    @property
    def read_only(self) -> bool:
        return self.settings.read_only

    @property
    def inject(self) -> bool:
        return self.settings.inject

    @property
    def upstreams(self) -> Mapping[str, str]:
        return self.settings.upstreams

    @property
    def url(self) -> str:
        host = self.settings.host
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
        host = f"[{host}]" if ":" in host else host
        return f"{'https' if self.settings.tls_cert else 'http'}://{host}:{self.port}"


def proxy_urls(url: str, key: str, upstreams: Iterable[str]) -> dict[str, str]:
    """The base URL for each provider: OpenAI's ends in /v1, as its SDK expects."""
    base = f"{url}/p/{key}"
    return {name: f"{base}/{name}/v1" if name == "openai" else f"{base}/{name}" for name in upstreams}
