"""From attributed turns to an answer: its text and sources, or why there is none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ..records.people import Answer, Evidence
from ..text import infer_role
from .attribution import THRESHOLD, Asked, Attributed, confidence, culprit, features
from .dated import when_of, written
from .pick import listed, picked
from .route import Route
from .spans import content

MOST_EVIDENCE = 8
LEAST_SHARE = 0.03  # of the best turn's weight: what is below it is no evidence
_NEGATED = re.compile(r"\b(?:not|never|no|none|nobody|nothing|without|can(?:no|['’])t|\w+n['’]t)\b", re.IGNORECASE)


def answered(question: str, way: Route, asked: Asked, found: Sequence[Attributed]) -> Answer:
    """The answer to a question from the turns that recall found, or why there is none."""
    turns = sorted(found, key=lambda turn: -turn.weight)
    measured = features(asked, found)
    sure = round(confidence(measured), 4) if turns else 0.0
    trace = {name: round(value, 4) for name, value in measured.items()} | {"threshold": THRESHOLD}
    blank = Answer(question, "", True, "", way.person, (), sure, way.kind, way.scope, trace)
    if sure < THRESHOLD:
        reason, sources = why_not(way, asked, found)
        return replace(blank, reason=reason, evidence=tuple(map(evidence, sources)))
    turns = [turn for turn in turns if turn.weight >= LEAST_SHARE * turns[0].weight][:MOST_EVIDENCE]
    text, first = worded(question, way, asked, turns)
    turns = [first, *(turn for turn in turns if turn is not first)]
    return replace(
        blank, text=text, abstained=False, reason=told_by(first), evidence=tuple(evidence(turn) for turn in turns)
    )


def worded(question: str, way: Route, asked: Asked, turns: Sequence[Attributed]) -> tuple[str, Attributed]:
    """The answer in the words of the turns, and the turn that it stands on."""
    if way.kind == "when":
        dated = [(when_of(question, t.sentence.text, t.said.text, t.said.said_at), t) for t in turns]
        (text, _), first = max(dated, key=lambda pair: pair[0][1] * pair[1].weight)
        return text, first
    if way.kind == "yes_no":
        return yes_or_no(question, turns[0].sentence.text), turns[0]
    found = picked(way.kind, asked, turns)
    if not found:
        return turns[0].sentence.text, turns[0]
    if way.kind == "list":
        return ", ".join(one.text for one in listed(found)), found[0].turn
    return found[0].text, found[0].turn


def yes_or_no(question: str, sentence: str) -> str:
    """Yes, unless what was said is negated where the question is not; likely, where it asks what would be."""
    no = (_NEGATED.search(sentence) is None) == (_NEGATED.search(question) is not None)
    likely = re.match(r"\s*(?:would|could|might)\b", question, re.IGNORECASE) is not None
    return ("Likely no" if no else "Likely yes") if likely else ("No" if no else "Yes")


def why_not(way: Route, asked: Asked, turns: Sequence[Attributed]) -> tuple[str, list[Attributed]]:
    """Why a question is not answered: it was somebody else, or nobody said so."""
    if not turns:
        return "nothing that was said comes near this question", []
    other = culprit(asked, turns) if asked.people else None
    if other is not None:
        name, turn = other
        return f"this was {shown(name)}, in {place(turn)}", [turn]
    heard = frozenset[str]().union(*(content(turn.said.around) for turn in turns))
    unsaid = [stem for stem in asked.rarity if stem not in heard]
    about = f" about {', '.join(asked.words[stem] for stem in unsaid)}" if unsaid else " that answers this"
    return f"{shown(way.person) if way.person else 'nobody'} said {'nothing' if way.person else 'anything'}{about}", []


def told_by(turn: Attributed) -> str:
    """Who told it where."""
    return f"{shown(turn.said.speaker)} said so in {place(turn)}"


def place(turn: Attributed) -> str:
    """A turn's conversation, id and day: conv-26 D2:3, 20 May 2023."""
    return f"{turn.said.conversation} {turn.said.turn_id}, {written(turn.said.said_at)}"


def shown(name: str) -> str:
    return f"the {name.lower()}" if infer_role(name, None) is not None else name


def evidence(turn: Attributed) -> Evidence:
    said = turn.said
    return Evidence(said.conversation, said.session, said.turn_id, said.speaker, said.said_at, said.text)
