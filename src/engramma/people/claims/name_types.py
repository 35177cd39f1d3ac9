"""Types of what claims name: by the cast of the talk, the name itself, then by what the relation expects."""

from __future__ import annotations

from engramma.people.claims.name_cues import NameCues, name_type
from engramma.people.claims.names import Cast
from engramma.people.entities.known_names import head_type
from engramma.people.grammar.sets import wordset
from engramma.records.people import UNKNOWN

_OF_THINGS = wordset("uses depends_on related_to runs_on blocks")
# Types that a relation expects of its value and that the value itself has to bear out: one visits a microscope, too.
_BORNE_OUT = wordset("place event organisation")
_MAY_BE_THINGS = wordset("met knows lives_with helped")  # of what has a name
# Relations that leave little choice: what has a name and is lived in is a place.
_SURE = {
    "place": wordset("lives_in moved_to moved_from from travelled_to"),
    "organisation": wordset("works_at studies_at joined left_job"),
}


def subject_type_of(name: str, relation: str, cast: Cast, cues: NameCues, known: bool) -> str:
    """What the subject of a claim is: a person only if the talk, its words or the name itself says so.

    A word that only begins sentences (`known` is false) may be any: "Store used items in a box".
    """
    if name.lower().startswith("project "):
        return "project"
    if is_somebody(name, cast):
        return "person"
    if name.lower() in cast.pets:
        return "pet"
    found = name_type(name, cues, cast.people)
    return "thing" if found == UNKNOWN and known and relation in _OF_THINGS else found


def value_type_of(value: str, relation: str, usual: str, cast: Cast, cues: NameCues) -> str:
    """What the value of a claim is: what the relation expects, if the value bears it out, else a thing."""
    known = cast.resolve(value)
    if known is not None and usual in ("place", "thing", "organisation", "event"):
        if known.lower() in cast.pets:
            return "pet"
        if known in cast.people or is_somebody(known, cast):
            return "person"
    plain = value.strip("\"“”'*_ ")
    is_named = plain[:1].isupper()
    if is_named and usual in ("place", "thing", "organisation", "event", "person"):
        found = name_type(plain, cues, cast.people)
        if found in ("person", "place", "organisation", "event"):
            return found
        if usual == "person":
            return usual if len(plain.split()) < 4 and found != UNKNOWN and relation not in _MAY_BE_THINGS else "thing"
    elif is_named and usual in ("tool", "work") and name_type(plain, cues, cast.people) == UNKNOWN:
        return UNKNOWN
    if usual in _BORNE_OUT:
        if is_named and relation in _SURE.get(usual, ()):
            return usual
        return head_type(f"a {plain}") or "thing"
    return usual


def is_somebody(name: str, cast: Cast) -> bool:
    """Whether the talk itself told that a name is somebody's: by a noun ("my sister Ines") or a pronoun."""
    told = name in cast.people or name in cast.gender or name in cast.kin.values()
    return told and name.lower() not in cast.pets
