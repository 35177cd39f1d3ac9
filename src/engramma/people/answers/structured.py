"""Structured questions: a small set of shapes, read as (subject?, relation?, value?) and looked up in the graph.

"What does Ana like?", "Who works at TechCorp?", "What projects use Python?", "What is related to issue 42?", "Where do
Ana's friends live?", or plainly `subject="Ana" relation=likes`. What was understood is always said; what was not
understood is no guess but an answer without facts that says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...records.people import UNKNOWN
from ...store.store import Store, encode_keys
from ..claims.hydrate import ALL, Fact, read_facts
from ..entities.entities import EntityRow, entities_by_keys, keys_named
from ..entities.name_forms import fold_name, is_proper, split_name
from ..questions.pattern import Pattern
from ..questions.question import ParsedQuestion
from ..questions.self_questions import NOBODY, is_own, of_noun, own_name

MOST = 200  # facts of an answer
SCANNED = 1_000  # claims of a relation with the letters asked for that are compared by their words, the latest first
BESIDE = 12  # entities that stand in the same turns, shown with what is related
TURNS_BESIDE = 2_000  # the latest turns of an entity that are looked at for them


@dataclass(frozen=True, slots=True)
class GraphAnswer:
    """What the graph says to a question: how it was understood, the answers, and the facts with their sources."""

    question: str
    understood: str
    answers: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    beside: tuple[str, ...] = ()  # entities named in the same turns, where everything related was asked for
    pattern: Pattern | None = None


def answer_graph_query(store: Store, question: str, limit: int = MOST) -> GraphAnswer:
    """Answer a structured question from the claims, or say that it was not understood."""
    own = own_name(store) if is_own(question) else ""
    pattern = ParsedQuestion(question, own=own).pattern
    if pattern is None:
        return GraphAnswer(question, NOBODY if is_own(question) and not own else NOT_UNDERSTOOD)
    if pattern.anything and pattern.subject is not None:
        return _related(store, question, pattern, limit)
    if pattern.via and pattern.subject is not None:
        return _two_hops(store, question, pattern, limit)
    return _one_hop(store, question, pattern, limit)


NOT_UNDERSTOOD = (
    "The graph cannot answer this kind of question. Ask for example: What does Ana like? Who works at "
    "TechCorp? What projects use Python? What is related to issue 42? Or: subject=Ana relation=likes"
)


# --- lookups -------------------------------------------------------------------------------------


def _one_hop(store: Store, question: str, pattern: Pattern, limit: int) -> GraphAnswer:
    subjects = keys_named(store, pattern.subject) if pattern.subject is not None else []
    if pattern.subject is not None and not subjects:
        return GraphAnswer(question, f"{_told(pattern)} {_nobody(pattern.subject)}", pattern=pattern)
    if subjects:
        facts = _of_whom(store, subjects, pattern.relations, pattern.noun)
        if pattern.value is not None:
            facts = [fact for fact in facts if _means(fact, pattern.value, set(keys_named(store, pattern.value)))]
    elif pattern.value is not None:
        facts = _with_value(store, pattern)
    else:
        keys = [key for name in pattern.relations for key in _of_relation(store, name, limit)]
        facts = read_facts(store, keys)
    if pattern.type is not None:
        facts = [fact for fact in facts if _is_of(fact, pattern.type)]
    good = _sorted(fact for fact in facts if _counts(fact))[:limit]
    sought = [fact.subject for fact in good] if pattern.subject is None else [fact.value for fact in good]
    if pattern.noun:  # of "my wife" and "my wife is called Anna" the name is what was asked for
        called = [fact for fact in _called(store, good) if fact not in good]
        names = [fact.value for fact in called] + [one for one in sought if is_proper(one)]
        sought, good = names or sought, good + called
    return GraphAnswer(question, _told(pattern), tuple(dict.fromkeys(sought)), tuple(good), pattern=pattern)


def _two_hops(store: Store, question: str, pattern: Pattern, limit: int) -> GraphAnswer:
    assert pattern.subject is not None
    people = keys_named(store, pattern.subject)
    if not people:
        return GraphAnswer(question, f"{_told(pattern)} {_nobody(pattern.subject)}", pattern=pattern)
    ties = [fact for fact in _of_whom(store, people, pattern.via, pattern.noun) if _counts(fact)]
    between = [fact.value_key for fact in ties if fact.value_key]
    found = [fact for fact in _about(store, between, pattern.relations) if _counts(fact)] if between else []
    reached = {fact.subject_key for fact in found}
    names = [fact for fact in ties if is_proper(fact.value)] if pattern.relations == ("is_called",) else []
    facts = _sorted(fact for fact in ties if fact.value_key in reached or fact in names) + _sorted(found)
    answers = tuple(dict.fromkeys(fact.value for fact in [*_sorted(found), *_sorted(names)]))
    return GraphAnswer(question, _told(pattern), answers, tuple(facts[:limit]), pattern=pattern)


def _related(store: Store, question: str, pattern: Pattern, limit: int) -> GraphAnswer:
    """All facts from and to an entity, and what is named in the same turns."""
    assert pattern.subject is not None
    keys = keys_named(store, pattern.subject)
    if not keys:
        return GraphAnswer(question, f"{_told(pattern)} {_nobody(pattern.subject)}", pattern=pattern)
    facts = _sorted(fact for fact in around(store, keys) if _counts(fact))[:limit]
    names = [
        fact.value if fact.subject_key in keys else fact.subject
        for fact in facts
        if fact.subject_key in keys or fact.subject != UNKNOWN
    ]
    beside = [entity.name for entity in named_beside(store, keys) if entity.name not in names]
    return GraphAnswer(question, _told(pattern), tuple(dict.fromkeys(names)), tuple(facts), tuple(beside), pattern)


def around(store: Store, keys: Sequence[int], limit: int = ALL) -> list[Fact]:
    """The facts from and to some entities: one hop, either way; those that relate to them by name, too."""
    listed = encode_keys(keys)
    out = store.keys("claim_keys_of_subjects", entities=listed, relation=None, limit=limit).tolist()
    into = store.keys("claim_keys_of_objects", entities=listed, relation=None, limit=limit).tolist()
    return read_facts(store, dict.fromkeys([*out, *into]))


def named_beside(store: Store, keys: Sequence[int]) -> list[EntityRow]:
    """Entities that are named in the turns in which these are, the most often first."""
    times: dict[int, int] = {}
    for key in keys:
        for row in store.all("entities_beside", key=key, most=TURNS_BESIDE, limit=BESIDE):
            times[row["key"]] = times.get(row["key"], 0) + row["turns"]
    best = sorted((key for key in times if key not in keys), key=lambda key: (-times[key], key))[:BESIDE]
    return entities_by_keys(store, best)


def _about(store: Store, subjects: Sequence[int], relations: Iterable[str]) -> list[Fact]:
    listed = encode_keys(subjects)
    asked = tuple(relations) or (None,)
    keys = [
        key
        for relation in asked
        for key in store.keys("claim_keys_of_subjects", entities=listed, relation=relation, limit=ALL).tolist()
    ]
    return read_facts(store, dict.fromkeys(keys))


def _of_whom(store: Store, subjects: Sequence[int], relations: Iterable[str], noun: str) -> list[Fact]:
    """What is said of somebody; of ties only those that a noun means, where one was asked for by it."""
    facts = _about(store, subjects, relations)
    return of_noun(facts, noun) if noun else facts


def _called(store: Store, ties: Iterable[Fact]) -> list[Fact]:
    """What those are called who are named by their noun alone."""
    keys = [fact.value_key for fact in ties if fact.value_key and not is_proper(fact.value)]
    return [fact for fact in _about(store, keys, ("is_called",)) if _counts(fact)] if keys else []


def _with_value(store: Store, pattern: Pattern) -> list[Fact]:
    """Facts that say a value: by the entity that it names, and by its words where it is a text."""
    assert pattern.value is not None
    meant = keys_named(store, pattern.value)
    asked = pattern.relations or (None,)
    keys: list[int] = []
    for relation in asked:
        keys += store.keys("claim_keys_of_objects", entities=encode_keys(meant), relation=relation, limit=ALL).tolist()
    facts = read_facts(store, dict.fromkeys(keys))
    if facts and is_proper(pattern.value):
        return facts  # a name means what it names; a common noun may stand in longer words, too
    longest = max((word for word in split_name(pattern.value, "thing")), key=len, default="")
    bounds = {"letters": longest[:-1] if len(longest) > 3 else longest, "limit": SCANNED}  # "hike" in "hiking"
    rest = [
        key for r in pattern.relations for key in store.keys("claim_keys_with_letters", relation=r, **bounds).tolist()
    ]
    known = set(meant)
    more = [fact for fact in read_facts(store, dict.fromkeys(rest)) if _means(fact, pattern.value, known)]
    return [*facts, *(fact for fact in more if fact not in facts)]


def _of_relation(store: Store, relation: str, limit: int) -> list[int]:
    return list(store.keys("claim_keys_of_relation", relation=relation, limit=limit).tolist())


def _means(fact: Fact, value: str, keys: set[int]) -> bool:
    """Whether a fact's value is what was asked for: the entity, the same form, or a text with all of its words."""
    if fact.value_key and fact.value_key in keys:
        return True
    if fold_name(fact.value, fact.value_type) == fold_name(value, fact.value_type):
        return True
    wanted = set(split_name(value, "thing"))
    return bool(wanted) and wanted <= set(split_name(fact.value, "thing"))


def _is_of(fact: Fact, type: str) -> bool:
    """Whether a fact's subject is of a type; one whose type nobody told may be called by it ("the billing project")."""
    return fact.subject_type == type or (fact.subject_type == "thing" and type in split_name(fact.subject, "thing"))


def _counts(fact: Fact) -> bool:
    """Whether a fact answers anything: not what was asked, supposed or denied."""
    return not fact.negated and fact.modality not in ("question", "hypothetical")


def _sorted(facts: Iterable[Fact]) -> list[Fact]:
    """What was said last first, then what is surest."""
    return sorted(facts, key=lambda f: (f.last_said, f.confidence, f.subject, f.value), reverse=True)


def _told(pattern: Pattern) -> str:
    """A pattern in words."""
    relations = " or ".join(pattern.relations) if pattern.relations else "anything"
    if pattern.anything:
        return f"Looked for everything said about or with {pattern.subject!r}."
    if pattern.via:
        return f"Looked for whom {pattern.subject!r} {' or '.join(pattern.via)}, then what they {relations}."
    if pattern.subject is not None and pattern.value is not None:
        return f"Looked whether {pattern.subject!r} {relations} {pattern.value!r}."
    if pattern.subject is not None:
        return f"Looked for what {pattern.subject!r} {relations}."
    what = f"every {pattern.type}" if pattern.type else "everyone and everything"
    return f"Looked for {what} that {relations}" + (f" {pattern.value!r}." if pattern.value is not None else ".")


def _nobody(name: str) -> str:
    return f"Nobody and nothing here is called {name!r}."
