"""Makes memory that is handed to a library zeroed.

Chroma's graph is written to its file with the room that it has reserved, and what stands there is whatever was in that
memory before: vectors of what was deleted, too. glibc can be told to overwrite memory when it is handed out and back;
elsewhere nothing is known to help.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

M_PERTURB, PATTERN = -6, 0xFF  # memory is handed out as the complement of this: zeros

_lock = threading.Lock()
_inside = 0


@contextmanager
def blanking() -> Iterator[None]:
    """While this lasts; whoever else allocates meanwhile waits a little longer for it."""
    _turn(1)
    try:
        yield
    finally:
        _turn(-1)


def _turn(by: int) -> None:
    global _inside
    with _lock:
        _inside += by
        if (by, _inside) in ((1, 1), (-1, 0)) and (mallopt := _mallopt()) is not None:
            mallopt(M_PERTURB, PATTERN if _inside else 0)


def _mallopt() -> ctypes._CFuncPtr | None:  # type: ignore[name-defined]  # ctypes gives it no public name
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None), "mallopt", None)
