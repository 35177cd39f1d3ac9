"""Questions that ask for a sum, an average or a difference of things that were each said: which things, and of what.

"What is the total cost of the tent and the stove?" -> the sum of two amounts of money, of "the tent" and "the stove".
"How much more was the taxi than the train?" -> their difference; "How much did I save on the bike?" -> what it used to
cost, less what was paid. What names no two things is no such question: "How
much did I spend this year?" would have to find every purchase, and would be wrong when it misses one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ...language.amounts import find_amounts
from ...language.question_language import question_language

Order = Literal["", "more", "less"]  # which of two the question holds for the larger
Operation = Literal["sum", "average", "difference", "saving"]

LONGEST_QUESTION = 300  # characters: one that asks for two things is short, and the patterns below stay quick
MOST_THINGS = 4
LONGEST = 8  # words of a thing

_ASKS = re.compile(
    r"\bhow (?:much|many|long|far)\b|\bwhat(?:['’]s| is| was| are| were| will be| would be) (?:the |my |our )?(?:\w+ )?"
    r"(?:total|combined|sum|average|mean|difference|price difference)\b",
    re.IGNORECASE,
)
_NO_THING = re.compile(r"(?:am|is|are|was|were|when|how|what|I|we|you|it|now|then|before)\b")
_TOGETHER = re.compile(r"\b(?:total|combined|altogether|in all|sum of|together)\b", re.IGNORECASE)
_AVERAGE = re.compile(r"\b(?:average|mean)\b", re.IGNORECASE)
_BEFORE = r"of|on|for|from|in|at|by|with|during|to|between|sold|sell|bought|buy"
_QUOTED_TITLES = re.compile(r"""["“‘'](?P<one>[^"”’']+)["”’'],?\s+and\s+["“‘'](?P<other>[^"”’']+)["”’']""")
_LISTED = re.compile(
    rf"\b(?:{_BEFORE})\s+(?P<things>(?:(?!\b(?:{_BEFORE})\s)[^?.;])+?(?:,[^?.;]+?)?,?\s+and\s+[^?.;]+)", re.IGNORECASE
)
_AND = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_PREPOSITION = re.compile(r"^(?:of|on|for|from|in|at|by|with|during|to|the|a|an|my|our|both)\s+", re.IGNORECASE)
_CLAUSE = re.compile(
    r",?\s+(?:that|which|who|I|we|you|did|have|had|do|does|combined|altogether|together|in total|in all|so far|each"
    r"|when|(?:this|last|next|these|past) (?:year|month|week|summer|winter|spring|fall|autumn|few)\w*)\b.*$",
    re.IGNORECASE,
)
_PART_OF_A_THING = re.compile(
    r"(?<!number )\b(?:of|on|for)\s+(?P<noun>(?:the|my|our|a|an)\s+(?!\w*\b(?:I|we)\b)[\w'’-]+(?:\s+[\w'’-]+)?)\s+$",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\bdifference (?P<in>.*?)\s*between (?P<one>[^?]+?)\s+and\s+(?P<other>[^?]+)", re.IGNORECASE)
_THAN = re.compile(
    r"\bhow (?:much|many) (?P<more>(?:\w+ )?(?:more|less|fewer|\w+er)\b(?: \w+ing| expensive| costly| time| money)?)"
    r"(?P<one>[^?]+?),?\s+(?:than|compared (?:to|with)|versus|vs\.?|as opposed to)\s+(?P<other>[^?]+)",
    re.IGNORECASE,
)
_SAVED = re.compile(
    r"\bhow much\b[^?]*?\bsav(?:e|ed|ing)\b[^?]*?\bby\s+(?P<one>[^?]+?),?\s+(?:instead of|rather than|over)\s+"
    r"(?P<other>[^?]+)",
    re.IGNORECASE,
)
_SAVED_ON = re.compile(
    r"\bhow much (?:money )?(?:did|have|had|do|will|would) \w+ saved? (?:on|when buying|by buying) (?P<thing>[^?]+)",
    re.IGNORECASE,
)
_LAST_PART = re.compile(rf"^(?P<context>.+)\s(?:{_BEFORE})\s+(?P<thing>[^?]+)$", re.IGNORECASE)
_VERB = re.compile(
    r"^\s*(?:\w+\s+)?(?:was|were|is|are|did|do|does|have|has|had|will|would)\s+(?:(?:I|we|you|it)\s+)?", re.IGNORECASE
)
_WITH_ING = re.compile(r"^\w+ing\s+", re.IGNORECASE)

_MONEY = re.compile(
    r"\b(?:cost|price|priced|money|spen[dt]|spending|paid|pay|earn(?:ed)?|sav(?:e|ed)|expensive|cheaper|costly|worth|raised?"
    r"|sold|sell|fares?|fees?|salary|budget|rent|bill|dollars|euros|amount|value|made|make)\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if|not|n['’]t|without|excluding|except|apart from|would have|in (?:dollars|euros))\b", re.I
)
_SOMEBODY_ELSE = re.compile(
    r"\b(?:did|does|do|has|have|had|will|would)\s+(?!I\b|we\b|you\b|it\b|the\b|my\b|our\b|that\b|this\b|save\b)\w+",
    re.IGNORECASE,
)
_SOMEBODY_OF_MINE = re.compile(
    r"\b(?:did|does|do|has|have|had|will|would)\s+(?:my|our)\s+(?:\w+\s+){1,2}(?:spend|pay|earn|buy|save|get|sell|make)\b",
    re.IGNORECASE,
)
_EARNED = re.compile(r"\b(?:earn(?:ed)?|sell|sold|make|made|raised?|win|won|get back)\b", re.IGNORECASE)
_LESS = re.compile(
    r"\b(?:less|fewer|cheaper|shorter|younger|lighter|faster|quicker|smaller|lower|earlier)\b", re.IGNORECASE
)
_TIME_UNIT = re.compile(r"\bhow many (?:more |fewer )?(minute|hour|day|night|week|month|year)s?\b", re.IGNORECASE)
_MEASURES = (
    ("percentage", r"\b(?:percent|percentage|discount)\b"),
    ("distance", r"\b(?:distance|miles?|kilomet(?:er|re)s?|km|far|farther|further)\b"),
    ("weight", r"\b(?:weight|weigh|heavier|lighter|pounds?|kilos?|kilograms?)\b"),
    ("time", r"\b(?:how long|(?:total|much|more|less) time|hours?|minutes?|days?|nights?|weeks?|longer|shorter)\b"),
    ("calendar", r"\b(?:months?|years?|older|younger)\b"),
)
_COUNTED = re.compile(
    r"\b(?:how many(?: more| fewer| less)?|(?:total|average) number of|number of)\s+(?P<nouns>(?:[\w'’-]+\s?){1,3})",
    re.IGNORECASE,
)
_NO_NOUN = re.compile(
    r"\b(?:did|do|does|have|has|had|I|we|you|was|were|is|are|in|on|from|of|at|with|for|to|more|total|the|my)\b.*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Calculation:
    """What is to be added, averaged or subtracted: two to four things, and what is measured of each."""

    operation: Operation
    things: tuple[str, ...]
    context: str  # the question's other words
    measure: str  # money, time, calendar, distance, weight, percentage, "count", or "" for a plain number
    counted: str = ""  # what is counted: "lunch meals"
    order: Order = ""  # of a difference: the first thing is said to be more, or less, than the second
    is_earned: bool = False  # asked is what was earned, not what was paid
    unit: str = ""  # of a time, in which it is asked for


def find_calculation(question: str) -> Calculation | None:
    """The calculation that a question asks for, by its words alone; None if it asks for none that names its parts."""
    text = " ".join(question[: 2 * LONGEST_QUESTION].split())
    if len(text) > LONGEST_QUESTION or question_language(text) or _ASKS.search(text) is None:
        return None
    found = _difference(text) or _saving(text) or _sum(text)
    if found is None:
        return None
    operation, things, context = found
    things = tuple(dict.fromkeys(_clean(thing) for thing in things))
    fewest = 1 if operation == "saving" else 2
    if not fewest <= len(things) <= MOST_THINGS or not all(0 < len(thing.split()) <= LONGEST for thing in things):
        return None
    measure, counted = _measured(text)
    is_priced = any(amount.kind and amount.kind in "$€£¥" for amount in find_amounts(text))
    if is_priced or _SUPPOSED.search(text) is not None or _names_somebody(text):
        return None
    if any(_NO_THING.match(thing) for thing in things) or (operation == "difference" and not measure):
        return None
    order = _order(text) if operation == "difference" else ""
    is_earned = _EARNED.search(text) is not None
    unit = _TIME_UNIT.search(text) if measure in ("time", "calendar") else None
    told = unit[1].lower() if unit is not None else ""
    return Calculation(operation, things, " ".join(context.split()), measure, counted, order, is_earned, told)


def _names_somebody(text: str) -> bool:
    """Whether it is asked what somebody other than the user spent: whose amount it is would have to be told first."""
    return _SOMEBODY_ELSE.search(text) is not None or _SOMEBODY_OF_MINE.search(text) is not None


def _order(text: str) -> Order:
    """ "How much more was A than B?": A is more; "cheaper", "less" and "save by A": it is less."""
    if _SAVED.search(text) is not None:
        return "less"
    than = _THAN.search(text)
    if than is None:
        return ""
    return "less" if _LESS.search(than["more"]) else "more"


def _sum(text: str) -> tuple[Operation, tuple[str, ...], str] | None:
    is_average = _AVERAGE.search(text) is not None
    if not is_average and _TOGETHER.search(text) is None:
        return None
    operation: Operation = "average" if is_average else "sum"
    titles = _QUOTED_TITLES.search(text)
    if titles is not None:
        return operation, (titles["one"], titles["other"]), text[: titles.start()]
    lists = list(_LISTED.finditer(text))
    if not lists:
        return None
    listed = lists[-1]
    things = _CLAUSE.sub("", listed["things"].strip())
    begins, rest = listed.start(), listed["things"][len(things) :]
    if (part := _PART_OF_A_THING.search(text[:begins])) is not None:  # "the tent with the poles and the lantern"
        things = f"{part['noun']} {text[begins : listed.start('things')]}{things}"
        begins = part.start()
    return operation, tuple(_AND.split(things)), f"{text[:begins]} {rest}"


def _saving(text: str) -> tuple[Operation, tuple[str, ...], str] | None:
    """How much less was paid for one thing than it used to cost."""
    found = _SAVED_ON.search(text)
    if found is None or " and " in found["thing"]:
        return None
    return "saving", (_CLAUSE.sub("", found["thing"]),), ""


def _difference(text: str) -> tuple[Operation, tuple[str, ...], str] | None:
    between = _BETWEEN.search(text)
    if between is not None:
        return "difference", (between["one"], _CLAUSE.sub("", between["other"])), between["in"]
    saved = _SAVED.search(text)
    if saved is not None:
        pair = (_WITH_ING.sub("", saved["one"]), _WITH_ING.sub("", saved["other"]))
        return "difference", pair, text[: saved.start("one")]
    than = _THAN.search(text)
    if than is None:
        return None
    one = _VERB.sub("", than["one"]).strip()
    context = f"{text[: than.start()]} {than['more']}"
    part = _LAST_PART.match(one)
    is_alike = re.match(rf"(?:{_BEFORE})\s", than["other"], re.IGNORECASE) is not None
    if part is not None and (is_alike or len(one.split()) > len(than["other"].split()) + 1):
        one, context = part["thing"], f"{context} {part['context']}"
    return "difference", (one, _CLAUSE.sub("", than["other"])), context


def _clean(thing: str) -> str:
    thing = thing.strip(" \"'“”‘’,.?!")
    while (shorter := _PREPOSITION.sub("", thing)) != thing:
        thing = shorter
    return thing


def _measured(text: str) -> tuple[str, str]:
    """What is measured of each thing, and, of a count, what is counted."""
    if re.search(r"\bhow much\b", text, re.IGNORECASE) and _MONEY.search(text) is not None:
        return "money", ""
    counted = _COUNTED.search(text)
    nouns = _NO_NOUN.sub("", counted["nouns"]).strip() if counted is not None else ""
    than = _THAN.search(text)
    told = nouns or (than["more"] if than is not None else text)
    for measure, pattern in _MEASURES:
        if re.search(pattern, told, re.IGNORECASE):
            return measure, ""
    if nouns:
        return "count", nouns
    is_money = (
        _MONEY.search(text) is not None or re.search(r"\bhow much (?:more|less)\b", text, re.IGNORECASE) is not None
    )
    return ("money", "") if is_money else ("", "")
