"""Results within a number of tokens: what does not fit is cut or left out, and the result says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...language.fence import fenced, marked
from ...language.quoting import ID_CHARACTERS, name_line
from ...language.text import DOCUMENTS, NOTES, estimate_tokens
from ...language.times import format_time
from ...recall.context import CUT, label, quotes, said_between
from ...records import Candidate, Segment
from .models import Citation, Hit

DEFAULT_TOKENS, LEAST_TOKENS, MOST_TOKENS = 2_000, 300, 8_000
FRAME = 120  # tokens of what stands around the hits
MOST_TURN_IDS = 40  # of one citation
UNKNOWN = "I do not know: nothing in this memory matches that."

Thing = Segment | Candidate


def citation(thing: Thing) -> Citation:
    return Citation(
        id=id_of(thing),
        kind=_kind_of(thing),
        conversation=thing.conversation_id,
        session=thing.session_id,
        turn_ids=list(thing.turn_ids[:MOST_TURN_IDS]),
        speakers=list(thing.speakers[:MOST_TURN_IDS]),
        said_at=format_time(thing.said_at),
        origin=thing.origin,
    )


def id_of(thing: Thing) -> str:
    return thing.segment_id if isinstance(thing, Candidate) else thing.id


def _kind_of(thing: Thing) -> str:
    if isinstance(thing, Segment):
        return thing.kind
    if thing.conversation_id in (NOTES, DOCUMENTS):
        return "note" if thing.conversation_id == NOTES else "chunk"
    return "exchange" if len(thing.turn_ids) > 1 else "utterance"


def hit(thing: Thing, words: str, key: bytes, *, cut: bool = False) -> Hit:
    ranked = (round(thing.score, 4), thing.role) if isinstance(thing, Candidate) else (None, None)
    return Hit(**citation(thing).model_dump(), text=marked(words, key), cut=cut, score=ranked[0], role=ranked[1])


def _head_line(thing: Thing) -> str:
    """What a person or a model cites: when, where from, and the id to ask for more."""
    score = [f"score {thing.score:.2f}"] if isinstance(thing, Candidate) else []
    return label(thing.said_at, thing.origin, f"id {name_line(id_of(thing), ID_CHARACTERS)}", *score)


def _cost(text: str, made: Hit) -> int:
    """Tokens of a hit in the form that takes more: as text or as data."""
    return max(estimate_tokens(text) + 2, estimate_tokens(made.model_dump_json()) + 2)


def fit_hits(things: Sequence[Thing], max_tokens: int, key: bytes) -> tuple[list[Hit], list[str]]:
    """As many as fit, in their order, as data and as text; the longest are cut so that others fit, too."""
    left = max_tokens - FRAME
    hits, blocks = list[Hit](), list[str]()
    for number, thing in enumerate(things):
        share = max(left // min(4, len(things) - number), 120) if len(things) > number + 1 else left
        made, block = cut_hit(thing, min(left, share) if hits else max(share, left // 2), key)
        used = _cost(block, made)
        if used > left and hits:
            break
        hits.append(made)
        blocks.append(block)
        left -= used
        if left < 80:
            break
    return hits, blocks


def cut_hit(thing: Thing, tokens: int, key: bytes, offset: int = 0) -> tuple[Hit, str]:
    """A hit of at most so many tokens, and its text; what was cut is said with how to get the rest."""
    whole = len(thing.text) - offset

    def shown(length: int) -> tuple[Hit, str]:
        words = quotes(said_between(thing, offset, offset + length), thing.said_at)
        if length < whole:
            rest = f"cut here: {whole - length:,} more characters, memory_get with offset {offset + length} has them"
            words = "\n".join(filter(None, [words, CUT.format(what=rest)]))
        return hit(thing, words, key, cut=length < whole), f"{_head_line(thing)}\n{words}"

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
