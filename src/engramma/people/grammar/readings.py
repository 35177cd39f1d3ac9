"""Readings: which relation a clause says, and with which value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engramma.people.claims.names import KIN
from engramma.people.claims.relations import RELATIONS
from engramma.people.grammar.acts import RelationReading, acts, read_whole_value, strong_end, told_about
from engramma.people.grammar.clauses import Clause
from engramma.people.grammar.copula import copula
from engramma.people.grammar.nouns import (
    BUSINESSES,
    CAREER,
    CONDITIONS,
    INJURABLE,
    STUDIES,
    is_experience,
    is_founded,
    is_job,
)
from engramma.people.grammar.objects import kin_or_pet, purpose, read_workplace
from engramma.people.grammar.sets import wordset
from engramma.people.grammar.subjects import SpeakerScene
from engramma.people.grammar.values import (
    EMPTY,
    PREPOSITIONS,
    SUBJECTS,
    nouns_end,
    skip_determiners,
    split_list,
    title_end,
    whole_end,
)
from engramma.people.grammar.verbs import BE, FORMS, FRAMES, TALK
from engramma.people.grammar.words import TextWords

_NO_VALUES = BE | wordset("and or but how when where what why if who whether was has had did n't not")
_DURATIONS = wordset("day days week weeks month months year years hour hours minutes while ages decade long")
_AFTER_GAP = wordset("last yesterday today tonight for since when before after during in on at as ago this")
_PARTICLES = wordset("back out over up off away home down along around")
_SPLIT = wordset("likes dislikes has uses aspires_to speaks plays bought got prefers eats visited made has_pet needs")
_PASSIVE = {
    ("diagnose", "with"): "has_condition", ("promote", "to"): "works_as", ("hire", "as"): "works_as",
    ("hire", "by"): "works_at", ("build", "with"): "uses", ("build", "on"): "uses", ("write", "in"): "uses",
    ("make", "with"): "uses", ("base", "on"): "depends_on", ("call", ""): "is_called", ("raise", "in"): "from",
    ("block", "by"): "depends_on", ("connect", "to"): "related_to", ("adopt", "from"): "from",
    ("offer", ""): "was_offered", ("host", "on"): "runs_on", ("deploy", "on"): "runs_on", ("deploy", "to"): "runs_on",
}  # fmt: skip
_OF_TALK = EMPTY | wordset("from about your with to more out up if") | {""}
_TASTED = wordset("read watch try visit see hear listen play")
_FALLEN_INTO = wordset("accident accidents fight fights argument arguments trouble debt crash")
_CONVERSATION = wordset("hear see know talk chat check tell say catch")


def readings(words: TextWords, clause: Clause, scene: SpeakerScene, cuts: frozenset[int]) -> list[RelationReading]:
    """What a clause says, in the order in which it says it; nothing for mere talk."""
    group = clause.group
    if clause.relative and _has_gap(words, clause):
        return _relative(words, clause)
    if group.lemma == "be":
        return [RelationReading(*found) for found in copula(words, clause, scene, cuts)]
    if group.passive:
        return _passive(words, clause, scene, cuts)
    following = words.low[clause.rest] if clause.rest < clause.end else ""
    if group.leads and group.modality in ("plan", "wish") and group.lemma in _CONVERSATION and following in _OF_TALK:
        return []
    if _is_career(words, clause):
        value = read_whole_value(words, group.verb, clause.end, cuts)
        return [RelationReading("aspires_to", value, "role")] if value else []
    if (
        clause.reported
        and clause.subject.how == "self"
        and clause.modality == "hypothetical"
        and group.lemma in _TASTED
    ):
        given = [reading for reading in _framed(words, clause, scene, cuts) if reading.relation not in ("did", "does")]
        return given + [replace(one, relation="recommended", subject=clause.reported, subject_type="person", moot=False)
                        for one in given]  # fmt: skip
    return _framed(words, clause, scene, cuts)


def _has_gap(words: TextWords, clause: Clause) -> bool:
    """Whether what a verb asks for stands before it: "the lake I swam in", "what I did"."""
    low, at, end = words.low, clause.rest, clause.end
    if at >= end or low[at] in _NO_VALUES:
        return True
    hangs = low[at] in PREPOSITIONS and (at + 1 >= end or low[at + 1] in _NO_VALUES | _AFTER_GAP)
    return hangs or low[at] in _AFTER_GAP


def _relative(words: TextWords, clause: Clause) -> list[RelationReading]:
    """What a clause says of the noun before it: "a show I went to"; the rest of such clauses is left alone."""
    following = words.low[clause.rest] if clause.rest < clause.end else ""
    if clause.modality != "fact" or "can" in clause.group.leads:
        return []
    for key, relation in FRAMES.get(clause.group.lemma, ()):
        if key in ("", following) and relation not in ("did", "does", "wants", "needs", "plans", "likes", "aspires_to"):
            return told_about(words, clause, relation)
    return []


def _framed(words: TextWords, clause: Clause, scene: SpeakerScene, cuts: frozenset[int]) -> list[RelationReading]:
    """What the verb's readings in the table make of a clause, or what it says in all its words."""
    group = clause.group
    for key, relation in FRAMES.get(group.lemma, ()):
        at = _fits(words, clause, key)
        if at >= 0:
            return list(_read(words, clause, scene, relation, at, cuts))
    return acts(words, clause, cuts)


def _fits(words: TextWords, clause: Clause, key: str) -> int:
    """Where the value begins if the words after the verb are those of a reading, else -1."""
    low, at, end = words.low, clause.rest, clause.end
    if key == "ing":
        form = FORMS.get(low[at]) if at < end else None
        return at if (form is not None and "ing" in form.kinds) or (at < end and low[at].endswith("ing")) else -1
    if key == "that":
        rest = low[at] if at < clause.sentence_end else ""
        told = rest in SUBJECTS or rest == "what" or (rest == "how" and low[at + 1 : at + 2] != ("to",))
        return at + (rest == "that") if rest == "that" or told else -1
    if not key:
        return at
    for start in (at, at + 1):
        parts = tuple(key.split())
        if start == at + 1 and (at >= end or low[at] not in _PARTICLES):
            break
        lasts = key == "for" and not _DURATIONS.isdisjoint(low[start + 1 : start + 6])
        if low[start : start + len(parts)] == parts and start + len(parts) <= end and not lasts:
            is_word = key in ("married", "engaged", "divorced", "camping")
            return start if is_word else start + len(parts)
    return -1


def _read(
    words: TextWords, clause: Clause, scene: SpeakerScene, relation: str, at: int, cuts: frozenset[int]
) -> Iterator[RelationReading]:
    low, group = words.low, clause.group
    if relation in ("realised", "believes"):
        end = strong_end(words, clause)
        value = read_whole_value(words, at + (at < clause.sentence_end and low[at] == "that"), end, cuts)
        if len(value.split()) > 2 and not (relation == "believes" and clause.subject.how != "self"):
            yield RelationReading(relation, value, end=end)
        return
    if relation in ("did", "does") or ("can" in group.leads and RELATIONS[relation].kind == "event"):
        yield from acts(words, clause, cuts)
        return
    if relation == "likes" and group.lemma in ("like", "love") and clause.modality in ("wish", "hypothetical"):
        relation = "wants"
    if relation in ("wants", "plans", "needs") and at < clause.end and low[at] in ("you", "to"):
        return
    if relation == "runs_on" and clause.subject.type == "person":
        yield from acts(words, clause, cuts)
        return
    opening = next((k for k in range(at, clause.end) if words.as_is[k] in '"“'), at)
    for start in (at, opening):  # the book "Stoner" is Stoner
        if (title := title_end(words, start, clause.end)) > start:
            value = words.slice(start, title).strip('"“” ')
            if start == at or nouns_end(words, at, clause.end, cuts) >= start:
                yield RelationReading(relation, value)
                return
    begin = skip_determiners(words, at, clause.end)
    if begin >= clause.end:
        if relation == "relationship_status":
            yield RelationReading(relation, words.slice(group.verb, clause.end))  # "broke up"
        else:
            yield from told_about(words, clause, relation)
        return
    wide = RELATIONS[relation].whole or (begin == at and low[begin].endswith("ing") and low[begin] in FORMS)
    stop = (whole_end if wide else nouns_end)(words, begin, clause.end, cuts)
    if stop <= begin or low[begin] in SUBJECTS | {"that", "how", "what", "them"}:
        if RELATIONS[relation].kind == "event" and clause.end - begin > 2:
            yield from acts(words, clause, cuts)
        return
    if (stop - begin == 1 and low[begin] in EMPTY) or low[begin] in _NO_VALUES or low[begin] == "'s":
        return
    if relation == "feels" and low[at] in ("the", "my", "your", "this", "that"):  # "feel the atmosphere"
        yield from acts(words, clause, cuts)
        return
    if relation in ("likes", "dislikes") and (low[at] == "your" or low[begin] in ("seeing", "hearing", "when", "how")):
        return
    plain = low[begin] in PREPOSITIONS or low[begin] in ("for", "of", "about")
    if (plain and (not wide or relation == "gave")) or (stop - begin == 1 and low[begin].endswith("ly")):
        yield from acts(words, clause, cuts)
        return
    yield from _typed(words, clause, scene, relation, begin, stop, at, cuts)


def _typed(
    words: TextWords,
    clause: Clause,
    scene: SpeakerScene,
    relation: str,
    begin: int,
    stop: int,
    at: int,
    cuts: frozenset[int],
) -> Iterator[RelationReading]:
    """A value by what it is: who has a sister has a sibling, who has a cat has a pet."""
    low, head = words.low, words.low[stop - 1]
    whose = next((k for k in range(begin + 1, stop) if low[k] in ("for", "of")), stop)
    core = low[whose - 1]  # "a school for blind children" is a school
    if relation in ("has", "got", "wants") and (kin := kin_or_pet(words, begin, stop, clause, scene, relation)):
        yield from kin
        return
    versioned = stop - begin > 1 and head[:1].isdigit() and words.as_is[begin][:1].isupper()
    if relation == "ran" and (versioned or clause.subject.type in ("thing", "project")):
        relation = "uses"  # "I run Ubuntu 22.04", "the server runs Debian"
    if relation in ("got", "bought", "has") and head in KIN and (relation != "has" or clause.group.perfect):
        yield from acts(words, clause, cuts)  # "pick up the kids"
        return
    if relation == "has" and (head in CONDITIONS or head in INJURABLE):
        relation = "has_condition" if head in CONDITIONS else relation
    elif relation == "injured" and head not in INJURABLE:
        yield from acts(words, clause, cuts)
        return
    elif relation == "works_as" and clause.group.lemma == "become" and not is_job(head):
        if low[at] not in ("a", "an"):
            return
        relation = "is_a"
    elif relation == "left_job" and not any(
        low[k] in (*CAREER, "company", "position", "firm") for k in range(begin, stop)
    ):
        yield from acts(words, clause, cuts)
        return
    elif relation == "ran" and (head in BUSINESSES or head.endswith(("store", "shop"))):
        relation = "has"
    elif relation == "founded" and not clause.group.lemma.endswith("found") and not is_founded(core, low[begin - 1]):
        relation = "started"
    elif relation == "works_as" and clause.group.lemma == "work" and not _is_role(head, low[at]):
        yield from acts(words, clause, cuts)
        return
    elif relation in ("stopped", "lost", "got", "started") and low[begin:stop][-1] in ("job", "jobs"):
        relation = {"got": "got", "started": "started"}.get(relation, "left_job")
    elif relation == "started" and clause.group.lemma != "get" and is_founded(core, low[begin - 1]):
        relation = "founded"
    elif relation == "started" and clause.group.lemma == "get" and head in _FALLEN_INTO:
        yield from acts(words, clause, cuts)  # "got into an accident"
        return
    elif relation == "aspires_to" and not _names_career(words, begin, stop, scene):
        if clause.group.lemma == "look":
            return
        relation = "wants"
    elif relation == "started" and stop - begin == 1 and low[begin] in FORMS and FORMS[low[begin]].lemma in TALK:
        return
    elif relation == "has" and (_is_over(words, clause) or is_experience(head) or is_experience(low[begin])):
        yield from acts(words, clause, cuts)  # "I had a great trip", "I've had tough times"
        return
    if relation == "aspires_to":  # "counseling as a career"
        stop = next((k for k in range(begin + 1, stop) if low[k] == "as"), stop)
    begin = _name_begin(words, begin, stop)
    value_type = ""
    one = at < begin and low[at] in ("a", "an", "that", "this")  # "a cashew and date tart" is one thing
    parts = list(split_list(words, begin, stop, one)) if relation in _SPLIT else [(begin, stop)]
    for first, last in parts:
        value = words.slice(first, last).strip(" ,'\"")
        doing = relation == "has" and first > begin and low[first] in FORMS and "ing" in FORMS[low[first]].kinds
        if value and not doing and not (last - first == 1 and low[first] in EMPTY):
            yield RelationReading(relation, value, value_type)
            if relation == "needs" and low[last - 1] in STUDIES and clause.subject.how == "self":
                yield RelationReading("aspires_to", value, "role", weight=0.6)  # who needs a degree for it considers it
    if relation in ("works_as", "works_at") or (relation in ("got", "started") and head == "job"):
        yield from read_workplace(words, clause, stop, cuts)
    if relation == "left_job":
        yield from purpose(words, clause)
    if relation == "moved_from" and low[stop : stop + 1] == ("to",):
        place = skip_determiners(words, stop + 1, clause.end)
        if (place_end := nouns_end(words, place, clause.end, cuts)) > place:
            yield RelationReading("moved_to", words.slice(place, place_end))
    if relation == "founded" and clause.group.modality == "fact" and core in BUSINESSES:
        yield RelationReading("works_as", "founder", "role", weight=0.8)


def _name_begin(words: TextWords, begin: int, stop: int) -> int:
    """Where a value begins that is called by its name: "a startup called Pinecrest" is Pinecrest."""
    at = next((k + 1 for k in range(begin, stop - 1) if words.low[k] in ("called", "named")), begin)
    return at if words.as_is[at][:1].isupper() else begin


def _is_role(noun: str, before: str) -> bool:
    """Whether one can work as that: "a beekeeper", but not "as hard as I can" or "as a team"."""
    return is_job(noun) or (before in ("a", "an") and noun not in ("team", "pair", "group", "unit", "family"))


def _is_over(words: TextWords, clause: Clause) -> bool:
    """Whether who "has had" something went through it: "I've had tough times", not "I've had it for years"."""
    return clause.group.perfect and {"for", "since"}.isdisjoint(words.low[clause.rest : clause.sentence_end])


def _passive(words: TextWords, clause: Clause, scene: SpeakerScene, cuts: frozenset[int]) -> list[RelationReading]:
    low, group = words.low, clause.group
    following = low[clause.rest] if clause.rest < clause.end else ""
    adjective = replace(clause, rest=group.verb)
    if given := list(copula(words, adjective, scene, cuts)):
        return [RelationReading(*found) for found in given]
    for (lemma, key), relation in _PASSIVE.items():
        if lemma == group.lemma and key in ("", following):
            begin = skip_determiners(words, clause.rest + bool(key), clause.end)
            stop = (whole_end if RELATIONS[relation].whole else nouns_end)(words, begin, clause.end, cuts)
            return [RelationReading(relation, words.slice(begin, stop))] if stop > begin else []
    if clause.subject.how in ("addressee", "unknown"):
        return []
    value = read_whole_value(words, group.verb, clause.end, cuts)
    return [RelationReading("did", value)] if len(value.split()) > 1 else []


def _is_career(words: TextWords, clause: Clause) -> bool:
    group = clause.group
    if not group.leads or clause.modality not in ("plan", "wish"):
        return False
    if group.lemma in ("work", "become"):
        after = words.low[clause.rest] if clause.rest < clause.end else ""
        return group.lemma == "become" or after in ("with", "in", "as", "for", "at")
    return False


def _names_career(words: TextWords, begin: int, stop: int, scene: SpeakerScene) -> bool:
    low = words.low[begin : stop + 3]
    return scene.asked_about_work or any(word in CAREER or is_job(word) for word in low) or low[0] in ("working",)
