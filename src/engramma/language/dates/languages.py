"""Date words and forms of languages other than English, read from `languages.json` when first needed.

A language's forms ("vor N U", "D de M [de Y]") become one tree of words and slots, which `foreign_times` walks. Slots:
N a number, U a unit, L last or next, P both in one word, W a weekday, M a month's name, m a month's number, D a day's
number, Y a year, S a season. The table is made by train/date_words.py, where the rest of its notation is explained.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

SLOTS = frozenset("NULPWMmDYS")
UNSPACED = ("zh", "ja", "ko")
BOUNDS = ("since", "until", "before", "after")
TEXTS = ("unit", "part")  # what a form gives in words; all else are numbers
MONTH_DAYS = range(2, 32)
HAN_DIGITS = "〇零一二两兩三四五六七八九十"

_FOLDED_MARKS = re.compile("[\u0300-\u036f\u0640\u064b-\u065f\u0670\u200c-\u200f]")
_ITEM = re.compile(r"\[([^\]]*)\]|(\S+)")
_WORD = re.compile(r"[^\W\d_]+")
_PERIOD = re.compile(r"([a-z]+)(-?\d)")

Given = dict[str, int | str]
Classes = tuple[tuple[str, Given], ...]


def fold(word: str) -> str:
    """A word as the tables have it: without case and without the accents that people leave out."""
    if word.isascii():
        return word.lower()
    return _FOLDED_MARKS.sub("", unicodedata.normalize("NFKD", word)).casefold().replace("ı", "i")


@dataclass(slots=True)
class FormTree:
    """The ways on from a beginning of forms; `given` is set where a form ends."""

    words: dict[str, FormTree] = field(default_factory=dict)
    slots: dict[str, FormTree] = field(default_factory=dict)
    given: Given | None = None


@dataclass(frozen=True, slots=True)
class LanguageWords:
    """What tells a language: its date words, function words, the words in its forms, and those that begin a day's name.

    Reading them does not build the tree of forms, which only a text in that language needs.
    """

    classes: dict[str, Classes]
    common: frozenset[str]
    literals: frozenset[str]
    days: frozenset[str]


@dataclass(frozen=True, slots=True)
class Language:
    """One language's words by what they stand for, and its forms.

    `vocabulary` has the words of a language without spaces by their first character, the longest first, and `gap`
    finds what lies between such words.
    """

    code: str
    classes: dict[str, Classes]
    tree: FormTree
    vocabulary: dict[str, tuple[str, ...]]
    gap: re.Pattern[str]
    bounds: dict[tuple[str, ...], str]
    bounds_then: dict[tuple[str, ...], str]
    every: frozenset[str]
    habit: frozenset[str]
    many: frozenset[str]
    of: frozenset[str]
    common: frozenset[str]
    not_after: dict[str, frozenset[str]]
    not_before: dict[str, frozenset[str]]
    particles: tuple[str, ...]
    has_week_weekdays: bool

    @property
    def is_spaced(self) -> bool:
        return self.code not in UNSPACED


@cache
def read_table() -> dict[str, dict[str, Any]]:
    text = Path(__file__).with_name("languages.json").read_text(encoding="utf-8")
    table: dict[str, dict[str, Any]] = json.loads(text)
    return table


@cache
def read_telling_words(code: str) -> LanguageWords:
    """The words by which a language with spaces is told."""
    raw = read_table()[code]
    forms = [form.rpartition(": ") for form in raw["forms"]]
    literals = frozenset(fold(word) for *_, body in forms for word in _WORD.findall(body) if len(word) > 2)
    days = {word for head, _, body in forms if "offset" in head for word in body.split()[0].split("|")}
    return LanguageWords(
        _read_classes(raw, fold), frozenset(map(fold, raw["common"])), literals, frozenset(map(fold, days))
    )


@cache
def read_language(code: str) -> Language:
    """A language of the table, ready for reading."""
    raw = read_table()[code]
    keep = fold if code not in UNSPACED else str
    classes = _read_classes(raw, keep)
    tree = FormTree()
    plain = {keep(word) for name in ("plain", "every") for word in raw.get(name, ())}
    bounds, bounds_then = (
        {tuple(map(keep, phrase.split())): name for name in BOUNDS for phrase in raw.get(name + then, ())}
        for then in ("", "_then")
    )
    words = {*classes, *plain, *(word for phrase in (*bounds, *bounds_then) for word in phrase)}
    for form in raw["forms"]:
        for given, items in _expanded(form, raw.get("suffixes", []), keep):
            words.update(item for item in items if item not in SLOTS)
            _plant(tree, items, given)

    def folded(name: str) -> frozenset[str]:
        return frozenset(keep(word) for word in raw.get(name, ()))

    def around(name: str) -> dict[str, frozenset[str]]:
        return {keep(word): frozenset(map(keep, others)) for word, others in raw.get(name, {}).items()}

    return Language(
        code=code,
        classes=classes,
        tree=tree,
        vocabulary=(vocabulary := _by_first(words) if code in UNSPACED else {}),
        gap=re.compile(f"[^{re.escape(''.join(vocabulary))}{HAN_DIGITS}]+"),
        bounds=bounds,
        bounds_then=bounds_then,
        **{name: folded(name) for name in ("every", "habit", "many", "of", "common")},
        not_after=around("not_after"),
        not_before=around("not_before"),
        particles=tuple(raw.get("particles", ())),
        has_week_weekdays=bool(raw.get("week_based")),
    )


def _read_classes(raw: dict[str, Any], keep: Any) -> dict[str, Classes]:
    """What each word may stand for: slots with what they say."""
    found: dict[str, list[tuple[str, Given]]] = {}

    def add(words: list[str], slot: str, given: Given) -> None:
        for word in words:
            found.setdefault(keep(word.rstrip("॰")), []).append((slot, given))

    for number, names in enumerate(raw["weekdays"]):
        add(names, "W", {"weekday": number})
    for number, names in enumerate(raw.get("months", ()), 1):
        add(names, "M", {"month": number})
    for number, names in enumerate(raw.get("short_months", ()), 1):
        add(names, "M", {"month": number, "short": 1})
    for number, words in raw.get("numbers", {}).items():
        add(words, "N", {"count": int(number)})
        if keep is fold and int(number) in MONTH_DAYS:
            add(words, "D", {"day": int(number)})
    for unit, words in raw["units"].items():
        add(words, "U", {"unit": unit})
    for month, words in raw.get("seasons", {}).items():
        add(words, "S", {"season": int(month)})
    for step, words in raw.get("steps", {}).items():
        add(words, "L", _step(step))
    for period, words in raw.get("periods", {}).items():
        if match := _PERIOD.fullmatch(period):
            add(words, "P", {"unit": match[1], "step": int(match[2])})
    return {word: tuple(classes) for word, classes in found.items()}


def _step(text: str) -> Given:
    return {"step": 1, "coming": 1} if text == "coming" else {"step": int(text)}


def _expanded(form: str, suffixes: list[str], keep: Any) -> list[tuple[Given, tuple[str, ...]]]:
    """A form in all its variants: what it gives, and its words and slots."""
    head, colon, body = form.partition(": ")
    given: Given = {}
    for pair in head.split(",") if colon else ():
        name, _, value = pair.partition("=")
        given |= _step(value) if name == "step" else {name: value if name in TEXTS else int(value)}
    choices: list[list[tuple[str, ...]]] = []
    for optional, item in _ITEM.findall(body if colon else form):
        text = optional.split() if optional else [item]
        alternatives: list[tuple[str, ...]] = [(word,) for word in text[0].split("|")]
        if len(text) > 1:
            alternatives = [tuple(text)]
        choices.append([(), *alternatives] if optional else alternatives)
        if text == ["D"] and suffixes:
            choices.append([(), *(tuple(suffix.split()) for suffix in suffixes)])
    return [
        (given, tuple(item if item in SLOTS else keep(item) for part in parts for item in part))
        for parts in product(*choices)
    ]


def _plant(tree: FormTree, items: tuple[str, ...], given: Given) -> None:
    for item in items:
        ways = tree.slots if item in SLOTS else tree.words
        tree = ways.setdefault(item, FormTree())
    tree.given = given if tree.given is None else tree.given


def _by_first(words: set[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for word in sorted(filter(None, words), key=lambda word: (-len(word), word)):
        found.setdefault(word[0], []).append(word)
    return {first: tuple(same) for first, same in found.items()}
