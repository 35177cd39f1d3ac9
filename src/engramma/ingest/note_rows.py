"""What is stored about a note besides its text."""

from __future__ import annotations

import json
import re

from ..language.times import to_micros
from ..records import Turn
from ..store.store import Store

STRENGTH = 0.5  # of a note that nobody weighed

SPECIFIC = re.compile(r"\d|[A-ZÀ-Þ]")  # a name, a number, a date: something to hold on to
ENOUGH_WORDS = 40  # a note longer than this is not the better for it
ENOUGH_SPECIFIC = 0.25  # share of words that name something


def content_quality(text: str) -> float:
    """How much there is to keep, from 0 to 1: its length, how specific it is, how little it repeats itself."""
    words = text.split()
    if not words:
        return 0.0
    length = min(1.0, len(words) / ENOUGH_WORDS)
    specific = min(1.0, sum(bool(SPECIFIC.search(word)) for word in words) / len(words) / ENOUGH_SPECIFIC)
    variety = len({word.lower() for word in words}) / len(words)
    return round((length + specific + variety) / 3, 4)


def put_note(
    store: Store,
    key: int,
    turn: Turn,
    source: str | None = None,
    session: str | None = None,
    tags: tuple[str, ...] = (),
    strength: float = STRENGTH,
    expires_at: int | None = None,
    linked: int = 0,
) -> None:
    """Write it down, inside the caller's transaction; what is there already stays."""
    store.run(
        "note_put",
        key=key,
        source=source,
        session=session,
        tags=json.dumps(tags, ensure_ascii=False),
        strength=strength,
        quality=content_quality(turn.text),
        made_at=to_micros(turn.said_at),  # type: ignore[arg-type]  # checked before
        expires_at=expires_at,
        linked=linked,
    )
