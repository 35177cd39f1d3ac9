"""Renders a person or thing for people: what it is, what is known of it, the newest first, and its company."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..language.quoting import name_line
from ..language.text import plural
from .claim_places import ClaimPlaces
from .fact_lines import fact_page_line, newest_told
from .styled import Styled

if TYPE_CHECKING:
    from ..people import EntityInfo, EntityRow, Fact


def entity_page_lines(found: EntityInfo, places: ClaimPlaces, limit: int) -> Iterator[str]:
    """A person or thing, with at most so many facts."""
    yield Styled((name_line(found.entity.name), "title"), (f", {_kind(found.entity, places)}", ""))
    yield _counts(found.entity)
    facts = entity_facts(found)
    if facts:
        yield "\nknown, the newest first"
    yield from (_fact(fact, places) for fact in facts[:limit])
    if found.beside:
        yield f"\nnamed together with {', '.join(map(name_line, found.beside))}"
    for other in found.others:
        yield f"another of this name: {_kind(other, places)}, {_counts(other)}"


def entity_facts(found: EntityInfo) -> list[Fact]:
    """What is said of it and what names it, the one that was said last first."""
    return newest_told((*found.facts, *found.named_in))


def _fact(fact: Fact, places: ClaimPlaces) -> Styled:
    by = f", {places.who(fact.claims[-1].speaker)} said"
    return fact_page_line(fact, places, subject=f"{places.who(fact.subject)} ", by=by)


def _kind(one: EntityRow, places: ClaimPlaces) -> str:
    owner = f" of {places.who(one.owner)}" if one.owner else ""
    aliases = f", also called {', '.join(map(name_line, one.aliases))}" if one.aliases else ""
    return f"{one.type}{owner}{aliases}"


def _counts(one: EntityRow) -> str:
    return f"named {plural(one.mentions, 'time')} in {plural(one.conversations, 'conversation')}"
