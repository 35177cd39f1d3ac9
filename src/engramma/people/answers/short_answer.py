"""The short answer, where there is one: words of the quote of the type that the question wants.

A date is worked out from what was said and when; a number, a duration or a time of day must stand in the quote, and be
the only one there; yes or no only follows from a statement that says so. What fits no type stays a quote.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from ...language.dates import intervals
from ...language.denied import leave_out_denied
from ..claims.event_times import when_of
from ..grammar.tense import times_of
from ..questions.asserted import Assertion, asserted
from ..questions.counts import count_in, counted_thing
from ..questions.doers import AskedSubject, asks_having, is_had_by
from ..questions.question_form import SHAPES, QuestionForm, has_shape
from .sentences import TurnSentence, asks_unmarked, find_content_stems

SAYS_SO = 0.8  # share of the question's words, by rarity, that a statement must have to be a yes
LONGEST = 8  # words
_NEGATED = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|without|can(?:no|['’])t|\w+n['’]t|isnt|dont|doesnt|didnt|wont|cant)\b",
    re.IGNORECASE,
)
# What is so no more: a no to what is asked of now, and none to whether it ever was.
_NO_MORE = re.compile(
    r"\b(?:stopp?(?:ed)?|quit|g[ai]ve up|used to|no longer|left|moved (?:on|away|out)|split(?:ting)? up|brok(?:e|en) up"
    r"|breaking up|divorced|separated)\b",
    re.IGNORECASE,
)
_BARE_DENIAL = re.compile(
    r"(?:no+|nope|nah|never|not|none|no way|(?:no )?never ever|no never|(?:certainly|of course|definitely) not"
    r"|not (?:yet|really|at all|ever|now|any ?more))$",
    re.IGNORECASE,
)
_OF_THEN = re.compile(r"\s*(?:did|was|were|had)", re.IGNORECASE)
_SUPPOSED = re.compile(
    r"\b(?:if|maybe|perhaps|might|could|would|should|wish|hope|hoping|want(?:s|ed)?|thinking (?:of|about)|considering"
    r"|planning|dream(?:t|ed|ing)?|someday|one day|think|guess(?! what\b)|probably|instead of|rather than|unless|doubt"
    r"|pretend(?:ed|ing)?|imagin(?:e|ed|ing)|rumou?rs?|accus(?:ed|es?|ing)|allegedly|supposedly|nonsense|lied|lying"
    r"|claims?|claimed|ruled out|anything but|as if|supposed to|meant to|jok(?:e|ed|ing)|kidding"
    r"|look(?:s|ed)? like|seem(?:s|ed)?|suspect(?:s|ed)?|apparently"
    r"|(?:is|are|was|were|been|called) off\b(?! (?:to|the)\b)|cancell?ed|postponed|adjourned)\b",
    re.IGNORECASE,
)
# What is so for now, and ends: no yes to whether it still is.
_ENDS = re.compile(
    r"\b(?:step(?:s|ped|ping)? down|resign(?:s|ed|ing)?|retir(?:es?|ed|ing)|leaving|quitting|handing over|gave notice"
    r"|hand(?:ed|ing)? (?:my|our|his|her|their) notice in)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(r"\s*(?:\w+,? )?(?:please|do not|don['’]?t)\b|\bplease (?:don['’]?t|do not)\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[.,;:!?…–—]+|\s(?:but|though|although|so|because|and(?= no\b))\s", re.IGNORECASE)
_NOT_THIS = re.compile(r"\W*(?:and |but )?(?:not|nor|no|never)\b", re.IGNORECASE)
# What a time or an amount is told by, a kind a pattern: a statement with another one of a kind says no yes.
_TOLD_BY = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
        r"\b(?:january|february|march|april|june|july|august|september|october|november|december)\b",
        r"(?<![\w.,])\d[\d.,'’]*(?=(?:st|nd|rd|th)?\b)",
    )
)
_TAKEN_BACK = re.compile(
    r"\W{0,20}(?:(?:just|only|i['’]?m|i am) ){0,3}(?:kidding|joking|jk|not really|nope)\b", re.IGNORECASE
)
_IN_PLACE = re.compile(r"\b(?:in|at|to)\s+(?:the\s+)?([^\W\d_]+)", re.IGNORECASE)
_FROM_PLACE = re.compile(r"\b(?:from|out of|leaving|left)\s+(?:the\s+)?([^\W\d_]+)", re.IGNORECASE)
_LIKELY = re.compile(r"\s*(?:would|could|might)\b", re.IGNORECASE)
# The new day stands behind it: "the hearing on 12 May is adjourned to 9 June".
_WHEN_WAS = re.compile(r"\s*when (?:was|were)\b", re.IGNORECASE)  # not "When did I move to Leeds?"
_MOVED = "moved to "
_MOVED_TO = re.compile(
    r"\b(?:adjourned|moved|postponed|pushed|changed|rescheduled|rebooked|shifted|delayed|put off|brought forward)\b"
    r"[^.!?]*?\b(?:to|till|until)\s+",
    re.IGNORECASE,
)
_TOLD_WHEN = 0.6  # what `when_of` says of a time beside the sentence


def short_answer(
    question: str,
    form: QuestionForm,
    sentence: TurnSentence,
    turn: str,
    said_at: datetime,
    rarity: Mapping[str, float],
    asked: AskedSubject | None = None,
) -> str:
    """The short answer that a sentence gives; "" if it gives none. `asked` is of whom it must be said, for a yes."""
    if form.is_worked_out or sentence.asks:
        return ""
    if form.wants in SHAPES and sentence.stems.isdisjoint(rarity):
        return ""  # a number, but of something else
    if form.wants == "date":
        moved = _MOVED_TO.search(sentence.text) if form.of_plan or _WHEN_WAS.match(question) else None
        told = f"{_MOVED}{sentence.text[moved.end() :]}" if moved else ""  # which looks ahead
        told = told if intervals(told, said_at) else ""
        left = leave_out_denied(sentence.text)
        if not told and left != sentence.text and intervals(sentence.text, said_at):
            if not intervals(left, said_at):
                return ""  # the only time in it is one that it was not
            told = left
        if any(one.text.lower() in question.lower() for one in times_of(told or sentence.text, said_at)):
            return ""  # "Nerys arrives for Christmas on the 22nd": the day asked about is not the one asked for
        text, sure = when_of(question, told or sentence.text, told or turn, said_at)
        return text if sure >= _TOLD_WHEN else ""
    if form.wants == "yes_no":
        is_taken_back = _TAKEN_BACK.match(turn, sentence.end) is not None
        return "" if is_taken_back else yes_or_no(question, sentence, rarity, asked)
    if form.wants == "number" and not has_shape("number", sentence.text):
        return count_in(sentence.text, counted_thing(question)[0])  # "my 5th project"
    if form.of_before and leave_out_denied(sentence.text) != sentence.text:
        return ""  # "not on Fridays any more but on Mondays": what it was before is what it is not
    return nearest_of_type(form.wants, sentence.text, question)


def nearest_of_type(wants: str, sentence: str, question: str) -> str:
    """The words of the wanted type, if only one place of the sentence has them."""
    shape = SHAPES.get(wants)
    if shape is None:
        return ""
    asked = question.lower()
    told = leave_out_denied(sentence)
    found = [match[0].strip(" .,;:!?") for match in shape.finditer(told if shape.search(told) else sentence)]
    found = [one for one in dict.fromkeys(found) if one.lower() not in asked]
    return found[0] if len(found) == 1 and len(found[0].split()) <= LONGEST else ""


def _is_denied(
    text: str, rarity: Mapping[str, float], claim: Assertion | None, of_then: bool, asked: AskedSubject | None
) -> bool:
    """Whether a text says that what is asked is not so: in a part that has the verb of it, in one that says no more,
    or in one that says which it was not.

    "I changed the code. Not on the shed, Dani." denies nothing of the code.
    """
    for clause in filter(None, (part.strip() for part in _CLAUSE.split(text))):
        if not _is_negated(clause, claim, of_then):
            continue
        has_word = not find_content_stems(clause).isdisjoint(rarity)
        if claim is not None and claim.is_in(clause) and not claim.is_of(clause, asked):
            continue  # of somebody else
        has_verb = has_word if claim is None else claim.is_in(clause)
        if has_verb or _BARE_DENIAL.match(clause) or (has_word and _NOT_THIS.match(clause)):
            return True
    return False


def _is_negated(text: str, claim: Assertion | None, of_then: bool) -> bool:
    """Whether a text denies something; who left denies nothing where it is asked whether they left."""
    patterns = (_NEGATED,) if of_then else (_NEGATED, _NO_MORE)
    denied = (found[0].split()[0] for pattern in patterns for found in pattern.finditer(text))
    return any(claim is None or not claim.has(word) for word in denied)


def yes_or_no(
    question: str, sentence: TurnSentence, rarity: Mapping[str, float], asked: AskedSubject | None = None
) -> str:
    """Yes or no, where a statement says so of whom it is asked: it has the question's words, its verb above all, and
    supposes nothing."""
    claim = asserted(question)
    has_verb = claim is not None and claim.is_in(sentence.text)
    met = {stem for stem in rarity if stem in sentence.stems or (claim and has_verb and stem in claim.stems)}
    total = sum(rarity.values())
    share = sum(rarity[stem] for stem in rarity if stem in met) / total if total else 0.0
    is_said = share >= SAYS_SO and not _SUPPOSED.search(sentence.text) and not _REQUEST.match(sentence.text)
    is_another = _tells_another(question, sentence.text) or _comes_from_there(question, sentence.text)
    is_another |= _ENDS.search(sentence.text) is not None and not _ENDS.search(question)
    if not is_said or asks_unmarked(sentence.text) or is_another:
        return ""
    of_then = _OF_THEN.match(question) is not None
    is_denied = _is_denied(sentence.text, rarity, claim, of_then, asked)
    if not is_denied and not is_stated(question, sentence.text, rarity, asked):
        return ""
    no = is_denied != _is_negated(question, claim, of_then)
    if asks_likely(question):
        return "Likely no" if no else "Likely yes"
    return "No" if no else "Yes"


def is_stated(question: str, text: str, rarity: Mapping[str, float], asked: AskedSubject | None) -> bool:
    """Whether a text says what a question asserts, of the one it is asked about."""
    claim = asserted(question)
    if claim is not None:
        return claim.is_said(text, asked)
    return asked is None or not asks_having(question) or is_had_by(text, rarity, asked)


def asks_likely(question: str) -> bool:
    """Whether a question asks what would be so, not what is: "Would Ann like the sea?"."""
    return _LIKELY.match(question) is not None


def _comes_from_there(question: str, text: str) -> bool:
    """Whether a text says that somebody came from the place where they are asked to be: "moved up from Leeds"."""
    places = {place.casefold() for place in _IN_PLACE.findall(question)}
    return not places.isdisjoint(place.casefold() for place in _FROM_PLACE.findall(text))


def _tells_another(question: str, text: str) -> bool:
    """Whether a text tells another day, month or number than the question asks for."""
    for kind in _TOLD_BY:
        asked, told = ({found.casefold() for found in kind.findall(one)} for one in (question, text))
        if asked and told and asked.isdisjoint(told):
            return True
    return False
