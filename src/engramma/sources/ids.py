"""Ids for what came without one: from the content, so that importing twice finds the same ids.

Not those of `ingest.validate`, which hash the exact words and the time: copies of a file differ in
spacing and in the fallback time, and must still get the same ids.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import PurePath

from ..records import Turn

# 96 bits: no accidental twin among billions, and short enough to read aloud from a citation.
ID_DIGITS = 24
# Shown in every line of a context, so shorter: it tells apart only what has the same file name.
TALK_DIGITS = 8
# What browsers and systems put to the name of a second copy: "chat (1)", "chat copy 2", "chat - Kopie", "Copy of chat".
_COPY = r"copy|kopie|copie|copia|cópia|kopia|kopi|kopio"
_COPIED = re.compile(
    rf"(?<=\S)(?: ?\([0-9]{{1,3}}\)| -? ?(?:{_COPY})(?: [0-9]{{1,3}})?"
    rf"| \((?:(?:another|[0-9]{{1,3}}[a-z]{{2}}) )?(?:{_COPY})(?: [0-9]{{1,3}})?\))$",
    re.IGNORECASE,
)
_COPY_OF = re.compile(rf"(?:{_COPY}) (?:of|von|de|di|van|av|af) (?=\S)", re.IGNORECASE)


def name_file(path: PurePath) -> str:
    """The name of a file without its ending, for an id: that of a copy is the name of its original."""
    return original(path.stem)


def original(name: str) -> str:
    """A name without what was put to it because it is a copy's."""
    while (shorter := _COPIED.sub("", _COPY_OF.sub("", name, count=1))) != name:
        name = shorter
    return name


def content_id(*parts: str | None) -> str:
    """A short hash of texts, the same for copies that differ in line ends, spacing or composition."""
    normal = [part if part is None else " ".join(unicodedata.normalize("NFC", part).split()) for part in parts]
    # As JSON, so that ("ab", "c") and ("a", "bc") differ.
    return sha256(json.dumps(normal).encode("ascii")).hexdigest()[:ID_DIGITS]


def talk_id(stem: str, *beginning: str | None) -> str:
    """The id of a conversation that has none: its file's name and a hash of how it begins.

    The name alone would join every chat.txt; the whole content would make a file that grew another
    conversation. How it begins stays, and is seldom the same.
    """
    return f"{stem}-{content_id(*beginning)[:TALK_DIGITS]}"


def with_content_ids(turns: Iterable[Turn]) -> list[Turn]:
    """The turns of a conversation, those without an id given one from speaker, text and repetition.

    The time stays out of it: it may be a fallback that differs between two copies of a file. The
    third "ok" by one speaker is told from the second by its count, so a turn keeps its id when the
    conversation is extended later.
    """
    return list(content_ids(turns))


def content_ids(turns: Iterable[Turn]) -> Iterator[Turn]:
    """As `with_content_ids`, one at a time."""
    repeats: Counter[str] = Counter()
    return (with_id(turn, repeats) for turn in turns)


def with_id(turn: Turn, repeats: Counter[str]) -> Turn:
    """A turn with its id, or with one by its content; `repeats` counts what the conversation said before."""
    if turn.id is not None:
        return turn
    content = content_id(turn.role, turn.speaker, turn.text)
    repeats[content] += 1
    return replace(turn, id=content_id(content, str(repeats[content])))
