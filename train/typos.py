"""Slips of the keyboard: letters swapped, dropped, doubled, or taken from the next key."""

from __future__ import annotations

import random
import re

LEAST = 4  # letters of a word that may be hit
SHARE = 0.2  # of the words, and one at least
ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
NEXT_TO = {
    key: "".join(row[place] for place in (at - 1, at + 1) if 0 <= place < len(row))
    for row in ROWS
    for at, key in enumerate(row)
}
_WORD = re.compile(rf"(?<![\w\[])[A-Za-z]{{{LEAST},}}(?![\w\]])")  # no stand-in of a name, which is in brackets


def typed(text: str, rng: random.Random) -> str:
    """The text with slips in some words; the first letter of a word stays, as it mostly does."""
    found = list(_WORD.finditer(text))
    if not found:
        return text
    hit = rng.sample(found, max(1, round(SHARE * len(found))))
    for match in sorted(hit, key=lambda one: -one.start()):
        text = text[: match.start()] + _slip(match[0], rng) + text[match.end() :]
    return text


def _slip(word: str, rng: random.Random) -> str:
    at = rng.randrange(1, len(word))
    match rng.randrange(4):
        case 0:  # swap with the letter before, or after where that would move the first
            at = max(at, 2)
            return word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :]
        case 1:
            return word[:at] + word[at + 1 :]
        case 2:
            return word[:at] + word[at] + word[at:]
        case _:
            near = NEXT_TO[word[at].lower()]
            return word[:at] + rng.choice(near) + word[at + 1 :]
