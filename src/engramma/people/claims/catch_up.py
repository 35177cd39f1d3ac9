"""Extracts claims from new turns before claims are read."""

from __future__ import annotations

from ...core.core import Core
from ...errors import StoreError
from .store import claims_up_to_date


def catch_up(core: Core) -> None:
    """Extract what is new. A store that cannot be written is read as it is."""
    try:
        claims_up_to_date(core.store)
    except StoreError:
        core.store.check_place()  # of a namespace that is gone nothing is read either
