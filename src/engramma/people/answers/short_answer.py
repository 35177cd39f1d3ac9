"""The short answer, where there is one: words of the quote of the type that the question wants.

A date is worked out from what was said and when; a number, a duration or a time of day must stand in the quote, and be
the only one there; yes or no only follows from a statement that says so. What fits no type stays a quote.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from ...language.dates import intervals
from ..claims.event_times import when_of
from ..questions.question_form import SHAPES, QuestionForm
from .sentences import TurnSentence, asks_unmarked, find_content_stems

SAYS_SO = 0.8  # share of the question's words, by rarity, that a statement must have to be a yes
LONGEST = 8  # words
BARE = 2  # words of a part that only denies: "no, never"
_NEGATED = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|without|can(?:no|['’])t|\w+n['’]t|stopp?(?:ed)?|quit|g[ai]ve up|used to"
    r"|no longer|isnt|dont|doesnt|didnt|wont|cant|left|moved (?:on|away|out))\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if|maybe|perhaps|might|could|would|should|wish|hope|hoping|want|wanted|thinking (?:of|about)|considering"
    r"|planning|dream|someday|one day|think|guess|probably)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(r"\s*(?:\w+,? )?(?:please|do not|don['’]?t)\b|\bplease (?:don['’]?t|do not)\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[.,;:!?…–—]+|\s(?:but|though|although)\s", re.IGNORECASE)
_LIKELY = re.compile(r"\s*(?:would|could|might)\b", re.IGNORECASE)
# The new day stands behind it: "the hearing on 12 May is adjourned to 9 June".
_MOVED_TO = re.compile(
    r"\b(?:adjourned|moved|postponed|pushed|changed|rescheduled|rebooked|shifted|delayed|put off|brought forward)\b"
    r"[^.!?]*?\b(?:to|till|until)\s+",
    re.IGNORECASE,
)
_TOLD_WHEN = 0.6  # what `when_of` says of a time beside the sentence


def short_answer(
    question: str, form: QuestionForm, sentence: TurnSentence, turn: str, said_at: datetime, rarity: Mapping[str, float]
) -> str:
    """The short answer that a sentence gives; "" if it gives none."""
    if form.is_worked_out or sentence.asks:
        return ""
    if form.wants in SHAPES and sentence.stems.isdisjoint(rarity):
        return ""  # a number, but of something else
    if form.wants == "date":
        moved = _MOVED_TO.search(sentence.text) if form.of_plan else None
        told = sentence.text[moved.end() :] if moved and intervals(sentence.text[moved.end() :], said_at) else ""
        text, sure = when_of(question, told or sentence.text, told or turn, said_at)
        return text if sure >= _TOLD_WHEN else ""
    if form.wants == "yes_no":
        return yes_or_no(question, sentence, rarity)
    return nearest_of_type(form.wants, sentence.text, rarity, question)


def nearest_of_type(wants: str, sentence: str, rarity: Mapping[str, float], question: str) -> str:
    """The words of the wanted type, if only one place of the sentence has them."""
    shape = SHAPES.get(wants)
    if shape is None:
        return ""
    asked = question.lower()
    found = [match[0].strip(" .,;:!?") for match in shape.finditer(sentence)]
    found = [one for one in dict.fromkeys(found) if one.lower() not in asked]
    return found[0] if len(found) == 1 and len(found[0].split()) <= LONGEST else ""


def _is_denied(text: str, rarity: Mapping[str, float]) -> bool:
    """Whether a text says that what is asked is not so: in a part that has a word of it, or in one that says no more.

    "I changed the code. Not on the shed, Dani." denies nothing of the code.
    """
    for clause in filter(None, (part.strip() for part in _CLAUSE.split(text))):
        denied = _NEGATED.search(clause)
        if denied and (len(clause.split()) <= BARE or not find_content_stems(clause).isdisjoint(rarity)):
            return True
    return False


def yes_or_no(question: str, sentence: TurnSentence, rarity: Mapping[str, float]) -> str:
    """Yes or no, where a statement says so: it has the question's words, and supposes nothing."""
    total = sum(rarity.values())
    share = sum(weight for stem, weight in rarity.items() if stem in sentence.stems) / total if total else 0.0
    is_said = share >= SAYS_SO and not _SUPPOSED.search(sentence.text) and not _REQUEST.match(sentence.text)
    if not is_said or asks_unmarked(sentence.text):
        return ""
    no = _is_denied(sentence.text, rarity) != (_NEGATED.search(question) is not None)
    if _LIKELY.match(question):
        return "Likely no" if no else "Likely yes"
    return "No" if no else "Yes"
