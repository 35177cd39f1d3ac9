"""Is a turn known? By its id in its session, and by what it says in the other sessions of its conversation."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..errors import BadTurn
from ..records import Problem, Turn
from ..store.store import Store
from ..text import KINDS
from ..times import from_micros, to_micros

# A session is stored with when its first turn was said, and an earlier one may follow: by so much, in microseconds.
BEFORE_THE_FIRST = 24 * 3600 * 1_000_000


def same_words(before: Turn, turn: Turn) -> bool:
    """Is it the same turn? What is masked now may have been stored before secrets were masked."""
    return before.speaker == turn.speaker and (before.text == turn.text or bool(turn.redactions))


def differing(origin: str | None, conversation: str, session: str, before: Turn, turn: Turn) -> Problem:
    """The report on a known turn that the imported file `origin` has with other words; BadTurn for anybody else."""
    if origin is None:
        raise BadTurn(
            f"Turn id {turn.id!r} of session {session!r} is already remembered with other words. "
            "What was said is never rewritten: give the new turn an id of its own."
        )
    where = f"conversation {conversation}, session {session}, turn {turn.id}"
    other = "other words" if before.speaker == turn.speaker else f"another speaker ({before.speaker})"
    reason = f"already remembered with {other}; kept as it was, because what was said is never rewritten"
    return Problem(origin, where, reason)


def told_elsewhere(store: Store, conversation: str, session: str, turns: Sequence[Turn]) -> set[str | None]:
    """The ids of turns that another session of the conversation has: a branch that moved, a transcript resumed.

    An id alone says little, because callers count "t1", "t2" in every session: speaker, words and time agree, too.
    """
    times = [to_micros(turn.said_at) for turn in turns if turn.said_at]
    if not times or conversation in KINDS:
        return set()
    rows = store.all(
        "turns_elsewhere",
        conversation=conversation,
        session=session,
        ids=json.dumps([turn.id for turn in turns]),
        since=min(times),
        until=max(times) + BEFORE_THE_FIRST,
    )
    asked = {turn.id: turn for turn in turns}
    found = (Turn(row["speaker"], row["text"], from_micros(row["said_at"]), row["id"]) for row in rows)
    return {t.id for t in found if t.said_at == asked[t.id].said_at and same_words(t, asked[t.id])}
