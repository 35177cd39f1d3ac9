"""Short handles of segments, for labels that a model reads: `k3v7qzpa-12` instead of an id of two hundred characters.

A handle is a hash of the conversation and the session, and the place of the segment in it. It follows from the id
alone, so every process, export and engine makes the same one. Notes have a short id already, and keep it.
"""

from __future__ import annotations

import base64
import re
from functools import lru_cache

from .text import NOTES, digest, parse_segment_id

_LENGTH = 8  # characters of the hash, 40 bits: two of 50,000 sessions share one in a thousandth of all stores
_HANDLE = re.compile(rf"([a-z2-7]{{{_LENGTH}}})-([0-9]{{1,18}})")


def handle_of(segment_id: str) -> str:
    """The handle of a segment; the id itself of a note, and of what is no segment's id."""
    place = parse_segment_id(segment_id)
    if place is None or place[0] == NOTES:
        return segment_id
    return f"{place_hash(*place[:2])}-{place[2]}"


@lru_cache(maxsize=4096)
def place_hash(conversation: str, session: str) -> str:
    """What the handles of a session's segments begin with."""
    return base64.b32encode(digest("handle", conversation, session)).decode("ascii").lower()[:_LENGTH]


def parse_handle(text: str) -> tuple[str, int] | None:
    """(hash of the place, index) that a handle names; None if it is none."""
    found = _HANDLE.fullmatch(text.strip())
    return None if found is None else (found[1], int(found[2]))
