"""Whose words a question asks for: one's own, as in "Where did I meet Laura?", or what an assistant answered, too."""

from __future__ import annotations

import re

READ = 4_000  # characters of a question that are looked at
_OF_ANSWERS = re.compile(
    r"\byou (?:have |had |just |also |once |\w+ly )?(?:said|mentioned|recommended|suggested|told|gave|provided|listed"
    r"|wrote|explained|described|created|made|shared|advised|proposed|used|called|named|helped|came up)\b"
    r"|\b(?:did|had|were|was|have) you\b|\bremind me\b"
    r"|\byour (?:suggestion|recommendation|answer|advice|list|response)s?\b"
    r"|\bwe(?:['’]ve| have)? (?:talked|discussed|spoke|went over|chatted|came up|made|wrote|created|covered)\b"
    r"|\bthe assistant\b|\bsummar(?:y|ies|ise|ize)\b",
    re.IGNORECASE,
)
_OF_ONESELF = re.compile(r"(?<![\w.])(?:i|i['’](?:m|ve|d|ll)|my|mine|me|myself)(?!\w|\.\w)", re.IGNORECASE)


def asks_for_answers(question: str) -> bool:
    """Whether it asks for what an assistant answered, or for all that both said: "What did you recommend?"."""
    return _OF_ANSWERS.search(question[:READ]) is not None


def asks_of_oneself(question: str) -> bool:
    """Whether it asks of who asks: what they said themselves answers it rather than what was answered."""
    return _OF_ONESELF.search(question[:READ]) is not None
