"""What the reader makes of a question that is asked otherwise: of whoever else speaks of it, by their own name, and
without the words that the best turn lacks.

"Why did James join a ballet class?" is about somebody else if their words answer it better once it has their name, and
about something else if James's words answer it only without "ballet".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...language.function_words import fold_accents
from ...models.reader import PassageReading
from ..questions.question_scope import first_name, name_words
from .attribution import OTHERS, Attributed, AttributedQuestion
from .read_turns import Read, ReadTurn, choose_windows, passage_of, reading_worth
from .sentences import LOOKED_AT, find_content_stems

OTHER_TURNS = 4  # turns about somebody else that are read, recall's first ones
OTHER_WINDOWS = 6  # and windows of them
SHORTEST_NICKNAME = 3  # letters: "Mel" for Melanie
_WORD = re.compile(r"[^\W_]+")


def read_otherwise(
    read: Read, question: str, asked: AttributedQuestion, found: Sequence[Attributed], turns: Sequence[ReadTurn]
) -> dict[str, float]:
    """How much better a question about people is answered when it is `changed`, without the words that the best turn
    lacks; and if it names one of them, when it is asked of `others` by their names. Nothing if it names nobody."""
    if not asked.people or not turns:
        return {}
    changed = {"changed": _gain_without_unsaid(read, question, asked, turns[0])}
    others = _others(asked.people, found)
    names = {one.said.teller for one in others}
    renamed = {name: _with_name(question, asked.people[0], name) for name in sorted(names)}
    if len(asked.people) > 1 or asked.is_of_words or not all(renamed.values()):
        return changed  # what others say of it too takes nothing from what somebody said
    windows = choose_windows([one.said for one in others], asked.rarity)[:OTHER_WINDOWS]
    theirs = [
        reading
        for name, text in renamed.items()
        for reading in read(text, [passage_of(turn, window) for turn, window in windows if turn.teller == name])
    ]
    own = max(reading_worth(one.relevance, one.null) for one in turns)
    return changed | {"others": _best(theirs) - own if theirs else 0.0}


def _others(people: Sequence[str], found: Sequence[Attributed]) -> list[Attributed]:
    """The first turns that are about somebody else, and in somebody else's mouth."""
    about = [one for one in found if one.own < OTHERS and one.said.teller not in people and not one.said.by_assistant]
    return sorted(about, key=lambda one: -one.said.score)[:OTHER_TURNS]


def _gain_without_unsaid(read: Read, question: str, asked: AttributedQuestion, best: ReadTurn) -> float:
    said = find_content_stems(best.turn.text[:LOOKED_AT]) | find_content_stems(best.turn.before)
    unsaid = [asked.words[stem] for stem in asked.rarity if stem not in said]
    if not unsaid:
        return 0.0
    words = "|".join(sorted(map(re.escape, unsaid), key=len, reverse=True))
    shorter = re.sub(rf"\b(?:{words})\b\s?", "", question, flags=re.IGNORECASE)
    return _best(read(shorter, [passage_of(best.turn, best.window)])) - reading_worth(best.relevance, best.null)


def _with_name(question: str, person: str, name: str) -> str:
    """The question with somebody else's name for this one's; "" if it does not have it."""
    parts, first = {fold_accents(part) for part in name_words(person)}, fold_accents(first_name(person))
    text, last = "", 0
    for word in _WORD.finditer(question):
        if not _is_for(word[0], parts, first):
            continue
        between = question[last : word.start()]
        text += between + name if between.strip() or not text else ""  # "Ana Le Goff" is one name
        last = word.end()
    return text + question[last:] if text else ""


def _is_for(word: str, parts: set[str], first: str) -> bool:
    short = fold_accents(word)
    is_nickname = word[:1].isupper() and len(short) >= SHORTEST_NICKNAME and first.startswith(short)
    return short in parts or is_nickname


def _best(readings: Sequence[PassageReading]) -> float:
    return max(reading_worth(one.relevance, one.null) for one in readings)
