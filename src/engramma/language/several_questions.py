"""One query that asks several things: "Where does Ana work? And when is the concert?"."""

from __future__ import annotations

import re

from .first_person import tells_of_oneself
from .lexical import STOP_WORDS, terms

_QUESTION = re.compile(r"[^?？؟]+[?？؟][\"”'’)*_»」]*")
MOST = 4  # more than that is a list that somebody pasted
LONGEST = 2_000  # characters
LEAST_TERMS = 2  # words that a question needs to be understood alone: "And when?" is not


def split_questions(text: str) -> tuple[str, ...]:
    """The questions of a query that only asks, if there are several; else none.

    Somebody who tells something and then asks asks one thing in several ways, and means what they told.
    """
    if len(text) > LONGEST:
        return ()
    found = [match[0].strip() for match in _QUESTION.finditer(text)]
    if not 2 <= len(found) <= MOST or not text.rstrip().endswith(found[-1]) or tells_of_oneself(text):
        return ()
    return tuple(found) if all(_telling(one) >= LEAST_TERMS for one in found) else ()


def _telling(question: str) -> int:
    return sum(term not in STOP_WORDS for term in terms(question))
