"""How the tables write a rule: a known prefix followed by something drawn at random, or a name followed by it."""

from __future__ import annotations

import re

from ...patterns import late
from ..judge import drawn, is_placeholder, jumbled
from ..rule import Rule

EDGE = r"(?<![A-Za-z0-9])"
# From a service's name to the value: the rest of the identifier, then an assignment in code, JSON, YAML or prose.
TO_VALUE = (
    r"[\w.\- ]{0,30}?(?:\((?=[\"'`])|\\?[\"'`*\]]{0,3}\s{0,3}(?:=>|:=|=|:|,|\bis\b|\bto\b|\blautet\b)"
    r"|\\?[\"'`]|\b(?:key|token|secret)\s)"
    r"\s{0,3}(?:Bearer )?\\?[\"'`*]{0,3}"
)


NAMES = late(r"(?:[a-z]+|[A-Z]+|\d{1,4})(?:[-_](?:[a-z]+|[A-Z]+|\d{1,4}))+")

# Small words of an identifier, of which some end with a digit or two: vercel_s3_mount_credentials.
SNAKE = late(r"[a-z]{1,15}\d{0,2}(?:_[a-z]{1,15}\d{0,2}){3,}")


def _no_name(value: str) -> bool:
    """Drawn, and not words and years joined by dashes."""
    return drawn(value) and not NAMES.fullmatch(value)


def _issued(value: str) -> bool:
    """Drawn; some services draw letters only."""
    return (drawn(value) or jumbled(value)) and not SNAKE.fullmatch(value)


def shape(id: str, description: str, keyword: str | tuple[str, ...], pattern: str, entropy: float = 0.0) -> Rule:
    """A secret that is known by its own shape, wherever it stands."""
    keywords = (keyword,) if isinstance(keyword, str) else keyword
    return Rule(id, description, keywords, late(EDGE + pattern), entropy=entropy, check=_issued, drawn=True)


def exact(id: str, description: str, keyword: str | tuple[str, ...], pattern: str, *, group: int = 0) -> Rule:
    """A secret whose shape leaves no doubt, even where it has no digit; only placeholders are passed over."""
    keywords = (keyword,) if isinstance(keyword, str) else keyword
    return Rule(
        id, description, keywords, late(EDGE + pattern), group=group, check=lambda v: not is_placeholder(v), drawn=True
    )


def make_named_value_rule(
    id: str, description: str, keyword: str | tuple[str, ...], value: str, *, says: str = ""
) -> Rule:
    """A value with no prefix of its own, known by the service's name before it, and by what `says` beside that."""
    keywords = (keyword,) if isinstance(keyword, str) else keyword
    name = "|".join(re.escape(word) for word in keywords)
    beside = rf"(?=[\w.\- ]{{0,30}}?(?i:{says})(?![a-z]))" if says else ""
    pattern = late(rf"(?i:{name}){beside}{TO_VALUE}({value})(?![A-Za-z0-9_-])")
    return Rule(id, description, keywords, pattern, group=1, check=_no_name, drawn=True, rank=1)


def searched(id: str, description: str, keyword: str | tuple[str, ...], pattern: str, entropy: float = 0.0) -> Rule:
    """A shape whose fixed part stands in its middle or at its end, so the whole text is searched for it."""
    keywords = (keyword,) if isinstance(keyword, str) else keyword
    compiled = late(EDGE + pattern)
    return Rule(id, description, keywords, compiled, anywhere=True, entropy=entropy, check=drawn, drawn=True)
