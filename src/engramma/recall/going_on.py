"""Weighs where a message goes on: in one conversation, and in what was said last there (docs/log/messages.md)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.windows import Near

LATELY = 5.0  # exchanges of a session, about
LEADING = 1.0  # evidence counts for its conversation by exp(evidence / LEADING): with more, a long one leads by length


def by_lateness(near: Near, rows: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    """Of the exchanges found in a conversation: 1 for the latest, a half for one that is followed by LATELY others; and
    how many sessions of it follow, as a logarithm.

    Somebody who goes on with a plan in a chat means what was said last more often than what was said first; somebody
    who asks about what was said does not.
    """
    order = np.lexsort((near.ties, -near.places, -near.said_at, near.conversations))
    begins = np.searchsorted(near.conversations[order], near.conversations[order])
    later, since = np.zeros(len(order)), np.zeros(len(order))
    later[order] = np.arange(len(order)) - begins
    _, ends, of = np.unique(near.sessions[order], return_index=True, return_inverse=True)
    is_end = np.isin(np.arange(len(order)), ends)  # the last of its session
    ended = np.cumsum(is_end) - 1
    since[order] = (ended - ended[begins])[ends][of]
    is_exchange = near.is_exchange[rows]
    return {
        "latest": (LATELY / (LATELY + later))[rows] * is_exchange,
        "sessions_since": np.log1p(since)[rows] * is_exchange,
    }


def by_leading_conversation(near: Near, rows: NDArray[np.int64], total: NDArray[np.float64]) -> NDArray[np.float64]:
    """A conversation's share of all evidence: a message that goes on goes on in one conversation."""
    shares = np.exp((total - total.max()) / LEADING)
    of = near.conversations[rows]
    found: NDArray[np.float64] = np.bincount(of, weights=shares)[of] / shares.sum() * near.is_exchange[rows]
    return found
