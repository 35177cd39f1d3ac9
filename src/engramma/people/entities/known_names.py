"""Names that everybody knows: given names, given names that are words or places as well, and places.

The lists are data beside this module (NOTICE says where they come from). They speak for a name where nothing in the
talk does; what is said in the talk (`people/claims/name_cues.py`) counts for more.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

TITLES = frozenset(
    [
        "dr",
        "mr",
        "mrs",
        "ms",
        "miss",
        "prof",
        "professor",
        "sir",
        "madam",
        "aunt",
        "auntie",
        "uncle",
        "grandma",
        "grandpa",
        "coach",
        "captain",
        "rev",
        "reverend",
        "herr",
        "frau",
    ]
)
# What is written small within a name: Gerrit van Dijk.
_WRITTEN_SMALL = "van von de der den del della di da dos la le bin ibn al ter ten"
PARTICLES = frozenset(_WRITTEN_SMALL.split())
# Last words that tell what a thing with a name is.
_PLACES = """
    park lake museum mountain mountains mount trail river island islands beach street avenue road valley canyon bay
    forest falls desert plaza square bridge castle temple cathedral garden gardens zoo airport station hotel resort
    restaurant cafe café diner bar pub gallery library theater theatre stadium harbor harbour village county city town
    coast peninsula gorge peak hill hills ridge reserve sanctuary campground national monument palace market mall inn
    lodge
"""
_GROUPS = """
    university college institute school academy inc corp ltd llc gmbh airlines airways bank foundation company
    association society agency department ministry council committee union club league hospital clinic studios studio
    records press publishing group holdings industries laboratories labs brewery bakery church
"""
_EVENTS = """
    festival fest conference summit marathon concert wedding workshop exhibition expo fair tournament championship
    championships olympics gala parade hackathon webinar meetup convention ceremony competition retreat party seminar
    symposium show race challenge celebration anniversary reunion fundraiser camp march rally
"""
HEADS = {
    **dict.fromkeys(_PLACES.split(), "place"),
    **dict.fromkeys(_GROUPS.split(), "organisation"),
    **dict.fromkeys(_EVENTS.split(), "event"),
}


@lru_cache(1)
def first_names() -> frozenset[str]:
    """Given names in lower case."""
    return frozenset(_listed("given_names.txt").casefold().split())


@lru_cache(1)
def word_names() -> frozenset[str]:
    """Given names that are words, brands or places before they are anybody's: Rose, Paris, Mark."""
    return frozenset(_listed("word_names.txt").casefold().split())


@lru_cache(1)
def place_names() -> frozenset[str]:
    """Countries, states, large cities and well-known regions, in lower case."""
    return frozenset(line for line in _listed("place_names.txt").casefold().splitlines() if line)


def _listed(name: str) -> str:
    return files("engramma.people.entities").joinpath("lexicon", name).read_text(encoding="utf-8")


def head_type(name: str) -> str:
    """What the last word of a name says that it is ("Glacier National Park"), or the first ("Lake Como"); else ""."""
    words = name.casefold().replace(",", " ").split()
    if len(words) < 2:
        return ""
    first = HEADS.get(words[0], "") if words[0] in ("lake", "mount", "hotel", "university", "museum", "cafe") else ""
    return HEADS.get(words[-1], "") or first
