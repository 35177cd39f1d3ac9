"""What `ask` tells as a guess."""

from __future__ import annotations

from engramma import Answer

UNLIKELY = 0.3


def is_guess(answer: Answer) -> bool:
    """Whether somebody's words are told with a "Perhaps" and little confidence, and nothing is made of them."""
    return answer.confidence < UNLIKELY and not answer.short and answer.text == answer.quote
