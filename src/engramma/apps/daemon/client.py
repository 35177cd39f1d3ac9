"""Sends requests to a store's daemon, with its token, after the daemon has proven its identity."""

from __future__ import annotations

import http.client
from typing import Any

from ...errors import EngrammaError
from ...files import foreign_json
from .folder import DaemonFolder, state_of, token_of
from .proof import NotOurs, address_in, dial

MOST_REPLY = 16 * 1024 * 1024  # bytes
PATIENCE = 5.0  # seconds


class DaemonError(EngrammaError):
    """The daemon did not start, stop or answer."""


class DaemonRefused(DaemonError):
    """The daemon answered, but not with what was asked for."""


def ask_daemon(place: DaemonFolder, method: str, path: str, seconds: float = PATIENCE) -> dict[str, Any]:
    """What the running daemon answers to a call of its API."""
    state = state_of(place)
    url = state.get("url")
    if not isinstance(url, str):
        raise DaemonError("No daemon serves this memory. `engramma start` starts one.")
    token = token_of(place)
    headers = {"Authorization": f"Bearer {token}"}
    try:
        _, port = address_in(state)
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
        line.auto_open = 0  # a second connection would be to somebody who has proven nothing
        line.sock = dial(state, token, seconds)
        try:
            line.request(method, path, headers=headers)
            reply = line.getresponse()
            answered = foreign_json.loads(reply.read(MOST_REPLY))
        finally:
            line.close()
    except NotOurs as error:
        raise DaemonError(
            f"Something listens at {url}, but {error}, so the token was not sent. If the daemon crashed, start it "
            "again with `engramma start`."
        ) from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise DaemonError(f"The daemon at {url} does not answer: {error}.") from error
    if reply.status != 200 or not isinstance(answered, dict):
        raise DaemonRefused(f"The daemon at {url} answers {reply.status} {reply.reason}.")
    return answered


def proven_url(place: DaemonFolder) -> str | None:
    """The address of the daemon that serves a store now; None if none does, or another listens there."""
    state = state_of(place)
    url = state.get("url")
    if not isinstance(url, str):
        return None
    try:
        dial(state, token_of(place), PATIENCE).close()
    except OSError:
        return None
    return url
