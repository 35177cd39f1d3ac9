"""What the faces of a daemon share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from .memories import Memories
from .place import Place
from .spool import Spool

UPSTREAMS: Mapping[str, str] = {
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com",
    "ollama": "http://127.0.0.1:11434",
}


class Scribe(Protocol):
    """Takes copies of what passed through the proxy."""

    def offer(self, frame: bytes) -> bool:
        """Hand over one exchange without waiting; False, and counted, if there is no room for it."""


@dataclass(slots=True)
class Daemon:
    """One store, served."""

    store: Path
    place: Place
    memories: Memories
    spool: Spool
    scribe: Scribe
    token: str
    host: str = "127.0.0.1"
    port: int = 0
    namespace: str = "default"  # of those who name none
    read_only: bool = False
    inject: bool = False
    upstreams: Mapping[str, str] = field(default_factory=lambda: dict(UPSTREAMS))
