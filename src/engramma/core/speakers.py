"""Names under which somebody speaks; the user may have several, which `me` made one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..language.folded_names import named_so, names_alike
from ..language.near_names import near_names
from ..language.text import NAMELESS, fold_text
from ..store.store import Store


def own_speakers(store: Store, speakers: Iterable[str]) -> tuple[str, ...]:
    """What the user is called, then the other names under which the user speaks; none where nobody said who it is."""
    row = store.one("entity_me")
    if row is None:
        return ()
    names = [row["name"], *(one["name"] for one in store.all("entity_merged_names", key=row["key"]))]
    called = {name.strip().casefold() for name in names} | NAMELESS
    own = (name for name in speakers if name.strip().casefold() in called)
    return tuple(dict.fromkeys((row["name"], *own)))


def turns_by_speaker(store: Store, spoken: Mapping[str, int]) -> dict[str, int]:
    """How many turns each speaker has, those of the user under one name, the most first."""
    own = own_speakers(store, spoken)
    told = {own[0]: sum(spoken.get(name, 0) for name in own)} if own and any(name in spoken for name in own) else {}
    told |= {name: turns for name, turns in spoken.items() if name not in own}
    return dict(sorted(told.items(), key=lambda pair: (-pair[1], pair[0])))


def speakers_meant(store: Store, speaker: str) -> list[str]:
    """Those who spoke and are called so but for case and accents, else whose names begin so; the user by the name that
    `me` was told."""
    spoken = _spoken(store)
    own = own_speakers(store, spoken)
    is_heard = not set(own).isdisjoint(spoken)
    found = named_so((*spoken, *own[:1]) if is_heard else spoken, speaker)
    return list(dict.fromkeys(own[0] if name in own else name for name in found))


def speaker_spellings(store: Store, speaker: str) -> list[str]:
    """Every name under which the one who is meant speaks, whatever its case and accents, and of the user all; none
    where several may be meant, or nobody."""
    found = speakers_meant(store, speaker)
    if len(set(map(fold_text, found))) != 1:
        return []
    own = own_speakers(store, _spoken(store))
    return list(own) if found[0] in own else found


def speakers_near(store: Store, speaker: str) -> list[str]:
    """A few of those who spoke who may be meant by a name that nobody of them has; the user by the name of `me`."""
    spoken = _spoken(store)
    own = own_speakers(store, spoken)
    return near_names(speaker, dict.fromkeys(own[0] if name in own else name for name in spoken))


def stored_speakers(store: Store, speaker: str) -> list[str]:
    """The whole name under which something is stored, forgotten or not, whatever its case and accents; of the user, all
    names."""
    ever = [row["speaker"] for row in store.all("speakers_ever")]
    own = own_speakers(store, ever)
    same = names_alike((*ever, *own), speaker)
    return list(dict.fromkeys((*same, *(own if not set(own).isdisjoint(same) else ()))))


def _spoken(store: Store) -> list[str]:
    return [row["name"] for row in store.all("speakers_by_turns", limit=-1)]
