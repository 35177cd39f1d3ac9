"""Further questions beside passages for a teacher to judge: what the encoder brings up from other sessions.

Questions are those of the corpus; passages are windows of what users said and of assistants' long answers, all of
LongMemEval's sessions that may train and of the snippets.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from engramma.models.reader import split_windows

from . import longmemeval, names, reader_corpus
from .reader_corpus import UNLABELLED, Embed, Sources
from .reader_data import ANYWHERE, Example, Read, tail

QUESTIONS = 40000
USERS, ASSISTANTS = 7, 5  # passages a question
DEPTH = 48
FIRST = 3  # so many are the nearest, the rest are drawn from further down
ASKED = ("statement", "scene", "evidence", "talk")
Said = tuple[str, str]  # a window, and the turn before it


def users(sources: Sources) -> list[tuple[Said, str]]:
    """Windows of what users said, with their sessions."""
    found = [
        ((turn[a:b], ""), name)
        for name, turns in reader_corpus.sessions(sources)
        for turn in turns
        for a, b in split_windows(turn)[:6]
        if b - a > 20
    ]
    return list({said[0]: (said, name) for said, name in found}.values())


def assistants(sources: Sources) -> list[tuple[Said, str]]:
    """Windows of what assistants answered, with their sessions."""
    data = longmemeval.read(sources.data / "longmemeval" / "oracle_dev.json.gz")
    found: list[tuple[Said, str]] = []
    for session in longmemeval.trainable(data)[1]:
        before = ""
        for turn in session.turns:
            if turn.role == "assistant":
                cut = split_windows(turn.text)[:12]
                name = f"s{session.number}"
                found += [((turn.text[a:b], "" if n else before), name) for n, (a, b) in enumerate(cut) if b - a > 20]
            before = tail(turn.role, turn.text)
    return found


def texts_by_fold(path: Path) -> list[set[str]]:
    """Every window of the sessions of each third's questions, which a fold leaves out; of the first none is there."""
    data = longmemeval.read(path)
    told: list[set[str]] = []
    for fold in range(longmemeval.KEPT_APART):
        mine = {n for q in data.questions if longmemeval.fold_of(q.key) == fold for n in q.sessions}
        turns = [turn.text for session in data.sessions if session.number in mine for turn in session.turns]
        told.append({text[a:b] for text in turns for a, b in split_windows(text)})
    return told


def pairs(
    examples: Sequence[Example], sources: Sources, embed: Embed, nearest: Any, rng: random.Random, times: float = 1.0
) -> Iterator[Example]:
    """Questions of the corpus beside the passages that the encoder finds for them, `times` as many as usual."""
    fitting = [e for e in examples if e.kind.startswith(ASKED)]
    rare = [e for e in fitting if e.kind.startswith("evidence")]
    common = [e for e in fitting if not e.kind.startswith("evidence")]
    chosen = rare + rng.sample(common, min(len(common), QUESTIONS - len(rare)))
    asked = embed([e.question for e in chosen])
    lists = []
    for role, said, count in (("user", users(sources), USERS), ("assistant", assistants(sources), ASSISTANTS)):
        rows, _ = nearest(asked, embed([f"{role}: {text}" for (text, _), _ in said]), DEPTH)
        lists.append((role, said, round(times * count), rows))
    for number, e in enumerate(chosen):
        right = e.passages[0]
        speakers = speakers_of(e, rng)
        passages = [replace(right, label=0, span=ANYWHERE)]
        for role, said, count, rows in lists:
            near = [int(r) for r in rows[number] if said[r][1] != e.pool and said[r][0][0] != right.text]
            for r in near[:FIRST] + rng.sample(near[FIRST:], min(count - FIRST, len(near[FIRST:]))):
                speaker, other = speakers if role == "user" else speakers[::-1]
                if role == "user" and speaker != "user" and rng.random() < 0.4:
                    speaker, other = other, speaker
                before = said[r][0][1].replace("user:", f"{other}:", 1)
                passages.append(Read(said[r][0][0], speaker, before, right.day, 0, ANYWHERE))
        yield Example(e.question, UNLABELLED, passages, weight=1.0, source=e.source)


def speakers_of(e: Example, rng: random.Random) -> tuple[str, str]:
    """The two who talk; an example without an answer names one of them only in its passages."""
    first = e.passages[0].speaker
    if first in e.speakers:
        return e.speakers
    return first, rng.choice([name for name in (*names.FEMALE, *names.MALE) if name != first])
