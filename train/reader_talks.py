"""Examples for the reader out of the written talks (`train/talks/`): everything else that was said is a negative.

A talk is told several times: as it was written, and with its people under other names, so that no name means anything;
one between a user and an assistant also between two people with names.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from engramma.models.reader import split_windows

from . import names
from .person import to_third
from .reader_data import ANYWHERE, Example, Read, find_answer, tail
from .reader_forms import noised
from .talks import ANSWERED, CHANGED, NOWHERE, OTHER_PERSON, Asked, SaidTurn, WrittenTalk

TELLINGS = 3  # of each talk: the first as written
KINDS = {ANSWERED: "talk", OTHER_PERSON: "talk other person", CHANGED: "talk changed", NOWHERE: "talk none"}
ROLES = ("user", "assistant")
MOST_RIGHT, MOST_NEAR = 2, 3  # windows that answer, and of the turn that only seems to
KEPT, NEAREST = 10, 6  # passages a question besides; so many of them the nearest to the question
DAYS_TOLD = 0.8  # how often a passage tells its day


def examples(talks: Sequence[WrittenTalk], rng: random.Random, tellings: int = TELLINGS) -> Iterator[Example]:
    """All questions of some talks, each as often as the talk is told; the passages are still all there are."""
    for talk in talks:
        for telling in range(tellings):
            told_as = _names_for(talk, rng) if telling else dict.fromkeys(talk.people, "")
            has_day = rng.random() < DAYS_TOLD
            windows = {turn.number: _windows(talk, turn, told_as, has_day) for turn in talk.turns}
            for asked in talk.asked:
                if example := _example(talk, asked, windows, told_as, rng):
                    yield example


def _names_for(talk: WrittenTalk, rng: random.Random) -> dict[str, str]:
    """Another name for each who takes part, or none: half of the assistants stay what they are."""
    if set(talk.people) == set(ROLES) and rng.random() < 0.5:
        return dict.fromkeys(talk.people, "")
    chosen = rng.sample((*names.FEMALE, *names.MALE), len(talk.people))
    return dict(zip(talk.people, chosen, strict=True))


def _renamed(text: str, told_as: dict[str, str]) -> str:
    """A text of people under other names; roles are no names inside a text."""
    for name, other in told_as.items():
        if other and name not in ROLES:
            text = re.sub(rf"\b{re.escape(name)}\b", other, text)
    return text


def _windows(talk: WrittenTalk, turn: SaidTurn, told_as: dict[str, str], has_day: bool) -> list[Read]:
    text = _renamed(turn.text, told_as)
    speaker = told_as[turn.speaker] or turn.speaker
    day = f"{turn.said_at.day} {turn.said_at:%B %Y}" if has_day else ""
    before = ""
    if turn.number > 1 and (last := talk.turns[turn.number - 2]).said_at == turn.said_at:
        before = tail(told_as[last.speaker] or last.speaker, _renamed(last.text, told_as))
    return [
        Read(text[start:end], speaker, before if place == 0 else "", day)
        for place, (start, end) in enumerate(split_windows(text))
    ]


def _example(
    talk: WrittenTalk, asked: Asked, windows: dict[int, list[Read]], told_as: dict[str, str], rng: random.Random
) -> Example | None:
    near = set(asked.turns) | set(asked.unclear)
    right: list[Read] = []
    if asked.kind == ANSWERED:
        for number in asked.turns:
            right += _answering(windows[number], _renamed(asked.answer, told_as), is_first=number == asked.turns[0])
        if not right:
            return None
    seeming = [one for number in asked.turns for one in windows[number]] if asked.kind != ANSWERED else []
    others = [one for number, cut in windows.items() if number not in near for one in cut if len(one.text) > 10]
    rng.shuffle(others)
    question = _asked_as(talk, asked.question, told_as, rng)
    first, *rest = [told_as[name] or name for name in talk.people]
    passages = [*right[:MOST_RIGHT], *seeming[:MOST_NEAR], *others]
    return Example(noised(question, rng), KINDS[asked.kind], passages, speakers=(first, rest[0] if rest else first))


def _asked_as(talk: WrittenTalk, question: str, told_as: dict[str, str], rng: random.Random) -> str:
    if set(talk.people) == set(ROLES) and told_as["user"]:
        return to_third(question, told_as["user"], told_as["assistant"], rng.choice("fmn"))  # type: ignore[arg-type]
    return _renamed(question, told_as)


def _answering(cut: list[Read], answer: str, is_first: bool) -> list[Read]:
    """The windows of a turn that answer, with the answer's place; of a later turn only one that says it, or its all."""
    found = []
    for one in cut:
        at = one.text.find(answer)
        span = (at, at + len(answer)) if at >= 0 and is_first else find_answer(one.text, answer)
        if span:
            found.append(Read(one.text, one.speaker, one.before, one.day, 1, span))
    if not found and len(cut) == 1:
        one = cut[0]
        found = [Read(one.text, one.speaker, one.before, one.day, 1, ANYWHERE)]
    return found[:1]


def keep_nearest(found: Sequence[Example], embed: Any, rng: random.Random) -> None:
    """Of each example's passages that do not answer keeps those that the encoder takes for answers, and a few more."""
    mine = [e for e in found if e.kind in KINDS.values()]
    texts = list(dict.fromkeys(f"{p.speaker}: {p.text}" for e in mine for p in e.passages))
    place = {text: number for number, text in enumerate(texts)}
    passages, asked = embed(texts), embed([e.question for e in mine])
    for e, vector in zip(mine, asked, strict=True):
        fixed = MOST_RIGHT if e.kind == KINDS[ANSWERED] else MOST_NEAR if e.kind != KINDS[NOWHERE] else 0
        count = sum(p.label for p in e.passages) if e.kind == KINDS[ANSWERED] else min(fixed, len(e.passages))
        rest = e.passages[count:]
        near = passages[[place[f"{p.speaker}: {p.text}"] for p in rest]] @ vector if rest else np.zeros(0)
        order = np.argsort(-near)
        kept = [rest[n] for n in order[:NEAREST]]
        further = [rest[n] for n in order[NEAREST:]]
        e.passages[count:] = kept + rng.sample(further, min(KEPT - NEAREST, len(further)))
