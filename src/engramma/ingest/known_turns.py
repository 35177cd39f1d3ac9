"""Recognises known turns: by id within a session, and by content in the conversation's other sessions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta

from ..errors import BadTurn
from ..language.text import KINDS, turn_hash
from ..language.times import MICROSECOND, to_micros
from ..records import Problem, Turn
from ..redaction import redact
from ..store.masks import MARK, Mask, same_but_for_masks
from ..store.store import Store, turn_of
from ..store.tombstones import names_one

# A session is stored with when its first turn was said, and an earlier one may follow: by so much, in microseconds.
BEFORE_THE_FIRST = 24 * 3600 * 1_000_000


# The same time on the wall, read in two zones: so far apart at most, and by whole quarters of an hour.
ZONES_APART = timedelta(hours=26)
QUARTER = timedelta(minutes=15)

ACCOUNT = ("sender", "user")  # where a source tells whose account a turn came from


def same_words(before: Turn, turn: Turn) -> bool:
    """Is it the same turn? What is masked now may have been stored before secrets were masked, or the other way."""
    return same_speaker(before, turn) and same_but_for_masks(before.text, turn.text)


def same_speaker(before: Turn, turn: Turn) -> bool:
    """By name, or by the account that it came from: people change the names they show."""
    if same_but_for_masks(before.speaker, turn.speaker):
        return True
    return any(before.meta.get(key) and before.meta.get(key) == turn.meta.get(key) for key in ACCOUNT)


def under_other_ids(known: Sequence[Turn], turns: Sequence[Turn], mask: Mask) -> dict[str, str]:
    """Turns, by id, that a session has already under another id: theirs was made of words, or holds a secret itself,
    and they are masked in one of the two and not in the other. A known turn stands for one of them.

    Here no id vouches for them, so that what is masked must be the very same, by these rules or the usual ones.
    """
    at: dict[object, list[Turn]] = {}
    for turn in known:
        at.setdefault(turn.said_at, []).append(turn)
    ids = {turn.id for turn in known}
    taken: set[str | None] = {turn.id for turn in turns} & ids
    found: dict[str, str] = {}
    for turn in turns:
        if turn.id is None or turn.id in ids:
            continue
        for before in at.get(turn.said_at, ()):
            if before.id not in taken and same_id(before, turn) and same_when_masked(before, turn, mask):
                assert before.id is not None
                found[turn.id] = before.id
                taken.add(before.id)
                break
    return found


def same_id(before: Turn, turn: Turn) -> bool:
    """Whether two ids are one but for masks, or each was made of its turn's words."""
    assert before.id is not None and turn.id is not None
    return same_but_for_masks(before.id, turn.id) or (made_of_words(before) and made_of_words(turn))


def same_when_masked(before: Turn, turn: Turn, mask: Mask) -> bool:
    """Whether two turns say the same once their secrets are masked; those without a mask are not alike by that."""
    if MARK not in f"{before.speaker}{before.text}{turn.speaker}{turn.text}{before.id}{turn.id}":
        return False
    return any(
        rules(before.text).text == rules(turn.text).text and same_but_for_masks(before.speaker, turn.speaker)
        for rules in (mask, redact)
    )


def made_of_words(turn: Turn) -> bool:
    assert turn.id is not None and turn.said_at is not None
    made = turn_hash(turn.speaker, turn.said_at, turn.text)
    return turn.id == made or turn.id.startswith(f"{made}-")


def differing(origin: str | None, conversation: str, session: str, before: Turn, turn: Turn) -> Problem:
    """The report on a known turn that the imported file `origin` has with other words; BadTurn for anybody else."""
    if origin is None:
        raise BadTurn(
            f"Turn id {turn.id!r} of session {session!r} is already stored with a different text. What was said is "
            "never rewritten: give the new turn its own id."
        )
    where = f"conversation {conversation}, session {session}, turn {turn.id}"
    other = "other words" if before.speaker == turn.speaker else f"another speaker ({before.speaker})"
    reason = f"already stored with {other}; not changed, because what was said is never rewritten"
    return Problem(origin, where, reason)


def told_elsewhere(store: Store, conversation: str, session: str, turns: Sequence[Turn]) -> set[str | None]:
    """The ids of turns that another session of the conversation has: a branch that moved, a transcript resumed.

    An id alone says little, because callers count "t1", "t2" in every session: speaker, words and time agree, too.
    Where the id stands for one turn of the conversation, the time may have been read in another zone.
    """
    times = [to_micros(turn.said_at) for turn in turns if turn.said_at]
    if not times or conversation in KINDS:
        return set()
    rows = store.all(
        "turns_elsewhere",
        conversation=conversation,
        session=session,
        ids=json.dumps([turn.id for turn in turns]),
        since=min(times) - ZONES_APART // MICROSECOND,
        until=max(times) + BEFORE_THE_FIRST + ZONES_APART // MICROSECOND,
    )
    asked = {turn.id: turn for turn in turns}
    found = map(turn_of, rows)
    return {t.id for t in found if same_time(conversation, t, asked[t.id]) and same_words(t, asked[t.id])}


def same_time(conversation: str, before: Turn, turn: Turn) -> bool:
    """Whether two turns were said at one time, as far as their zones are known."""
    assert before.said_at is not None and turn.said_at is not None and turn.id is not None
    if before.said_at == turn.said_at:
        return True
    apart = abs(before.said_at - turn.said_at)
    return names_one(conversation, turn.id) and apart <= ZONES_APART and not apart % QUARTER
