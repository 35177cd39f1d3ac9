"""Asks a running daemon for a login link for a browser, or to log out all browsers."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

from ..daemon.client import ask_daemon
from ..daemon.folder import place_in

SECONDS = 10.0
INVITE = "/api/dashboard/invite"


def one_time_link(store: Path, namespace: str | None = None) -> str:
    """A link that lets one browser in, once, and shows it a namespace."""
    query = urlencode({} if namespace is None else {"namespace": namespace})
    return str(ask_daemon(place_in(store), "POST", f"{INVITE}?{query}", seconds=SECONDS)["url"])


def one_time_page(store: Path, namespace: str | None = None) -> Path:
    """A private file that leads a browser to such a link; the daemon removes it once it was used, or is too old."""
    query = urlencode({"page": "true"} if namespace is None else {"page": "true", "namespace": namespace})
    return Path(ask_daemon(place_in(store), "POST", f"{INVITE}?{query}", seconds=SECONDS)["page"])


def end_visits(store: Path) -> int:
    """End the sessions of all browsers; returns how many there were."""
    return int(ask_daemon(place_in(store), "DELETE", "/api/dashboard/visitors", seconds=SECONDS)["ended"])
