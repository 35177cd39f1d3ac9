"""Near lists: the strongest semantic partners of a segment, at most `cap` of them, packed.

Two segments are joined by an edge when each stands in the other's list. Whether one does depends
only on what is stored, never on the order in which it came: import in any order, from any number
of processes, and the graph is the same. And no segment can have more edges than its list is long,
whichever way they point.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

SCALE = 10_000  # weights are cosines kept to four decimals; integers compare the same everywhere

ENTRY = np.dtype([("key", "<u4"), ("weight", "<u2"), ("tie", "<u4")])

# (key, weight, tie) of a partner; `tie` orders equal weights by the segment's identity.
Partner = tuple[int, int, int]


def weights_of(similarities: NDArray[np.float64]) -> NDArray[np.int64]:
    """Cosines as integer weights; float16 rounding may lift one a hair above 1."""
    return np.minimum(np.rint(similarities * SCALE), SCALE).astype(np.int64)


def strongest(partners: Iterable[Partner], cap: int) -> list[Partner]:
    """The `cap` strongest, in order; a key given twice counts once."""
    unique = {partner[0]: partner for partner in partners}
    return sorted(unique.values(), key=lambda p: (-p[1], p[2], p[0]))[:cap]


def reach_of(partners: list[Partner], cap: int) -> int:
    """The least weight that may still enter the list: 0 while there is room."""
    return partners[-1][1] if len(partners) >= cap else 0


def pack(partners: list[Partner]) -> bytes:
    return np.array(partners, dtype=ENTRY).tobytes()


def unpack(data: bytes) -> list[Partner]:
    entries: list[Partner] = np.frombuffer(data, dtype=ENTRY).tolist()
    return entries
