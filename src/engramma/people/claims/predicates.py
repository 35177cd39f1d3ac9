"""Predicates: what a claim says of its subject, in plain words, the same for every face.

"works_at TechCorp" is "works at TechCorp", "did signed the lease" is "signed the lease", and "not eats fish" is "does
not eat fish". Relations are named in relations.py; those of its names that are no words are put into words here.
"""

from __future__ import annotations

import re

from ..grammar.verbs import FORMS

# Relations whose names, with blanks for their bars, are no words to read.
_WORDS = {
    "is_a": "is",
    "age": "is aged",
    "birthday": "has the birthday",
    "born_in": "was born in",
    "described_as": "is described as",
    "left_job": "left",
    "hired_by": "was hired by",
    "from": "is from",
    "has_child": "has the child",
    "has_partner": "has the partner",
    "has_sibling": "has the sibling",
    "has_parent": "has the parent",
    "has_relative": "has the relative",
    "has_friend": "has the friend",
    "dating": "is dating",
    "engaged_to": "is engaged to",
    "married_to": "is married to",
    "relationship_status": "is",
    "has_pet": "has the pet",
    "has_condition": "has",
    "allergic_to": "is allergic to",
    "injured": "hurt",
    "favourite": "likes best",
    "related_to": "is related to",
    "good_at": "is good at",
    "did": "",  # the value has its own verb
    "does": "",
}
TIES = ("has_child", "has_partner", "has_sibling", "has_parent", "has_relative", "has_friend", "has_pet")
ROLES = ("is_a", "works_as")
_HEDGE = re.compile(
    r"^(?:(?:actually|probably|basically|definitely|honestly|maybe|(?:lots?|bunch|plenty) of)\b[\s,]*)+", re.IGNORECASE
)
_UNSURE = re.compile(r"maybe|probably", re.IGNORECASE)
_MANY = re.compile(r"(?:\w\w[^\Ws]s|children|people|family|\w\wmen)$")
_INTENDS = ("plans", "wants", "aspires_to", "learns")  # and then what is to be done, or a noun
_BEFORE_NOT = ("is", "was", "can", "are", "were", "could", "will", "would")
_THIRD = {"have": "has", "do": "does", "be": "is"}
_NOUNS = ("trip", "visit", "move", "change", "break", "walk", "swim", "run")  # as often as they are verbs


def without_hedges(value: str) -> str:
    """A value without how sure somebody was, and how much it is: "ravioli" of "actually ravioli"."""
    return _HEDGE.sub("", value) or value


def predicate_words(relation: str, value: str, negated: bool = False) -> str:
    """What is said of somebody: "works at TechCorp", "signed the lease", "does not eat fish".

    Who was not sure is not quoted as sure ("probably likes best ravioli"), and who does not eat lots of meat eats some.
    """
    if negated:
        return _predicate(relation, value, True)
    told = without_hedges(value)
    unsure = _UNSURE.search(value[: len(value) - len(told)])
    predicate = _predicate(relation, told, False)
    return predicate if unsure is None else f"{unsure[0].lower()} {predicate}"


def _predicate(relation: str, value: str, negated: bool) -> str:
    words = _WORDS.get(relation, relation.replace("_", " "))
    if relation in TIES and value[:1].islower():  # nobody in particular: "has a brother"
        return f"{'does not have' if negated else 'has'} {_with_article(value)}"
    if relation in ROLES and value.rpartition(" ")[2][:1].islower():
        value = _with_article(value)
    if not words:
        return _with_its_verb(value, relation == "did", negated)
    if relation in _INTENDS and not words.endswith(" to") and _is_base(value.partition(" ")[0]):
        words += " to"
    return f"{_denied(words) if negated else words} {value}"


def _with_article(noun: str) -> str:
    """A noun in small letters after "has", "is" or "works as": "a brother", "an engineer", "friends"."""
    is_whole = _MANY.search(noun) or noun.partition(" ")[0] in ("a", "an", "the", "one", "other", "vegan", "vegetarian")
    return noun if is_whole else f"an {noun}" if noun[0] in "aeiouAEIO" else f"a {noun}"


def _with_its_verb(value: str, is_past: bool, negated: bool) -> str:
    """A value that begins with its verb, as a predicate."""
    first, blank, rest = value.partition(" ")
    verb = FORMS.get(first.lower())
    if verb is not None:
        first = first.lower()
    if negated and first.lower() in (*_BEFORE_NOT, "has"):
        return _denied(f"{first.lower()}{blank}{rest}")
    if negated:
        first = f"{'did' if is_past else 'does'} not {verb.lemma if verb is not None else first}"
    elif not is_past and first.lower() in _THIRD:
        first = _THIRD[first.lower()]
    elif verb is not None and not is_past and "base" in verb.kinds and "past" not in verb.kinds:
        first = _third_person(first)
    return f"{first}{blank}{rest}"


def _denied(words: str) -> str:
    """A predicate that is denied: "does not work at", "is not from", "did not buy"."""
    first, blank, rest = words.partition(" ")
    if first in _BEFORE_NOT:
        return f"{first} not{blank}{rest}"
    if first == "has":
        return f"does not have{blank}{rest}"
    verb = FORMS.get(first)
    if verb is None:
        return f"not {words}"
    return f"{'does' if 's' in verb.kinds else 'did'} not {verb.lemma}{blank}{rest}"


def _is_base(word: str) -> bool:
    verb = FORMS.get(word)
    return verb is not None and "base" in verb.kinds and word not in _NOUNS


def _third_person(verb: str) -> str:
    forms = (f"{verb}s", f"{verb}es", f"{verb[:-1]}ies")
    return next((form for form in forms if (found := FORMS.get(form)) and "s" in found.kinds), verb)
