"""Values that are a piece of a sentence and name no thing: "dogs more", "four of our buns", "V600 costs about 190".

They are told as the value of their claim, and are no entity. Judged by hand: docs/log/people-and-things.md.
"""

from __future__ import annotations

import re
from itertools import pairwise

from ..grammar.auxiliaries import ADVERBS, MODALS
from ..grammar.sets import wordset
from ..grammar.values import DETERMINERS, FINITE, PREPOSITIONS
from ..grammar.verbs import FORMS

MAY_BE_PIECES = frozenset({"thing", "tool", "work", "place", "organisation", "event", "project", "unknown"})
_PRONOUNS = wordset(
    "i we you he she they it me us him them my our your his her their its mine yours ours theirs there this that these"
    " those myself yourself himself herself itself ourselves themselves who whom whose which"
)
_COUNT = re.compile(
    r"[\d.,]+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundreds?"
    r"|thousands?|dozens?|several|some|many|few|lots?|plenty|bunch|couple|all|both|each|every|any|no|more|most|less"
    r"|enough|so|too|such|much",
    re.IGNORECASE,
)
_ROUGHLY = wordset("about around roughly nearly almost over under approximately")
_OPENING = ADVERBS - wordset("first last only")  # "first marathon" is a thing
_CLOSING = ADVERBS | wordset("more less most least much better best worse enough together yet anymore though well away")


def is_piece_of_sentence(value: str, type: str) -> bool:
    """Whether a value of a type that names things names none. What is written like a name stays one."""
    words = value.split()
    if type not in MAY_BE_PIECES or not words:
        return False
    low = [word.lower().strip(".,!?") for word in words]
    small = {word for word, written in zip(low, words, strict=True) if not written[:1].isupper()}
    if low[0] in small and _COUNT.fullmatch(low[0]) and len(small) == len(set(low)):
        return True
    if small & (_PRONOUNS | FINITE | MODALS.keys()) or low[-1] in small & _CLOSING or low[0] in small & _OPENING:
        return True
    return any(word in small and _goes_on(word, after) for word, after in pairwise(low[1:]))


def _goes_on(word: str, after: str) -> bool:
    """Whether two words are a verb with what it says, or an amount: "saw the", "plays 4", "about 190"."""
    if word in _ROUGHLY and after[:1].isdigit():
        return True
    form = FORMS.get(word)
    if form is None or not form.kinds:
        return False
    has_object = after[:1].isdigit() or after in DETERMINERS
    return form.kinds <= {"past", "s"} and (has_object or (form.kinds == {"past"} and after in PREPOSITIONS))
