"""The types of redaction: a rule, a prepared set of rules, a match, and the result."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ..records.redaction import Redaction as Redaction
from .gate import compile_gate

Span = tuple[int, int]
# What many keywords have in common and talk rarely has, the rarest first.
STEM_WORDS = "_ $ = ( :// -- pass key secret code phrase login auth cred token pw : ident frase seed sql -"
STEMS = tuple(STEM_WORDS.split())
ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and what was taken out, in order."""

    text: str
    redactions: tuple[Redaction, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to find a kind of secret; several rules may share an id.

    Keywords are lower case; without one of them the pattern is never run.
    """

    id: str
    description: str
    keywords: tuple[str, ...]
    pattern: re.Pattern[str]
    group: int | str = 0  # which part of a match is the secret
    anywhere: bool = False  # search the whole text; otherwise the pattern is tried where a keyword stands
    entropy: float = 0.0  # least Shannon entropy of the secret, bits a character
    check: Callable[[str], bool] | None = None  # does the secret hold (Luhn, a digit in it, no placeholder)?
    cut: Callable[[re.Match[str]], Span | None] | None = None  # where context decides: the secret's span, or none
    drawn: bool = (
        False  # the secret is a long run with a digit in it: without such a run in the text, no keyword is looked for
    )
    in_digits: bool = False  # the secret has four digits and more: without as many near together it is not looked for
    rank: int = 2  # of overlapping finds the highest gives the name: 2 one service's own shape, 1 structure, 0 context


Words = tuple[tuple[str, tuple[Rule, ...]], ...]


@dataclass(frozen=True, slots=True)
class RuleLookup:
    """Rules under their keywords, and keywords under what they have in common, so that one look rules out many."""

    at: tuple[tuple[str, Words], ...]
    gate: re.Pattern[str]  # finds something in every text that holds a keyword, and nothing in most talk
    ascii_gate: re.Pattern[str]  # the same for texts of ASCII only
    always: tuple[Rule, ...]  # rules without keywords

    @classmethod
    def of(cls, rules: Iterable[Rule]) -> RuleLookup:
        every = tuple(rules)
        at: dict[str, dict[str, list[Rule]]] = {}
        for rule in every:
            for keyword in rule.keywords:
                stem = next((stem for stem in STEMS if stem in keyword), keyword)
                at.setdefault(stem, {}).setdefault(keyword, []).append(rule)
        stems = [(stem, tuple((word, tuple(own)) for word, own in words.items())) for stem, words in at.items()]
        looked = {word for words in at.values() for word in words}
        return cls(
            tuple(stems),
            compile_gate(looked),
            compile_gate({word for word in looked if word.isascii()}),
            tuple(rule for rule in every if not rule.keywords),
        )


@dataclass(frozen=True, slots=True)
class RuleSet:
    """A set of rules, ready to run: those for any text, and those for texts that hold a long run with a digit."""

    rules: tuple[Rule, ...]
    any_text: RuleLookup = field(repr=False)
    with_run: RuleLookup = field(repr=False)

    @classmethod
    def of(cls, rules: Iterable[Rule]) -> RuleSet:
        """Prepare rules; done once, since it costs more than redacting a line."""
        every = tuple(rules)
        return cls(every, RuleLookup.of(r for r in every if not r.drawn), RuleLookup.of(r for r in every if r.drawn))
