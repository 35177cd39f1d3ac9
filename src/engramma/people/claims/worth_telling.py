"""Which facts a page about somebody leads with: who they are, what they like, what happened; the rest is small talk.

"got it for like 5 bucks" is a claim as good as "is from Houston", and nobody who opens a page looks for it. Judged by
hand on real chats: docs/log/people-and-things.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from ..grammar.sets import wordset
from .hydrate import Fact
from .predicates import without_hedges

Side = Literal["who", "tastes", "happened", "talk"]
WHO = wordset(
    "is_called is_a is age birthday born_in works_as works_at works_in works_on studies studies_at aspires_to founded"
    " hired_by left_job volunteers_at teaches lives_in lives_with moved_to moved_from from has_child has_partner"
    " has_sibling has_parent has_relative has_friend dating engaged_to married_to relationship_status broke_up_with"
    " has_pet has_condition allergic_to speaks plays good_at learns"
)
TASTES = wordset("likes dislikes prefers favourite")
HAPPENED = wordset(
    "went_to visited attended travelled_to met bought sold lost won joined started finished stopped read watched"
    " painted wrote made organised celebrated took_part_in ran applied_for was_offered injured plans"
)
BY_NAME = wordset("did got has uses saw wants")  # told only with a name, as plans without a day are
MOODS = wordset("fact plan")
# Whose words these are, or what they stand for, is not to be seen on a page.
_UNCLEAR = wordset(
    "i me my mine myself you your yours yourself we us our ourselves it its them they their this that these those there"
    " here someone somebody something anything everything nothing stuff things thing ones one lol haha tho tbh etc"
    " him her his he she when why how what which who whether cause because"
)
# Alone, or with a number of it, this names nothing.
_VAGUE = wordset(
    "game games match text film films movie movies plot concept way idea feeling day days time times night part lot"
    " lots bunch couple kind sort bit people person place places work projects project long far fun fine good great"
    " nice better best bad worse big small little new old same other different several some many much more most few"
    " first second third last next only just really very pretty so too well later again once always never another"
    " various certain whole amount effort others everybody everyone doubt money worth trip walk of and the a an in on"
    " making trying catching following doing getting having using going seeing taking out up off about with for"
    " departments photo photos picture pictures episodes series ingredients recipe wait try bed errands show book food"
    " lunch dinner breakfast change progress nights look eating yelling practicing online nap homework chores weather"
    " sound beginning message experience moment chat conversation vibes results direction characters house city town"
    " difference impact memories connections moves wishes path piece space real amazing awesome strong"
    " store gym party home shop restaurant restaurants plans preparing practice sleep clothes groceries"
)
_ENDS_OPEN = wordset("and or but of to for with in on at by from the a an my your his her as than about various so")
_STARTS_OPEN = wordset("by so as than and or but of to with at from if unfortunate about for")
_TIES = frozenset(relation for relation in WHO if relation.startswith("has_"))
_WITHIN = re.compile(r" (?:with|for|that|which|who|about|of) ")
_WORD = re.compile(r"[\w’'-]+")
_NAME = re.compile(r"\b[A-Z][a-z][\w’'-]*")
LONGEST = 12  # words of a value that can be read at a glance


def page_side(fact: Fact) -> Side:
    """Where on a page about somebody a fact belongs."""
    if fact.modality not in MOODS or not _is_clear(fact):
        return "talk"
    relation = fact.relation
    if relation == "has_friend" and fact.value[:1].islower():
        return "talk"  # who has friends is nobody yet
    if relation in WHO:
        return "who" if fact.modality == "fact" and not (fact.negated and relation in ("plays", "learns")) else "talk"
    if relation in TASTES:
        return "tastes" if fact.modality == "fact" else "talk"
    if fact.negated or relation not in HAPPENED | BY_NAME:
        return "talk"
    is_named = _NAME.search(fact.value, relation == "did") is not None  # what was done begins with a verb
    is_dated = any(claim.valid_from is not None for claim in fact.claims)
    needs_more = relation in BY_NAME or relation == "plans"
    return "happened" if is_named or not needs_more or (is_dated and relation == "plans") else "talk"


def facts_by_side(facts: Iterable[Fact]) -> dict[Side, list[Fact]]:
    """Facts by where they belong, in their order."""
    found: dict[Side, list[Fact]] = {"who": [], "tastes": [], "happened": [], "talk": []}
    for fact in facts:
        found[page_side(fact)].append(fact)
    return found


def _is_clear(fact: Fact) -> bool:
    """Whether a value can be understood without the words around it."""
    words = [word.casefold().replace("’", "'") for word in _WORD.findall(without_hedges(fact.value))]
    if not words or len(words) > LONGEST or words[0] in _STARTS_OPEN or words[-1] in _ENDS_OPEN:
        return False
    if any(word.partition("'")[0] in _UNCLEAR for word in words):
        return False
    if fact.relation in _TIES:
        return not _WITHIN.search(fact.value) and words[0] not in ("lot", "lots")
    return not all(word in _VAGUE or word.isdigit() for word in words)
