"""Renders a person for people: who it is, whom they are close to, and what is known, the newest first, with titles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..language.near_names import did_you_mean, either_name
from ..language.quoting import name_line
from ..language.text import NAMELESS, infer_role, plural, shorten
from ..language.times import local_day
from .claim_places import ClaimPlaces, claim_places
from .fact_lines import fact_page_line, newest_told
from .name_sayings import name_sayings
from .styled import Styled

if TYPE_CHECKING:
    from ..memory import Memory
    from ..people import Conflict, EntityRow, Fact, PersonMemory
    from ..records.people import Period

QUOTED = 100  # characters of a quote
NAMED = 12  # people in one line
WHO, TASTES, HAPPENED = "who they are", "likes and dislikes", "happened or planned, the newest first"
EVERYTHING = "known, the newest first"
# A tie as the one who has it sees the other, and as the other sees that one.
TIES = {
    "has_partner": ("partner", "partner"),
    "married_to": ("married", "married"),
    "engaged_to": ("engaged", "engaged"),
    "dating": ("dating", "dating"),
    "has_child": ("child", "parent"),
    "has_parent": ("parent", "child"),
    "has_sibling": ("sibling", "sibling"),
    "has_relative": ("relative", "relative"),
    "lives_with": ("lives with", "lives with"),
    "has_friend": ("friend", "friend"),
}


@dataclass(frozen=True, slots=True)
class PersonPage:
    """What the page of a person is made of."""

    found: PersonMemory
    aliases: tuple[str, ...]
    named_in: tuple[Fact, ...]  # what others have to do with them
    partners: tuple[str, ...]  # who else speaks where they do
    places: ClaimPlaces
    named: EntityRow | None  # how often and when they are named or speak, as lists of people have it

    def is_theirs(self, speaker: str) -> bool:
        return self.places.who(speaker) in map(name_line, (self.found.name, *self.aliases))


def person_page(memory: Memory, found: PersonMemory) -> PersonPage:
    """The page of somebody who is known."""
    about = memory.claims.entity(found.name)
    is_same = about is not None and about.entity.type == "person"
    return PersonPage(
        found,
        about.entity.aliases if about is not None and is_same else (),
        about.named_in if about is not None and is_same else (),
        tuple(_partners(memory, found)),
        claim_places(memory, found.facts),
        about.entity if about is not None and is_same else None,
    )


def missing_person(memory: Memory, name: str, listing: str) -> str:
    """Why nobody is shown under a name, and where it is said; `listing` says what lists who is known."""
    if len(meant := memory.people.names_meant(name)) > 1:
        more = [] if len(meant) <= NAMED else [plural(len(meant) - NAMED, "other")]
        return f"Which one: {either_name([*map(name_line, meant[:NAMED]), *more])}?"
    said = name_sayings(memory, meant[0] if meant else name)
    if meant:
        return "\n".join([f"{name_line(meant[0])} is named here, but nothing is claimed of them.", *said])
    near = memory.people.names_like(name)
    told = did_you_mean(near) or listing
    return "\n".join([f"Nobody is known here as {name!r:.200}. {told}", *said])


def _partners(memory: Memory, found: PersonMemory) -> Iterator[str]:
    """Who else speaks where somebody does, assistants apart, each by the longest of their names."""
    own = memory.people.key_of(found.name)
    names: dict[int | str, str] = {}
    for talk in found.conversations:
        if any(memory.people.key_of(speaker) == own for speaker in {claim.speaker for claim in talk.claims}):
            for name in talk.partners:
                key = memory.people.key_of(name) or name
                names[key] = max(names.get(key, ""), name, key=len)
    yield from (name for key, name in names.items() if key != own and infer_role(name, None) is None)


def person_page_lines(page: PersonPage, limit: int, everything: bool = False) -> Iterator[str]:
    """A person, with at most so many facts; `everything`: with small talk, however much it is."""
    found, known = page.found, known_facts(page.found)
    yield Styled((name_line(found.name), "title"), (_also(page), ""))
    claims = [claim for fact in known for claim in fact.claims]
    days = sorted(local_day(claim.said_at) for claim in claims)
    span = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    talks = plural(len({claim.conversation for claim in claims}), "conversation")
    yield f"{plural(len(known), 'fact')} from {talks}, told {span}"
    if page.named is not None:
        yield _named_line(page.named, sum(len(fact.claims) for fact in found.facts))
    held = {claim.id: period for line in found.timelines.values() for period in line for claim in period.claims}
    close = _close(page, held)
    if close:
        yield f"\nclose to    {_listed(close)}"
    if page.partners:
        yield f"{'' if close else chr(10)}talks with  {_listed([page.places.who(name) for name in page.partners])}"
    for heading, facts in chosen_facts(found, limit, everything):
        yield f"\n{heading}"
        for fact in facts:
            yield known_line(fact, held, page)
    for conflict in found.contradictions:
        yield from _conflict_lines(conflict, page)


def known_facts(found: PersonMemory) -> list[Fact]:
    """Facts of somebody, the one that was said last first."""
    return newest_told(found.facts)


def chosen_facts(found: PersonMemory, limit: int, everything: bool = False) -> list[tuple[str, list[Fact]]]:
    """The facts of a page under their headings, each from the newest on: who they are before what happened.

    Ties without a name ("brother") stand among those they are close to. Where nothing is worth telling, all is told.
    """
    from ..people import facts_by_side

    known = known_facts(found)
    sides = facts_by_side(known)
    who = [fact for fact in sides["who"] if fact.relation not in TIES or not fact.value[:1].islower()]
    shown = [(WHO, who[:limit])]
    room = limit - len(shown[0][1])
    tastes = sides["tastes"][: max(room - len(sides["happened"]), room // 3)]
    shown += [(TASTES, tastes), (HAPPENED, sides["happened"][: room - len(tastes)])]
    shown = [(heading, facts) for heading, facts in shown if facts]
    if everything or not shown:
        return [(EVERYTHING, known if everything else known[:limit])]
    return shown


def known_line(fact: Fact, held: Mapping[str, Period], page: PersonPage) -> Styled:
    """A fact in words, on which day it was said, by whom if by somebody else, and where."""
    last = fact.claims[-1]
    period = held.get(last.id)
    until = f"until {period.until_day}" if period is not None and period.until_day else ""
    by = "" if page.is_theirs(last.speaker) else f", {page.places.who(last.speaker)} said"
    return fact_page_line(fact, page.places, until=until, by=by)


# --- steps -------------------------------------------------------------------------------------------


def _named_line(named: EntityRow, claims: int) -> str:
    """The figures of the list of people: facts are told again and again, and people named where nothing is claimed."""
    days = (local_day(named.first_at), local_day(named.last_at))
    span = days[0] if days[0] == days[1] else f"{days[0]} to {days[1]}"
    return (
        f"{plural(claims, 'claim')} in all, speaks or is named in {plural(named.conversations, 'conversation')}, {span}"
    )


def _also(page: PersonPage) -> str:
    you = " (you)" if page.places.me and page.places.me == page.found.name else ""
    aliases = [name_line(name) for name in page.aliases if name.casefold() not in NAMELESS]
    return you + (f", also called {_listed(aliases)}" if aliases else "")


def _close(page: PersonPage, held: Mapping[str, Period]) -> list[str]:
    """Those with whom there is a tie that holds, those who were named last first: "Maja (child)"."""
    ties = [(fact, fact.value, 0) for fact in page.found.facts if fact.relation in TIES]
    ties += [(fact, fact.subject, 1) for fact in page.named_in if fact.relation in TIES]
    found: dict[str, list[str]] = {}
    for fact, other, side in sorted(ties, key=lambda tie: tie[0].last_said, reverse=True):
        period = held.get(fact.claims[-1].id)
        if fact.negated or fact.modality != "fact" or (period is not None and period.until is not None):
            continue
        if (name := page.places.who(other)) != name_line(page.found.name):
            found.setdefault(name, []).append(TIES[fact.relation][side])
    return [
        name if name[:1].islower() else f"{name} ({', '.join(dict.fromkeys(kinds))})"  # "sister" says it itself
        for name, kinds in found.items()
    ]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _conflict_lines(conflict: Conflict, page: PersonPage) -> Iterator[str]:
    both = (conflict.earlier, conflict.later)
    said = " and ".join(dict.fromkeys(page.places.who(claim.speaker) for claim in both))
    note = f"{said} say different things" if conflict.kind == "disagreement" else conflict.note
    yield f"\n{conflict.kind} ({conflict.entity}): {note}"
    for claim in both:
        words = f"{page.places.who(claim.speaker)}: “{shorten(claim.quote, QUOTED)}”"
        yield Styled((f"  {local_day(claim.said_at)}  ", "dim"), (words, ""), (f"  {page.places.place(claim)}", "dim"))
