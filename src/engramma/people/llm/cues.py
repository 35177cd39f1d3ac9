"""Cue words required for relations that change a timeline, because small models often pick one wrongly."""

from __future__ import annotations

import re

_TIED = "dat seeing together relationship boyfriend girlfriend partner engag fianc marri wedding wife husband spouse"
_BEGINNINGS = {
    "age": "year old turn birthday aged",
    "birthday": "birthday born",
    "born_in": "born birth grew",
    "works_as": "am 'm ’m is are was were work job role position promot hire becom became career profession living as",
    "works_at": "work job join hir employ company office colleague boss intern start team",
    "studies_at": "stud school universit college enrol campus class degree student graduat",
    "left_job": "leav left quit resign fired laid retir gave stop job",
    "hired_by": "hir job offer start employ join",
    "lives_in": "liv mov home house apartment flat based resid settl stay place",
    "moved_to": "mov relocat settl",
    "moved_from": "mov relocat left leav",
    "from": "from grew born native hometown originally",
    "has_partner": _TIED,
    "dating": _TIED,
    "engaged_to": "engag fianc propos",
    "married_to": "marri wedding wife husband spouse",
    "relationship_status": f"{_TIED} single divorc",
    "broke_up_with": "broke break split divorc separat ended left ex",
    "favourite": "favo best most love prefer top",
}
CUES = {
    name: re.compile(rf"(?:(?<!\w)|(?<=\w)(?=['’]))(?:{'|'.join(map(re.escape, words.split()))})", re.IGNORECASE)
    for name, words in _BEGINNINGS.items()
}


def is_told(relation: str, quote: str) -> bool:
    """Whether the words can mean this relation; of those that touch no timeline, any may be meant."""
    return relation not in CUES or CUES[relation].search(quote) is not None
