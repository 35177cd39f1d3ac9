"""A question to the graph as a pattern of (subject?, relation?, value?), where it has one of the known shapes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .phrases import GROUPS, WHICH_ONE, explicit, forwards, inverse, kin, one_of, related, type_named
from .self_questions import of_somebody


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a question asks the graph for; None stands for what it wants to know."""

    subject: str | None = None
    relations: tuple[str, ...] = ()
    value: str | None = None
    type: str | None = None  # of the subject that is sought
    via: tuple[str, ...] = ()  # relations from the subject to those who are asked about: two hops
    anything: bool = False  # all that is related, either way
    noun: str = ""  # which of the ties: a wife, a sister


def pattern_of(question: str, own: str = "") -> Pattern | None:
    """What a question asks for; None if it has none of the known shapes. `own`: whose "my" is."""
    text = " ".join(question.replace("’", "'").split()).rstrip(" ?.!")
    text = re.sub(r"^(what|who|where|when)'s\b", r"\1 is", text, flags=re.IGNORECASE)
    text = of_somebody(text, own) if own else text
    text = re.sub(r"\bthe names? of (.+)", r"\1's name", text, flags=re.IGNORECASE)
    text = re.sub(r"^what are (.+'s?) names$", r"what is \1 name", text, flags=re.IGNORECASE)
    text = re.sub(rf"('s?) (?:{WHICH_ONE}) (?=\w)", r"\1 ", text, flags=re.IGNORECASE)
    if (given := explicit(text)) is not None:
        subject, relation, value, type = given
        return Pattern(subject, GROUPS.get(relation, (relation,)) if relation else (), value, type)
    if (name := related(text)) is not None:
        return Pattern(name, anything=True)
    if (found := inverse(text)) is not None:
        return Pattern(None, found.relations, found.value, type_named(found.what))
    if (ahead := forwards(text)) is not None:
        subject, relations = ahead
        if (tie := kin(subject)) is not None:  # "Where do Ana's friends live?"
            return Pattern(tie[0], relations, via=tie[1], noun=one_of(subject))
        return Pattern(subject, relations, noun=one_of(text))
    return None
