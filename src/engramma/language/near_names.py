"""Which of some names may be meant by one that nobody has: by its words, else by its letters. "Rona" may be Rhona."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from .folded_names import folded_words
from .quoting import name_line

ALIKE_NAMES = 0.7  # of the letters: Rona is Rhona, Morg is Morag; Dave is not Dan
FEW_NAMES = 3
MOST_WORDS = 6  # of a name that are compared: whoever types a page instead of a name has none of these in mind
MOST_COMPARED = 2_000  # names, the first of those given: each takes some microseconds


def near_names(name: str, known: Iterable[str], limit: int = FEW_NAMES) -> list[str]:
    """The names that share a word with one, or are spelt like it or like a word of it, the nearest first."""
    wanted = folded_words(name)[:MOST_WORDS]
    scored = [
        (_likeness(wanted, folded_words(one)[:MOST_WORDS]), one) for one in islice(dict.fromkeys(known), MOST_COMPARED)
    ]
    near = sorted((pair for pair in scored if pair[0] >= ALIKE_NAMES), key=lambda pair: -pair[0])
    return [one for _, one in near[:limit]]


def _likeness(wanted: Sequence[str], words: Sequence[str]) -> float:
    """How alike two names are, 0 to 1, by all their letters or by those of a word of each."""
    if not wanted or not words:
        return 0.0
    pairs = [(one, other) for one in wanted for other in words]
    return max(_ratio(one, other) for one, other in [(" ".join(wanted), " ".join(words)), *pairs])


def _ratio(one: str, other: str) -> float:
    from difflib import SequenceMatcher  # takes a while to import, and most commands never need it

    likeness = SequenceMatcher(None, one, other, autojunk=False)
    return likeness.ratio() if likeness.real_quick_ratio() >= ALIKE_NAMES <= likeness.quick_ratio() else 0.0


def either_name(names: Sequence[str]) -> str:
    """Names as one of which is meant: "Rhona, Mona or Fiona"."""
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last


def did_you_mean(names: Sequence[str]) -> str:
    """What is asked where a name is nobody's: "Did you mean Rhona?"; nothing without names that are like it."""
    return f"Did you mean {either_name([*map(name_line, names)])}?" if names else ""
