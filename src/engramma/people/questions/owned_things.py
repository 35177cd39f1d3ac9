"""Questions for somebody's somebody or something ("Who is my accountant?"), for a phone number, for a birth.

The name of an accountant is told where an accountant is spoken of, and a phone number has digits: what is found without
is something else. And where nobody ever said "blood", nobody told Bao's blood type.
"""

from __future__ import annotations

import re
from itertools import takewhile

from ...language.lexical import STOP_WORDS, stems
from ...language.proper_names import proper_names
from ..claims.names import KIN
from ..entities.known_names import first_names
from ..grammar.sets import wordset
from ..grammar.verbs import FORMS
from .phrases import KIN_OF, NOUNS, TYPE_OF

_OWNER = r"(?:my|our|[A-Z][\w-]*(?: [A-Z][\w-]*)?['’]s?)"
_NAMED = r"(?:I|we|[A-Z][\w-]*(?: [A-Z][\w-]*)?)"
_OWNED = rf"{_OWNER} (?P<owned>[^\W\d_][\w' -]{{1,40}}?)"
_END = r"(?: (?:again|now|these days|at the moment))?\s*\??\s*$"
_ASKS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\s*[Ww]ho(?:['’]s| is| was| are| were) {_OWNED}{_END}",
        rf"(?i:.*\bnames? of) {_OWNED}{_END}",
        rf"\s*(?i:what(?:['’]s| is| was| are| were)) {_OWNED}(?:['’]s? name|(?: \w+)? (?i:called|named)){_END}",
        rf"\s*[Hh]ow many (?P<owned>[a-z]+) (?:do|does|did) {_NAMED} (?:have|own|keep){_END}",
    )
)
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
# Whether somebody is with somebody.
_TOGETHER = (
    r"\b(?:with|together|couple|dating|married|engaged|partner|husband|wife|boyfriend|girlfriend|ex|split|splitting"
    r"|finished|broke|left|divorced|separated|living|back)\b"
)
# Words that tell where; "on my own" and "at last" do not.
_SOMEWHERE = (
    r"(?i:\b(?:in|at|near|from|to|by|behind|beside|under|inside|outside|opposite|into|onto|off|around|over|between|on"
    r"|through|across|along|towards?|above|below|beyond|against|past|via|down|up|after|before|round|within|next)\s+"
    r"(?!(?:my|our|his|her|their|your) own\b|(?:last|least|all|once|time|purpose|about)\b)\w"
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
# The same of the very sentence that is quoted.
_SENTENCE_MARKS = (
    (re.compile(r"\s*where(?:['’]s| \w+)\b", re.IGNORECASE), re.compile(rf"{_SOMEWHERE}|(?<=[\w,] )[A-Z]|https?:")),
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
            r"\s*(?:how much (?:is|was|are|were|do|does|did) .*\b(?:cost|charge|pay|rent|price|fee)|what do(?:es)? \w+"
            r" charge\b)",
            re.IGNORECASE,
        ),
        re.compile(rf"\d|\b(?:free|nothing|{_NUMBERS})\b", re.IGNORECASE),
    ),
)
_CAPITAL = re.compile(r"\b[A-Z][a-z]+")
_OF_SOMEBODY = re.compile(
    r"\W*(?:(?:no|yes|yeah|and|but|so|well|oh)\b\W*)*(?:s?he)(?:['’]?s|['’]d|['’]ll)?\s", re.IGNORECASE
)
_WHOSE = r"(?:\b(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir)|\b[A-Z][\w-]*(?:['’]s|s['’]))"
# What somebody has, after whom it belongs to; not where it does something: "What does Ann's tattoo mean?"
_GROUP = re.compile(rf"(?<!\bdo )(?<!\bdoes )(?<!\bdid )(?<!\bhas )(?<!\bhave ){_WHOSE} (?P<group>(?:[\w-]+ ?){{1,4}})")
_WHAT_IS = re.compile(rf"\b[Ww]hat (?P<group>(?:[a-z-]+ ){{1,3}}?)(?:is|are|am|was|were) {_NAMED}\s*\?*\s*$")
# What is told without its name: a job, an age, a colour, a cousin, and which of several it is.
_TOLD_UNNAMED = wordset(
    "name names colour color address price cost rent fee date day time number reason kind type sort pet pets breed"
    " favourite favorite status opinion thoughts feelings reaction"
    " current present previous former latest recent last next first second third final original new newest old oldest"
    " usual regular main total overall whole own personal best worst highest lowest biggest largest smallest longest"
    " shortest fastest"
) | {word for nouns in (NOUNS, KIN, KIN_OF, TYPE_OF) for noun in nouns for word in noun.split()}


def attribute_words(question: str) -> list[str]:
    """The words for what a question asks of somebody: blood and type in "What is Bao's blood type?".

    Those that are told without being named are left out, and what may be mistyped or a name.
    """
    words = [word for found in _WHAT_IS.finditer(question) for word in found["group"].split()]
    for found in _GROUP.finditer(question):
        words += takewhile(_is_of_group, found["group"].split())
    named = [word.lower() for word in words if word.lower() not in _TOLD_UNNAMED]
    if not named:
        return []
    from ...models.common_words import common_words  # its vocabulary costs only who needs it

    return [word for word in named if word in common_words()]


def _is_of_group(word: str) -> bool:
    """Whether a word still belongs to a group of nouns: not "in", not "visit"."""
    form = FORMS.get(word.lower())
    return word.lower() not in STOP_WORDS and (form is None or not form.kinds & {"base", "s", "past"})


def owned_noun(question: str) -> str:
    """What the one asked for is to somebody: "accountant" in "Who is my accountant?"; "" for other questions."""
    found = next((match for pattern in _ASKS if (match := pattern.match(question))), None)
    return found["owned"].split()[-1].lower() if found else ""


def speaks_of_owned(question: str, text: str) -> bool:
    """Whether a text speaks of what is asked for: the accountant, or mum for a mother. True for other questions."""
    noun = owned_noun(question)
    if not noun:
        return True
    words = set(re.findall(r"[^\W\d_]+", text.lower()))
    if noun in KIN and any(KIN[word][0] == KIN[noun][0] for word in words & KIN.keys()):
        return True
    return not set(stems(noun)).isdisjoint(stems(text))


def has_marks(question: str, text: str) -> bool:
    """Whether a text has the phone number, mail address, birth or colour asked for. True for other questions."""
    return all(mark.search(text) for asked, mark in _MARKS if asked.search(question))


def tells_kind(question: str, sentence: str) -> bool:
    """Whether a sentence tells the kind of thing that is asked for: where, how much. True for other questions."""
    return all(mark.search(sentence) for asked, mark in _SENTENCE_MARKS if asked.match(question))


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
