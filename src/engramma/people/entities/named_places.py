"""Places that everybody knows, and what is called a park or a bridge: they are named wherever they stand in a talk.

Nobody has to claim anything of San Francisco for it to be a place that was spoken of.
"""

from __future__ import annotations

import re

from ...language.function_words import latin_words
from ..grammar.sets import wordset
from .known_names import HEADS, first_names, place_names, word_names

_NAME = re.compile(r"(?<![\w'’.-])[A-Z][\w'’-]*(?: [A-Z][\w'’-]*){0,7}")
_BEGINS = re.compile(r"(?:^|[.!?:\n•*–—-])[\s\"“”'(*_]*$")
# Last words of names that are as often no place: "Manchester City", "The Secret Garden".
_MAY_BE_ELSE = wordset("national city town garden gardens islands island square market village county bar castle")
_KINDS = frozenset(word for word, kind in HEADS.items() if kind == "place") - _MAY_BE_ELSE
LONGEST = 20_000  # characters of a turn that are read
MOST = 50  # places of one turn: more is a list


def named_places(text: str) -> list[str]:
    """The places that a text names, as they are written, each once."""
    found = dict[str, None]()
    for match in _NAME.finditer(text[:LONGEST]):
        words = [re.sub(r"['’]s?$", "", word) for word in match[0].split(" ")]
        begins = _BEGINS.search(text, max(0, match.start() - 12), match.start()) is not None
        at = 0
        while at < len(words):
            end = next((end for end in range(len(words), at, -1) if _is_place(words[at:end], begins and not at)), 0)
            if end:
                found[" ".join(words[at:end])] = None
            at = end or at + 1
    return list(found) if len(found) <= MOST else []


def _is_place(words: list[str], begins: bool) -> bool:
    """Whether words with capitals are a place; one word that begins a sentence may be any word: "Turkey is dry"."""
    name = " ".join(words).casefold()
    if name in place_names():
        is_given = name in first_names() or name in word_names()
        is_word = len(words) == 1 and (_only_joins(words[0]) or (begins and _is_word(name)))
        return not is_given and not is_word
    return len(words) > 1 and not begins and words[-1].casefold() in _KINDS and all(len(word) > 1 for word in words)


def _only_joins(word: str) -> bool:
    """Whether a word is an article or the like of any language, "La recojo", and no abbreviation, LA."""
    return not word.isupper() and word.casefold() in latin_words()


def _is_word(name: str) -> bool:
    from ...models.common_words import common_words  # its vocabulary costs only who needs it

    return name in common_words()
