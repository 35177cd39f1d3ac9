"""Extracts claims from new turns before claims are read."""

from __future__ import annotations

from contextlib import suppress

from ...core.core import Core
from ...errors import StoreError
from ...store.store import Store
from ..entities.entities import tidy_loose
from ..entities.short_names import join_short_names
from .store import claims_up_to_date, waiting


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


def tidy_purged(store: Store) -> None:
    """Take away names that only purged turns gave; a first name may be short for the one whole name that is left."""
    if tidy_loose(store) and not waiting(store):  # else they are joined once that is extracted
        join_short_names(store)
