"""Identifies the caller: by a user's token, a browser's session or a key in the proxy's address."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from ...memory import Memory
from ...records.team import THE_OWNER, Who
from ...store.team import PROXY_KEY, TOKEN

PROXY_SECONDS = 5.0  # a key of the proxy is looked up this often: capturing must not wait for a database
MOST_KEYS = 1_000


class UserKeys:
    """Looks users up in the database each time, so that a revoked token is worthless at once at every daemon."""

    def __init__(self, memory: Callable[[], Memory], now: Callable[[], float] = time.monotonic) -> None:
        self._memory, self._now = memory, now
        self._lock = threading.Lock()
        self._captures: dict[str, tuple[float, Who | None]] = {}

    def of_token(self, token: str) -> Who | None:
        return self._memory().team.who_has(token) if TOKEN.fullmatch(token) else None

    def of_session(self, token_id: str | None) -> Who | None:
        """Of a browser that came in with the owner's token (None) or a user's."""
        return THE_OWNER if token_id is None else self._memory().team.who_still(token_id)

    def of_proxy(self, key: str) -> Who | None:
        if not PROXY_KEY.fullmatch(key):
            return None
        with self._lock:
            at, who = self._captures.get(key, (-PROXY_SECONDS, None))
        if self._now() - at < PROXY_SECONDS:
            return who
        who = self._memory().team.who_captures(key)
        with self._lock:
            if len(self._captures) >= MOST_KEYS:
                self._captures.clear()
            self._captures[key] = (self._now(), who)
        return who
