"""Somebody whom a question names and who does not talk here: "When does Grace start?", "What is Ines's favourite wine?"

What was said has to speak of them, and of nobody else in their place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import takewhile

from ...language.lexical import STOP_WORDS, stems
from ...language.proper_names import proper_names
from ..entities.known_names import first_names
from ..grammar.verbs import FORMS
from .doers import asked_subject

_OWNED = re.compile(
    r"\b(?P<owner>[Mm]y|[Oo]ur|[A-Z][^\W\d_]+(?=['’]s|s['’]))(?:['’]s|s['’])? (?P<group>(?:[\w-]+ ?){1,4})"
)
_SUBJECT = re.compile(r"\s*(?:\w+ ){1,4}?(?:does|did|is|was|has|had|will|would|can|could)\s+([A-Z][^\W\d_]+)\b(?!['’])")
# Who is or does it, where a sentence begins with them: "Mabli is 17 on the 9th".
_FIRST = re.compile(
    r"\W*(?:(?i:and|but|so|oh|yes|no|well)\b\W*)*([A-Z][^\W\d_]+)(?:['’]s)?\s+(?:is|was|isn|wasn|isnt|will|won|has|had|does"
    r"|doesn|did|didn|went|got|gets|turns?|turned|starts?|started|likes?|loves?|wants?|can|could)\b"
)
_WORD = re.compile(r"[^\W\d_]+")
SHORTEST_NAME = 3  # letters


def named_others(question: str, talkers: Iterable[str]) -> frozenset[str]:
    """The names in a question of those who do not talk here, in small letters: whose something is asked for, who is
    said to do it, and other first names."""
    names = {found["owner"].lower() for found in _OWNED.finditer(question)}
    names |= asked_subject(question)
    names |= {found[1].lower() for found in [_SUBJECT.match(question)] if found}
    names -= STOP_WORDS  # "What's the code?" names nobody
    names |= {name.lower() for name in proper_names(question) if name.lower() in first_names()}
    talk = {word.lower() for name in talkers for word in _WORD.findall(name)}
    return frozenset() if any(_is_short_for(name, word) for name in names for word in talk) else frozenset(names)


def _is_short_for(name: str, other: str) -> bool:
    """Whether two words may be one name: Mel is Melanie, and Johns is John."""
    first, second = sorted((name, other), key=len)
    return name == other or (len(first) >= SHORTEST_NAME and second.startswith(first))


def speaks_of_them(names: frozenset[str], *said: str) -> bool:
    """Whether any of some texts has one of these names; True where there are none."""
    return not names or any(not names.isdisjoint(word.lower() for word in _WORD.findall(text)) for text in said)


def names_another(names: frozenset[str], sentence: str) -> bool:
    """Whether a sentence begins with a name, and has none of these: "Mabli is 17" tells nothing of Ifan."""
    found = _FIRST.match(sentence) if names else None
    if found is None or not names.isdisjoint(word.lower() for word in _WORD.findall(sentence)):
        return False
    first = found[1].lower()
    if first in STOP_WORDS:
        return False
    from ...models.common_words import common_words  # its vocabulary costs only who needs it

    return first in first_names() or first not in common_words()


def tells_of_another(question: str, sentence: str) -> bool:
    """Whether a sentence says whose it is, of the very thing that is asked of somebody else: "Jan's favourite wine"."""
    asked = {_group_of(found["group"]): found["owner"].lower() for found in _OWNED.finditer(question)}
    told = {_group_of(found["group"]): found["owner"].lower() for found in _OWNED.finditer(sentence)}
    both = (asked.keys() & told.keys()) - {frozenset()}
    return bool(both) and not any(_may_be_same(asked[group], told[group]) for group in both)


def _group_of(words: str) -> frozenset[str]:
    """The stems of a group of nouns, as far as it goes."""
    return frozenset(stem for word in takewhile(_goes_on, words.split()) for stem in stems(word.lower()))


def _goes_on(word: str) -> bool:
    form = FORMS.get(word.lower())
    return word.lower() not in STOP_WORDS and (form is None or not form.kinds & {"s", "past"})


def _may_be_same(asked: str, told: str) -> bool:
    """Whether two owners may be one: "my" is of whoever speaks."""
    return asked == told or told in ("my", "our")
