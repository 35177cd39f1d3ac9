"""Examples for the reader by rules: questions formed about statements, with the words that answer them.

Beside the answered question stand those that only look answered: another person's name, or one word changed.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterator, Sequence
from typing import Any

from engramma.models.reader import split_windows

from . import clauses, names, questions
from .person import to_third
from .reader_changes import Changes
from .reader_data import ANYWHERE, Example, Read, Span
from .scenes import SCENES
from .wordlists import word_list
from .wordnet import WordNet

REPLIES = (
    "That sounds great!",
    "Oh nice, tell me more.",
    "How have you been?",
    "What's new with you?",
    "I had a long day at work.",
    "Wow, really?",
    "Good to hear from you! Anything exciting going on?",
    "Same here. By the way, how was your week?",
)
MONTHS = word_list("January February March April May June July August September October November December")
_SLOT = re.compile(r"\{(\w+)\}")


def answered_by(question: str, clause: clauses.Clause, text: str) -> Span:
    """Where the text holds the answer to a question formed about the clause; anywhere, if the rules cannot tell."""
    first, *rest = question.lower().split()
    second = rest[0] if rest else ""
    chunk: clauses.Chunk | None = None
    if first == "when" or (first == "how" and second == "long"):
        chunk = next((c for c in clause.chunks if c.is_time), None)
    elif first == "where":
        chunk = next((c for c in clause.chunks if c.mark in questions.PLACES and not c.is_time), None)
    elif first == "who":
        people = clauses.PEOPLE
        chunk = next((c for c in clause.chunks if people & {w.lower().strip(",") for w in c.words}), None)
    elif first == "why":
        chunk = next((c for c in clause.chunks if c.mark in ("because", "to do", "so")), None)
    elif first == "how" and second in ("many", "much"):
        chunk = next((c for c in clause.chunks if any(w[:1].isdigit() or w[:1] == "$" for w in c.words)), None)
    elif first in ("what", "which"):
        thing = clause.object
        if thing is not None and not (second == "did" and rest[2:3] == ["do"]) and " about" not in question:
            chunk = thing
    if chunk is None or not chunk.words:
        return ANYWHERE
    said = " ".join(chunk.words)
    at = text.find(said)
    return (at, at + len(said)) if at >= 0 and said.lower() not in question.lower() else ANYWHERE


def statements(
    session: str, turns: Sequence[str], wordnet: WordNet, changes: Changes, rng: random.Random, most: int
) -> Iterator[Example]:
    """Questions about a session's statements, each against the session's other turns."""
    cut = [[turn[a:b] for a, b in split_windows(turn)] for turn in turns]
    pieces = [(number, piece) for number, parts in enumerate(cut) for piece in parts]
    made: list[tuple[str, int, int, Span]] = []
    for place, (number, piece) in enumerate(pieces):
        for sentence in clauses.sentences(piece):
            made += [(text, place, number, ANYWHERE) for _, text in questions.statement_of(sentence)]
            for clause in clauses.clauses(sentence, wordnet):
                made += [
                    (text, place, number, answered_by(text, clause, piece))
                    for _, text in questions.asked(clause, wordnet, rng)
                ]
    rng.shuffle(made)
    made.sort(key=lambda row: row[3] == ANYWHERE)
    kept = made[: most - most // 3] + rng.sample(made[most - most // 3 :], min(most // 3, max(0, len(made) - most)))
    for question, place, number, span in kept:
        others = [piece for n, piece in pieces if n != number]
        rng.shuffle(others)
        yield from told(question, pieces[place][1], span, others[:4], "statement", session, changes, rng)


def told(
    question: str,
    text: str,
    span: Span,
    others: Sequence[str],
    kind: str,
    session: str,
    changes: Changes,
    rng: random.Random,
) -> Iterator[Example]:
    """The question in the first person or by name, and its unanswerable twins."""
    day = f"{rng.randint(1, 28)} {rng.choice(MONTHS)} {rng.choice((2022, 2023, 2024))}" if rng.random() < 0.6 else ""
    gender: Any = rng.choice("fm")
    me = rng.choice(names.FEMALE if gender == "f" else names.MALE)
    you = rng.choice([name for name in (*names.FEMALE, *names.MALE) if name != me])
    named = rng.random() < 0.6
    speaker, other = (me, you) if named else ("user", "assistant")
    reply = f"{other}: {rng.choice(REPLIES)}" if rng.random() < 0.5 else ""
    right = Read(text, speaker, reply, day, 1, span)
    wrong = [Read(piece, speaker, "", day) for piece in others]
    asked = to_third(question, me, you, gender) if named else question
    twins: list[Read] = []
    personal = named and me in asked  # else the question is about nobody in particular
    if personal and rng.random() < 0.7:
        twins.append(Read(text, you, "", day))  # told by the other one, and so of the other one
    yield Example(noised(asked, rng), kind, [right, *twins, *wrong], session, speakers=(speaker, other))
    if personal and rng.random() < 0.4:
        swapped = to_third(question, you, me, "f" if rng.random() < 0.5 else "m")
        bare = [Read(text, speaker, reply, day), *wrong[:2]]
        yield Example(noised(swapped, rng), f"{kind} other person", bare, weight=0.7)
    if rng.random() < 0.6 and (changed := changes.changed(question, text, rng)):
        changed = to_third(changed, me, you, gender) if named else changed
        bare = [Read(text, speaker, reply, day), *wrong[:2]]
        yield Example(noised(changed, rng), f"{kind} changed", bare, weight=0.7)


def scenes(changes: Changes, rng: random.Random, tellings: int) -> Iterator[Example]:
    """The written scenes; a changed question names another value of a slot."""
    with SCENES.open("rb") as file:
        read = tomllib.load(file)
    for number, scene in enumerate(read["scene"]):
        for _ in range(tellings):
            values = {name: rng.choice(options) for name, options in read["slots"].items()}
            said = rng.choice(scene["said"])
            known = set(_SLOT.findall(said))
            fitting = [question for question in scene["asked"] if set(_SLOT.findall(question)) <= known]
            text = _filled(said, values)
            apart = [s for n, s in enumerate(read["scene"]) if n != number]
            others = [_filled(rng.choice(rng.choice(apart)["said"]), values) for _ in range(5)]
            for question in rng.sample(fitting, min(2, len(fitting))):
                span = _slot_span(question, said, text, values, known)
                asked = _filled(question, values)
                yield from told(asked, text, span, others, "scene", f"scene {number}", changes, rng)
                if slots := _SLOT.findall(question):
                    other = dict(values)
                    other[slots[0]] = rng.choice([v for v in read["slots"][slots[0]] if v != values[slots[0]]])
                    changed = [Read(text, "user"), *(Read(piece, "user") for piece in others[:2])]
                    yield Example(noised(_filled(question, other), rng), "scene changed", changed, weight=0.7)


def _slot_span(question: str, said: str, text: str, values: dict[str, str], known: set[str]) -> Span:
    low = question.lower()
    first = low.split()[0]
    free = known - set(_SLOT.findall(question))
    wanted = [slot for slot in sorted(free) if re.search(rf"\b{slot}", low)]
    if first == "when":
        wanted = [slot for slot in ("when", "soon") if slot in free]
    elif first == "where":
        wanted = [slot for slot in ("city", "country", "place") if slot in free]
    elif first == "who":
        wanted = [slot for slot in ("friend", "relative", "petname") if slot in free]
    if not wanted:
        return ANYWHERE
    at = text.lower().find(values[wanted[0]].lower())
    return (at, at + len(values[wanted[0]])) if at >= 0 else ANYWHERE


def _filled(text: str, values: dict[str, str]) -> str:
    text = _SLOT.sub(lambda slot: values[slot[1]], text)
    return text[0].upper() + text[1:]


def noised(question: str, rng: random.Random) -> str:
    """Now and then in small letters, without its mark, or mistyped."""
    if rng.random() < 0.1:
        question = question.lower()
    if rng.random() < 0.1:
        question = question.rstrip("?")
    if rng.random() < 0.05 and len(question) > 20:
        at = rng.randrange(5, len(question) - 3)
        question = question[:at] + question[at + 1] + question[at] + question[at + 2 :]
    return question
