"""The newer statement wins: of turns that speak of the same, the one that was said last."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache

from ...language.dates import intervals
from ...language.lexical import told_stems
from ...language.text import MAIL, infer_role
from ..questions.counts import count_in, counted_thing
from ..questions.question_form import PERSON, SHAPES, QuestionForm, has_shape
from ..questions.somebody import names_somebody
from .read_turns import ReadTurn
from .sentences import split_turn

# What tells that something is otherwise than it was said before.
_CHANGE = re.compile(
    r"\b(?:re-?book(?:ed|ing)?|re-?schedul(?:e[sd]?|ing)|postpon(?:e[sd]?|ing)|adjourned|delayed|brought forward"
    r"|changed? of plans?|switched to"
    r"|(?:moved|changed|pushed|shifted|put off) again"
    r"|(?:moved|changed|pushed|shifted|put off) (?:it |them |this |that |(?:the|my|our) (?:\w+ ){1,5})?"
    r"(?:from .{1,40} )?(?:to|till|until|back|forward)"
    r"|new (?:\w+ )?(?:date|time|day|reference|number|address|plan|code|price)"
    r"|(?:is|are|it['’]?s) now|now (?:it['’]?s|on|at|in)"
    r"|instead of|(?:was|were|got|has been|have been) (?:moved|changed|cancell?ed|postponed)|no longer|not any ?more"
    r"|cancell?ed|called off)\b",
    re.IGNORECASE,
)
# What tells that it was wrong: "Sorry, typo: it's 4406, not 4460".
_CORRECTION = re.compile(
    r"\b(?:sorry|oops|typo|correction|my mistake|i meant?|(?:that|it) (?:was|is) wrong|scratch that"
    r"|mistyped|misspoke)\b",
    re.IGNORECASE,
)
_OF_IT = re.compile(r"\bits?\b", re.IGNORECASE)
_WITH_DIGIT = re.compile(r"(?<![^\s,;:()\"'“”])[^\s,;:()\"'“”\d]*+\d[^\s,;:()\"'“”]*")
_ORDINAL = re.compile(r"^(\d+)(?:st|nd|rd|th)$")
_DAY = r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
_OTHER_DAY = re.compile(
    rf"\b(?:i meant?|correction|typo|my mistake)\b.{{0,40}}?{_DAY}"
    rf"|\bsorry,? (?:it['’]?s |it is |on |this |next )?{_DAY}|\bnot (?:on |this |next )?{_DAY}",
    re.IGNORECASE,
)
_OFF = re.compile(r"\b(?:cancell?ed|called off)\b", re.IGNORECASE)
CHANGED = 1 / 3  # of the question's words in what tells of a change: it says again of what, not all of it
CHANGED_WITHIN = 20.0  # of the best score: with few of the question's words it lies far back (docs/log/answers.md)
NAMED = 3.0  # of the best score: within it, a turn that names somebody is quoted rather than one that names nobody
WITHIN = 8.0  # of the best score: what lies further back speaks of something else
ASKED = 80  # characters of a question by which the turn after it is known
LEAST_SETTLED = 0.2  # of the question's words that a turn must have which tells what is, not what may be
ALIKE = 0.15  # of the question's words that a later turn may have less than the best one
LESS_TO_COUNT = 0.4  # the same of one that counts the very things


def first_statement(read: Sequence[ReadTurn]) -> ReadTurn:
    """The best turn that tells something: where the best one asks, what was answered to it, or what is near to it."""
    best = read[0]
    if not best.sentence.asks:
        return best
    asked = " ".join(best.turn.text.split())[-ASKED:]
    told = [one for one in read if not one.sentence.asks]
    answer = next((one for one in told if one.turn.before.endswith(asked)), None)
    return answer or next((one for one in told if best.score - one.score <= WITHIN), best)


def latest_of(read: Sequence[ReadTurn], form: QuestionForm, words: Collection[str], question: str) -> ReadTurn:
    """The turn to quote: the best; for a number, a time or the like that holds now, the latest that says as much.

    A code is quoted where one stands: who asks to book a table does not know it yet.
    """
    best = read[0]
    if form.wants == "code":
        coded = (one for one in read if best.score - one.score <= WITHIN and has_shape("code", one.sentence.text))
        best = next(coded, best)
    if form.wants == PERSON:
        named = (
            one
            for one in read
            if best.score - one.score <= NAMED
            and names_somebody(question, one.sentence.text, infer_role(one.turn.speaker, None) == "user")
        )
        best = next(named, best)
    if not form.of_assistant and (form.of_plan or (form.of_now and form.wants in SHAPES)):
        best = changed_since(best, read, form, words)
    if not form.of_now or form.of_assistant or not (form.wants in SHAPES or form.says_now):
        return best
    rivals = [
        one
        for one in read
        if best.score - one.score <= WITHIN
        and one.turn.speaker == best.turn.speaker
        and one.share >= best.share - ALIKE
        and has_shape(form.wants, one.sentence.text)
    ]
    return max(rivals, key=lambda one: (one.turn.said_at, one.score), default=best)


def latest_count(best: ReadTurn, read: Sequence[ReadTurn], form: QuestionForm, question: str) -> ReadTurn:
    """The latest turn that counts what is asked, if the best one does, too: "my 5th project" after "4 projects"."""
    counted, described = counted_thing(question)
    is_of_all = form.wants == "number" and not (form.of_before or form.of_assistant or form.is_worked_out)
    if not counted or not is_of_all or not count_in(best.sentence.text, counted):
        return best
    rivals = [
        replace(one, told=(part.start, part.end))
        for one in read
        if one.turn.said_at > best.turn.said_at
        and one.turn.speaker == best.turn.speaker
        and best.score - one.score <= WITHIN
        and one.share >= best.share - LESS_TO_COUNT
        for part in split_turn(one.turn.text)
        if not part.asks and count_in(part.text, counted) and described <= told_stems(one.turn.text)
    ]
    return max(rivals, key=lambda one: (one.turn.said_at, one.score), default=best)


def changed_since(best: ReadTurn, read: Sequence[ReadTurn], form: QuestionForm, words: Collection[str]) -> ReadTurn:
    """The latest turn that tells of a change of what the best one tells; the best one if none does.

    "They postponed the wedding" has fewer of the question's words than what it changes, "Moved it to Wednesday" none.
    """
    later = [
        one
        for one in (_with_news(turn, form.wants) for turn in read)
        if one.turn.said_at > best.turn.said_at
        and not one.turn.by_assistant
        and (one.turn.speaker == best.turn.speaker or one.turn.conversation == best.turn.conversation)
        and best.score - one.score <= CHANGED_WITHIN
        and (change := _CHANGE.search(one.sentence.text)) is not None
        and (_tells(form.wants, one) or (form.wants == "date" and _OFF.search(change[0]) is not None))
        and (
            len(one.sentence.stems.intersection(words)) >= max(1, CHANGED * len(words))
            or (one.turn.session == best.turn.session and _OF_IT.search(change[0]) is not None)
        )
    ]
    return max(later, key=lambda one: (one.turn.said_at, one.score), default=best)


def _with_news(one: ReadTurn, wants: str) -> ReadTurn:
    """A turn with a sentence beside its own, if only both tell of a change and to what: "Moved again. 24th now"."""
    if _tells_news(wants, one.sentence.text, one.turn.said_at):
        return one
    parts, own = split_turn(one.turn.text), one.sentence
    before = [part.start for part in parts if part.end <= own.start][-1:]
    after = [part.end for part in parts if part.start >= own.end][:1]
    places = [(start, own.end) for start in before] + [(own.start, end) for end in after]
    news = (place for place in places if _tells_news(wants, one.turn.text[slice(*place)], one.turn.said_at))
    place = next(news, None)
    return one if place is None else replace(one, told=place)


def _tells_news(wants: str, text: str, said_at: datetime) -> bool:
    return _CHANGE.search(text) is not None and _tells_in(wants, text, said_at)


def corrected(best: ReadTurn, read: Sequence[ReadTurn]) -> ReadTurn:
    """What was said after it, there or later in the session or thread of mails, to correct it: it says the very number,
    code or day that was wrong, and another, or "I meant" another day."""
    for part in split_turn(best.turn.text):
        if part.start >= best.sentence.end and corrects(part.text, best.sentence.text):
            return replace(best, told=(part.start, part.end))
    later = [
        one
        for one in read
        if one.turn.said_at >= best.turn.said_at
        and one.turn is not best.turn
        and one.turn.speaker == best.turn.speaker
        and (one.turn.session == best.turn.session or _is_thread(one, best))
        and corrects(one.turn.text, best.sentence.text)
    ]
    return max(later, key=lambda one: one.turn.said_at, default=best)


def _is_thread(one: ReadTurn, best: ReadTurn) -> bool:
    """Whether two turns are mails of one thread, of which each is a session of its own."""
    return one.turn.conversation == best.turn.conversation and best.turn.conversation.startswith(MAIL)


def corrects(later: str, said: str) -> bool:
    """Whether a text says that a number, a code or a weekday of another one was wrong, and which is right."""
    says_wrong, says_other_day = _signs_of_correction(later)
    if says_wrong and (wrong := _numbers(said)) & (right := _numbers(later)) and right - wrong:
        return True
    return says_other_day and bool(days := _days(said)) and bool(_days(later) - days)


@lru_cache(maxsize=512)  # a turn is held against each one before it
def _signs_of_correction(text: str) -> tuple[bool, bool]:
    return _CORRECTION.search(text) is not None, _OTHER_DAY.search(text) is not None


def restated(said: str, later: str) -> str:
    """What was said, with what corrects it put in: "The voyage is this Sunday"; "" if that is not clear.

    "I meant Sunday" alone does not tell which Sunday.
    """
    wrong, right = _days(said), _days(later) - _days(said)
    if not (len(wrong) == len(right) == 1):
        wrong, right = _numbers(said) & _numbers(later), _numbers(later) - _numbers(said)
    if not (len(wrong) == len(right) == 1):
        return ""
    return re.sub(rf"(?<!\w){re.escape(min(wrong))}(?=(?:st|nd|rd|th)?(?!\w))", min(right), said, flags=re.IGNORECASE)


def _days(text: str) -> set[str]:
    return {day.lower() for day in re.findall(_DAY, text, re.IGNORECASE)}


def _numbers(text: str) -> set[str]:
    """The numbers and codes of a text; "3rd" is 3."""
    return {_ORDINAL.sub(r"\1", found.strip(".!?").lower()) for found in _WITH_DIGIT.findall(text)}


def _tells(wants: str, one: ReadTurn) -> bool:
    return _tells_in(wants, one.sentence.text, one.turn.said_at)


def _tells_in(wants: str, text: str, said_at: datetime) -> bool:
    return bool(intervals(text, said_at)) if wants == "date" else has_shape(wants, text)
