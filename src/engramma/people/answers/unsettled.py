"""Sentences that settle nothing: what may be, what somebody wants, what an assistant is to do. English.

"Might repaint the kitchen green" does not tell what colour it was painted, and "I need a column that turns tonnes into
cubic metres" not what the formula was.
"""

from __future__ import annotations

import re

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
_REQUEST = re.compile(
    r"\W*(?:(?:hi|hey|hello|ok|okay|so|and|also|great|thanks|thank you)\b[ ,.!]*){0,3}"
    r"(?:i (?:need|want|['’]?d like|would like) (?:a|an|some|the|to|you|help|your|more|ideas|advice)\b"
    r"|i['’]m looking for\b|looking for\b"
    r"|(?:can|could|would|will) you\b|please\b|help me\b|(?:give|write|make|show|tell|draft|suggest|recommend|explain"
    r"|find|create|list|remind) (?:me|us|a|an|some|the|my)\b)",
    re.IGNORECASE,
)
_TELLS_MORE = re.compile(
    r"\b(?:who|whose|because|since|called|named|i['’]?(?:m|ve)|my|is|are|was|were|have|has|had|got)\b", re.IGNORECASE
)


def is_tentative(question: str, sentence: str) -> bool:
    """Whether a sentence only says what may be or is wanted, in every part of it, where it is not asked for that."""
    if _ASKS_MAY_BE.search(question) or not _TENTATIVE.search(sentence):
        return False
    parts = [part for part in _CLAUSE.split(sentence) if part and len(part.split()) > 1]
    if _ASKS_FIGURE.match(question):
        parts = [part for part in parts if any(sign.isdigit() for sign in part)] or parts
    return all(_TENTATIVE.search(part) for part in parts)


def is_request(sentence: str) -> bool:
    """Whether a sentence asks an assistant for something, and tells nothing beside."""
    return _REQUEST.match(sentence) is not None and not _TELLS_MORE.search(sentence)
