"""What a sentence denies in favour of something else: "not on the 8th but on the 18th" tells the 18th alone."""

from __future__ import annotations

import re

from ..patterns import late

_NOT = (
    "(?:not|nicht|kein|no|pas|non|não|nao|не|niet|inte|ikke|nie)"
    r"(?! (?:only|just|nur|s[oó]lo|seulement|sol[ot]|soltanto|apenas|só|somente|только|alleen|bara|kun|tylko)\b)"
)
_BUT = "but|sondern|sino|mais|ma|bensì|mas|а|maar|utan|men|ale|lecz"
_INSTEAD_OF = (
    "instead of|rather than|statt|anstatt|en lugar de|en vez de|au lieu de|plutôt que|invece di|em vez de|вместо"
    "|in plaats van|i stället för|i stedet for|zamiast"
)
_PART = r"[^,;:!?\n]{1,48}?"  # of a sentence; dates have dots
_ENDS = r"(?=[,;:!?\n]|(?<!\d)\.\s|\.?\s{0,3}$)"
_DENIED = late(
    rf"\b{_NOT}\s{_PART},?\s(?=(?:{_BUT})\s)"
    rf"|(?:[,;–—-]|\b(?:and|und|y|et|e|и))\s{{0,3}}{_NOT}\s{_PART}{_ENDS}"
    rf"|\b(?:{_INSTEAD_OF})\s{_PART}{_ENDS}"
    r"|不是[^，。！？]{1,24}?(?=[，,]?(?:而)?是)|[^、。！？\s]{1,16}(?:では|じゃ)なく(?:て)?",
    re.IGNORECASE,
)


def leave_out_denied(text: str) -> str:
    """The sentence without the parts that it denies only to put something else in their place."""
    return _DENIED.sub(" ", text)
