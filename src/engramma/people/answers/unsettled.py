"""What settles nothing: what may be, what somebody wants or takes back. English.

"Might repaint the kitchen green" does not tell what colour it was painted, and "I need a column that turns tonnes into
cubic metres" not what the formula was.
"""

from __future__ import annotations

import re

from .turns import RecalledTurn

MOST_BACK = 12  # words of a turn that only takes something back
TAKEN_BACK_WITHIN = 3  # turns after what was found
_TAKEN_BACK = re.compile(
    r"\b(?:kidding|joking|jk|(?:only|just|im|i['’]m) messing|scratch that|never ?mind|ignore (?:that|me)"
    r"|forget what i said|that was a joke)\b|^\W*forget (?:it|that)\b",
    re.IGNORECASE,
)
_MAY_BE = (
    r"might|maybe|perhaps|mayb|thinking (?:of|about)|thought (?:of|about)|considering|not sure (?:if|whether|yet)"
    r"|(?:should|could|shall|can) (?:i|we)\b|what (?:about|if)|how about|wanna"
    r"|want(?:s|ed)? to(?! (?:tell|show|share|say|ask|let|thank|be)\b)"
    r"|(?:would|['’]d|d) (?:love|like) to"
    r"|hop(?:e|es|ing) to|wish(?:es|ed)?|if (?:i|we|he|she|they) (?:can|could|get|gets|got|had|were|was)\b"
    r"|undecided|toying with|tempted to|i (?:say|vote)\b|i['’]d say|i (?:suggest|propose)"
    r"|(?:offer(?:s|ed|ing)?|asking)(?= \W?\d)"
)
_TENTATIVE = re.compile(rf"\b(?:{_MAY_BE})\b|\?\?\s*$", re.IGNORECASE)
_ASKS_MAY_BE = re.compile(
    r"\b(?:might|may|maybe|want(?:s|ed|ing)?|wish(?:es|ed)?|hop(?:e|es|ed|ing)|plan(?:s|ned|ning)?|think(?:s|ing)?|thought"
    r"|consider(?:s|ed|ing)?|would|could|should|ideas?|suggest(?:s|ed|ions?)?|propos(?:e|es|ed|als?)|dream(?:s|ed)?"
    r"|intend(?:s|ed)?|decid(?:e|ed|ing)|interested|like|love|offer(?:s|ed)?|ask(?:s|ed)?|say|said|tell|told"
    r"|mention(?:s|ed)?|talk(?:s|ed)?|will|going to|need(?:s|ed)?|worr(?:y|ied|ies)|trying|tempted|goals?|hobby|hobbies"
    r"|feel(?:s|ing)?|why|how(?! (?:much|many)\b))\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?<![.;:!?…–—])[.;:!?…–—]++\s|\s(?:and|but|so|because|then|-+)\s|,\s", re.IGNORECASE)
_ASKS_FIGURE = re.compile(r"\s*(?:when|(?:at )?what time|how (?:much|many|long|old))\b", re.IGNORECASE)


def is_tentative(question: str, sentence: str) -> bool:
    """Whether a sentence only says what may be or is wanted, in every part of it, where it is not asked for that."""
    if _ASKS_MAY_BE.search(question) or not _TENTATIVE.search(sentence):
        return False
    parts = [part for part in _CLAUSE.split(sentence) if part and len(part.split()) > 1]
    if _ASKS_FIGURE.match(question):
        parts = [part for part in parts if any(sign.isdigit() for sign in part)] or parts
    return all(_TENTATIVE.search(part) for part in parts)


def is_taken_back(turn: RecalledTurn) -> bool:
    """Whether who said it took it back soon after: "no!! I was joking"."""
    return any(
        later.speaker == turn.speaker
        and len(later.text.split()) <= MOST_BACK
        and _TAKEN_BACK.search(later.text) is not None
        for later in turn.after[:TAKEN_BACK_WITHIN]
    )
