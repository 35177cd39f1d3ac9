"""What is asked, and within which bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from ..errors import BadInput
from ..index.index import VectorIndex
from ..records import Turn
from ..store.store import Store, as_json
from ..times import to_micros
from .expand import May
from .search import Bounds

MAX_QUERY = 20_000  # characters; an encoder reads the first few hundred words, the rest would be read in vain
MAX_K = 10_000
NEVER = 2**62  # later than anything


@dataclass(frozen=True, slots=True)
class Query:
    """A question and where to look for its answer."""

    text: str
    k: int
    exclude_session: str | None = None
    active_context: Sequence[str | Turn] = ()
    conversation: str | None = None
    budget_tokens: int | None = None
    asked_at: datetime | None = None
    as_of: datetime | None = None  # answer with what was known then
    archived: bool = False  # look at what was archived, too
    topic: int | None = None  # only in this topic
    within: tuple[str, ...] | None = None  # only in these conversations

    @property
    def is_wide(self) -> bool:
        """Whether something is asked for that may have been laid aside."""
        return self.archived or self.as_of is not None

    @property
    def until(self) -> int | None:
        return None if self.as_of is None else to_micros(self.as_of)

    @property
    def view(self) -> dict[str, int]:
        """What of the things laid aside is looked at: archived ones, and those laid aside after a moment."""
        return {"archived": int(self.archived), "since": NEVER if self.until is None else self.until}


def checked_query(query: Query) -> tuple[Query, list[str]]:
    """The query in a form that can be asked, and what had to be left out of it."""
    if not isinstance(query.text, str) or not query.text.strip():
        raise BadInput("The query is empty. Ask something.")
    if not isinstance(query.k, int) or not 1 <= query.k <= MAX_K:
        raise BadInput(f"k must be a number from 1 to {MAX_K:,}, not {query.k!r}.")
    text = query.text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
    if len(text) <= MAX_QUERY:
        return replace(query, text=text), []
    note = f"the query has {len(text):,} characters; the first {MAX_QUERY:,} were used"
    return replace(query, text=text[:MAX_QUERY]), [note]


def remarks(store: Store, query: Query) -> list[str]:
    """Bounds that do not mean what the caller may think."""
    found = []
    if query.conversation is not None and store.one("conversation_get", id=query.conversation) is None:
        found.append(f"there is no conversation {query.conversation!r}")
    if query.exclude_session is not None:
        name = query.exclude_session
        count = len(store.all("sessions_named", id=name, conversation=query.conversation))
        if count == 0:
            found.append(f"there is no session {name!r} to exclude")
        elif count > 1:
            found.append(
                f"{count} conversations have a session {name!r} and all were excluded; say CONVERSATION/SESSION"
            )
    if query.topic is not None and not len(store.keys("keys_of_topic", topic=query.topic)):
        found.append(f"there is no topic {query.topic}, or nothing is in it; `engramma topics` lists them")
    return found


def bounds_of(store: Store, query: Query) -> Bounds:
    """Only the conversation, topic and time asked for; nothing of the session at hand and no note whose time is up."""
    wanted = []
    if query.conversation is not None:
        wanted.append(store.keys("keys_of_conversation", conversation=query.conversation))
    if query.within is not None:
        listed = [store.keys("keys_of_conversation", conversation=name) for name in query.within]
        wanted.append(np.unique(np.concatenate([np.zeros(0, np.int64), *listed])))
    if query.topic is not None:
        wanted.append(store.keys("keys_of_topic", topic=query.topic))
    if query.is_wide:
        wanted.append(store.keys("keys_in_view", until=query.until, **query.view))
    allowed = reduce(np.intersect1d, wanted) if wanted else None
    expired = store.keys("notes_expired", now=to_micros(query.as_of or datetime.now(UTC)))
    excluded = excluded_keys(store, query)
    if len(expired):
        excluded = expired if excluded is None else np.union1d(excluded, expired)
    return Bounds(allowed, excluded, query.is_wide)


def excluded_keys(store: Store, query: Query) -> NDArray[np.int64] | None:
    """Segments of the session at hand, given by its id or as CONVERSATION/SESSION."""
    if query.exclude_session is None:
        return None
    rows = store.all("sessions_named", id=query.exclude_session, conversation=query.conversation)
    return store.keys("keys_of_sessions", sessions=as_json(row["key"] for row in rows))


def shown_within(bounds: Bounds, index: VectorIndex, context: NDArray[np.float16], dedup: float) -> May:
    """Which segments may be shown: those within the bounds that say more than the active context does already."""

    def may(keys: list[int]) -> set[int]:
        asked = np.array(keys, dtype=np.int64)
        asked = asked[index.holds(asked)]  # what was laid aside is in no index
        return set(asked[bounds.holds(asked) & ~too_similar(index, asked, context, dedup)].tolist())

    return may


def too_similar(
    index: VectorIndex, keys: NDArray[np.int64], context: NDArray[np.float16], dedup: float
) -> NDArray[np.bool_]:
    """Which of the keys say what the active context says already."""
    if not len(context) or not len(keys):
        return np.zeros(len(keys), dtype=bool)
    similarities = index.vectors(keys).astype(np.float64) @ context.astype(np.float64).T
    return np.asarray(similarities.max(axis=1) >= dedup)
