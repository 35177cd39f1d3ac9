"""The capture proxy: stands between an assistant and its model, passes every byte on, and keeps a copy of the talk."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..daemon.state import Daemon
    from .app import Proxy


def proxy_app(daemon: Daemon) -> Proxy:
    """The ASGI app for `/p/<key>/<provider>[@namespace]/<path of the provider>`."""
    from .app import Proxy  # what it needs takes a while to import

    return Proxy(daemon)
