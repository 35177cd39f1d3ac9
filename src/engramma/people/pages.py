"""Pages of long lists, checked."""

from __future__ import annotations

from ..errors import BadInput

MOST = 100_000  # claims or entities of one answer


def checked_page(limit: int, offset: int) -> None:
    if type(limit) is not int or not 1 <= limit <= MOST or type(offset) is not int or not 0 <= offset < 2**62:
        raise BadInput(f"limit must be from 1 to {MOST:,} and offset from 0.")
