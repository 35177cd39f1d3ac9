"""Kinds of answers: what a text has that tells a phone number, a birth, a colour, where, how much or how old.

A phone number has digits, and a place is somewhere: what is found without is something else. So is what is said of a
"she" who is not the one asked about.
"""

from __future__ import annotations

import re

from ...language.proper_names import proper_names
from ..entities.known_names import first_names

_COLOURS = (
    "red|blue|green|yellow|orange|purple|violet|pink|brown|black|white|gr[ae]y|silver|gold|beige|cream|navy|teal"
    "|turquoise|maroon|crimson|scarlet|lilac|lavender|magenta|indigo|olive|khaki|tan\\b|ivory|bronze|copper|colou?r"
    "|pastel|neon|dark|light\\b|bright|blond|brunette|ginger|auburn|plum|mint|peach|coral|rose\\b|burgundy|mustard"
)
_NUMBERS = "one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|hundred|thousand"
# A number that may be an age: not a price, a time, a day or a measure.
_AGE = (
    rf"(?<![£$€\d.,:])\b(?:\d{{1,3}}|{_NUMBERS})\b(?!\s*(?:quid|euros?|pounds?|dollars?|bucks|p\b|%|percent|[ap]m\b|km|miles"
    r"|kg|weeks? ago|days?|minutes?|mins?|hours?|times)|[:.,]\d|(?:st|nd|rd|th)\b)"
    r"|\b(?:born|birthday|teens?|teenager|baby|toddler|newborn|(?:twent|thirt|fort|fift|sixt|sevent|eight|ninet)(?:y|ies))\b"
)
# An amount that may be a price: not a distance, a weight, a time or a day.
_MONEY = (
    rf"[£$€¥₹]\s?\d|\b(?:\d[\d,.]*(?<=\d)(?![,.]?\d)|(?:{_NUMBERS})(?:-\w+)?)(?:\s?k|\s?grand)?\b"
    r"(?!\s*-?(?:miles?|kms?|kgs?|kilos?|hours?|hrs?|mins?"
    r"|minutes?|days?|weeks?|months?|years?|st|nd|rd|th|[ap]m|percent|times)\b|\s*%"
    # nor a count: "310 loads", but "85 euros", "60 plus VAT"
    r"|\s+(?!(?:euros|dollars|pounds|bucks|cents|notes|less|plus|minus|unless|was|this|yes|says|its|as|is|thanks)\b)"
    r"[a-z]{3,}s\b|\s+people\b)"
    r"|\b(?:free|nothing|quid|grand|bucks|gratis)\b"
)
# What people sell, and what "What did she get for the old van?" asks the price of.
_DEARER = (
    "house|home|flat|cottage|land|field|car|van|bike|motorbike|boat|caravan|camper|tractor|truck|trailer|piano|guitar"
    "|laptop|phone|camera|bicycle|scooter"
)
# Whether somebody is with somebody.
_TOGETHER = (
    r"\b(?:with|together|couple|dating|married|engaged|partner|husband|wife|boyfriend|girlfriend|ex|split|splitting"
    r"|finished|broke|left|divorced|separated|living|back)\b"
)
# Words for times: "on Saturday" and "at 4:20" do not tell where.
_TIME = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|tues?|thur?s?|fri|sat)\b|january|february|march|april|may|june"
    r"|july|august|september|october|november|december|\d|(?:the )?(?:(?:morning|afternoon|evening|night|weekend|summer"
    r"|winter|autumn|spring|meantime|end|beginning|noon|midnight)\b|\d{1,2}(?:st|nd|rd|th)\b)"
    r"|(?:this|next|last) (?:week|month|year|weekend|time)\b"
    r"|(?:an?|one|two|three|a few) (?:minute|hour|day|week|month|year)s?\b"
)
# Words that tell where; "on my own" and "at last" do not.
_SOMEWHERE = (
    r"(?i:\b(?:in|at|near|from|to|by|behind|beside|under|inside|outside|opposite|into|onto|off|around|over|between|on"
    r"|through|across|along|towards?|above|below|beyond|against|past|via|down|up|after|before|round|within|next)\s+"
    rf"(?!(?:my|our|his|her|their|your) own\b|(?:last|least|all|once|time|purpose|about)\b|(?:{_TIME}))\w"
    r"|\b(?:for|with) (?:the|an?|my|our|his|her|their)\b"
    r"|\b(?:here|there|upstairs|downstairs|abroad|home|online|outside|inside|nearby|overseas|everywhere|nowhere)\b)"
)
# What is asked for, and what a text that tells it has.
_MARKS = (
    (re.compile(r"\b(?:phone|mobile|cell|telephone) number\b", re.IGNORECASE), re.compile(r"\d(?:[\d ()/.-]*\d){5}")),
    (re.compile(r"\bborn\b", re.IGNORECASE), re.compile(r"\bborn\b|\bbirth|\bb-?day\b", re.IGNORECASE)),
    (re.compile(r"\be-?mail address\b", re.IGNORECASE), re.compile(r"\S@\S|\bat\b.{1,40}\bdot\b", re.IGNORECASE)),
    (re.compile(r"\s*what (?:\w+ )?colou?r\b", re.IGNORECASE), re.compile(rf"\b(?:{_COLOURS})", re.IGNORECASE)),
)
_WHERE = re.compile(r"\s*where(?:['’]s| \w+)\b", re.IGNORECASE)
# The same of the very sentence that is quoted.
_SENTENCE_MARKS = (
    (_WHERE, re.compile(rf"{_SOMEWHERE}|(?<=[\w,] )(?!(?i:{_TIME})|I\b)[A-Z]|https?:")),
    (re.compile(r"\s*how old\b", re.IGNORECASE), re.compile(_AGE, re.IGNORECASE)),
    (
        re.compile(r"\s*(?:[Ii]s|[Aa]re|[Ww]as|[Ww]ere) .*\bwith [A-Z][\w-]+\s*\??\s*$"),
        re.compile(_TOGETHER, re.IGNORECASE),
    ),
    (
        re.compile(r"\s*how old am i\b", re.IGNORECASE),
        re.compile(
            r"\bi['’]?m\b|\bi (?:am|was)\b|\bturn(?:ed|ing|s)?\b|\bmy (?:age|\d)|\bbirthday\b|\bborn\b", re.IGNORECASE
        ),
    ),
    (
        re.compile(
            r"\s*(?:how much (?:is|was|were|are) (?!(?:left|enough|too)\b)(?:[\w'’]+ ){0,2}[\w'’]+\W*$"
            r"|(?:for )?how much\b"
            r"(?! (?:time|weight|of(?! an? (?:pay )?(?:rise|raise|discount|deposit|refund)\b)|more|further)\b)"
            r".*\b(?:cost|charge|pay|paid|rent|price|fee|sell|sold|spend|spent|earn|owe|r[ai]+se|buy|bought|worth|money"
            r"|discount|deposit|refund)|what do(?:es)? \w+ charge\b|what (?:was|is) my (?:half|share|part|cut)\b)",
            re.IGNORECASE,
        ),
        re.compile(_MONEY, re.IGNORECASE),
    ),
    (
        re.compile(
            rf"\s*what (?:did|does|do|will) (?:\w+ ){{1,3}}(?:pay|sell|get|ask) .*\bfor\b.*\b(?:{_DEARER})\W*$",
            re.IGNORECASE,
        ),
        re.compile(_MONEY, re.IGNORECASE),
    ),
    (
        re.compile(r"\s*how (?:much|heavy)\b.*\b(?:weigh(?:s|ed|t)?|heavy)\b", re.IGNORECASE),
        re.compile(
            r"\d\s*(?:kilos?|kgs?|kilograms?|g|grams?|lbs?|pounds?|stones?|st|oz|ounces?|tons?|tonnes?)\b|weigh"
            r"|\b(?:kilos?|kgs?|stones?|pounds|lbs|ounces|tonnes?|tons)\b",
            re.IGNORECASE,
        ),
    ),
    (
        re.compile(
            r"\s*what(?:['’]s| is| was) the (?:\w+ )?score\b|\s*what (?:working |opening )?hours\b", re.IGNORECASE
        ),
        re.compile(rf"\d|\b(?:nil|{_NUMBERS})\b"),
    ),
    (
        re.compile(
            r"\s*which (?:knee|leg|arm|foot|hand|eye|ear|shoulder|hip|side|ankle|wrist|elbow|thumb|lung|kidney)\b",
            re.IGNORECASE,
        ),
        re.compile(r"\b(?:left|right|both|other)\b", re.IGNORECASE),
    ),
)
_NOT_THERE = re.compile(
    r"\b(?:not|never|nowhere|can(?:no|['’]?)t|\w+n['’]t|isnt|wasnt|arent|dont|doesnt|didnt|wont|couldnt)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,.;:!?…–—]+|\s(?:but|so|because|and|since|as)\s", re.IGNORECASE)
_THOUGHT_OF = re.compile(
    r"\s*what (?:did|do|does) .{1,40}? (?:think (?:of|about)|make of|feel about)\s+(?:the |an? |my |our |his |her )?"
    r"(?P<thing>[^?]{3,60}?)\s*\??\s*$",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"\b[A-Z][a-z]+")
_OF_SOMEBODY = re.compile(
    r"\W*(?:(?:no|yes|yeah|and|but|so|well|oh)\b\W*)*(?:s?he)(?:['’]?s|['’]d|['’]ll)?\s", re.IGNORECASE
)


def has_marks(question: str, text: str) -> bool:
    """Whether a text has the phone number, mail address, birth or colour asked for. True for other questions."""
    return all(mark.search(text) for asked, mark in _MARKS if asked.search(question))


def tells_kind(question: str, sentence: str) -> bool:
    """Whether a sentence tells the kind of thing that is asked for: where, how much. True for other questions."""
    return all(mark.search(sentence) for asked, mark in _SENTENCE_MARKS if asked.match(question))


def is_ruled_out(question: str, sentence: str) -> bool:
    """Whether all that a sentence tells where is where it is not: "can't stay in the barn, lambing"."""
    if not _WHERE.match(question) or _NOT_THERE.search(question) or not _NOT_THERE.search(sentence):
        return False
    left = [part for part in _CLAUSE.split(sentence) if not _NOT_THERE.search(part)]
    return not any(mark.search(part) for asked, mark in _SENTENCE_MARKS[:1] for part in left)


def thing_thought_of(question: str) -> str:
    """What an opinion is asked of, in small letters: "What did I think of Small Things?"; "" for other questions."""
    found = _THOUGHT_OF.match(question)
    return found["thing"].lower() if found else ""


def is_of_another(question: str, sentence: str, before: str, turn: str) -> bool:
    """Whether a sentence says it of a "she" who is none of those named in the question.

    She is somebody named in the turn so far, or where nobody is, in the turn before or the rest of it.
    """
    asked = {name.casefold() for name in proper_names(question)}
    if not asked or not _OF_SOMEBODY.match(sentence):
        return False
    said = turn.partition(sentence)[0]
    is_named = proper_names(said) or any(word.casefold() in first_names() for word in _CAPITAL.findall(said))
    around = said if is_named else f"{before}\n{turn}"
    return asked.isdisjoint(re.findall(r"[^\W\d_]+", around.casefold()))
