"""What is different where question and talk are not both English: how near is near, and how much meaning counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..core.thresholds import compute_gate
from ..language.first_person import speaks_of_oneself
from ..language.question_language import question_language
from ..language.whose_words import asks_of_before
from ..records import Thresholds
from ..store.store import Store
from .search import ChannelHit
from .silence import COVERED, covered

ACROSS = 2.0  # likenesses between languages lie closer together than those within one (docs/log/multilingual.md)
ACROSS_MORE = ("meaning", "meaning_rank")


def least_nearness(
    store: Store,
    thresholds: Thresholds,
    text: str,
    channels: Mapping[str, Sequence[ChannelHit]],
    is_multilingual: bool,
) -> float:
    """What the nearest segment must reach: the floor for a question about what was, and where somebody speaks of
    themself; the gate for tasks, other questions and words to look for, which mean something here only if it is clear.

    What is in another language than the talk lies a little further from it: for it it is the floor, too, if the encoder
    reads it.
    """
    gate, floor = compute_gate(thresholds), thresholds.floor
    if speaks_of_oneself(text) or (is_multilingual if question_language(text) else asks_of_before(text)):
        return floor
    nearest = channels.get("semantic", ())[:1]
    if not is_multilingual or not nearest or not floor <= nearest[0].score < gate:
        return gate
    said = store.hydrate([nearest[0].key]).values()
    return floor if any(question_language(one.text) for one in said) else gate


def is_asked_across(store: Store, segments: int, text: str, channels: Mapping[str, Sequence[ChannelHit]]) -> bool:
    """Whether a question is in a language that hardly anybody speaks here: its words find little."""
    words = channels.get("lexical", ())
    return question_language(text) != "" and (not words or covered(store, segments, text, words[0].score) < COVERED)


def weights_across(weights: Mapping[str, float]) -> dict[str, float]:
    """A recipe's weights, with more for meaning."""
    return {name: weight * (ACROSS if name in ACROSS_MORE else 1.0) for name, weight in weights.items()}
