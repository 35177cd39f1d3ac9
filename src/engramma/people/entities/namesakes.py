"""Namesakes: two people of one name, told apart by who talks to whom.

John who talks with Maria and John who talks with James may be two. Nothing tells them apart but their company, so it
is asked (the review queue); said to be two, the one of the other company becomes a person of his own in those
conversations, now and later, until `undo`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from ...store.acts import add_act
from ...store.store import Store
from .entities import tidy
from .name_forms import form_hash
from .user_words import ACT, spoken
from .worth_listing import MACHINES

MOST = 300  # who speak in several conversations and are looked at
GENERIC_NAMES = MACHINES | {"user", "you", "me", "human"}


@dataclass(frozen=True, slots=True)
class Namesakes:
    """Somebody who may be two: with the conversations of each company."""

    item: int
    key: int
    name: str
    company: tuple[str, ...]  # with whom the first talks
    other_company: tuple[str, ...]
    conversations: tuple[str, ...]  # of the second

    @property
    def reason(self) -> str:
        here, there = ", ".join(self.company[:2]), ", ".join(self.other_company[:2])
        return f"{self.name} talks with {here} and with {there}, who never meet: this may be two people"


def find_namesakes(store: Store) -> list[Namesakes]:
    """People of one word whose conversations fall into groups that share nobody else."""
    talks: dict[int, dict[str, set[str]]] = defaultdict(dict)
    names: dict[int, str] = {}
    me = store.one("entity_me")  # who the user is, is one
    for row in store.all("speakers_of_several", limit=MOST):
        if row["name"].casefold() in GENERIC_NAMES or (me is not None and row["key"] == me["key"]):
            continue
        names[row["key"]] = row["name"]
        talks[row["key"]].setdefault(row["conversation"], set()).add(row["other"])
    return [one for key, found in talks.items() for one in _apart(key, names[key], found)]


def _apart(key: int, name: str, found: dict[str, set[str]]) -> Iterator[Namesakes]:
    """The groups of conversations that share somebody; the largest is the first one's."""
    groups: list[tuple[set[str], set[str]]] = []  # (conversations, company)
    for talk, others in sorted(found.items()):
        company = {one for one in others if one.casefold() not in GENERIC_NAMES}
        if not company:
            return  # who talks with an assistant is the user of this memory
        joined = [group for group in groups if group[1] & company]
        merged = ({talk}.union(*(group[0] for group in joined)), company.union(*(group[1] for group in joined)))
        groups = [group for group in groups if group not in joined] + [merged]
    groups.sort(key=lambda group: (-len(group[0]), sorted(group[0])))
    for talks, company in groups[1:]:
        item = form_hash("\x1f".join(("two", name.casefold(), *sorted(company))))
        yield Namesakes(item, key, name, tuple(sorted(groups[0][1])), tuple(sorted(company)), tuple(sorted(talks)))


def part_namesakes(store: Store, one: Namesakes) -> int:
    """Make the second a person of his own, inside the caller's transaction; returns the act."""
    row = store.one("entity_next")
    assert row is not None
    key = int(row[0])
    store.run("entity_add", key=key, type="person", called=f"{one.name} ({one.other_company[0]})", owner=0)
    detail = {"entities": [one.key, key], "what": "apart"}
    act = add_act(store, ACT, f"two people: entity {one.key} and {key}", detail)
    spoken(store, act, key, [("name", f"{one.name} ({one.other_company[0]})"), ("alias", one.name)])
    spoken(store, act, one.key, [("apart", f"{key} {talk}") for talk in one.conversations])
    read_again(store, one.key)
    tidy(store, [key])
    return act


def read_again(store: Store, key: int) -> None:
    """Let the rules read all turns again that name somebody."""
    store.run("mention_blocks_wait", key=key)
