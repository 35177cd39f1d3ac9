"""Masks in what is stored: names that stay apart under them, and whether two texts are one but for its masks.

A text gets `[redacted:<rule>]`. A name (an id, a speaker, a tag: what things are told apart by) gets
`[redacted:<rule>-<fingerprint>]`, so that two names which differ in their secret alone stay two.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..redaction import Redacted

Mask = Callable[[str], Redacted]
MARK = "[redacted:"
MASKED = re.compile(r"\[redacted:[a-z0-9][a-z0-9-]{0,63}\]")
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
MADE_OF_UUIDS = re.compile(rf"(?:captured:)?{UUID}(?:[-/](?:{UUID}|\d{{1,9}}))*")
TOLD = 8  # hex digits of the fingerprint in a name
LONGEST_RULE = 55  # with the fingerprint behind it, a mask is still one


def rules_in(text: str) -> list[tuple[str, int]]:
    """The rule of every mask in a text, and where the mask stands."""
    if MARK not in text:
        return []
    return [(found[0][len(MARK) : -1], found.start()) for found in MASKED.finditer(text)]


def unmasked(text: str) -> Redacted:
    """A text as it is: for what was masked before."""
    return Redacted(text)


def masked_name(name: str, mask: Mask) -> str:
    """A name without its secrets, another one for every secret; masking it again changes nothing."""
    if MADE_OF_UUIDS.fullmatch(name):  # what programs call things by; some rule may see a word in their letters
        return name
    found = mask(name)
    if not found.redactions:
        return found.text
    parts: list[str] = []
    at = 0
    for one in found.redactions:
        told = f"-{one.fingerprint[:TOLD]}" if one.fingerprint else ""
        parts += [name[at : one.start], f"{MARK}{one.rule[:LONGEST_RULE]}{told}]"]
        at = one.end
    return "".join([*parts, name[at:]])


def same_but_for_masks(one: str, other: str) -> bool:
    """Whether two texts are equal, or would be if what one of them masks were masked in the other."""
    return one == other or fits_mask(one, other) or fits_mask(other, one)


def fits_mask(masked: str, text: str) -> bool:
    """Whether a text has all that a masked one says around its masks, in order, and something in place of each."""
    if MARK not in masked:
        return False
    first, *middle, last = MASKED.split(masked)
    masks = len(middle) + 1
    if masks == 1 and masked == first:
        return False
    if not (text.startswith(first) and text.endswith(last) and len(text) >= len(first) + len(last) + masks):
        return False
    at, end = len(first), len(text) - len(last)
    for part in middle:
        found = text.find(part, at + 1, end)
        if found < 0:
            return False
        at = found + len(part)
    return at < end
