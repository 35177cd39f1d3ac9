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


def asks_for_own_words(question: str) -> bool:
    """Whether who asks wants to know what they said themselves: "Where did I meet Laura?".

    Not if it asks for what an assistant answered, or for all that both said: "What did you recommend to me?". Told of
    English questions only.
    """
    read = question[:READ]
    return _OF_ONESELF.search(read) is not None and _OF_ANSWERS.search(read) is None
