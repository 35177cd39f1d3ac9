"""Results within a number of tokens: what does not fit is cut or left out, and the result says so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from ...language.fence import fenced, marked
from ...language.handles import handle_of
from ...language.text import DOCUMENTS, NOTES, estimate_tokens, short_title
from ...language.times import format_time
from ...recall.assemble import Entry
from ...recall.context import CUT, TITLE_CHARACTERS, label, places, quotes, said_between
from ...recall.payload import LEAST_OF_ENTRY, said_within
from ...records import Candidate, Segment
from .models import Hit, SegmentSource

DEFAULT_TOKENS, LEAST_TOKENS, MOST_TOKENS = 2_000, 300, 8_000
FRAME = 120  # tokens of what stands around the hits
MOST_IDS, IDS_SHARE = 40, 8  # turns and speakers of one source; of the tokens, no more than an eighth for ids
UNKNOWN = "I do not know: nothing in this memory matches that."

Thing = Segment | Candidate
Titles = Mapping[str, str | None]


def id_of(thing: Thing) -> str:
    return thing.segment_id if isinstance(thing, Candidate) else thing.id


def title_of(thing: Thing, titles: Titles) -> str | None:
    """What a model reads instead of the ids of a conversation."""
    title = thing.title if isinstance(thing, Candidate) else titles.get(thing.conversation_id)
    return thing.session_id if thing.conversation_id == DOCUMENTS else title and short_title(title, TITLE_CHARACTERS)


def _kind_of(thing: Thing) -> str:
    if isinstance(thing, Segment):
        return thing.kind
    if thing.conversation_id in (NOTES, DOCUMENTS):
        return "note" if thing.conversation_id == NOTES else "chunk"
    return "exchange" if len(thing.spoken) > 1 else "utterance"


def hit(thing: Thing, words: str, key: bytes, *, cut: bool = False, titles: Titles = {}) -> Hit:  # noqa: B006
    return Hit(
        id=handle_of(id_of(thing)),
        said_at=format_time(thing.said_at),
        title=title_of(thing, titles),
        text=marked(words, key),
        cut=cut,
        score=round(thing.score, 2) if isinstance(thing, Candidate) else None,
    )


def entry_hit(entry: Entry, beside: Sequence[Entry], key: bytes) -> Hit:
    """A block of a recall as a hit; what belongs to it stands below it under labels of its own."""
    words = "\n\n".join([entry.words, *(one.text for one in beside)])
    made = hit(entry.head, words, key, cut=any(one.is_cut for one in (entry, *beside)))
    again = [format_time(time) for time in entry.again]
    return made.model_copy(update={"also_said": again, "said_at": format_time(entry.said_at), "score": None})


def cite_source(
    thing: Thing, words: str, key: bytes, *, cut: bool, titles: Titles, tokens: int = MOST_TOKENS
) -> SegmentSource:
    """A hit with everything that says where it is from, of its turns as many as leave room for the words."""
    ids = list(accumulate(estimate_tokens(id) + 2 for id in thing.turn_ids[:MOST_IDS]))
    named = max(1, sum(spent <= tokens // IDS_SHARE for spent in ids))
    return SegmentSource(
        **hit(thing, words, key, cut=cut, titles=titles).model_dump(),
        segment=id_of(thing),
        kind=_kind_of(thing),
        conversation=thing.conversation_id,
        session=thing.session_id,
        turn_ids=list(thing.turn_ids[:named]),
        speakers=list(thing.speakers[:MOST_IDS]),
        origin=thing.origin,
    )


def _head_line(thing: Thing, titles: Titles) -> str:
    """What a person or a model cites: when, where from, and the handle to ask for more."""
    return label(thing.said_at, *places(thing, titles.get(thing.conversation_id)))


def _cost(text: str, made: Hit) -> int:
    """Tokens of a hit in the form that takes more: as text or as data."""
    return max(estimate_tokens(text) + 2, estimate_tokens(made.model_dump_json(exclude_defaults=True)) + 2)


def fit_hits(
    things: Sequence[Thing],
    max_tokens: int,
    key: bytes,
    titles: Titles = {},  # noqa: B006
) -> tuple[list[Hit], list[str]]:
    """As many as fit, in their order, as data and as text; the longest are cut so that others fit, too."""
    left = max_tokens - FRAME
    hits, blocks = list[Hit](), list[str]()
    for number, thing in enumerate(things):
        share = max(left // min(4, len(things) - number), 2 * LEAST_OF_ENTRY) if len(things) > number + 1 else left
        made, block = fit_one(thing, min(left, share) if hits else max(share, left // 2), key, titles)
        used = _cost(block, made)
        if used > left and hits:
            break
        hits.append(made)
        blocks.append(block)
        left -= used
        if left < 2 * LEAST_OF_ENTRY:
            break
    return hits, blocks


def fit_one(thing: Thing, tokens: int, key: bytes, titles: Titles) -> tuple[Hit, str]:
    """A hit of at most so many tokens, whole sentences of it, and its text."""
    head, given = _head_line(thing, titles), tokens
    while True:
        said = said_within(_as_candidate(thing), given)
        words = quotes(said, thing.said_at)
        made = hit(thing, words, key, cut=any(one.is_cut for one in said), titles=titles)
        block = f"{head}\n{words}"
        over = _cost(block, made) - tokens
        if over <= 0 or given <= 1:
            return made, block
        given = max(1, min(given, estimate_tokens(words)) - over)


def _as_candidate(thing: Thing) -> Candidate:
    if isinstance(thing, Candidate):
        return thing
    place = thing.id, thing.session_id, thing.conversation_id, thing.turn_ids, thing.speakers
    return Candidate(*place, thing.said_at, thing.text, 0.0, "entry", spoken=thing.spoken, origin=thing.origin)


def cut_source(thing: Thing, tokens: int, key: bytes, offset: int, titles: Titles) -> tuple[SegmentSource, str]:
    """A source of at most so many tokens from an offset on, and its text; a cut says how to get the rest."""
    whole = len(thing.text) - offset

    def shown(length: int) -> tuple[SegmentSource, str]:
        words = quotes(said_between(thing, offset, offset + length), thing.said_at)
        if length < whole:
            rest = f"cut here: {whole - length:,} more characters, memory_get with offset {offset + length} has them"
            words = "\n".join(filter(None, [words, CUT.format(what=rest)]))
        made = cite_source(thing, words, key, cut=length < whole, titles=titles, tokens=tokens)
        return made, f"{_head_line(thing, titles)}\n{words}"

    made, block = shown(whole)
    if _cost(block, made) <= tokens:
        return made, block
    low, high = 1, max(1, min(whole - 1, tokens * 4))
    while low < high:  # the longest beginning that fits
        middle = (low + high + 1) // 2
        made, block = shown(middle)
        low, high = (middle, high) if _cost(block, made) <= tokens else (low, middle - 1)
    return shown(low) if whole > 1 else (made, block)


def block_text(blocks: Iterable[str], key: bytes) -> str:
    """Recalled blocks as one fenced text under a line that says what it is."""
    return fenced("\n\n".join(blocks), key)
