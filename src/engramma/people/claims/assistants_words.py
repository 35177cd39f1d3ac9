"""What an assistant says of people is seldom known to it: a speech it drafted, advice, what somebody will surely like.

"Morag taught half of Oban to climb a rope" stands in a toast that was asked for, "your sister can try different oils"
in a list of presents. Neither is a fact about anybody. Judged by hand: docs/log/claims-by-rules.md.
"""

from __future__ import annotations

import re

from engramma.records.people import Claim

_WRITING = re.compile(
    r"(?:^|[.!?\n]|\b(?:me|you|please|and|to you))\W*(?:(?:re)?write|draft|compose)\s+(?!down|back|up\b)"
    r"|\b(?:a|my|the|short|best man'?s)\s+(?:speech|toast|eulogy|obituary|poem|screenplay)\b"
    r"|^\W*(?:speech|toast|eulogy|obituary|letter|poem)\b",
    re.IGNORECASE,
)


def asks_for_writing(text: str) -> bool:
    """Whether a message asks an assistant for words of its own making: a speech, a letter, a story."""
    return _WRITING.search(text) is not None


def is_no_fact(claim: Claim, drafted: bool) -> bool:
    """Whether what an assistant said is no fact: drafted, supposed, or advised of somebody of the user's."""
    if drafted or claim.subject_type not in ("person", "pet"):
        return drafted
    return "'s " in claim.subject or claim.relation == "can" or claim.modality != "fact"
