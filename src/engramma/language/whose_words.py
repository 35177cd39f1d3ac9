"""Whose words a question asks for: one's own, as in "Where did I meet Laura?", what an assistant answered, too, or what
was said at all."""

from __future__ import annotations

import re

from ..patterns import late

READ = 4_000  # characters of a question that are looked at
BEGINNING = 400  # of them, by which a question about the talk is told
# What assistants are called; Claude may be a friend, so it has to be one who is asked what they said.
ASSISTANTS = "chatgpt|gpt|claude|gemini|copilot|grok|the (?:ai|bot|chatbot|llm)"
_IT_SAID = late(  # "How many lemons did it say to put in?": who else is "it" that says
    r"\bdid it (?=(?:say|suggest|recommend|advise|propose)\b(?! (?:on|in|at)\b))"
    r"|\bit (?=(?:said|suggested|recommended|advised|proposed|told me|gave me)\b)",
    re.IGNORECASE,
)
ASKS_ASSISTANT = (
    rf"\bdid (?:{ASSISTANTS}) (?:say|tell|suggest|recommend|advise|mention|give|propose|write|explain|answer)\b"
    rf"|\b(?:{ASSISTANTS}) (?:said|told|suggested|recommended|advised|gave|proposed|wrote|explained)\b"
)
_ASKS_ASSISTANT, _ASSISTANT = (late(one, re.IGNORECASE) for one in (ASKS_ASSISTANT, rf"\b(?:{ASSISTANTS})\b"))
_OF_ANSWERS = re.compile(
    r"\byou (?:have |had |just |also |once |\w+ly )?(?:said|mentioned|recommended|suggested|told|gave|provided|listed"
    r"|wrote|explained|described|created|made|shared|advised|proposed|used|called|named|helped|came up)\b"
    r"|\b(?:did|had|were|was|have) you\b|\bremind me\b"
    r"|\byour (?:suggestion|recommendation|answer|advice|list|response)s?\b"
    r"|\bwe(?:['’]ve| have)? (?:talked|discussed|spoke|went over|chatted|came up|made|wrote|created|covered)\b"
    rf"|\bthe assistant\b|\bsummar(?:y|ies|ise|ize)\b|{ASKS_ASSISTANT}",
    re.IGNORECASE,
)
# What was: "Where did Ada keep bees?", "Name one who came", not "Why does it fail?".
_OF_BEFORE = late(
    r"^\W*(?:(?:(?:and|so|at|by|for|from|in|of|on|since|to|with) )?(?:who|whose|whom|what|when|where|which|how|why)"
    r"|name (?:an?|the|one|two|three|some|any|all|each|every))\b.*"
    r"\b(?:did|was|were|had|have|has|went|got|came|gave|took|made|said|told|used to)\b"
    r"|^\W*(?:did|was|were|had|have|has)\b|['’]ve\b",
    re.IGNORECASE,
)
_OF_ONESELF = re.compile(r"(?<![\w.])(?:i|i['’](?:m|ve|d|ll)|my|mine|me|myself)(?!\w|\.\w)", re.IGNORECASE)
# What was said, not what is to be said: "How do I tell my boss?" asks for advice.
_SAID = r"(?:said|mentioned|told|talked|discussed|spoken|spoke)"
_SAY = r"(?:say|mention|tell|talk|discuss|speak)"
_SAYING = late(rf"\b(?:{_SAID}|{_SAY})\b", re.IGNORECASE)
_SPEAKS_OF_TALK = re.compile(rf"{_SAID}|{_SAY}", re.IGNORECASE)
_ASKS_WHAT_WAS_SAID = late(
    r"(?:^|[.!?,] )\s*(?:"
    rf"(?:what|who|when|where|how (?:often|many|much))\b.{{0,30}}\b"
    rf"(?:(?:was|were|been|have|has|had)\b.{{0,60}}\b{_SAID}|did\b.{{0,60}}\b(?:{_SAY}|{_SAID}))"
    rf"|who (?:ever )?(?:{_SAID})|how often do (?:i|we|they) {_SAY}|what does (?!one\b)\w+ say about"
    rf"|(?:did|have|has|had) (?:[\w'’]+ ){{1,3}}?(?:{_SAY}|{_SAID})|(?:was|were) .{{0,40}}\b{_SAID})\b",
    re.IGNORECASE,
)


def asks_for_own_words(question: str) -> bool:
    """Whether who asks wants to know what they said themselves: "Where did I meet Laura?".

    Not if it asks for what an assistant answered, or for all that both said: "What did you recommend to me?". Told of
    English questions only.
    """
    read = question[:READ]
    return _OF_ONESELF.search(read) is not None and _OF_ANSWERS.search(read) is None


def asks_of_before(question: str) -> bool:
    """Whether a question is about what was, or about what an assistant answered. English only."""
    begun = question[:BEGINNING]
    return _OF_BEFORE.search(begun) is not None or _OF_ANSWERS.search(begun) is not None


def asks_what_was_said(question: str) -> bool:
    """Whether a question is about the talk itself: "What was said about the budget?". English only."""
    begun = question[:BEGINNING]
    return _SPEAKS_OF_TALK.search(begun) is not None and _ASKS_WHAT_WAS_SAID.search(begun) is not None


def without_saying(question: str) -> str:
    """A question without its words for saying, if it is about the talk itself: those do not stand in what was said."""
    return _SAYING.sub(" ", question) if asks_what_was_said(question) else question


def call_it_assistant(question: str, is_it: bool = False) -> str:
    """A question with "the assistant" for the name that is asked of: nobody says "ChatGPT" in their chats. `is_it`:
    what says or suggests things may be one, too."""
    if is_it:
        question = _IT_SAID.sub(
            lambda found: found[0].replace("it", "the assistant").replace("It", "the assistant"), question
        )
    return _ASKS_ASSISTANT.sub(lambda found: _ASSISTANT.sub("the assistant", found[0], 1), question)
