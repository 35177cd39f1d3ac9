"""Reports that a transcript has grown. The daemon reads, masks and stores it; the hook does not wait."""

from __future__ import annotations

import os
from typing import Any

from ..daemon.folder import DaemonFolder, is_paused, read_json
from ..daemon.spool import Spool
from .ask import is_alive

LOOKED_AT = 50  # items that wait, for one that says the same


class Full(Exception):
    """The spool takes nothing more."""


def capture(place: DaemonFolder, call: dict[str, Any], namespace: str) -> None:
    """Spool the transcript's path. While no daemon runs, once is enough: it will read the whole file."""
    path = call.get("transcript_path")
    if not isinstance(path, str) or not path or is_paused(place):
        return
    path = os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111
    if not os.path.isfile(path):  # noqa: PTH113
        return
    value = {"path": path, "format": "claude-code", "namespace": namespace or None}
    spool = Spool(place.spool)
    if not is_alive(read_json(place.state).get("pid")) and spool.waits("transcript", value, LOOKED_AT):
        return
    if not spool.put("transcript", value):
        raise Full
