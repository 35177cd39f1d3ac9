"""The context block: best first, every block of talk with its time, title and handle, within a budget."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from ..language.fence import fenced
from ..language.text import estimate_tokens
from ..records import Candidate
from .blocks import TalkBlock, arranged
from .context import quoted_lines, shown_handle
from .payload import Portion, head_line, portions
from .typed_links import Order, describe_link

NOTHING = "No memory matches this."
FRAME_TOKENS = estimate_tokens(fenced("", b""))
MOST_REPEATS = 3  # dates of what was said again


class Assembled(NamedTuple):
    """A context: its text and tokens, how many candidates did not fit, and the segments that it shows."""

    text: str
    tokens: int
    left_out: int
    shown: tuple[str, ...]


class Entry(NamedTuple):
    """A block of talk as it is shown: the best of its candidates, its label, its words, and whether some are cut."""

    head: Candidate
    label: str
    words: str
    is_cut: bool
    ids: tuple[str, ...]
    again: tuple[datetime, ...]
    said_at: datetime  # of the first of its words

    @property
    def text(self) -> str:
        return f"{self.label}\n{self.words}"


def assemble(
    candidates: Sequence[Candidate], budget_tokens: int | None, orders: Sequence[Order] = (), key: bytes = b""
) -> Assembled:
    """The context of a recall, fenced with a key of the store."""
    if not candidates:
        return Assembled(NOTHING, estimate_tokens(NOTHING), 0, ())
    room = None if budget_tokens is None else budget_tokens - FRAME_TOKENS
    entries, left_out = entries_within(candidates, room, orders)
    text = fenced(joined_entries(entries), key)
    return Assembled(text, estimate_tokens(text), left_out, tuple(id for entry in entries for id in entry.ids))


def joined_entries(entries: Sequence[Entry]) -> str:
    """What stands inside a fence."""
    return "\n\n".join(entry.text for entry in entries)


def entries_within(
    candidates: Sequence[Candidate], budget_tokens: int | None, orders: Sequence[Order] = (), most: int | None = None
) -> tuple[list[Entry], int]:
    """The blocks that fit into so many tokens, best first, of so many entries; and how many candidates are left out.

    What is left out for its place in the list is not counted: it was not asked for.
    """
    room = budget_tokens
    while True:
        found, left_out = portions(candidates, room, most)
        entries = entries_of(found, orders)
        if budget_tokens is None or room is None:
            return entries, left_out
        over = estimate_tokens(joined_entries(entries)) - budget_tokens
        if over <= 0 or room <= 1:
            return entries, left_out
        room = max(1, room - over - 1)


def entries_of(found: Sequence[Portion], orders: Sequence[Order] = ()) -> list[Entry]:
    """Portions as blocks of talk, best first."""
    portioned = {one.candidate.segment_id: one for one in found}
    blocks = arranged([one.candidate for one in found], orders)
    return [_entry_of(block, [portioned[one.segment_id] for one in block.members]) for block in blocks]


def _entry_of(block: TalkBlock, members: Sequence[Portion]) -> Entry:
    said = [one.words() for one in members]
    since, words = said[0][0].said_at, list[str]()
    for one, parts in zip(members, said, strict=True):
        lines, since = quoted_lines(parts, since)
        words += [*lines, *([again_line(one.again)] if one.again else [])]
    since, is_cut = said[0][0].said_at, any(part.is_cut for parts in said for part in parts)
    ids = tuple(one.candidate.segment_id for one in members)
    again = tuple(time for one in members for time in one.again)
    return Entry(block.head, head_line(block.head, since, how(block.head)), "\n".join(words), is_cut, ids, again, since)


def again_line(times: Sequence[datetime]) -> str:
    """When the same was said again, the latest first."""
    days = list(dict.fromkeys(f"{time:%Y-%m-%d}" for time in sorted(times, reverse=True)))
    more = f" and on {len(days) - MOST_REPEATS} more days" if len(days) > MOST_REPEATS else ""
    return f"[also said {', '.join(days[:MOST_REPEATS])}{more}]"


def how(candidate: Candidate) -> str:
    """How a candidate stands to others that are shown; nothing for an entry that has no links."""
    path = candidate.path
    if path is None:
        return ", ".join(
            dict.fromkeys(f"{describe_link(link)} {shown_handle(link.from_segment)}" for link in candidate.links)
        )
    if path.kind == "link":
        return f"{describe_link(path)} {shown_handle(path.from_segment)}"
    return f"{'similar to' if path.kind == 'lateral' else 'near'} {shown_handle(path.from_segment)}"
