"""Tells a daemon under which settings a command runs, so that it only answers what the command itself would say.

Light, because a command that is answered by a daemon imports little more than this.
"""

from __future__ import annotations

import os
from pathlib import Path

from ...config.version import __version__
from .proof import keyed_hash

PREFIX = "ENGRAMMA_"
# Where a memory is and what opens it: a daemon that has proven to have the store's token has that behind it.
ASIDE = ("ENGRAMMA_STORE", "ENGRAMMA_HOOK_SECONDS")
ASIDE_PREFIXES = ("ENGRAMMA_KEY_", "ENGRAMMA_PASSPHRASE_", "ENGRAMMA_DAEMON_")


def circumstances(store: Path, token: str) -> dict[str, str]:
    """The version, the store and a keyed hash of the settings in environment variables: some of them are secrets."""
    given = sorted(item for item in os.environ.items() if is_setting(item[0]))
    digest = keyed_hash(token, f"engramma settings {given}".encode("utf-8", "surrogateescape"))
    return {"version": __version__, "store": os.path.realpath(store), "settings": digest}


def is_setting(name: str) -> bool:
    """Whether an environment variable may change what a command says: ENGRAMMA_STORE_ENGINE may."""
    if name == "TZ":  # in which times are shown
        return True
    return name.startswith(PREFIX) and name not in ASIDE and not name.startswith(ASIDE_PREFIXES)
