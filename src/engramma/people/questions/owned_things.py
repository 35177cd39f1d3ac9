"""Questions for somebody's somebody or something: "Who is my accountant?"

The name of an accountant is told where an accountant is spoken of: what is found without is something else. And where
nobody ever said "blood", nobody told Bao's blood type.
"""

from __future__ import annotations

import re
from itertools import takewhile

from ...language.lexical import STOP_WORDS, stems
from ..claims.names import KIN
from ..grammar.sets import wordset
from ..grammar.verbs import FORMS
from .phrases import KIN_OF, NOUNS, TYPE_OF

_OWNER = r"(?:my|our|[A-Z][\w-]*(?: [A-Z][\w-]*)?['’]s?)"
_NAMED = r"(?:I|we|[A-Z][\w-]*(?: [A-Z][\w-]*)?)"
_OWNED = rf"{_OWNER} (?P<owned>[^\W\d_][\w' -]{{1,40}}?)"
_END = r"(?: (?:again|now|these days|at the moment))?\s*\??\s*$"
_ASKS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\s*[Ww]ho(?:['’]s| is| was| are| were) {_OWNED}{_END}",
        rf"(?i:.*\bnames? of) {_OWNED}{_END}",
        rf"\s*(?i:what(?:['’]s| is| was| are| were)) {_OWNED}(?:['’]s? name|(?: \w+)? (?i:called|named)){_END}",
        rf"\s*[Hh]ow many (?P<owned>[a-z]+) (?:do|does|did) {_NAMED} (?:have|own|keep){_END}",
    )
)
_WHOSE = r"(?:\b(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir)|\b[A-Z][\w-]*(?:['’]s|s['’]))"
# What somebody has, after whom it belongs to; not where it does something: "What does Ann's tattoo mean?"
_GROUP = re.compile(rf"(?<!\bdo )(?<!\bdoes )(?<!\bdid )(?<!\bhas )(?<!\bhave ){_WHOSE} (?P<group>(?:[\w-]+ ?){{1,4}})")
_IS = re.compile(r"(?:\b(?:is|are|was|were|be|would|might|could|will)|['’]s)\s+$", re.IGNORECASE)
_WHAT_IS = re.compile(rf"\b[Ww]hat (?P<group>(?:[a-z-]+ ){{1,3}}?)(?:is|are|am|was|were) {_NAMED}\s*\?*\s*$")
# What is told without its name: a job, an age, a colour, a cousin, and which of several it is.
_TOLD_UNNAMED = wordset(
    "name names colour color address price cost rent fee date day time number reason kind type sort pet pets breed"
    " favourite favorite status opinion thoughts feelings reaction"
    " current present previous former latest recent last next first second third final original new newest old oldest"
    " usual regular main total overall whole own personal best worst highest lowest biggest largest smallest longest"
    " shortest fastest"
) | {word for nouns in (NOUNS, KIN, KIN_OF, TYPE_OF) for noun in nouns for word in noun.split()}


def attribute_words(question: str, speaks_of: bool = False) -> list[str]:
    """The words for what a question asks of somebody: blood and type in "What is Bao's blood type?". `speaks_of`: for
    what of somebody's it speaks besides, such as the painting in "What inspired her painting?".

    Those that are told without being named are left out, and what may be mistyped or a name.
    """
    words = [] if speaks_of else [word for found in _WHAT_IS.finditer(question) for word in found["group"].split()]
    for found in _GROUP.finditer(question):
        if (_IS.search(question[: found.start()]) is None) is speaks_of:
            words += takewhile(_is_of_group, found["group"].split())
    named = [word.lower() for word in words if word.lower() not in _TOLD_UNNAMED]
    if not named:
        return []
    from ...models.common_words import common_words  # its vocabulary costs only who needs it

    return [word for word in named if word in common_words()]


def _is_of_group(word: str) -> bool:
    """Whether a word still belongs to a group of nouns: not "in", not "visit"."""
    form = FORMS.get(word.lower())
    return word.lower() not in STOP_WORDS and (form is None or not form.kinds & {"base", "s", "past"})


def owned_noun(question: str) -> str:
    """What the one asked for is to somebody: "accountant" in "Who is my accountant?"; "" for other questions."""
    found = next((match for pattern in _ASKS if (match := pattern.match(question))), None)
    return found["owned"].split()[-1].lower() if found else ""


def speaks_of_owned(question: str, text: str) -> bool:
    """Whether a text speaks of what is asked for: the accountant, or mum for a mother. True for other questions."""
    noun = owned_noun(question)
    if not noun:
        return True
    words = set(re.findall(r"[^\W\d_]+", text.lower()))
    if noun in KIN and any(KIN[word][0] == KIN[noun][0] for word in words & KIN.keys()):
        return True
    return not set(stems(noun)).isdisjoint(stems(text))
