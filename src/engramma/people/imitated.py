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


def imitated_spans(text: str, speaker: str, others: Collection[str]) -> list[tuple[int, int]]:
    """The lines of a turn that imitate somebody else: those who are known, or after a label anybody."""
    if ":" not in text and "：" not in text:
        return []
    own, known = folded(speaker), {folded(name) for name in others}
    spans, at, is_labelled = list[tuple[int, int]](), 0, False
    for line in text.splitlines(keepends=True)[:MOST_LINES]:
        bare = "".join(c for c in line[:400] if unicodedata.category(c) != "Cf")
        voice = _VOICE.match(bare)
        name = folded(voice[1]) if voice else ""
        is_labelled = is_labelled or _LABEL.match(bare) is not None
        if name != own and (name in known or (name and is_labelled)):
            spans.append((at, at + len(line)))
        at += len(line)
    return spans


def is_within(start: int, spans: Collection[tuple[int, int]]) -> bool:
    return any(first <= start < last for first, last in spans)


def folded(name: str) -> str:
    """A name as it is compared: its letters alone, in one form."""
    plain = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf")
    return " ".join(plain.casefold().split()).strip("*_`\"'”’ ")
