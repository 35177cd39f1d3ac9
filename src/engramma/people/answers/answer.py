"""From attributed turns to an answer: its text and sources, or why there is none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ...language.quoting import name_line
from ...language.text import infer_role
from ...records.people import Answer, Evidence
from ..claims.event_times import describe_day, when_of
from ..questions.question_scope import Route
from .attribution import THRESHOLD, Attributed, AttributedQuestion, confidence, culprit, features
from .claim_answers import ClaimAnswer
from .pick import pick_list_items, picked
from .spans import find_content_stems

MOST_EVIDENCE = 8
LEAST_SHARE = 0.03  # of the best turn's weight: what is below it is no evidence
NOTHING = ClaimAnswer()
_AMOUNT = re.compile(r"\s*how (?:many|much|old|far|tall|big)\b", re.IGNORECASE)
NOT_THEIRS = 0.3  # confidence at most, where a claim says that it is somebody else's or the words for it are not there
_NEGATED = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|without|can(?:no|['’])t|\w+n['’]t|stopp?(?:ed)?|quit|g[ai]ve up|used to)\b",
    re.IGNORECASE,
)


def word_answer(
    question: str, way: Route, asked: AttributedQuestion, found: Sequence[Attributed], told: ClaimAnswer = NOTHING
) -> Answer:
    """The answer to a question from what claims say and from the turns that recall found, or why there is none."""
    turns = sorted(found, key=lambda turn: -turn.weight)
    measured = features(asked, found)
    sure = round(confidence(measured), 4) if turns else 0.0
    trace = {name: round(value, 4) for name, value in measured.items()} | {"threshold": THRESHOLD}
    blank = Answer(question, "", True, "", way.person, (), sure, way.kind, way.scope, trace)
    if told.text and max(sure, told.sure) >= THRESHOLD:
        return by_claims(replace(blank, confidence=max(sure, round(told.sure, 4))), told, turns)
    if sure < THRESHOLD:
        reason, sources = why_not(way, asked, found)
        return replace(blank, reason=reason, evidence=tuple(map(_evidence, sources)))
    turns = standing(turns)
    text, first = worded(question, way, asked, turns)
    if told.owner and _evidence(first) in told.evidence:
        reason = f"this was {_shown(told.owner)}, in {at(told.evidence[0])}"
        return replace(blank, reason=reason, evidence=told.evidence, confidence=min(sure, NOT_THEIRS))
    if unsaid := not_told(told, text, first):
        return replace(blank, reason=unsaid, confidence=min(sure, NOT_THEIRS))
    turns = [first, *(turn for turn in turns if turn is not first)]
    rests_on = tuple(_evidence(turn) for turn in turns)
    return replace(blank, text=text, abstained=False, reason=told_by(rests_on[0]), evidence=rests_on)


def by_claims(blank: Answer, told: ClaimAnswer, turns: Sequence[Attributed]) -> Answer:
    """An answer in the words of claims, with their turns first and the others that speak of it after them."""
    beside = (_evidence(turn) for turn in standing(turns)) if turns else ()
    sources = tuple(dict.fromkeys((*told.evidence, *beside)))[:MOST_EVIDENCE]
    reason = told_by(sources[0]) if sources else ""
    return replace(blank, text=told.text, abstained=False, reason=reason, evidence=sources)


def standing(turns: Sequence[Attributed]) -> list[Attributed]:
    """The turns that count as evidence."""
    return [turn for turn in turns if turn.weight >= LEAST_SHARE * turns[0].weight][:MOST_EVIDENCE]


def not_told(told: ClaimAnswer, text: str, turn: Attributed) -> str:
    """Why a piece of what was said is no answer: no number, or by the claims it holds now or is something else."""
    if not text:
        return "nobody mentioned a number"
    if told.only_now and told.only_now.lower() in text.lower():
        return f"nothing from before {told.only_now} was said"
    if told.cues and find_content_stems(" ".join(told.cues)).isdisjoint(find_content_stems(turn.said.text)):
        return "nobody said anything about this"
    return ""


def worded(question: str, way: Route, asked: AttributedQuestion, turns: Sequence[Attributed]) -> tuple[str, Attributed]:
    """The answer in the words of the turns, and the turn that it stands on; empty if it asks for a number in vain."""
    if way.kind == "when":
        dated = [(when_of(question, t.sentence.text, t.said.text, t.said.said_at), t) for t in turns]
        (text, _), first = max(dated, key=lambda pair: pair[0][1] * pair[1].weight)
        return text, first
    if way.kind == "yes_no":
        return yes_or_no(question, turns[0].sentence.text), turns[0]
    found = picked(way.kind, asked, turns)
    if _AMOUNT.match(question):
        found = [one for one in found if one.counts]
        if not found:
            return "", turns[0]
    if not found:
        return turns[0].sentence.text, turns[0]
    if way.kind == "list":
        return ", ".join(one.text for one in pick_list_items(found)), found[0].turn
    return found[0].text, found[0].turn


def yes_or_no(question: str, sentence: str) -> str:
    """Yes, unless what was said is negated where the question is not; likely, where it asks what would be."""
    no = (_NEGATED.search(sentence) is None) == (_NEGATED.search(question) is not None)
    likely = re.match(r"\s*(?:would|could|might)\b", question, re.IGNORECASE) is not None
    return ("Likely no" if no else "Likely yes") if likely else ("No" if no else "Yes")


def why_not(way: Route, asked: AttributedQuestion, turns: Sequence[Attributed]) -> tuple[str, list[Attributed]]:
    """Why a question is not answered: it was somebody else, or nobody said so."""
    if not turns:
        return "nothing that was said is close to this question", []
    other = culprit(asked, turns) if asked.people else None
    if other is not None:
        name, turn = other
        return f"this was {_shown(name)}, in {at(_evidence(turn))}", [turn]
    heard = frozenset[str]().union(*(find_content_stems(turn.said.around) for turn in turns))
    unsaid = [stem for stem in asked.rarity if stem not in heard]
    about = f" about {', '.join(asked.words[stem] for stem in unsaid)}" if unsaid else " that answers this"
    return f"{_shown(way.person) if way.person else 'nobody'} said {'nothing' if way.person else 'anything'}{about}", []


def told_by(source: Evidence) -> str:
    """Who told it where."""
    return f"{_shown(source.speaker)} said so in {at(source)}"


def at(source: Evidence) -> str:
    """A turn's conversation, id and day: conv-26 D2:3, 20 May 2023."""
    return f"{name_line(source.conversation)} {name_line(source.turn_id)}, {describe_day(source.said_at)}"


def _shown(name: str) -> str:
    return f"the {name.lower()}" if infer_role(name, None) is not None else name_line(name)


def _evidence(turn: Attributed) -> Evidence:
    said = turn.said
    return Evidence(said.conversation, said.session, said.turn_id, said.speaker, said.said_at, said.text)
