"""What somebody did or does, in all its words, where a verb has no relation of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engramma.people.grammar.clauses import Clause
from engramma.people.grammar.sets import wordset
from engramma.people.grammar.values import EMPTY, PREPOSITIONS, SUBJECTS, whole_end
from engramma.people.grammar.verbs import TALK
from engramma.people.grammar.words import TextWords

_NEED_OBJECTS = wordset(
    "go come get try be do have see know start stop keep make take let put set turn find give use say tell want"
    " work need like look feel become say happen bring hold call"
)
_SAYS_LITTLE = EMPTY | wordset("well good great better hard fun on up out off back over in")
# What "I can ..." says nothing about: offers, courtesies, what anybody can.
_NO_SKILLS = wordset(
    "wait believe imagine see do help offer add try relate understand tell say hear feel get make let go share give"
    " check take be have find think count keep look use come learn start achieve bring put"
)
# "I can't wait", "I can't thank you enough": figures of speech.
_FIGURES = wordset("wait believe imagine help thank stop say tell think stress deny get express recommend see let")
_POINTING = wordset("it this that them these those him her you")
_ASKING = wordset("why how when where what who which")  # "the reason why I never gave up"
_HANGING = wordset("across into with for from about of to at than as")  # what it is about stands elsewhere
_ABOUT_IT = re.compile(
    r"\s+(?:about|of|with|for|at|in|by|to|from)\s+(?:it|that|this|them|something|everything)$", re.IGNORECASE
)
_INTERJECTIONS = re.compile(r"[\s,]+(?:and\s+)?(?:wow|man|lol|haha|huh|right|though|you know)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RelationReading:
    """A relation with its value: the words that say it, and what they are."""

    relation: str
    value: str
    value_type: str = ""
    subject: str = ""  # another subject than the clause's: a pet's name
    subject_type: str = ""
    weight: float = 1.0  # of what is only implied
    first: int = -1  # its first word, where that lies before the clause
    end: int = 0  # the place after its last word, where that lies beyond the clause
    moot: bool = True  # planned, wished or supposed if the clause is


def acts(words: TextWords, clause: Clause, cuts: frozenset[int]) -> list[RelationReading]:
    """What somebody did or does, in all its words, where the verb has no relation of its own."""
    group = clause.group
    value = read_whole_value(words, group.verb, clause.end, cuts)
    value = _ABOUT_IT.sub("", value)
    objects = value.lower().split()[1:]
    if not objects and (
        clause.elided or group.lemma in _NEED_OBJECTS or not (group.past or group.kind == "ing" or group.leads)
    ):
        return []
    if objects and (objects[-1] in _HANGING or (len(objects) == 1 and objects[0] in _SAYS_LITTLE)):
        return []
    told = group.lemma == "talk" and group.past and len(objects) > 2 and objects[0] in ("about", "to", "with")
    if group.lemma in TALK and not told and not (clause.modality in ("plan", "wish") and len(objects) > 1):
        return []
    if clause.modality in ("plan", "wish"):
        return [RelationReading("plans" if clause.modality == "plan" else "wants", value)]
    if "can" in group.leads:
        skilled = (group.lemma not in _NO_SKILLS and words.low[clause.first] != "we") or clause.subject.how == "named"
        unable = group.negated and group.lemma not in _FIGURES
        if objects and objects[0] in _POINTING and clause.subject.how == "self":  # "I can't give them to a stranger"
            return []
        return [RelationReading("can", value)] if skilled or unable else []
    return [RelationReading("did" if group.past else "does", value)]


def told_about(words: TextWords, clause: Clause, relation: str) -> list[RelationReading]:
    """The noun right before a clause that tells about it: "a show I went to", "the one book you lent me"."""
    low, end = words.low, clause.before + 1
    begin = end
    while begin > 0 and end - begin < 4 and low[begin - 1].isalpha() and low[begin - 1] not in PREPOSITIONS | SUBJECTS:
        begin -= 1
        if low[begin] in ("a", "an", "the", "my", "this", "some"):
            value = words.slice(begin + 1, end)
            if end - begin > 1 and value and low[end - 1] not in EMPTY and low[end - 1] not in _ASKING:
                return [RelationReading(relation, value, first=begin)]
            return []
    return []


def strong_end(words: TextWords, clause: Clause) -> int:
    """Where a sentence breaks off after a clause: at a dash, a colon, a bracket or ", but"."""
    for at in range(clause.rest, clause.sentence_end):
        if words.low[at] in ("-", "--", "—", "–", ";", ":", "(") or (
            words.low[at] == "," and words.low[at + 1 : at + 2] == ("but",)
        ):
            return at
    return clause.sentence_end


def read_whole_value(words: TextWords, begin: int, end: int, cuts: frozenset[int]) -> str:
    """The words up to the end or a time there, without an afterthought."""
    value = words.slice(begin, whole_end(words, begin, end, cuts)).strip(" ,'\"")
    return _INTERJECTIONS.sub("", value)
