"""Standing instructions: what somebody tells an assistant to do always, as in "Never send links, please"."""

from __future__ import annotations

import re

READ = 400  # characters at the beginning of a message
# After "always" and "never", what tells of oneself: "Never tried sushi before", "Always happy to help".
_TELLS = (
    r"(?!embed)\w+[^\We]ed|agreed|ate|came|done|eaten|felt|gone|got|gotten|happy|late|left|made|met|ran|saw|seen|slept"
    r"|spent|told|took|understood|went|wrote|a pleasure|ever again|going (?:back|to)"
)
_STANDING = re.compile(
    r"\s*(?:(?:please|also|and|ok|okay|hey|oh|so)[,:]? )*"
    rf"(?:(?:always|never)(?!,? (?:{_TELLS})\b)"
    r"|whenever|every time|each time|from now on|from here on|in (?:the )?future|going forward"
    r"|(?:please )?(?:don['’]?t|do not) ever|remember to always|make sure (?:to|you) (?:always|never)"
    r"|(?:could|can) you (?:please (?:always|never)|always))"
    r"(?!\w)(?!['’]? (?:mind|again|been|had|have|was|is|did|said|heard|thought|knew|know|sure)\b)",
    re.IGNORECASE,
)

_ASKS_WHAT_WAS_SAID = re.compile(
    r"(?:^|[.!?,] )\s*(?:what|who|when|where|how)\b.{0,30}\b(?:was|were|has been|did|do|does|have|has)\b.{0,60}"
    r"\b(?:said|say|mentioned|mention|told|tell|talked|talk about|discussed|discuss)\b",
    re.IGNORECASE,
)


def is_standing_instruction(message: str) -> bool:
    """Whether a message begins with what is to be done always: "From now on, answer in French." English only."""
    return _STANDING.match(message[:READ]) is not None


def asks_what_was_said(question: str) -> bool:
    """Whether a question is about the talk itself: "What was said about the budget?". English only."""
    return _ASKS_WHAT_WAS_SAID.search(question[:READ]) is not None
