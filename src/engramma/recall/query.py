"""Validates a query and its filters."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from ..core.core import Core
from ..core.names import conversation_name, find_stored_name
from ..core.speakers import speaker_spellings, speakers_meant, speakers_near
from ..core.views import until_of, view_of
from ..errors import BadInput
from ..index.vector_index import VectorIndex
from ..language.near_names import did_you_mean
from ..language.times import check_moment, format_time, to_micros
from ..records import Query as Query
from ..store.masks import masked_name
from ..store.store import Store, encode_keys
from .search import SearchBounds

MAX_QUERY = 20_000  # characters; an encoder reads the first few hundred words, the rest would be read in vain
MAX_K = 10_000
MOST_NAMED = 5  # people in a remark
LONGEST_NAME = 1_000  # characters of a speaker, a tag or a source that is asked for


def named_query(core: Core, query: Query) -> Query:
    """A query by the names that things are stored under, its times checked."""
    check_bounds(query)
    talk, session, seen = query.conversation, query.exclude_session, query.active_context
    tag, source = (None if name is None else masked_name(name, core.look) for name in (query.tag, query.source))
    return replace(
        query,
        conversation=None if talk is None else conversation_name(core, talk),
        exclude_session=None if session is None else find_stored_name(core, "session", session),
        active_context=(seen,) if isinstance(seen, str) else seen,
        asked_at=query.asked_at or query.as_of,
        speaker=None if query.speaker is None else find_stored_name(core, "speaker", query.speaker),
        tag=tag,
        source=source,
    )


def check_bounds(query: Query) -> None:
    """Refuse times without a zone, an empty span and empty names."""
    for field in ("asked_at", "as_of", "since", "until"):
        if (at := getattr(query, field)) is not None:
            check_moment(field, at)
    if query.since is not None and query.until is not None and query.since >= query.until:
        raise BadInput(f"since ({format_time(query.since)}) must be before until ({format_time(query.until)}).")
    for field in ("speaker", "tag", "source"):
        name = getattr(query, field)
        if name is not None and not (isinstance(name, str) and name.strip() and len(name) <= LONGEST_NAME):
            raise BadInput(f"{field} must be a name of at most {LONGEST_NAME} characters, not {name!r:.80}.")


def checked_query(query: Query) -> tuple[Query, list[str]]:
    """The query in a form that can be asked, and what had to be left out of it."""
    if not isinstance(query.text, str) or not query.text.strip():
        raise BadInput("The query is empty. Ask something.")
    if query.k is not None and (not isinstance(query.k, int) or not 1 <= query.k <= MAX_K):
        raise BadInput(f"k must be a number from 1 to {MAX_K:,}, not {query.k!r}.")
    if query.topic is not None and not (isinstance(query.topic, int) and abs(query.topic) < 2**63):
        raise BadInput(f"A topic's id is a whole number above 0, not {query.topic!r:.80}.")
    if not isinstance(query.budget_tokens, int | float | None):
        raise BadInput(f"budget_tokens must be a number, not {query.budget_tokens!r:.80}.")
    text = query.text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
    text = text.lstrip() if len(text) > MAX_QUERY else text
    if len(text) <= MAX_QUERY:
        return replace(query, text=text), []
    note = f"the query has {len(text):,} characters; the first {MAX_QUERY:,} were used"
    return replace(query, text=text[:MAX_QUERY]), [note]


def list_remarks(store: Store, query: Query) -> list[str]:
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
                f"{count} conversations have a session {name!r} and all were excluded; use CONVERSATION/SESSION"
            )
    if query.topic is not None and not len(store.keys("keys_of_topic", topic=query.topic)):
        found.append(f"there is no topic {query.topic}, or it is empty; `engramma topics` lists them")
    if query.speaker is not None and not speaker_spellings(store, query.speaker):
        several = speakers_meant(store, query.speaker)
        found.append(
            f"{query.speaker!r} may be {' or '.join(several[:MOST_NAMED])}"
            if several
            else f"nobody called {query.speaker!r} has spoken here{_or_near(store, query.speaker)}"
        )
    if query.tag is not None and not len(store.keys("keys_tagged", tag=query.tag)):
        found.append(f"no note has the tag {query.tag!r}")
    if query.source is not None and not len(store.keys("keys_of_source", source=query.source)):
        known = [row["source"] for row in store.all("browse_sources")]
        found.append(f"nothing comes from {query.source!r}" + (f"; known: {', '.join(known[:10])}" if known else ""))
    return found


def _or_near(store: Store, speaker: str) -> str:
    """Who may be meant by a name that nobody has."""
    asked = did_you_mean(speakers_near(store, speaker))
    return f". {asked}" if asked else ""


def bounds_of(store: Store, query: Query) -> SearchBounds:
    """Only what is asked for, by place, person, time and tag; not the session at hand and no note whose time is up."""
    wanted = []
    if query.conversation is not None:
        wanted.append(store.keys("keys_of_conversations", conversations=json.dumps([query.conversation])))
    if query.within is not None:
        wanted.append(store.keys("keys_of_conversations", conversations=json.dumps(query.within)))
    if query.topic is not None:
        wanted.append(store.keys("keys_of_topic", topic=query.topic))
    if query.speaker is not None:
        wanted.append(store.keys("keys_said_by", speaker=json.dumps(speaker_spellings(store, query.speaker))))
    if query.since is not None or query.until is not None:
        since, until = (None if at is None else to_micros(at) for at in (query.since, query.until))
        wanted.append(store.keys("keys_between", since=since, until=until))
    if query.tag is not None:
        wanted.append(store.keys("keys_tagged", tag=query.tag))
    if query.source is not None:
        wanted.append(store.keys("keys_of_source", source=query.source))
    if query.is_wide:
        wanted.append(store.keys("keys_in_view", until=until_of(query), **view_of(query)))
    allowed = reduce(np.intersect1d, wanted) if wanted else None
    expired = store.keys("notes_expired", now=to_micros(query.as_of or datetime.now(UTC)))
    excluded = excluded_keys(store, query)
    if len(expired):
        excluded = expired if excluded is None else np.union1d(excluded, expired)
    return SearchBounds(allowed, excluded, query.is_wide)


def excluded_keys(store: Store, query: Query) -> NDArray[np.int64] | None:
    """Segments of the session at hand, given by its id or as CONVERSATION/SESSION."""
    if query.exclude_session is None:
        return None
    rows = store.all("sessions_named", id=query.exclude_session, conversation=query.conversation)
    return store.keys("keys_of_sessions", sessions=encode_keys(row["key"] for row in rows))


@dataclass(frozen=True, slots=True)
class ShownWithin:
    """Which segments may be shown: those within the bounds that say more than the active context does already."""

    bounds: SearchBounds
    index: VectorIndex
    context: NDArray[np.float16]
    dedup: float

    def __call__(self, keys: list[int]) -> set[int]:
        asked = np.array(keys, dtype=np.int64)
        return set(asked[self.mask(asked)].tolist())

    def mask(self, keys: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Of each key whether it may be shown."""
        found = self.index.holds(keys)  # what was set aside is in no index
        if self.bounds.allowed is not None or self.bounds.excluded is not None:
            found &= self.bounds.holds(keys)
        if len(self.context):
            found[found] = ~too_similar(self.index, keys[found], self.context, self.dedup)
        return found


def too_similar(
    index: VectorIndex, keys: NDArray[np.int64], context: NDArray[np.float16], dedup: float
) -> NDArray[np.bool_]:
    """Which of the keys say what the active context says already."""
    if not len(context) or not len(keys):
        return np.zeros(len(keys), dtype=bool)
    similarities = index.vectors(keys).astype(np.float64) @ context.astype(np.float64).T
    return np.asarray(similarities.max(axis=1) >= dedup)
