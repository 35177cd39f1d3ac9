"""What each effect of typed links is worth: both sides of a contradiction, the supported claim, whole procedures.

    python evaluate/bench/links.py [--seeds 5] [--k 5] [--budget 600] [--json OUT]

The data is made up by this script: 300 things said by 6 people in 60 sessions, of which 30 are contradicted later in
other words, 30 stand against a rival claim and have a piece of evidence, 80 are the steps of 20 procedures, told out
of order, and 70 are about nothing asked. Links join what belongs together, and 300 more join anything with anything.
Each row asks the same 80 questions of each seed's memory with the same budget; a kind is switched off by setting its
constant to 0. The second table lets the links learn: after each round, what belongs to an item is said to be of use.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest import mock

from links_data import CLAIMS, DISPUTES, PLAIN, PROCEDURES, THINGS
from rich.console import Console
from rich.table import Table

from engramma import Memory, Recall, Turn
from engramma.recall import link_kinds, pipeline
from engramma.recall import typed_links as typed

PEOPLE = ("Marta", "Oskar", "Lin", "Jamal", "Greta", "Pablo")
SESSIONS, IN_SESSION = 60, 5
EACH = 30  # disputes, and rival claims
NOISE = 300  # related_to links between anything: they cost room and help nobody
START = datetime(2026, 1, 5, 18, 0, tzinfo=UTC)
ROUNDS = 5
WAYS: dict[str, tuple[tuple[str, ...], bool]] = {
    "default": ((), True),
    "no contradicts": (("contradicts",), True),
    "no supports": (("supports",), True),
    "no backing": ((), True),
    "no before, after": (("before", "after"), True),
    "steps brought, not ordered": ((), False),
    "no related_to": (("related_to",), True),
    "no links at all": (tuple(link_kinds.WORTH), True),
}
LEARNT = ("weight of what belongs", "weight of noise", "noise in a context")
COLUMNS = ("both sides", "side by side", "supported first", "its mean rank", "all steps", "in order", "asked is shown")


@dataclass(frozen=True, slots=True)
class Item:
    """A question, what was said about it (the first is what is asked for), and the links among that."""

    kind: str
    question: str
    said: tuple[str, ...]
    links: tuple[tuple[int, str, int], ...]


@dataclass(slots=True)
class Store:
    """A memory with everything said, and where each of an item's sentences is."""

    memory: Memory
    places: dict[str, str] = field(default_factory=dict)


def items(chance: random.Random) -> list[Item]:
    """The 80 things that are asked about."""
    found = []
    for number in range(EACH):
        question, claim, counter = DISPUTES[number % len(DISPUTES)]
        thing = THINGS[number]
        a, b = chance.sample(range(12, 99), 2)
        texts = tuple(text.format(thing=thing, a=a, b=b) for text in (claim, counter))
        found.append(Item("dispute", question.format(thing=thing), texts, ((1, "contradicts", 0),)))
    for number in range(EACH):
        question, claim, evidence = CLAIMS[number % len(CLAIMS)]
        thing = THINGS[EACH + number]
        values = [str(n) for n in range(4, 21)] if "by {a}" not in claim else list(PEOPLE)
        right, wrong = chance.sample(values, 2)
        rivals = (claim.format(thing=thing, a=right), claim.format(thing=thing, a=wrong))
        texts = (*rivals, evidence.format(thing=thing, a=right))
        found.append(Item("claim", question.format(thing=thing), texts, ((2, "supports", 0),)))
    for question, *steps in PROCEDURES:
        links = tuple((n, "before", n + 1) for n in range(len(steps) - 1))
        found.append(Item("procedure", question, tuple(steps), links))
    return found


@contextmanager
def stored(chance: random.Random, asked: list[Item]) -> Iterator[Store]:
    """A memory of 60 sessions, in which what belongs together is told apart and in no order, with its links."""
    sentences = [text for item in asked for text in item.said]
    sentences += [PLAIN[n % len(PLAIN)].format(thing=THINGS[n % len(THINGS)]) for n in range(300 - len(sentences))]
    assert len(sentences) == SESSIONS * IN_SESSION
    chance.shuffle(sentences)
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "memory") as memory:
        store = Store(memory)
        for number in range(SESSIONS):
            lines = sentences[number * IN_SESSION : (number + 1) * IN_SESSION]
            begin, who = START + timedelta(days=2 * number), chance.sample(PEOPLE, 3)
            turns = [Turn(who[n % 3], text, begin + timedelta(minutes=n)) for n, text in enumerate(lines)]
            memory.remember_session("talk", f"s{number:02}", turns)
            store.places |= {text: f"seg_talk/s{number:02}_{n}" for n, text in enumerate(lines)}
        draw(store, asked, 1.0)
        ids = sorted(store.places.values())
        for _ in range(NOISE):
            one, other = chance.sample(ids, 2)
            memory.links.add(one, "related_to", other, weight=round(chance.uniform(0.5, 1.0), 2))
        yield store


def draw(store: Store, asked: list[Item], weight: float) -> None:
    """The links of what belongs together, all of one weight."""
    for item in asked:
        for source, kind, target in item.links:
            store.memory.links.add(
                store.places[item.said[source]], kind, store.places[item.said[target]], weight=weight
            )


def figures(store: Store, asked: list[Item], k: int, budget: int) -> dict[str, float]:
    """The mean of each measure over the questions it is made for."""
    values: dict[str, list[float]] = {name: [] for name in COLUMNS}
    for item in asked:
        found = store.memory.recall(item.question, k, budget_tokens=budget)
        order = places_in(found, item)
        wanted = item.said if item.kind == "procedure" else item.said[:1]
        values["asked is shown"].append(not set(wanted).isdisjoint(order))
        if item.kind == "dispute":
            both = set(order) == set(item.said)
            values["both sides"].append(both)
            values["side by side"].append(both and beside(found, item))
        elif item.kind == "claim":
            rank = rank_of(found, store.places[item.said[0]])
            values["supported first"].append(rank == 1)
            values["its mean rank"].append(rank)
        else:
            values["all steps"].append(set(order) == set(item.said))
            values["in order"].append(tuple(order) == item.said)
    return {name: sum(listed) / len(listed) for name, listed in values.items()}


def places_in(found: Recall, item: Item) -> list[str]:
    """Which of an item's sentences the context shows, in its order."""
    return sorted((t for t in item.said if t in found.context), key=found.context.index)


def beside(found: Recall, item: Item) -> bool:
    blocks = found.context.split("\n\n")
    first, second = (next(n for n, text in enumerate(blocks) if said in text) for said in item.said)
    return abs(first - second) == 1


def rank_of(found: Recall, place: str) -> int:
    """Where a segment stands among the entries; one further if it is none of them."""
    listed = [c.segment_id for c in found.entries]
    return listed.index(place) + 1 if place in listed else len(listed) + 1


@contextmanager
def without(*kinds: str, ordered: bool = True) -> Iterator[None]:
    """Recall with some kinds of links switched off, or with procedures brought and not put in order."""
    with ExitStack() as stack:
        stack.enter_context(mock.patch.dict(link_kinds.WORTH, dict.fromkeys(kinds, 0.0)))
        if not ordered:
            stack.enter_context(mock.patch.object(pipeline, "orders", lambda *_: ()))
        yield


def rows_of(store: Store, asked: list[Item], k: int, budget: int) -> dict[str, dict[str, float]]:
    """Every way once."""
    found = {}
    for name, (kinds, ordered) in WAYS.items():
        backing = 0.0 if name == "no backing" else typed.BACKING
        with without(*kinds, ordered=ordered), mock.patch.object(typed, "BACKING", backing):
            found[name] = figures(store, asked, k, budget)
    return found


def learning(store: Store, asked: list[Item], k: int, budget: int) -> dict[str, dict[str, float]]:
    """Round after round: the weights of links that belong and of those that do not, and what they bring."""
    found = {}
    draw(store, asked, 0.75)  # as much as noise has on average
    for number in range(ROUNDS + 1):
        weights: dict[bool, list[float]] = {True: [], False: []}
        for link in store.memory.links.all():
            weights[link.kind == "related_to"].append(link.weight)
        row = dict(zip(LEARNT, (sum(w) / len(w) for w in (weights[False], weights[True])), strict=False))
        recalls = [store.memory.recall(item.question, k, budget_tokens=budget) for item in asked]
        noise = sum(found.context.count(" | related to ") for found in recalls)
        found[f"after {number} round{'' if number == 1 else 's'}"] = {**row, LEARNT[2]: noise / len(recalls)}
        for item, recall in zip(asked, recalls, strict=True):
            there = {c.segment_id for c in recall.candidates}
            store.memory.links.used(recall, sorted(there & {store.places[text] for text in item.said}))
    return found


def mean(tables: Sequence[Mapping[str, Mapping[str, float]]]) -> dict[str, dict[str, float]]:
    """Tables of the same shape as one."""
    return {
        row: {name: sum(table[row][name] for table in tables) / len(tables) for name in cells}
        for row, cells in tables[0].items()
    }


def shown(title: str, rows: Mapping[str, Mapping[str, float]], columns: Sequence[str], share: Sequence[str]) -> Table:
    table = Table("", *columns, title=title)
    for name, row in rows.items():
        table.add_row(name, *(f"{100 * row[c]:.0f} %" if c in share else f"{row[c]:.2f}" for c in columns))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--budget", type=int, default=600)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    effects, learnt = [], []
    for seed in range(args.seeds):
        chance = random.Random(seed)
        asked = items(chance)
        with stored(chance, asked) as store:
            effects.append(rows_of(store, asked, args.k, args.budget))
            learnt.append(learning(store, asked, args.k, args.budget))
    title = f"k {args.k}, {args.budget} tokens, mean of {args.seeds} seeds"
    shares = [name for name in COLUMNS if "rank" not in name]
    Console(width=140).print(shown(title, mean(effects), COLUMNS, shares), shown(title, mean(learnt), LEARNT, ()))
    if args.json:
        out = {"k": args.k, "budget": args.budget, "effects": mean(effects), "learning": mean(learnt)}
        args.json.write_text(json.dumps(out, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
