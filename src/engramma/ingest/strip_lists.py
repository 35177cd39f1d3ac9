"""Removes segments from the semantic graph."""

from __future__ import annotations

import numpy as np

from ..store.store import RELISTED, Store
from .link import Linker, save_lists
from .near_lists import ENTRY, unpack


def strip_lists(store: Store, linker: Linker, gone: set[int]) -> None:
    """Take segments out of the semantic graph and everybody's near list, inside the caller's transaction.

    The freed places stay free until something new enters: to search who comes next for every list would take hours
    where a hundred thousand segments go. The edges that remain are still those of mutual lists.
    """
    if not gone:
        return
    barred = np.fromiter(gone, dtype=np.uint32)
    changed = {}
    rows = store.all("check_near_lists")
    entries = np.frombuffer(b"".join(row["list"] for row in rows), dtype=ENTRY)["key"]
    owners = np.repeat(np.arange(len(rows)), [len(row["list"]) // ENTRY.itemsize for row in rows])
    for number in np.unique(owners[np.isin(entries, barred)]).tolist():
        row = rows[number]
        if row["key"] not in gone:
            changed[row["key"]] = [partner for partner in unpack(row["list"]) if partner[0] not in gone]
            store.run("change_add", key=row["key"], op=RELISTED)
    save_lists(store, linker, changed)
    for key in gone:
        for name in ("edges_drop_semantic_out", "edges_drop_semantic_in", "near_delete"):
            store.run(name, key=key)
