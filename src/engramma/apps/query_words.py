"""Tells a structured question of the graph in plain words: "Looked for Rhona's daughter."."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..language.near_names import either_name
from ..language.quoting import name_line

if TYPE_CHECKING:
    from ..people import GraphAnswer

# What is somebody's, where a relation says so; a tie may be asked for by another noun.
NOUNS = {
    "has_child": "children",
    "has_partner": "partner",
    "has_sibling": "siblings",
    "has_parent": "parents",
    "has_relative": "relatives",
    "has_friend": "friends",
    "has_pet": "pets",
    "has_condition": "illnesses",
    "birthday": "birthday",
    "age": "age",
}
_VALUE = "…"  # stands for what is asked for


def query_words(found: GraphAnswer) -> str:
    """What was looked for, or how such a question is asked where it was not understood."""
    asked = found.pattern
    if asked is None:
        return found.understood
    whom = "" if asked.subject is None else name_line(asked.subject)
    value = "" if asked.value is None else f" {name_line(asked.value)}"
    does = _verbs(asked.relations)
    if asked.anything:
        return f"Looked for everything said about or with {whom}."
    if asked.via:
        return f"Looked for what {_possessive(whom)} {asked.noun or _nouns(asked.via)} {does}."
    if whom and value:
        return f"Looked whether {whom} {does}{value}."
    if whom and (asked.noun or all(one in NOUNS for one in asked.relations)):
        return f"Looked for {_possessive(whom)} {asked.noun or _nouns(asked.relations)}."
    if whom:
        return f"Looked for what {whom} {does}."
    return f"Looked for {f'every {asked.type}' if asked.type else 'everyone and everything'} that {does}{value}."


def _possessive(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def _nouns(relations: Sequence[str]) -> str:
    return either_name([NOUNS.get(one, one.replace("_", " ")) for one in relations])


def _verbs(relations: Sequence[str]) -> str:
    from ..people import predicate_words

    told = ("did" if one == "did" else predicate_words(one, _VALUE).removesuffix(_VALUE).strip() for one in relations)
    return either_name(list(dict.fromkeys(filter(None, told))) or ["is related to"])
