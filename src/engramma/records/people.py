"""Nouns of the people side: who said what about whom, what became of it, and answers with their sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

UNKNOWN = "unknown"  # a subject that cannot be told: never a guess

Modality = Literal["fact", "plan", "wish", "hypothetical", "question"]
OneOrTwo = Literal["MERGE", "SEPARATE"]


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing: its most used name, its type, and what else it was called."""

    name: str
    type: str  # person, place, organisation, pet, project, tool, event, thing, …
    aliases: tuple[str, ...] = ()
    owner: str | None = None  # whose it is, where that tells it from others of the name ("job" of John)


@dataclass(frozen=True, slots=True)
class Claim:
    """Somebody said this of somebody or something. We know that it was said, not that it is true."""

    subject: str  # an entity's name; UNKNOWN if the words do not tell
    subject_type: str
    relation: str  # works_as, lives_in, likes, has_pet, …: people/claims/relations.py has them all
    value: str  # as it was said, without its determiner: "software engineer"
    value_type: str  # of the entity that the value names, or "text"
    speaker: str  # who said it
    conversation: str
    session: str
    turn_ids: tuple[str, ...]  # where it was said; the first holds the quote
    said_at: datetime
    quote: str  # the very words in the first turn
    start: int  # where they begin there
    valid_from: datetime | None = None  # "yesterday" -> that day
    valid_to: datetime | None = None
    negated: bool = False
    modality: Modality = "fact"
    confidence: float = 0.5
    mentioned_by: tuple[str, ...] = ()  # speakers who said so
    method: str = "rules"  # or the model's name
    questions: tuple[tuple[str, str], ...] = ()  # (a question that it answers, the answer)
    id: str = ""  # from turn, span, relation and method: extracting twice changes nothing


@dataclass(frozen=True, slots=True)
class Period:
    """What held of an entity over a while, with the claims that say so."""

    relation: str
    value: str
    since: datetime
    until: datetime | None
    claims: tuple[Claim, ...]
    since_day: str = ""  # both as the calendar of the reader has them: 2023-05-08
    until_day: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether two things of one person from different conversations are the same, why, and by whom."""

    id: int
    verdict: OneOrTwo
    person: str
    entity: str  # "job"
    conversations: tuple[str, ...]
    reason: str
    evidence: tuple[str, ...]  # turn ids as conversation/turn
    confidence: float
    by: str  # "policy", the model's name, or "user"
    overruled: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where an answer comes from."""

    conversation: str
    session: str
    turn_id: str
    speaker: str
    said_at: datetime
    text: str
    title: str | None = None  # of its conversation


Verdict = Literal["answered", "unsure", "not known"]


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """A sentence that a language model wrote, and the turns that it rests on, the first first."""

    text: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known about a question, with its sources, or why it is not answered."""

    question: str
    text: str  # the model's sentences, the short answer, or else the quote; empty when it abstains
    abstained: bool  # whenever the verdict is not "answered"
    reason: str
    person: str | None  # who is asked about
    evidence: tuple[Evidence, ...]
    confidence: float  # 0 to 1: how likely the quote answers the question as it is asked
    kind: str = "what"  # of the question: who, when, where, what, list, yes_no, how_many
    scope: str = "global"  # or one conversation's id
    trace: Mapping[str, Any] = field(default_factory=dict)
    short: str = ""  # a date, a number, a name, yes or no; only where the quote says so
    quote: str = ""  # the sentence that answers, verbatim; of `evidence[0]`. Also where the verdict is "unsure"
    verdict: Verdict = "not known"
    sentences: tuple[AnswerSentence, ...] = ()  # of a language model, each checked; also where the verdict is "unsure"
    written_by: str = ""  # the model that wrote them
    remark: str = ""  # one line about the model: why it did not write the answer, or what of it was left out
