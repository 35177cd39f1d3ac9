"""Readings: which relation a clause says, and with which value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from engramma.people.names import KIN, PETS, is_name
from engramma.people.patterns.clauses import Clause
from engramma.people.patterns.copula import copula
from engramma.people.patterns.nouns import CAREER, CONDITIONS, INJURABLE, ORGANISATION_STARTS, is_job
from engramma.people.patterns.sets import wordset
from engramma.people.patterns.subjects import Scene, apposed
from engramma.people.patterns.values import (
    EMPTY,
    PREPOSITIONS,
    SUBJECTS,
    listed,
    nouns_end,
    skip_determiners,
    whole_end,
)
from engramma.people.patterns.verbs import FORMS, FRAMES, TALK
from engramma.people.patterns.words import Words
from engramma.people.relations import RELATIONS


@dataclass(frozen=True, slots=True)
class Reading:
    """A relation with its value: the words that say it, and what they are."""

    relation: str
    value: str
    value_type: str = ""
    subject: str = ""  # another subject than the clause's: a pet's name
    subject_type: str = ""
    weight: float = 1.0  # of what is only implied


_PARTICLES = wordset("back out over up off away home down along around")
_SPLIT = wordset("likes dislikes has uses aspires_to speaks plays bought got prefers eats visited made has_pet")
_PASSIVE = {
    ("diagnose", "with"): "has_condition", ("promote", "to"): "works_as", ("hire", "as"): "works_as",
    ("hire", "by"): "works_at", ("build", "with"): "uses", ("build", "on"): "uses", ("write", "in"): "uses",
    ("make", "with"): "uses", ("base", "on"): "depends_on", ("call", ""): "is_called", ("raise", "in"): "from",
    ("block", "by"): "depends_on", ("connect", "to"): "related_to", ("adopt", "from"): "from",
}  # fmt: skip
_CONVERSATION = wordset("hear see know talk chat check tell say catch")


def readings(words: Words, clause: Clause, scene: Scene, cuts: frozenset[int]) -> list[Reading]:
    """What a clause says, in the order in which it says it; nothing for mere talk."""
    group = clause.group
    if group.lemma == "be":
        return [Reading(*found) for found in copula(words, clause, scene, cuts)]
    if group.passive:
        return _passive(words, clause, scene, cuts)
    if group.leads and group.modality in ("plan", "wish") and group.lemma in _CONVERSATION:
        return []
    if _is_career(words, clause, scene):
        value = _whole(words, group.verb, clause.end, cuts)
        return [Reading("aspires_to", value, "role")] if value else []
    for key, relation in FRAMES.get(group.lemma, ()):
        at = _fits(words, clause, key)
        if at >= 0:
            return list(_read(words, clause, scene, relation, at, cuts))
    if group.lemma in TALK:
        return []
    return _acts(words, clause, cuts)


def _fits(words: Words, clause: Clause, key: str) -> int:
    """Where the value begins if the words after the verb are those of a reading, else -1."""
    low, at, end = words.low, clause.rest, clause.end
    if key == "ing":
        form = FORMS.get(low[at]) if at < end else None
        return at if (form is not None and "ing" in form.kinds) or (at < end and low[at].endswith("ing")) else -1
    if key == "that":
        rest = low[at] if at < clause.sentence_end else ""
        return at + (rest == "that") if rest == "that" or rest in SUBJECTS or rest in ("how", "what") else -1
    if not key:
        return at
    for start in (at, at + 1):
        parts = tuple(key.split())
        if start == at + 1 and (at >= end or low[at] not in _PARTICLES):
            break
        if low[start : start + len(parts)] == parts and start + len(parts) <= end:
            is_word = key in ("married", "engaged", "divorced", "camping")
            return start if is_word else start + len(parts)
    return -1


def _read(
    words: Words, clause: Clause, scene: Scene, relation: str, at: int, cuts: frozenset[int]
) -> Iterator[Reading]:
    low, group = words.low, clause.group
    if relation in ("realised", "believes"):
        value = _whole(words, at + (at < clause.sentence_end and low[at] == "that"), _strong_end(words, clause), cuts)
        if len(value.split()) > 2 and not (relation == "believes" and clause.subject.how != "self"):
            yield Reading(relation, value)
        return
    if relation in ("did", "does"):
        yield from _acts(words, clause, cuts)
        return
    if relation == "likes" and group.lemma in ("like", "love") and clause.modality in ("wish", "hypothetical"):
        relation = "wants"
    if relation in ("wants", "plans", "needs") and at < clause.end and low[at] in ("you", "to"):
        return
    begin = skip_determiners(words, at, clause.end)
    if begin >= clause.end:
        yield from _told_about(words, clause, relation)
        return
    wide = RELATIONS[relation].whole or (low[begin].endswith("ing") and low[begin] in FORMS)
    stop = (whole_end if wide else nouns_end)(words, begin, clause.end, cuts)
    if stop <= begin or (stop - begin == 1 and low[begin] in EMPTY) or low[begin] in SUBJECTS | {"that", "how", "what"}:
        return
    if relation in ("likes", "dislikes") and (low[at] == "your" or low[begin] in ("seeing", "hearing", "when", "how")):
        return
    if low[begin] in PREPOSITIONS and not wide:
        yield from _acts(words, clause, cuts)
        return
    yield from _typed(words, clause, scene, relation, begin, stop, at, cuts)


def _typed(
    words: Words, clause: Clause, scene: Scene, relation: str, begin: int, stop: int, at: int, cuts: frozenset[int]
) -> Iterator[Reading]:
    """A value by what it is: who has a sister has a sibling, who has a cat has a pet."""
    low, head = words.low, words.low[stop - 1]
    if relation in ("has", "got", "wants") and (kin := _kin_or_pet(words, begin, stop, clause, scene, relation)):
        yield from kin
        return
    if relation == "has" and (head in CONDITIONS or head in INJURABLE):
        relation = "has_condition" if head in CONDITIONS else relation
    elif relation == "injured" and head not in INJURABLE:
        yield from _acts(words, clause, cuts)
        return
    elif relation == "works_as" and clause.group.lemma == "become" and not is_job(head):
        relation = "is_a"
    elif relation == "left_job" and not any(
        low[k] in (*CAREER, "company", "position", "firm") for k in range(begin, stop)
    ):
        yield from _acts(words, clause, cuts)
        return
    elif relation == "founded" and head not in ORGANISATION_STARTS:
        relation = "started"
    elif relation in ("stopped", "lost", "got", "started") and low[begin:stop][-1] in ("job", "jobs"):
        relation = {"got": "got", "started": "started"}.get(relation, "left_job")
    elif relation == "started" and head in ORGANISATION_STARTS:
        relation = "founded"
    elif relation == "aspires_to" and not _names_career(words, begin, stop, scene):
        relation = "wants"
    elif relation == "has" and low[begin] in ("fun", "time", "trouble", "chance"):
        yield from _acts(words, clause, cuts)
        return
    value_type = ""
    parts = list(listed(words, begin, stop)) if relation in _SPLIT else [(begin, stop)]
    for first, last in parts:
        value = words.slice(first, last).strip(" ,'\"")
        if value and not (last - first == 1 and low[first] in EMPTY):
            yield Reading(relation, value, value_type)
    if relation == "works_as" or (relation in ("got", "started") and head == "job"):
        yield from _workplace(words, clause, stop, cuts)
    if relation == "left_job" or relation == "moved_to":
        yield from _purpose(words, clause)
    if relation == "founded" and clause.group.modality == "fact":
        yield Reading("works_as", "founder", "role", weight=0.8)


def _kin_or_pet(
    words: Words, begin: int, stop: int, clause: Clause, scene: Scene, relation: str
) -> list[Reading]:  # fmt: skip
    """Relatives and pets in a noun phrase, with their names: "two sons", "a cat called Okra"."""
    low, found = words.low, []
    end = clause.end
    for first, last in listed(words, begin, stop):
        noun_at = next((k for k in range(first, last) if low[k] in KIN or low[k] in PETS), -1)
        if noun_at < 0 or (noun_at + 1 < last and low[noun_at + 1] not in ("called", "named", "of", "who", ",")
                           and not is_name(words.as_is[noun_at + 1])):  # fmt: skip
            continue
        noun = low[noun_at]
        at = noun_at + 1
        while at < min(end, noun_at + 3) and low[at] in ("called", "named", "is", ","):
            at += 1
        name, _ = apposed(words, at, end)
        if noun in PETS:
            found.append(Reading("has_pet", name or words.slice(first, noun_at + 1), "pet"))
            if name:
                scene.cast.pets[name.lower()] = name
                scene.mention(name, "")
                found.append(Reading("is_a", noun, "thing", name, "pet"))
        elif relation == "has":
            found.append(Reading(KIN[noun][0], name or words.slice(first, noun_at + 1), "person"))
            if name:
                scene.cast.named[name.lower()] = name
                scene.mention(name, KIN[noun][1])
    return found


def _workplace(words: Words, clause: Clause, stop: int, cuts: frozenset[int]) -> Iterator[Reading]:
    """Where somebody works who works as something: "a software engineer at TechCorp"."""
    low = words.low
    if stop < clause.end and low[stop] in ("at", "for", "with", "as"):
        relation = "works_as" if low[stop] == "as" else "works_at"
        begin = skip_determiners(words, stop + 1, clause.end)
        end = nouns_end(words, begin, clause.end, cuts)
        if end > begin and low[stop + 1] not in ("my", "our") and low[begin] not in EMPTY:
            if relation == "works_as" or words.as_is[begin][:1].isupper() or low[stop + 1] in ("a", "an", "the"):
                yield Reading(relation, words.slice(begin, end))
            if relation == "works_as":
                yield from _workplace(words, clause, end, cuts)


def _purpose(words: Words, clause: Clause) -> Iterator[Reading]:
    """What somebody left a job for: "to start a startup"."""
    low = words.low
    for at in range(clause.rest, clause.end - 1):
        if low[at] == "to" and low[at + 1] in ("start", "found", "launch", "open", "run"):
            begin = skip_determiners(words, at + 2, clause.end)
            end = nouns_end(words, begin, clause.end)
            if end > begin and low[end - 1] in ORGANISATION_STARTS:
                yield Reading("founded", words.slice(begin, end), "organisation")
                yield Reading("works_as", "founder", "role", weight=0.8)
            return


def _passive(words: Words, clause: Clause, scene: Scene, cuts: frozenset[int]) -> list[Reading]:
    low, group = words.low, clause.group
    following = low[clause.rest] if clause.rest < clause.end else ""
    adjective = replace(clause, rest=group.verb)
    if given := list(copula(words, adjective, scene, cuts)):
        return [Reading(*found) for found in given]
    for (lemma, key), relation in _PASSIVE.items():
        if lemma == group.lemma and key in ("", following):
            begin = skip_determiners(words, clause.rest + bool(key), clause.end)
            stop = nouns_end(words, begin, clause.end, cuts)
            return [Reading(relation, words.slice(begin, stop))] if stop > begin else []
    if clause.subject.how in ("addressee", "unknown"):
        return []
    value = _whole(words, group.verb, clause.end, cuts)
    return [Reading("did", value)] if len(value.split()) > 1 else []


def _told_about(words: Words, clause: Clause, relation: str) -> list[Reading]:
    """The noun right before a clause that tells about it: "a show I went to", "the one book you lent me"."""
    low, end = words.low, clause.before + 1
    begin = end
    while begin > 0 and end - begin < 4 and low[begin - 1].isalpha() and low[begin - 1] not in PREPOSITIONS | SUBJECTS:
        begin -= 1
        if low[begin] in ("a", "an", "the", "my", "this", "some"):
            value = words.slice(begin + 1, end)
            if end - begin > 1 and value and low[end - 1] not in EMPTY and low[end - 1] not in FORMS:
                return [Reading(relation, value)]
            return []
    return []


def _acts(words: Words, clause: Clause, cuts: frozenset[int]) -> list[Reading]:
    """What somebody did or does, in all its words, where the verb has no relation of its own."""
    group = clause.group
    value = _whole(words, group.verb, clause.end, cuts)
    if len(value.split()) < 2 or words.low[clause.rest] in ("it", "that", "you", "so", "this"):
        return []
    if group.lemma in TALK or (clause.subject.how == "addressee" and group.kind == "base"):
        return []
    if clause.modality in ("plan", "wish"):
        return [Reading("plans" if clause.modality == "plan" else "wants", value)]
    if "can" in group.leads:
        return [Reading("can", value)]
    return [Reading("did" if group.past else "does", value)]


def _is_career(words: Words, clause: Clause, scene: Scene) -> bool:
    group = clause.group
    if not group.leads or clause.modality not in ("plan", "wish"):
        return False
    if group.lemma in ("work", "become"):
        after = words.low[clause.rest] if clause.rest < clause.end else ""
        return group.lemma == "become" or after in ("with", "in", "as", "for", "at")
    return False


def _names_career(words: Words, begin: int, stop: int, scene: Scene) -> bool:
    low = words.low[begin : stop + 3]
    return scene.asked_about_work or any(word in CAREER or is_job(word) for word in low) or low[0] in ("working",)


def _strong_end(words: Words, clause: Clause) -> int:
    for at in range(clause.rest, clause.sentence_end):
        if words.low[at] in ("-", "--", "—", "–", ";", ":", "(") or (
            words.low[at] == "," and words.low[at + 1 : at + 2] == ("but",)
        ):
            return at
    return clause.sentence_end


def _whole(words: Words, begin: int, end: int, cuts: frozenset[int]) -> str:
    return words.slice(begin, whole_end(words, begin, end, cuts)).strip(" ,'\"")
