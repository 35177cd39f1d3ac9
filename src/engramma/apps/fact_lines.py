"""Renders facts for people: in words, with the day they were said, by whom and where."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..language.text import plural, shorten
from ..language.times import local_day
from .claim_places import ClaimPlaces
from .styled import Styled

if TYPE_CHECKING:
    from ..people import Fact

VALUE = 160  # characters of what a fact says
TOLD_MOODS = (("plans", "plan"), ("wants", "wish"), ("aspires_to", "wish"))  # of relations whose words say it
UNTOLD = ("question", "hypothetical")  # what nobody says to be so


def newest_told(facts: Iterable[Fact]) -> list[Fact]:
    """The one that was said last first; what was only asked or supposed counts where nothing else is there."""
    listed = list(facts)
    told = [fact for fact in listed if fact.modality not in UNTOLD] or listed
    return sorted(told, key=lambda fact: fact.last_said, reverse=True)


def mood_beside(relation: str, modality: str) -> str:
    """How something is meant that is no fact, where the words do not say so: "plans to bring gin" is no (plan)."""
    return "" if modality == "fact" or (relation, modality) in TOLD_MOODS else modality


def fact_page_line(fact: Fact, places: ClaimPlaces, *, subject: str = "", until: str = "", by: str = "") -> Styled:
    """A fact in words, when it holds, on which day it was said, and where."""
    from ..people import describe_time, predicate_words

    last = fact.claims[-1]
    told = predicate_words(fact.relation, shorten(fact.value, VALUE), fact.negated)
    beside = [mood_beside(fact.relation, fact.modality), describe_time(last.valid_from, last.valid_to), until]
    shown = ", ".join(part for part in beside if part)
    others = len({claim.conversation for claim in fact.claims}) - 1
    more = f" and {plural(others, 'more conversation')}" if others else ""
    return Styled(
        (f"  {local_day(last.said_at)}  ", "dim"),
        (f"{subject}{told}{f' ({shown})' if shown else ''}", ""),
        (f"  {places.place(last)}{more}{by}", "dim"),
    )
