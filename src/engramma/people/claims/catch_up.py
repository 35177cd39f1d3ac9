"""Extracts claims from new turns before claims are read."""

from __future__ import annotations

from contextlib import suppress

from ...core.core import Core
from ...errors import StoreError
from ...store.store import Store
from ..entities.short_names import join_short_names
from .store import claims_up_to_date


def catch_up(core: Core) -> None:
    """Extract what is new. A store that cannot be written is read as it is."""
    with suppress(StoreError):
        extract_new(core.store)
    core.store.check_place()  # of a namespace that is gone nothing is read either


def extract_new(store: Store, limit: int | None = None) -> int:
    """Extract at most so many blocks, and join first names with whole ones where new people came; how many blocks."""
    done = claims_up_to_date(store, limit)
    if done:
        join_short_names(store)
    return done
