"""Ask a running daemon, with its token, to let a browser in, or to end all visits."""

from __future__ import annotations

import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ... import foreign_json
from ..daemon.control import MOST_REPLY, DaemonError
from ..daemon.place import place_in, read_json, token_of

SECONDS = 10.0


def one_time_link(store: Path, namespace: str | None = None) -> str:
    """A link that lets one browser in, once, and shows it a namespace."""
    url = str(asked(store, "POST", "/api/dashboard/invite")["url"])
    return url if namespace is None else f"{url}/{quote(namespace, safe='')}"


def end_visits(store: Path) -> int:
    """End the sessions of all browsers; returns how many there were."""
    return int(asked(store, "DELETE", "/api/dashboard/visitors")["ended"])


def asked(store: Path, method: str, path: str) -> dict[str, Any]:
    place = place_in(store)
    url = read_json(place.state).get("url")
    if not isinstance(url, str):
        raise DaemonError("No daemon serves this memory. `engramma open` starts one.")
    headers = {"Authorization": f"Bearer {token_of(place)}"}
    request = urllib.request.Request(f"{url}{path}", method=method, headers=headers)
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=SECONDS) as reply:
            value: dict[str, Any] = foreign_json.loads(reply.read(MOST_REPLY))
            return value
    except (OSError, ValueError, urllib.error.URLError) as error:
        raise DaemonError(f"The daemon at {url} does not answer: {error}.") from error
