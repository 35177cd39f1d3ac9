"""Which of a sentence's times is told of what is asked: the one in the clause that has the question's words.

"We met in 1987, her man Pete died 4 years ago" tells when Pete died by its second time, and nothing of it by the first.
English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from ...language.dates import Interval, intervals
from ..questions.asserted import are_alike
from .sentences import find_content_stems

_BETWEEN = re.compile(r"(?<![.!?…;])[.!?…;]++(?=\s|$)|,\s|\s[–—-]\s|\s(?:but|and|so|because|then)\s", re.IGNORECASE)
_FILLERS = re.compile(r"\b(?:now|then|instead|again|still|finally|actually|probably|sharp|latest)\b", re.IGNORECASE)
_SIMILE = re.compile(r"\blike it['’]?s $", re.IGNORECASE)


def with_its_times(text: str, asked: Iterable[str], said_at: datetime) -> str | None:
    """A text without the times that are of other things than the question's words stand for; None where all are.

    A time before what is asked may be its own: "Last week was wild, I got a medal!"; one behind it, in a clause that
    says something else, is not: "I have cooked there for 19 years, ill but for my knee in 2014".
    """
    times = [one for one in intervals(text, said_at) if not _SIMILE.search(text[: one.span[0]])]
    if not times:
        return text if not intervals(text, said_at) else None
    parts = _parts(text)
    if len(parts) < 2:
        return text
    asked = tuple(asked)
    shared = [_shared(text[slice(*part)], asked) for part in parts]
    timed = {place: [one for one in times if part[0] <= one.span[0] < part[1]] for place, part in enumerate(parts)}
    timed = {place: found for place, found in timed.items() if found}
    most = max((shared[place] for place in timed), default=0)
    if most:
        best = [place for place in timed if shared[place] == most]
        return _without(text, (one for one in times if one not in timed[best[0]])) if len(best) == 1 else text
    last = max(place for place, count in enumerate(shared) if count == max(shared))
    is_behind = all(place > last and _tells_more(text, parts[place], found) for place, found in timed.items())
    return None if is_behind and max(shared) else text


def _parts(text: str) -> list[tuple[int, int]]:
    ends = [(found.start(), found.end()) for found in _BETWEEN.finditer(text)] + [(len(text), len(text))]
    starts = [0, *(end for _, end in ends)]
    return [(start, stop) for start, (stop, _) in zip(starts, ends, strict=False) if text[start:stop].strip()]


def _shared(part: str, asked: tuple[str, ...]) -> int:
    said = find_content_stems(part)
    return sum(any(are_alike(stem, other) for stem in said) for other in asked)


def _without(text: str, times: Iterable[Interval]) -> str:
    for one in sorted(times, key=lambda one: -one.span[0]):
        text = f"{text[: one.span[0]]} {text[one.span[1] :]}"
    return text


def _tells_more(text: str, part: tuple[int, int], times: Sequence[Interval]) -> bool:
    """Whether a clause says something beside its times."""
    left = _without(text[: part[1]], times)[part[0] :]
    return bool(find_content_stems(_FILLERS.sub(" ", left)))
