"""LoCoMo's own measure of an answer: F1 over stemmed words, by the rules of its scoring script."""

from __future__ import annotations

import re
import string
from collections import Counter

from .porter import stem

REFUSAL = "Not mentioned in the conversation"
ADVERSARIAL, OPEN, SEVERAL = 5, 3, 1  # categories with a rule of their own
_REFUSED = ("no information available", "not mentioned")
_ARTICLES = re.compile(r"\b(?:a|an|the|and)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def tokens(text: str) -> list[str]:
    """Commas go, then case, ASCII punctuation, articles and "and"; what is left is stemmed."""
    plain = text.replace(",", "").lower().translate(_PUNCTUATION)
    return [stem(word) for word in _ARTICLES.sub(" ", plain).split()]


def f1(predicted: str, gold: str) -> float:
    """The harmonic mean of how much of the prediction is gold and how much of the gold was predicted."""
    said, wanted = tokens(predicted), tokens(gold)
    same = sum((Counter(said) & Counter(wanted)).values())
    return 2 * same / (len(said) + len(wanted)) if same else 0.0


def f1_of_parts(predicted: str, gold: str) -> float:
    """Both split at commas: each part of the gold takes the part of the prediction that fits it best."""
    said, wanted = predicted.split(","), gold.split(",")
    return sum(max(f1(part, own) for part in said) for own in wanted) / len(wanted)


def scored(category: int, predicted: str, gold: str) -> float:
    """An answer's score by its category's rule."""
    if category == ADVERSARIAL:
        return float(any(words in predicted.lower() for words in _REFUSED))
    if category == SEVERAL:
        return f1_of_parts(predicted, gold)
    return f1(predicted, gold.split(";")[0].strip() if category == OPEN else gold)
