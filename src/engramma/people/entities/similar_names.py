"""Names that may well mean one: what no rule may decide, because "Jon" and "John" are two people often enough.

Proposed are, among what is named most: somebody by a first name and by a whole one, where only one whole one fits;
and names of one type that differ by accents or by one slip of the keyboard.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...language.spelling import is_within_one_slip
from .name_forms import fold_name, form_hash, is_proper, numbers, split_name

MOST = 2_000  # entities that are compared, those named most
LEAST = 4  # letters of a name that may be misspelt: shorter ones differ by one letter too often
COMPARED = frozenset({"person", "organisation", "place", "project", "tool", "pet", "event"})


@dataclass(frozen=True, slots=True)
class Called:
    """An entity by its name and how often it is named."""

    key: int
    type: str
    name: str
    owner: int
    mentions: int


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entities that may be one; `kept` is named more often, or by its whole name."""

    item: int
    kept: Called
    other: Called
    reason: str


def find_similar_names(found: Sequence[Called]) -> list[Pair]:
    """Pairs of entities that may be one, those named most first."""
    kinds: dict[tuple[str, int], list[Called]] = defaultdict(list)
    for one in found:
        # "kid" and "kids" are no names; a group may have none and be one all the same
        if one.type in COMPARED and (is_proper(one.name.strip()[:1]) or " " in one.name):
            kinds[one.type, one.owner].append(one)
    pairs: dict[int, Pair] = {}
    for same in kinds.values():
        for kept, other, reason in (*_shortened(same), *_misspelt(same), *_narrowed(same)):
            number = _item_of(kept, other)
            pairs.setdefault(number, Pair(number, kept, other, reason))
    return sorted(pairs.values(), key=lambda pair: (-pair.kept.mentions - pair.other.mentions, pair.item))


def shortened_pairs(people: Sequence[Called]) -> list[Pair]:
    """First names, each with the one whole name that begins with it."""
    return [Pair(_item_of(kept, other), kept, other, reason) for kept, other, reason in _shortened(people)]


def _item_of(one: Called, other: Called) -> int:
    """A number for two names of a type, the same however often they are extracted."""
    names = sorted((fold_name(one.name, one.type), fold_name(other.name, other.type)))
    return form_hash("\x1f".join(("one", one.type, str(one.owner), *names)))


def _shortened(same: Sequence[Called]) -> Iterator[tuple[Called, Called, str]]:
    """Somebody by a first name, where one whole name alone begins with it."""
    if not same or same[0].type != "person":
        return
    whole: dict[str, list[Called]] = defaultdict(list)
    for one in same:
        words = split_name(one.name, one.type)
        if len(words) > 1:
            whole[words[0]].append(one)
    for one in same:
        words = split_name(one.name, one.type)
        if len(words) == 1 and len(found := whole.get(words[0], [])) == 1:
            yield found[0], one, f"{one.name} may be short for {found[0].name}; nobody else here has that name"


def _narrowed(same: Sequence[Called]) -> Iterator[tuple[Called, Called, str]]:
    """A group, place or event by its plain name, where one alone has that name with something before it."""
    if not same or same[0].type in ("person", "pet"):
        return
    ends: dict[tuple[str, ...], list[Called]] = defaultdict(list)
    for one in same:
        words = split_name(one.name, one.type)
        for at in range(1, len(words) - 1):
            ends[words[at:]].append(one)
    for one in same:
        words = split_name(one.name, one.type)
        if len(words) > 1 and len(found := ends.get(words, [])) == 1:
            yield found[0], one, f"{one.name} may be {found[0].name}; nothing else here ends so"


def _misspelt(same: Iterable[Called]) -> Iterator[tuple[Called, Called, str]]:
    """Names that differ by accents, or by a letter that is wrong, missing, too many or swapped."""
    near: dict[str, list[tuple[str, Called]]] = defaultdict(list)
    for one in same:
        form = _plain(fold_name(one.name, one.type))
        if len(form) < LEAST or not is_proper(one.name.strip()[:1]):
            continue
        shorter = {form, *(form[:at] + form[at + 1 :] for at in range(len(form)) if not form[at].isdigit())}
        seen: set[int] = set()
        for key in sorted(shorter):
            for other_form, other in near[key]:
                if other.key in seen or numbers(one.name) != numbers(other.name):
                    continue
                seen.add(other.key)
                if form == other_form:
                    yield *_ordered(one, other), "the names differ only in accents or spaces"
                elif is_within_one_slip(form, other_form):
                    yield *_ordered(one, other), "the names differ in one letter"
            near[key].append((form, one))


def _ordered(one: Called, other: Called) -> tuple[Called, Called]:
    return (one, other) if (one.mentions, -one.key) > (other.mentions, -other.key) else (other, one)


def _plain(form: str) -> str:
    """A name without its accents."""
    return "".join(char for char in unicodedata.normalize("NFKD", form) if not unicodedata.combining(char))
