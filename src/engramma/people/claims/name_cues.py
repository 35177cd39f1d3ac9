"""Cues: what a talk says about what a capitalised name is, by the words beside it.

"My friend Zorah", "Zorah told me" and "Hi Zorah," are said of people; "on Zorah", "the Zorah app" of things; "in Zorah"
of places. A word that is written in small letters as well is no name at all: "Salt" at the head of a line is salt.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from engramma.people.claims.names import KIN, NO_NAMES, PETS
from engramma.people.entities.known_names import TITLES, first_names, head_type, place_names, word_names
from engramma.people.grammar.sets import wordset
from engramma.records import Turn

MOST_TEXT = 20_000  # characters of a turn, as of what is extracted
_NAME = re.compile(r"(?<![\w'’@#/.-])[A-ZÀ-ÞŁŚŞČŽ][\w’'&-]*(?:[ ](?:[A-ZÀ-ÞŁŚŞČŽ][\w’'&-]*))*")
_SMALL = re.compile(r"(?<![\w'’-])[a-zà-ÿ][\w-]*")
_POSSESSIVE = re.compile(r"['’]s?$")
_INSIDE = re.compile(r"[a-z0-9,;)] [\"“'(*_]*$")
_NEAR = 80  # characters beside a name that are looked at
_BEFORE = re.compile(r"([\w'’]+)([\s,*_\"“(]*)$")
_AFTER = re.compile(r"^['’]?s?([\s,*_\"”)]*)([\w'’]+)")
_TOLD = wordset(
    "said says told tells asked asks replied texted emailed thinks suggested mentioned laughed smiled agreed invited"
    " married who whom herself himself loves hates wants feels thought felt cried joked apologized apologised confessed"
    " graduated proposed insisted admitted hugged"
)
_MET = wordset(
    "told asked met meet meeting married dating thanked texted invited hugged hi hey hello dear cheers named marrying"
    " phoned divorced"
)
_THEIRS = wordset("birthday wedding house kids face hair advice parents apartment wife husband") | frozenset(KIN)
_TOOLS = wordset("on at via using use uses used download downloaded install installed through")
_AMONG = re.compile(
    r"\b(?:brand|store|compan|retailer|app|tool|platform|website|service|product|label|designer|seller)\w*"
    r" (?:like|such as|including|from) (?:[A-Z][\w&'’ ]*, )*(?:(?:and|or) )?$"
)
_IS_THING = re.compile(
    r"^ (?:is|was|are) (?:an?|the|one of)\b[\w ,-]{0,40}\b(?:brand|company|app|platform|store|retailer|website|tool"
    r"|series|podcast|band|game|framework|library|service|product|dog|cat|pet)\b"
)
_KINDS = wordset(
    "app apps website site platform software account brand course class subscription store shop hotel airport"
    " restaurant museum festival framework library certification model series show album song book movie film game"
)
_SELLS = wordset("offers offer provides sells features specializes specialises carries ships stocks includes supports")
_ARTICLES = wordset("the a an this these those")
_WORKS = wordset(
    "author writer novelist poet actor actress singer songwriter musician guitarist pianist director filmmaker host"
    " founder co-founder ceo president chef artist painter comedian designer photographer professor psychologist"
    " philosopher entrepreneur investor player blogger journalist historian scientist athlete"
)
_MADE_BY = re.compile(
    r"\b(?:written|directed|hosted|narrated|founded|painted|composed|authored|starring|novel|book) by $"
)
_PLACED = wordset("in near around throughout across")
_THANKS = re.compile(r"(?:^|[\n.!?]\s*)(?:hi|hey|hello|dear|thanks|thank you|sorry|bye)[ ,]+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NameCues:
    """How often a talk speaks of a name as of somebody, something or somewhere; and what it writes in small letters."""

    people: Counter[str] = field(default_factory=Counter)
    things: Counter[str] = field(default_factory=Counter)
    places: Counter[str] = field(default_factory=Counter)
    small: frozenset[str] = frozenset()
    inside: frozenset[str] = frozenset()  # names that stand within a sentence and not only at its head
    human: frozenset[str] = frozenset()  # names that not only an assistant says


def read_cues(turns: Iterable[Turn]) -> NameCues:
    """The cues of all names in some turns, by one pass through each."""
    people, things, places = Counter[str](), Counter[str](), Counter[str]()
    small, inside = set[str](), set[str]()
    human = set[str]()
    for turn in turns:
        if turn.role in ("system", "tool"):
            continue
        text = turn.text[:MOST_TEXT]
        small.update(_SMALL.findall(text))
        for found in _NAME.finditer(text):
            names = _heads(found[0])
            if not names:
                continue
            before, after = text[max(0, found.start() - _NEAR) : found.start()], text[found.end() : found.end() + _NEAR]
            owned = bool(_POSSESSIVE.search(found[0]))
            if turn.role != "assistant":
                human.update(names)
            if _INSIDE.search(before):
                inside.update(names)
            if _of_person(found[0], before, after, owned):
                people.update(names)
            elif _of_place(before):
                places.update(names)
            elif _of_thing(before, after, owned):
                things.update(names)
    return NameCues(people, things, places, frozenset(small), frozenset(inside), frozenset(human))


def _heads(found: str) -> list[str]:
    """What a run of capitalised words may be the name of: the whole, and its first word."""
    words = [_POSSESSIVE.sub("", word) for word in found.split()]
    while words and words[0].casefold().rstrip(".") in NO_NAMES | TITLES:
        words = words[1:]
    if not words:
        return []
    runs = (" ".join(words), " ".join(words[:3]), " ".join(words[:2]), words[0])
    return list(dict.fromkeys(run.casefold() for run in runs))


def _of_person(name: str, before: str, after: str, owned: bool) -> bool:
    word, gap = _word_before(before)
    first = name.split()[0].casefold().rstrip(".")
    if first in TITLES or word.rstrip(".") in TITLES or _THANKS.search(before):
        return True
    if word in KIN and word not in ("team", "family", "manager") and gap.strip(' *_"“(') in ("", ","):
        return True  # "my sister Ines", "a friend, Ines"
    if word in PETS or (word in ("named", "called") and _word_before(before.rstrip()[: -len(word)])[0] in PETS):
        return False
    if (word in _MET or word in _WORKS) and gap == " ":
        return True
    if _MADE_BY.search(before) and " " in name:
        return True
    next_gap, follows = _word_after(after)
    if owned:
        return follows in _THEIRS
    if follows in _TOLD and next_gap.strip() in ("", ","):
        return True
    return bool(re.match(r"(?: and (?:I|me)\b|,? (?:is )?(?:my|his|her|our|their) \w+)", after)) and (
        next((w for w in re.findall(r"\w+", after)[1:4] if w in KIN), "") != ""
        or after.startswith((" and I", " and me"))
    )


def _of_place(before: str) -> bool:
    word, gap = _word_before(before)
    return word in _PLACED and gap == " "


def _of_thing(before: str, after: str, owned: bool) -> bool:
    word, gap = _word_before(before)
    if word in PETS or word in ("named", "called") or _AMONG.search(before) or _IS_THING.match(after):
        return True
    if word in _TOOLS | _ARTICLES and gap == " " and not owned:
        return True
    gap, follows = _word_after(after)
    return not owned and gap == " " and (follows in _KINDS or follows in _SELLS)


def _word_before(before: str) -> tuple[str, str]:
    found = _BEFORE.search(before)
    return (found[1].casefold(), found[2]) if found else ("", "")


def _word_after(after: str) -> tuple[str, str]:
    found = _AFTER.match(after)
    return (found[1], found[2].casefold()) if found else ("", "")


# --- what a name is ------------------------------------------------------------------------------


def name_type(name: str, cues: NameCues, people: Sequence[str] = ()) -> str:
    """What a capitalised name is: person, place, organisation, event, thing; "unknown" if it may be no name at all."""
    words = name.split()
    folded = name.casefold()
    if name in people:
        return "person"
    if words and words[0].casefold().rstrip(".") in TITLES and len(words) > 1:
        return "person"
    if not words or not all(word[:1].isupper() or word in ("of", "de", "van", "von", "the", "da") for word in words):
        return "thing" if any(word[:1].isupper() for word in words) else "unknown"
    if folded in place_names():
        return "person" if cues.people[folded] > max(1, cues.places[folded] + cues.things[folded]) else "place"
    if kind := head_type(name):
        return kind
    if _is_person(words, folded, cues):
        return "person"
    if all(word.casefold() in cues.small for word in words if word.isalpha() and len(word) > 2):
        return "unknown"
    return "thing" if folded in cues.inside or not name.replace(" ", "").isalpha() else "unknown"


def _is_person(words: Sequence[str], folded: str, cues: NameCues) -> bool:
    first = words[0].casefold()
    plain = all(word.replace("-", "").replace(".", "").replace("’", "").replace("'", "").isalpha() for word in words)
    if not plain or len(words) > 3 or any(word.isupper() and len(word) > 2 for word in words):
        return False
    if words[-1].casefold() in PETS or any(word.casefold() in cues.small for word in words[1:]):
        return False
    seen, against = cues.people[folded], cues.things[folded] + cues.places[folded]
    if first in first_names():
        if len(words) > 1:
            return against <= seen
        told = seen > 0 or folded in cues.human  # what only an assistant names is a brand as often
        return told and not (against > 1 and against > 2 * seen)
    return seen > against and words[0][1:].islower() and (first in word_names() or first not in cues.small)


def may_be_person(name: str, cues: NameCues) -> bool:
    """Whether "she" may mean what has this name: a person's, or one word that may be a cat's as well."""
    found = name_type(name, cues)
    return found == "person" or (found == "thing" and (" " not in name or cues.people[name.casefold()] > 0))
