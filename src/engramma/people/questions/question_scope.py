"""Routing a question: whom it is about, in which conversations to look, and what kind of answer it wants.

People are known by what the store says: its speakers. A question names one by the whole name, by a part of it,
by its possessive, in lower case, or by a short form ("Mel"); "I" and "my" are the user of a chat with an assistant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from ...language.dates import intervals
from ...language.folded_names import is_joining
from ...language.function_words import fold_accents
from ...language.lexical import STOP_WORDS
from ...language.question_language import question_language
from ...language.quoting import is_disguised
from ...language.text import infer_role
from ...language.unspaced import has_runs, name_forms, name_place
from ..entities.known_names import first_names, head_type

SHORTEST = 3  # letters of a short form: "Mel", but not "Me"
LOOKED_AT = 2_000  # characters of a question in which names are looked for
GLOBAL = "global"  # the scope of everything the person took part in

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_GOES_ON = re.compile(r" (?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b)[A-Z][a-z]+")  # the next word of a name
_POSSESSIVE = re.compile(r"['’]s?$")
_WHICH_LISTS = (
    r"(?:kinds|types|sorts|things|ways|names)\b|(?:are|were)\b"
    r"|[a-z]{2,}(?:[^\W\dsu'i]s|ies) (?:did|do|does|has|have|had|are|were|can|could|will|would|might|besides|of|from)\b"
)
_I = re.compile(r"\b(?:i|my|me|mine|myself|i['’](?:m|ve|d|ll))\b", re.IGNORECASE)
_I_DO = re.compile(r"\bi\b|\bi['’](?:m|ve|d|ll)\b", re.IGNORECASE)
_YOU = re.compile(r"\b(?:you|your|yours|you['’](?:re|ve|d|ll))\b", re.IGNORECASE)
_AUXILIARY = (
    "is are was were am do does did has have had can could will would should shall may might must"
    " isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't can't couldn't won't wouldn't"
)
_KINDS: tuple[tuple[str, str], ...] = (
    (
        "when",
        r"when\b|(?:in |on |at |around |by |during )?(?:what|which) (?:exact |specific )?"
        r"(?:date|day|month|year|time|week|weekend|season|holiday)s?\b|how long ago\b|since when\b",
    ),
    ("how_many", r"(?:for |since |at )?(?:how (?:many|much|often|long|old|far|tall|big|frequently)|what age)\b"),
    ("who", r"(?:with |to |from |for |by )?(?:who|whom|whose)\b"),
    (
        "where",
        r"(?:from |to )?where\b|(?:in |to |at |from )?(?:what|which) (?:\w+ )?"
        r"(?:city|cities|country|countries|place|places|state|states|location|locations|town|towns)\b",
    ),
    ("yes_no", rf"(?:{'|'.join(_AUXILIARY.split())})\b"),
    ("list", rf"(?:in )?(?:what|which) (?:\w+ ){{0,2}}?(?:{_WHICH_LISTS})"),
)
KINDS = {kind: re.compile(rf"\s*(?:{pattern})", re.IGNORECASE) for kind, pattern in _KINDS}


@dataclass(frozen=True, slots=True)
class Route:
    """What a question asks for: about whom, in which conversations (None: in all), and what kind of answer."""

    kind: str
    person: str | None  # the one asked about; the first, where several are named
    named: tuple[str, ...]  # every speaker named, in order
    conversations: tuple[str, ...] | None
    scope: str  # a conversation's id, or GLOBAL


def route(
    question: str,
    people: Mapping[str, Collection[str]],
    conversation: str | None = None,
    now: datetime | None = None,
    own: tuple[str, ...] = (),
) -> Route:
    """Where to look for an answer. `people` are the speakers with the conversations they took part in, `own` those of
    them who are the user, by name first: one person, who is also meant by "I"."""
    people = as_one_person(people, own)
    there = {
        speaker: talks for speaker, talks in people.items() if conversation is None or conversation in talks
    } or people
    found = named_in(question, there, now)
    if not found:
        found = meant_by_pronoun(question, there, own[0] if own else "")
    elif own and own[0] in there and own[0] not in found and _I_DO.search(question[:LOOKED_AT]):
        talked = not frozenset(people[own[0]]).isdisjoint(shared([people[speaker] for speaker in found]))
        found = (*found, own[0]) if talked else found  # "What did I leave at Ann's?"
    named = tuple(name for one in found for name in (own if own and one == own[0] else (one,)))
    kind, person = kind_of(question), found[0] if found else None
    if conversation is not None:
        return Route(kind, person, named, (conversation,), conversation)
    talks = shared([people[speaker] for speaker in found])
    scope = talks[0] if len(talks) == 1 else GLOBAL
    return Route(kind, person, named, talks if found else None, scope if found else GLOBAL)


def as_one_person(people: Mapping[str, Collection[str]], own: tuple[str, ...]) -> Mapping[str, Collection[str]]:
    """The speakers with the user as one of them, who took part in all that was said under any of the user's names."""
    if not own:
        return people
    talks = frozenset(talk for name in own for talk in people.get(name, ()))
    return {**{name: theirs for name, theirs in people.items() if name not in own}, own[0]: talks}


def shared(talks: Sequence[Collection[str]]) -> tuple[str, ...]:
    """The conversations that all took part in, or else every one that any of them did."""
    if not talks:
        return ()
    both = set(talks[0]).intersection(*talks[1:])
    return tuple(sorted(both or {talk for own in talks for talk in own}))


def kind_of(question: str) -> str:
    """The kind of answer wanted: when, how_many, who, where, yes_no, list or what; of other languages than English
    always what."""
    if question_language(question):
        return "what"
    text = re.sub(r"^(?:according to|based on|as of|after|before|during)\b[^,?]*,\s*", "", question.strip(), flags=re.I)
    return next((kind for kind, pattern in KINDS.items() if pattern.match(text[:LOOKED_AT])), "what")


def named_in(question: str, people: Collection[str], now: datetime | None = None) -> tuple[str, ...]:
    """The speakers that a question names, in order. A first name that several bear names all of them."""
    text = question[:LOOKED_AT]
    dated = [span.span for span in intervals(text, now or datetime(2000, 1, 1, tzinfo=UTC))]
    names = forms(people)
    language = question_language(text)
    found: dict[str, int] = {}
    words = [(m.start(), _POSSESSIVE.sub("", m[0])) for m in _WORD.finditer(text)]
    for place, (start, word) in enumerate(words):
        if any(a <= start < b for a, b in dated):
            continue  # "May" and "April" of a date
        bearers = plain_first(_bearers(names, word)) if _is_name(word) else ()
        if not bearers and word[:1].isupper() and word.endswith("s"):
            bearers = _bearers(names, word[:-1])  # a possessive without its mark
        if not bearers and (word[:1].isupper() or text[start + len(word) :][:2] in ("'s", "’s")):
            bearers = _shortened(word, people)
        later = fold_accents(words[place + 1][1]) if place + 1 < len(words) else ""
        beside = {later, fold_accents(words[place - 1][1]) if place else ""}
        is_small = word[:1].islower() or (place == 0 and bool(language))
        joins = is_small and fold_accents(word) not in first_names() and is_joining(word, language)
        bearers = [
            name
            for name in bearers
            if not _is_other_word(word, name, beside, joins and (bool(language) or word.casefold() != first_name(name)))
        ]
        whole = [name for name in bearers if later and later in fold_accents(name).split()]
        if not whole and _GOES_ON.match(text, start + len(word)):
            bearers = [name for name in bearers if " " not in name]  # "Lorn House" is not "Lorn Vets"
        if not whole and fold_accents(word) not in first_names():
            is_place = text[:start].endswith(" in ")  # "in Orkney" is not the Orkney Choir
            bearers = [one for one in bearers if not ((is_place or head_type(one)) and _is_part(word, one, beside))]
        for name in whole or bearers:
            found.setdefault(name, start)
    for name, start in _in_runs(text, people):
        if not any(a <= start < b for a, b in dated):
            found.setdefault(name, start)
    surnames = {fold_accents(word) for _, word in words}
    return tuple(name for name in found if not is_outdone(name, found, surnames))


def _in_runs(text: str, people: Collection[str]) -> list[tuple[str, int]]:
    """Who is named where in a script without spaces, in order; a name within a longer one that is named is none."""
    if not has_runs(text):
        return []
    places = [
        (at, at + len(form), name)
        for name in people
        if infer_role(name, None) is None
        for form in name_forms(name)
        if (at := name_place(text, form)) >= 0
    ]
    whole = [
        (a, b, name) for a, b, name in places if not any(c <= a and b <= d and d - c > b - a for c, d, _ in places)
    ]
    return [(name, start) for start, _, name in sorted(whole)]


def plain_first(bearers: Sequence[str]) -> Sequence[str]:
    """Those whose names are what they look like; only where there are none, the others."""
    return [name for name in bearers if not is_disguised(name)] or bearers


def is_outdone(name: str, found: Mapping[str, int], words: Collection[str]) -> bool:
    """Whether another one named at the same place fits the question's words better."""

    def fit(one: str) -> int:
        return sum(part in words for part in fold_accents(one).split())

    return any(place == found[name] and fit(other) > fit(name) for other, place in found.items())


def forms(people: Collection[str]) -> dict[str, list[str]]:
    """Speakers by each word of their names, also without its accents, where nobody's is written so; roles such as
    "user" are nobody's name, nor is a lone letter."""
    found, folded = dict[str, list[str]](), dict[str, list[str]]()
    for speaker in people:
        for word in name_words(speaker):
            found.setdefault(word, []).append(speaker)
            folded.setdefault(fold_accents(word), []).append(speaker)
    return folded | found


def _bearers(names: Mapping[str, list[str]], word: str) -> Sequence[str]:
    """Whose name a word is, as it is written, or else but for its accents: Loic is Loïc."""
    return names.get(word.casefold()) or names.get(fold_accents(word)) or []


@lru_cache(maxsize=20_000)
def name_words(speaker: str) -> tuple[str, ...]:
    """The words of a speaker's name, the first one first; none of a role. The same for every question."""
    if infer_role(speaker, None) is not None:
        return ()
    return tuple(dict.fromkeys(part for part in _WORD.findall(speaker.casefold()) if len(part) > 1))


def _is_name(word: str) -> bool:
    """A word that may be a name: "will" and "may" only with a capital letter."""
    return word[:1].isupper() or word.casefold() not in STOP_WORDS | {"may", "will", "mark", "art", "rose", "grace"}


def _is_other_word(word: str, name: str, beside: set[str], joins: bool) -> bool:
    """Whether a word in small letters is an ordinary one rather than the end of a name: "at work" is not Rob Work, and
    "le bateau" (which `joins`) names no Ana Le Goff.

    Beside another part of the name it is meant: "rob work".
    """
    parts = [fold_accents(part) for part in name_words(name)]
    if joins and len(parts) > 1 and beside.isdisjoint(parts):
        return True
    if word[:1].isupper() or len(parts) < 2 or word in (parts[0], *first_names()) or not beside.isdisjoint(parts):
        return False
    from ...models.common_words import common_words  # its vocabulary costs only who needs it

    return word in common_words()


def _is_part(word: str, name: str, beside: set[str]) -> bool:
    """Whether a word is a part of a longer name, of which no other part stands beside it."""
    parts = {fold_accents(part) for part in name_words(name)}
    return len(parts) > 1 and fold_accents(word) in parts and beside.isdisjoint(parts)


def _shortened(word: str, people: Collection[str]) -> list[str]:
    """Who is meant by a short form, such as "Mel", if it fits only one."""
    short = word.casefold()
    if len(short) < SHORTEST or short in STOP_WORDS:
        return []
    bearers = [name for name in people if (first := first_name(name)).startswith(short) and first != short]
    return bearers if len(bearers) == 1 else []


@lru_cache(maxsize=20_000)
def first_name(speaker: str) -> str:
    """A speaker's first name in small letters; nothing of a role."""
    parts = speaker.casefold().split()
    return parts[0] if parts and infer_role(speaker, None) is None else ""


def meant_by_pronoun(question: str, people: Collection[str], me: str = "") -> tuple[str, ...]:
    """Whom "I" and "you" mean: the user, by name where that was said (`me`), and the assistant of a chat."""
    text = question[:LOOKED_AT]
    roles = [role for role, words in (("user", _I), ("assistant", _YOU)) if words.search(text)]
    return tuple(
        speaker
        for role in roles
        for speaker in people
        if infer_role(speaker, None) == role or (role == "user" and me and speaker == me)
    )
