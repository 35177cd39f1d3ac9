"""The words of a name, as they are compared where somebody types a part of one: without case and accents."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .function_words import fold_accents

_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")


def folded_words(name: str) -> list[str]:
    """The words of a name, folded."""
    return _WORD.findall(fold_accents(name))


def named_so(names: Iterable[str], name: str) -> list[str]:
    """Of some names those that are this one but for the case of letters; else those that begin with its words."""
    known, wanted, words = list(names), name.strip().casefold(), folded_words(name)
    same = [one for one in known if one.strip().casefold() == wanted]
    return same or [one for one in known if words and folded_words(one)[: len(words)] == words]
