"""The form of a question: what type of answer it wants, and what nobody can quote because it has to be worked out.

"How long is my commute?" wants a duration; "how much more did I pay?" wants a difference that nobody said; "which came
first, A or B?" wants two events compared; "what did you recommend?" wants the assistant's words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ...language.question_language import question_language
from ...language.whose_words import ASKS_ASSISTANT
from ...patterns import late
from .codes import ASKS_CODE, CODE_SHAPE
from .question_scope import LOOKED_AT, kind_of
from .somebody import names_somebody, wants_person

_UNIT = "second|minute|hour|day|night|week|month|year"
_WORKED_OUT = re.compile(
    r"\bin total\b|\btotal (?:number|amount|cost|price|time|distance|weight|money|spent|of)\b|\btotal\s*\?"
    r"|\bhow (?:much|many) (?:\w+ )?(?:more|less|fewer|older|younger|earlier|later|faster|slower|longer|higher|lower)\b"
    r"|\bcompared (?:to|with)\b|\bdifference between\b|\baverage\b|\b(?:combined|altogether|sum of|percentage of)\b"
    rf"|\bhow many (?:{_UNIT})s? (?:(?:have|had|has|did|it|took) )*"
    r"(?:ago|before|after|between|passed?|since|until|elapsed?|went by)\b"
    r"|\bhow much (?:did|do|will|would|could|have|can) \w+ save\b|\border of\b|\bin (?:what|which) order\b"
    r"|\bfrom (?:earliest|first|oldest) to\b|\b(?:minimum|maximum) amount\b|\byears older\b|\bhow long ago\b",
    re.IGNORECASE,
)
_OF_ASSISTANT = re.compile(
    r"\byou (?:have |had |just |also |once |\w+ly )?(?:said|say|mention|recommend|suggest|told|tell|gave|give|provide"
    r"|list|wrote|write|explain|describe|create|made|make|share|help|came up|advise|propose|use|call|name)(?:e?d|s)?\b"
    r"|\b(?:did|had|were|was) you\b|\bremind me\b|\byour (?:suggestion|recommendation|answer|advice|list|response)s?\b"
    r"|\bour (?:previous|last|earlier|past|recent|prior) (?:\w+ )?(?:chat|conversation|discussion|talk|exchange)s?\b"
    r"|\bwe (?:talked|discussed|spoke|went over|chatted|came up|made|wrote|created)\b|\bthe assistant\b"
    rf"|{ASKS_ASSISTANT}",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"\b(?:first|earlier|earliest|before|sooner|last|later|latest|(?:more|most) recently|after)\b", re.IGNORECASE
)
_GENERAL = re.compile(r"\b(?:events?|things?|happen(?:ed|s)?|came|comes?|of these|of the two)\b", re.IGNORECASE)
_LATER = re.compile(r"\b(?:last|later|latest|(?:more|most) recently|after)\b", re.IGNORECASE)
_OPTIONS = re.compile(
    r"^\s*(?:which|who|what)\b(?P<asked>[^?]*?)[,:]\s*(?P<one>[^?]+?)\s*,?\s+or\s+(?P<other>[^?]+?)\s*\?*\s*$",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(?:do|does|can|have|has|am|is|are|current(?:ly)?|now|so far|latest|most recent(?:ly)?|these days|still"
    r"|will)\b|['’]ve\b",
    re.IGNORECASE,
)
_SAYS_NOW = re.compile(
    r"\b(?:current(?:ly)?|now|nowadays|so far|latest|most recent(?:ly)?|these days|still|at the moment)\b",
    re.IGNORECASE,
)
_THEN = re.compile(r"\b(?:did|was|were|had|when)\b", re.IGNORECASE)
_NO_LONGER = re.compile(
    r"\b(?:previous(?:ly)?|former(?:ly)?|used to|initial(?:ly)?|original(?:ly)?|first|earlier|earliest|before|at first"
    r"|back then)\b",
    re.IGNORECASE,
)
_WANTS = (
    ("clock", r"(?:at |by |around )?what time\b"),
    ("weekday", r"(?:on )?(?:what|which) days?(?: of the week)?\b(?! (?:did|was|is|were) .*\bdate\b)"),
    ("frequency", r"how (?:often|frequently|regularly|many times (?:a|per|each|every))\b"),
    ("times", r"how many times\b"),
    ("duration", rf"(?:for )?how (?:long|many (?:{_UNIT})s)\b|how much time\b"),
    ("code", ASKS_CODE),
    ("name", r"(?:.*\b)?(?:what|which)\b.*(?:\bnames? of\b|\b(?:called|named)\s*\?*\s*$)"),
    ("number", r"(?:for |at |by )?how (?:many|much|old|far|tall|big|high|fast|heavy|large)\b|(?:at )?what age\b"),
)
_WANTED = tuple((name, re.compile(rf"\s*(?:{pattern})", re.IGNORECASE)) for name, pattern in _WANTS)

NUMBER = (
    r"(?:\d[\d,.]*|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ]\w+)?|zero|one|two|three|four|five"
    r"|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|hundred"
    r"|thousand|million|dozens?|couple|few|several|half|once|twice|both)"
)
_CURRENCY = "usd|eur|gbp|chf|sek|nok|dkk|pln|inr|jpy"
_MEASURE = (  # what a number is not told without
    rf"{_CURRENCY}|dollars?|bucks?|euros?|cents?|quid|francs?|kr|percent|kms?|kilomet(?:er|re)s?|kgs?|kilos?|kilograms?"
    r"|cm|centimet(?:er|re)s?|pounds?|lbs?|miles?|feet|inches"
)
_CLOCK = r"\d{1,2}(?::\d\d)?\s*(?:a\.?m\b|p\.?m\b|o['’]clock)\.?|\d{1,2}:\d\d\b|\b(?:noon|midnight)\b"
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?|weekdays?"
SHAPES = {
    "clock": re.compile(_CLOCK, re.IGNORECASE),
    "weekday": re.compile(rf"\b(?:{_DAYS}|\d{{1,2}}(?:st|nd|rd|th))\b", re.IGNORECASE),
    "frequency": re.compile(
        rf"\b(?:every(?:\s\w+)?|each \w+|daily|weekly|monthly|yearly|annually|rarely|never|often|always|sometimes"
        rf"|(?:{NUMBER}|a)(?: times?| days?)?(?:,)? (?:a|an|per|each|every) (?:day|week|month|year)|once|twice)\b",
        re.IGNORECASE,
    ),
    "duration": re.compile(
        rf"\b(?:(?:{NUMBER}|an?|the whole|all)[\s-]+(?:and a half |or so |more |full |long |{NUMBER} )*"
        rf"(?:{_UNIT}|min|hr|decade)s?\b|since \w+)",
        re.IGNORECASE,
    ),
    "times": re.compile(rf"\b(?:once|twice|thrice|never|(?:{NUMBER}) (?:\w+ )?(?:times|attempts))\b", re.IGNORECASE),
    "code": CODE_SHAPE,
    "number": re.compile(
        rf"(?:[$€£¥₹]|\b(?:{_CURRENCY})\b)\s?\d[\d,.]*(?:[km]\b)?|\b{NUMBER}\b(?:\s?(?:[%$€£¥₹]|(?:{_MEASURE})\b))?",
        re.IGNORECASE,
    ),
}
PERSON = "person"
# What is counted in scripts without spaces: the words that ask for it, and figures or words for numbers.
COUNT = "count"
_COUNTS = late(
    "いくら|いくつ|何[歳時人個匹枚本冊回度番]|多少|[几幾][点點号號个個岁歲次天年只条块塊位]|เท่าไหร่|เท่าไร|กี่|얼마|몇"
)
COUNTED = late(
    "[0-9二三四五六七八九十百千万萬億亿两兩半〇零]|一[月日号號岁歲歳人点點時年回]|หนึ่ง|สอง|สาม|สี่|ห้า|หก|เจ็ด|แปด|เก้า|สิบ|ร้อย|พัน|หมื่น|แสน|ล้าน|ครึ่ง|เที่ยง"
    "|[일이삼사오육칠팔구십백천만]\\s?(?:[가-힣]|$)|하나|한\\s|두\\s|세\\s|네\\s|다섯|여섯|일곱|여덟|아홉|열|스무|반"
)
_CAPITAL = re.compile(  # "I" is no name; after a list's number the first word may be one
    r"(?:(?<=[^\W_][ ,;:]\s)|(?<=[^\W_]\s)|(?<=[\"'“‘(*_:–—-])|(?<=[:–—-]\s)|(?<=^\d\.\s)|(?<=\d\.\s))"
    r"(?!I\b|I['’])[A-Z\u00c0-\u00de\u0400-\u042f][\w'’-]*(?:\s+[A-Z\u00c0-\u00de\u0400-\u042f][\w'’-]*)*"
)
_WHERE = re.compile(r"\b(?:at|in|on|near|from|every|last|next|to|Dr|Mr|Mrs|Ms|St)\.?\s+(?:the\s+)?$")
_NO_NAME = re.compile(
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|January|February|March|April|May|June|July|August|September|October"
    r"|November|December|Christmas|Easter|Thanksgiving|Halloween|Dr|Mr|Mrs|Ms|OK|PM|AM|TV|DVD|PC|English|American"
)
_PLACE = re.compile(
    r"\bnames? of\b.*\b(?:store|shop|market|restaurant|caf[eé]|bar|pub|bakery|deli|hotel|hostel|venue|park|trail|school"
    r"|college|university|company|city|town|village|country|place|museum|gym|church|club|street|hall|airport|beach)s?\b",
    re.IGNORECASE,
)


_PLAN = re.compile(
    r"(?:when|(?:on )?(?:what|which) (?:day|date))(?:['’]?s| is| are| am| do| does| will| shall)\b", re.I
)


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """What kind of words would answer a question."""

    wants: str  # one of SHAPES (clock, number, …), name, count, person, date, yes_no, or "" for any words
    is_worked_out: bool  # a sum, a difference, a time between: nobody said it
    of_assistant: bool  # what the assistant said
    options: tuple[str, str] | None  # two things of which one came first
    asked: str  # of a question with two options, the words before them: "seeds were started"
    wants_later: bool  # of the two, the later one
    of_before: bool  # what no longer holds: "my previous job"
    of_now: bool  # what holds now, or has come about so far: the latest that was said
    says_now: bool  # and says so: "currently", "so far", "latest"
    of_plan: bool = False  # when something is to be: "When is the wedding?"


ANY_FORM = QuestionForm("", False, False, None, "", False, False, False, False)


def form_of(question: str, language: str = "") -> QuestionForm:
    """The form of a question, by its words alone; in the language that is given, if it tells none itself."""
    text = question[:LOOKED_AT].strip()
    if language or question_language(text):  # these rules are English: "was" is "what" in German
        return replace(ANY_FORM, wants=COUNT) if _COUNTS.search(text) else ANY_FORM
    asked = _last_sentence(text)
    wants = next((name for name, pattern in _WANTED if pattern.match(asked)), "")
    if not wants and wants_person(asked):
        wants = PERSON
    kind = kind_of(asked)
    if not wants and kind in ("when", "yes_no"):
        wants = "date" if kind == "when" else kind
    options, about = _options(text)
    of_before = _NO_LONGER.search(text) is not None
    says_now = _SAYS_NOW.search(asked) is not None
    return QuestionForm(
        wants=wants,
        is_worked_out=options is None and _WORKED_OUT.search(text) is not None,
        of_assistant=_OF_ASSISTANT.search(text) is not None,
        options=options,
        asked=about,
        wants_later=options is not None and _LATER.search(text) is not None,
        of_before=of_before,
        of_plan=not of_before and _PLAN.match(asked) is not None,
        of_now=not of_before and (says_now or (_NOW.search(asked) is not None and _THEN.search(asked) is None)),
        says_now=says_now,
    )


def _last_sentence(text: str) -> str:
    """The sentence that asks, where something is told first: "I bought a lens. How much was it?" """
    last = re.split(r"(?<=[a-z][.!])\s+(?=[A-Z])", text)[-1]
    return last if last.endswith("?") and len(last.split()) > 2 else text


def _options(text: str) -> tuple[tuple[str, str] | None, str]:
    """ "Which did I fix first, the fence or the gate?" -> the fence and the gate; "did I fix"."""
    found = _OPTIONS.match(text)
    if found is None or _EARLIER.search(found["asked"]) is None:
        return None, ""
    asked = _GENERAL.sub("", _EARLIER.sub("", found["asked"]))
    return (_thing(found["one"]), _thing(found["other"])), " ".join(asked.split())


def _thing(text: str) -> str:
    return text.strip().rstrip(".")


def names_something(question: str, text: str) -> bool:
    """Whether a text has a name that the question does not: a word with a capital within a sentence, or in quotes.

    Days and months are none, nor what stands after "at" or "in", unless a place is asked for.
    """
    asked = question.casefold()
    may_be_place = _PLACE.search(question) is not None
    for found in _CAPITAL.finditer(text):
        is_place = _WHERE.search(text[max(0, found.start() - 12) : found.start()]) is not None
        if found[0].casefold() not in asked and _NO_NAME.fullmatch(found[0]) is None and (may_be_place or not is_place):
            return True
    return False


def has_wanted_name(form: QuestionForm, question: str, text: str, by_user: bool = False) -> bool:
    """Whether a text has a name, or tells of a person, where the question asks for one."""
    if form.wants == PERSON:
        return names_somebody(question, text, by_user)
    return form.wants != "name" or names_something(question, text)


def has_shape(wants: str, text: str) -> bool:
    """Whether a text has words of the wanted type; any text has, where none in particular is wanted."""
    shape = COUNTED if wants == COUNT else SHAPES.get(wants)
    return shape is None or shape.search(text) is not None
