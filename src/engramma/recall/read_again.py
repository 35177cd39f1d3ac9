"""Reads the first hits beside the query with the packaged reader, and puts them in the order of both judgements.

A segment is read in windows of whole sentences and is worth what its best window is worth. So that it stays quick,
only some windows are read: of every segment the message's best one by the query's words, then those with most of these.
Of short ones, as people's talk is, more are read as long as what was read last brings something among the first ten.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..models.reader import Passage, PassageReader, split_windows
from ..records import Segment
from ..store.store import Store, encode_keys
from .fuse import Ranked
from .passages import find_telling
from .rerank import READ_ON, in_new_order

MOST_WINDOWS = 14  # of those that are read at first: a window takes 8 to 12 ms of a core
FIRST = 10  # hits that count: reading ends when none comes among them any more
STEP = 6  # segments that are read at a time after that, one window of each
SHORT = 2  # windows of a segment, in the mean, up to which it is read on: of long answers a window tells too little
LOOKED_AT = 12_000  # characters of a part that are cut into windows
SAID_BEFORE = 160  # characters of what was said before a part that the reader sees

# Of recall's own logit beside the reader's. The reader learned from questions; of a message it knows less.
RECALL_SHARE = 0.75
RECALL_SHARE_OF_MESSAGE = 3.0
_QUESTION = re.compile(
    r"\?\s*$|^\s*(?:who|whose|whom|what|when|where|why|which|how|did|does|do|is|are|was|were|has|have|had|can|could|"
    r"will|would|should)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PartWindow:
    """A window of one part of a segment."""

    key: int
    part: int
    passage: Passage


def reorder_by_reading(
    store: Store,
    reader: PassageReader,
    query: str,
    ranked: Sequence[Ranked],
    first: int,
    weights: Mapping[str, float],
) -> list[Ranked]:
    """The first ones by what the reader says and how recall ranked them, and so many more as it had to read on; the
    rest stays behind them.

    `weights` says how much each stem of the query tells.
    """
    share = RECALL_SHARE if _QUESTION.search(query) else RECALL_SHARE_OF_MESSAGE
    best, begin, end, most = dict[int, float](), 0, first, MOST_WINDOWS
    while True:
        head = ranked[:end]
        windows = part_windows(store, [found.key for found in head[begin:]])
        chosen = choose_part_windows(windows, weights, most)
        for window, reading in zip(chosen, reader.read(query, [one.passage for one in chosen]), strict=True):
            best[window.key] = max(reading.relevance, best.get(window.key, -math.inf))
        worst = min(best.values(), default=0.0)
        logits = [best.get(found.key, worst) for found in head]
        worth = [round(logit + share * logit_of(found.score), 6) for found, logit in zip(head, logits, strict=True)]
        leading = sorted(range(len(head)), key=lambda place: -worth[place])[:FIRST]
        is_long = len(windows) > SHORT * (len(head) - begin)
        if is_long or end >= min(READ_ON, len(ranked)) or max(leading, default=0) < max(begin, FIRST):
            return in_new_order(ranked, worth, logits)
        begin, end, most = end, min(end + STEP, READ_ON), STEP


def part_windows(store: Store, keys: Sequence[int]) -> list[PartWindow]:
    """All windows of some segments, each part of which follows what was said before it."""
    around = store.all("segments_around", keys=encode_keys(sorted(keys)), reach=1)
    places = {row["key"]: (row["session"], row["idx"]) for row in around}
    at = {place: key for key, place in places.items()}
    before = {key: at.get((places[key][0], places[key][1] - 1)) for key in keys if key in places}
    segments = store.hydrate(sorted({*before, *(key for key in before.values() if key is not None)}))
    found = list[PartWindow]()
    for key in keys:
        if key not in segments:
            continue  # deleted meanwhile
        previous = before[key]
        last = _last_words(segments[previous]) if previous in segments else ""
        segment = segments[key]
        for number, part in enumerate(segment.spoken):
            text = segment.text[part.start : min(part.end, part.start + LOOKED_AT)]
            found += [
                PartWindow(key, number, Passage(text[start:end], part.speaker, "" if start else last, part.said_at))
                for start, end in split_windows(text)
            ]
            last = _end_of(part.speaker, text)
    return found


def choose_part_windows(
    windows: Sequence[PartWindow], weights: Mapping[str, float], most: int = MOST_WINDOWS
) -> list[PartWindow]:
    """The windows to read, in their order: the best of each segment's first part by the query's words, the best of its
    other parts, then those that have most of these words."""
    worth = [sum(weights[stem] for stem in find_telling(one.passage.text, weights)) for one in windows]
    best = dict[tuple[int, int], int]()
    for number, one in enumerate(windows):
        place = (one.key, one.part)
        if place not in best or worth[number] > worth[best[place]]:
            best[place] = number
    leading = {one.key: one.part for one in reversed(windows)}  # the first part that has a window
    first = [number for (key, part), number in best.items() if leading[key] == part]
    others = sorted(set(best.values()) - set(first), key=lambda n: (-worth[n], n))
    rest = sorted(set(range(len(windows))) - set(best.values()), key=lambda n: (-worth[n], n))
    kept = [*first, *others, *rest][: max(most, len(first))]
    return [windows[number] for number in sorted(kept)]


def _last_words(segment: Segment) -> str:
    part = segment.spoken[-1]
    return _end_of(part.speaker, segment.text[part.start : part.end])


def _end_of(speaker: str, text: str) -> str:
    """The end of what somebody said, under their name."""
    return f"{speaker}: {' '.join(text[-2 * SAID_BEFORE :].split())[-SAID_BEFORE:]}"


def logit_of(share: float) -> float:
    inside = min(max(share, 1e-6), 1 - 1e-6)
    return math.log(inside / (1 - inside))
