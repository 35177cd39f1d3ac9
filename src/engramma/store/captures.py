"""Records what capture has seen as keyed hashes, so that it is recognised wherever it comes from."""

from __future__ import annotations

import hmac
import json
import unicodedata
from collections.abc import Sequence

from ..language.text import digest
from ..language.times import to_micros
from ..records import Turn
from .store import Store

KEY = "capture_key"
MADE = "chat-"  # how ids of conversations begin that the capture made
KNOWN, SAID, HISTORY = 0, 1, 2  # captured.own
CLOCKS = 3600 * 1_000_000  # how far two sources may be apart in when a thing was said, in microseconds


def keyed(key: bytes, *parts: str) -> str:
    return hmac.digest(key, digest(*parts), "sha256")[:16].hex()


def words_hash(key: bytes, role: str | None, text: str) -> str:
    """The same for the same words, however they are spaced."""
    return keyed(key, "words", role or "", " ".join(unicodedata.normalize("NFC", text).split()))


def talk_name(key: bytes, conversation: str) -> str:
    """How a conversation is called in what was captured: a name that somebody gave might itself tell something."""
    return conversation if conversation.startswith(MADE) else keyed(key, "talk", conversation)


def told_by_capture(store: Store, conversation: str, turns: Sequence[Turn]) -> set[str | None]:
    """The ids of turns that the capture stored under ids of its own: the same words at about the same time.

    What it stored stands for one turn each. Of a history it knows only until when it was said.
    """
    if not turns or (key := store.meta(KEY)) is None:
        return set()
    hashes = [words_hash(key, turn.role, turn.text) for turn in turns]
    talk = talk_name(key, conversation)
    seen: dict[str, list[tuple[int, int]]] = {}
    for row in store.all("captured_words_of", talk=talk, words=json.dumps(sorted(set(hashes)))):
        if row["own"] != KNOWN:
            seen.setdefault(row["words"], []).append((row["first_at"], row["own"]))
    found: set[str | None] = set()
    for turn, words in zip(turns, hashes, strict=True):
        at = to_micros(turn.said_at) if turn.said_at else 0
        for one in sorted(seen.get(words, [])):
            first_at, own = one
            if at <= first_at + CLOCKS and (own == HISTORY or at >= first_at - CLOCKS):
                seen[words].remove(one)
                found.add(turn.id)
                break
    return found
