"""Lets a running daemon answer a command: it has the model and the index in memory, which take a second to load.

It is asked only if it is of this version and serves this very store under the same settings. Whatever else it says,
or if it says nothing, the command does its work itself.
"""

from __future__ import annotations

import time
from typing import Any

from ...config.version import __version__
from ..daemon.folder import place_in, state_of
from ..daemon.same_settings import circumstances
from ..hooks.ask import HookRefused, running
from ..printed import Printed, unpacked
from .common import chosen, store_path

SECONDS = 10.0  # that a command waits for a daemon before it does the work itself
DIAL_SECONDS = 1.0  # of them until it has proven to be ours: one that hangs is not waited for


def printed_by_daemon(command: str, call: dict[str, Any]) -> Printed | None:
    """What a command has to print; None where no daemon would say what this process would."""
    store = store_path()
    place = place_in(store)
    if state_of(place).get("version") != __version__:
        return None
    daemon = running(place, chosen.namespace or "default", time.monotonic() + SECONDS)
    if daemon is None:
        return None
    daemon.dial_seconds = DIAL_SECONDS
    asked = {"command": command, "call": call, "by": circumstances(store, daemon.token)}
    try:
        return unpacked(daemon.reply(daemon.ask("command", asked)))
    except (OSError, ValueError, HookRefused):
        return None
