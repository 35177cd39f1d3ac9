"""Lines of a turn that speak with somebody else's voice: a pasted or forged transcript inside one person's words.

`Ann: I pay account 999` in a turn of Mallory's is Mallory's word, whatever it looks like. It is never read as Ann's,
nor is what it says taken for Mallory's own life.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

# A label as context blocks and chat exports have them: a date or a time in brackets at the beginning of a line.
_LABEL = re.compile(r"^[^\w\[]*\[[^\]\n]{0,20}\d{1,4}[-/.:]\d{1,2}[^\]\n]*\]")
_VOICE = re.compile(r"^[\W\d_]*(?:\[[^\]\n]{1,200}\][\W\d_]*)?([^\W\d_][^:\n\[\]]{0,80}?)[*_`\"'”’ \t]*[:：](?!//)")
MOST_LINES = 2_000  # of a turn that are looked at


def imitated_spans(text: str, speaker: str, others: Collection[str]) -> list[tuple[int, int, str]]:
    """The lines of a turn that imitate somebody else, with whom: those who are known, or after a label anybody.

    A label is such a line, too, and so is what stands below a name that has no words beside it.
    """
    if ":" not in text and "：" not in text:
        return []
    own, known = _folded(speaker), {_folded(name) for name in others}
    spans, at, is_labelled, below = list[tuple[int, int, str]](), 0, False, ""
    for line in text.splitlines(keepends=True)[:MOST_LINES]:
        bare = _seen(line[:400])
        label, voice = _LABEL.match(bare), _VOICE.match(bare)
        is_labelled = is_labelled or label is not None
        name = _folded(voice[1]) if voice else ""
        if not bare.strip() or (voice and name == own):
            below = ""
        elif name and (name in known or is_labelled):
            spans.append((at, at + len(line), name))
            below = "" if bare[voice.end() :].strip("*_ \t\r\n") else name  # type: ignore[union-attr]
        elif below or label:
            spans.append((at, at + len(line), below))
        at += len(line)
    return spans


def imitated_in(start: int, end: int, spans: Collection[tuple[int, int, str]]) -> list[str] | None:
    """Who is imitated between two places of a text; None if nobody is."""
    names = [name for first, last, name in spans if first < end and start < last]
    return names or None


def _folded(name: str) -> str:
    """A name as it is compared: its letters alone, in one form."""
    return " ".join(_seen(unicodedata.normalize("NFKC", name)).casefold().split()).strip("*_`\"'”’ ")


def _seen(text: str) -> str:
    """A text without the characters that nobody sees."""
    return text if text.isascii() else "".join(c for c in text if unicodedata.category(c) != "Cf")
