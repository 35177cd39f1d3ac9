"""The words that the packaged encoder knows whole: ordinary English."""

from __future__ import annotations

from functools import cache

from ..files import foreign_json
from ..language.spelling import LetterCounts
from .onnx import WEIGHTS

SHORTEST = 3


@cache
def common_words() -> frozenset[str]:
    """Read when first asked for."""
    vocabulary = foreign_json.loads((WEIGHTS / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    return frozenset(word for word in vocabulary if len(word) >= SHORTEST and word.isascii() and word.isalpha())


@cache
def common_words_by_letters() -> LetterCounts:
    return LetterCounts(sorted(common_words()))
