"""Which claims answer a question: "Where does Ana live now?" asks for the home that holds, "before" for the last one.

Only questions of a known shape are understood; every other one is left to the words that were said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache

from ..claims.names import KIN, PETS
from .phrases import forwards

LONGEST = 200  # characters of a question that asks for a relation outright
# Relations of which a question such as "What did Ana buy?" wants all that there is.
_LISTED = """
    bought sold lost made painted wrote read watched joined won organised attended likes dislikes prefers teaches eats
    works_on uses volunteers_at visited applied_for founded finished has_condition
"""
LISTED = frozenset(_LISTED.split())


@dataclass(frozen=True, slots=True)
class RelationQuestion:
    """Of whom a question wants which relations: what holds now, what held before, all of them, or how many."""

    who: str  # as the question names them; "I" for the one who asks
    relations: tuple[str, ...]
    group: str = ""  # whose timeline tells what holds
    slot: str = ""
    tie: str = ""  # the noun of whom it is about: "brother" in "Ana's brother"
    noun: str = ""  # a word that tells which of several is meant: "dog" in "Ana's dog"
    before: bool = False
    counts: bool = False
    names: bool = False  # only what has a name answers it
    single: bool = False  # several values may be of other kinds than the one that is asked for


_NOW = r"(?: (?:right )?(?:now|currently|today|these days|nowadays|at the moment|at present|presently))?"
_ONCE = r" (?:before|previously|earlier|in the past|formerly)\b.*"
_AUX = r"(?:is|are|am|do|does)"
_S = r"(?P<s>.+?)"  # whom it is about
_P = r"(?P<p>my|.+?['’]s?)"  # the same as the owner of what follows
_CURRENT, _FORMER = r"(?:current |present |new )?", r"(?:previous|former|old|earlier|ex|last)[ -]"
_CITY = r"(?:in )?(?:which|what) (?:city|town|village|country|state|place|part of \w+)"
_JOB = r"(?:job|profession|occupation|role|position|job title|line of work|day job)"
_NOUN = r"(?P<n>[\w-]+)"
_LIVE = r"(?:live|living|reside|residing|based|located)"
_PARTNER = r"(?:wife|husband|hubby|spouse|partner|girlfriend|boyfriend|fianc(?:e|é)e?)"
_WITH = r"(?:married to|dating|engaged to|seeing|in a relationship with|together with)"

# What is asked for: relations, the group and slot of its timeline, shapes for what holds now and for what held before.
_TIMELINES: tuple[tuple[tuple[str, ...], str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    (
        ("lives_in", "moved_to", "moved_from"),
        "home",
        "place",
        (
            rf"where {_AUX} {_S} (?:currently |now )?{_LIVE}{_NOW}",
            rf"{_CITY} {_AUX} {_S} (?:currently |now )?{_LIVE}(?: in)?{_NOW}",
            rf"where (?:is|are) {_P} {_CURRENT}(?:home|house|place|apartment|flat){_NOW}",
            rf"where (?:did|has|have) {_S} moved?(?: to)?",
            rf"what is {_P} {_CURRENT}(?:home|city|address|place of residence){_NOW}",
        ),
        (
            rf"where (?:did|was|were|had|has) {_S} (?:live|lived|living){_ONCE}",
            rf"where (?:did|does) {_S} used? to live",
            rf"where (?:did|has) {_S} moved?(?: \w+)? from",
            rf"{_CITY} (?:did|was|had) {_S} (?:live|lived|living)(?: in)?{_ONCE}",
            rf"(?:what|where) (?:is|was) {_P} {_FORMER}(?:home|city|address|place|town)",
        ),
    ),
    (
        ("works_as", "founded", "left_job"),
        "job",
        "role",
        (
            rf"what (?:does|do) {_S} do(?: for (?:a living|work)| professionally| as a job)?{_NOW}",
            rf"what(?:['’]s| is) {_P} {_CURRENT}{_JOB}{_NOW}",
            rf"(?:what|which) (?:kind of )?(?:job|work|position|role) (?:does|do) {_S} (?:have|do|hold){_NOW}",
            rf"what (?:does|do|is) {_S} work(?:ing)? as{_NOW}",
        ),
        (
            rf"what (?:is|was) {_P} {_FORMER}{_JOB}",
            rf"what (?:did|was) {_S} (?:do|working as)(?: for (?:a living|work))?{_ONCE}",
            rf"(?:what|which) (?:kind of )?(?:job|work|position|role) did {_S} (?:have|do|hold){_ONCE}",
        ),
    ),
    (
        ("works_at", "hired_by", "left_job"),
        "job",
        "employer",
        (
            rf"where (?:does|do|is|are) {_S} (?:currently |now )?work(?:ing)?{_NOW}",
            rf"(?:who|(?:for )?(?:which|what) (?:company|firm|organi[sz]ation|employer)) (?:does|do|is|are) {_S}"
            rf" work(?:ing)?(?: for| at)?{_NOW}",
            rf"(?:what|who|which company) is {_P} {_CURRENT}(?:employer|company|workplace){_NOW}",
        ),
        (
            rf"where (?:did|was|had|has) {_S} (?:work|worked|working){_ONCE}",
            rf"(?:who|(?:for )?(?:which|what) (?:company|firm|organi[sz]ation)) did {_S} work(?: for| at)?{_ONCE}",
            rf"(?:what|who|which company) (?:is|was) {_P} {_FORMER}(?:employer|company|workplace)",
        ),
    ),
    (
        ("dating", "engaged_to", "married_to", "has_partner", "broke_up_with"),
        "relationship",
        "partner",
        (
            rf"whom? (?:is|are) {_S} {_WITH}{_NOW}",
            rf"(?:who|what)(?:['’]s| is) {_P} {_CURRENT}{_PARTNER}(?:['’]s name| called| named)?{_NOW}",
            rf"what(?:['’]s| is) the name of {_P} {_PARTNER}",
        ),
        (rf"who (?:is|was) {_P} {_FORMER}{_PARTNER}",),
    ),
    (
        ("studies_at",),
        "education",
        "school",
        (rf"where (?:does|do|is|are) {_S} (?:study|studying|go(?:ing)? to (?:school|college|university|uni)){_NOW}",),
        (),
    ),
)
# What there may be several of: relations, and the shapes.
_LISTS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (
        ("allergic_to",),
        (
            rf"what (?:is|are|am) {_S} allergic to",
            rf"(?:what|which) (?:food )?allerg(?:y|ies) (?:does|do) {_S} have",
            rf"what are {_P} (?:food )?allergies",
        ),
    ),
    (("born_in",), (rf"where (?:was|were) {_S} born",)),
    (("from",), (rf"where (?:is|are|am|does|do) {_S} (?:come |originally )?from(?: originally)?",)),
    (("birthday",), (rf"(?:when|what day) (?:is|are) {_P} birthday", rf"when (?:was|were) {_S} born")),
    (("studies",), (rf"what (?:does|do|is|are|am) {_S} study(?:ing)?{_NOW}",)),
    (
        ("learns",),
        (
            rf"what (?:is|are|am) {_S} learning{_NOW}",
            rf"(?:what|which) (?:language|instrument)s? (?:is|are|am) {_S} learning{_NOW}",
        ),
    ),
    (("speaks",), (rf"(?:what|which) languages? (?:does|do|can) {_S} speak",)),
    (("plays",), (rf"(?:what|which)(?: (?:musical )?instruments?)? (?:does|do) {_S} play",)),
)
# Relatives and pets, by their noun.
_OF_A_KIND: tuple[tuple[str, bool, bool], ...] = (  # shape, for names, for a number
    (rf"(?:what|which) (?:kinds? of )?{_NOUN} (?:does|do) {_S} (?:have|own|keep)", False, False),
    (rf"what(?:['’]s| is| are) (?:the )?names? of {_P} {_NOUN}", True, False),
    (rf"what(?:['’]s| is| are) {_P} {_NOUN}(?:['’]s? names?| called| named)", True, False),
    (rf"who(?:['’]s| is| are) {_P} {_NOUN}", True, False),
    (rf"how many {_NOUN} (?:does|do) {_S} have", False, True),
)
_FAVOURITE = rf"(?:what|which|who)(?:['’]s| is| are) {_P} favou?rite {_NOUN}"


def parse_relation_question(question: str) -> RelationQuestion | None:
    """Which claims answer a question; None for one of no known shape."""
    text = " ".join(question[: 2 * LONGEST].split()).rstrip(" ?.!")
    if len(text) > LONGEST:
        return None
    for shape, made in _shapes():
        if (found := shape.fullmatch(text)) is not None and (asked := _read(found, made)) is not None:
            return asked
    ahead = forwards(text)
    if ahead is None or ahead[1][0] not in LISTED:
        return None
    who, tie = _owner(ahead[0])
    return RelationQuestion(who, ahead[1], tie=tie) if who else None


def _read(found: re.Match[str], made: RelationQuestion) -> RelationQuestion | None:
    given = found.groupdict()
    noun = (given.get("n") or "").lower()
    relations = made.relations
    if not relations:  # of a kind: by the noun
        relations = _by_noun(noun)
        if not relations:
            return None
    named = given.get("s") or re.sub(r"['’]s?$", "", given.get("p") or "")
    who, tie = _owner(named.strip())
    if not who:
        return None
    return replace(made, who=who, relations=relations, tie=tie, noun=noun)


def _by_noun(noun: str) -> tuple[str, ...]:
    if noun in PETS or noun in ("animal", "animals"):
        return ("has_pet",)
    relation = KIN.get(noun, ("", ""))[0]
    return (relation,) if relation in ("has_child", "has_sibling", "has_parent", "has_relative") else ()


def _owner(name: str) -> tuple[str, str]:
    """Whom it is about: somebody named, or somebody's relative, such as "Ana's brother" and "my wife"."""
    tied = re.fullmatch(r"(my|.+?['’]s?) ([a-z][\w-]*)", name)
    if tied is not None and tied[2] in KIN:
        owner = "I" if tied[1].lower() == "my" else re.sub(r"['’]s?$", "", tied[1])
        return owner, tied[2]
    if name.lower() in ("i", "my", "we", "me"):
        return "I", ""
    is_name = re.fullmatch(r"[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,2}", name) is not None
    return (name, "") if is_name and name.lower() not in _NOBODY else ("", "")


_NOBODY = frozenset("he she they it you people everybody everyone somebody someone anybody the this that there".split())  # noqa: SIM905


@cache
def _shapes() -> tuple[tuple[re.Pattern[str], RelationQuestion], ...]:
    made: list[tuple[str, RelationQuestion]] = []
    for relations, group, slot, now, once in _TIMELINES:
        made += [(shape, RelationQuestion("", relations, group, slot, before=True)) for shape in once]
        made += [(shape, RelationQuestion("", relations, group, slot)) for shape in now]
    made += [
        (shape, RelationQuestion("", relations, single="instrument" in shape))
        for relations, shapes in _LISTS
        for shape in shapes
    ]
    made.append((_FAVOURITE, RelationQuestion("", ("favourite",))))
    made += [(shape, RelationQuestion("", (), counts=counts, names=names)) for shape, names, counts in _OF_A_KIND]
    return tuple((re.compile(shape, re.IGNORECASE), asked) for shape, asked in made)
