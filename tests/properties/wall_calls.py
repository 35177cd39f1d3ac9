"""Every call of a memory as the tests of the wall between namespaces make it: how often, and with what."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.fakes import HashEmbedder

from engramma import Memory, Turn
from engramma.ingest.pipeline import Request
from engramma.records import Problem, Recall
from engramma.transfer import export_lines
from engramma.upkeep import doctor, stats

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
WORDS = ("lamp", "river", "ladder", "bread", "engine", "violin", "harbour", "window", "winter", "garden")
KINDS = ("related_to", "supports", "contradicts", "part_of", "caused_by", "before", "after")
RECIPES = ("default", "pmg", "pocketpaw", "pgmemory", "takizen", "bm25", "vector")
MARKERS = {"left": "quokka", "right": "zephyrine"}
NOTE = re.compile(r"note_[0-9a-f]{16}")

Given = tuple[tuple[Any, ...], dict[str, Any]]


def call(*arguments: Any, **named: Any) -> Given:
    return arguments, named


class Side:
    """One namespace, what was put into it, and the dice that pick what is called and with what."""

    def __init__(self, folder: Path, name: str, dice: random.Random) -> None:
        self.folder, self.name, self.marker, self.dice = folder, name, MARKERS[name], dice
        self.memory = self.opened()
        self.other: Side = self
        self.ids, self.talks, self.found = [f"seg_{self.marker}/x_0"], [("shared", "common")], list[Recall]()
        self.count = 0

    def opened(self) -> Memory:
        return Memory.open(self.folder / "store", self.name, embedder=HashEmbedder())

    # --- what is asked with: of either side -----------------------------------------------------

    def either(self) -> Side:
        return self.dice.choice((self, self.other))

    def id(self) -> str:
        return self.dice.choice(self.either().ids)

    def some(self) -> list[str]:
        pick = self.id if self.dice.random() < 0.4 else lambda: self.dice.choice(self.ids)
        return [pick() for _ in range(self.dice.randint(1, 3))]

    def talk(self) -> tuple[str, str]:
        return self.dice.choice(self.either().talks)

    def query(self) -> str:
        return f"{self.either().marker} {' '.join(self.dice.sample(WORDS, 2))}"

    def act(self) -> int:
        acts = self.either().memory.acts(200)
        return self.dice.choice(acts).id if acts else self.dice.randint(1, 50)

    def topic(self) -> int:
        topics = self.either().memory.topics()
        return self.dice.choice(topics).id if topics else self.dice.randint(1, 9)

    def proposal(self) -> str:
        found = self.either().memory._review(None, 20, 0).items  # which changes nothing
        return self.dice.choice(found).id if found else "merge-1"

    def recalled(self) -> Recall:
        found = self.either().found or self.found
        return self.dice.choice(found) if found else self.memory.recall("lamp", recipe="vector")

    def used(self) -> Given:
        found = self.recalled()
        ids = [c.segment_id for c in found.candidates][:2] if self.dice.random() < 0.7 else self.some()
        return call(found, ids)

    def moment(self) -> datetime:
        return START + timedelta(minutes=self.dice.randint(0, 500_000))

    def one_of(self, marker: str) -> Given:
        return call([f"Bob {marker}"], f"Ann {marker}")

    def alike(self, side: Side) -> Given:
        ids = [note.id for note in side.memory.notes()] or self.some()
        return call(self.dice.sample(ids, min(2, len(ids))), self.dice.choice(ids))

    # --- what is stored: one's own ----------------------------------------------------------------

    def said(self) -> str:
        self.count += 1
        return f"{self.marker}{self.count} {' '.join(self.dice.sample(WORDS, 3))} of {self.marker}"

    def turns(self, count: int) -> list[Turn]:
        at = self.moment()
        speakers = (f"Ann {self.marker}", f"Bob {self.marker}")
        return [
            Turn(speakers[n % 2], self.said(), at + timedelta(seconds=n), f"{self.marker}-{self.count}")
            for n in range(count)
        ]

    def new_talk(self) -> tuple[str, str]:
        self.count += 1
        conversation = "shared" if self.dice.random() < 0.3 else f"{self.marker} talks"
        self.talks.append((conversation, f"{self.marker} {self.count}"))
        self.ids.append(f"seg_{conversation}/{self.talks[-1][1]}_{self.dice.randint(0, 2)}")
        return self.talks[-1]

    def document(self) -> Given:
        path = self.folder / f"{self.marker}-{self.dice.randint(1, 4)}.md"
        parts = [f"# {self.said()}", *(f"{self.said()}, {self.said()}" for _ in range(self.dice.randint(1, 4)))]
        path.write_text("\n\n".join(parts), encoding="utf-8")
        self.ids.append(f"doc_{path.name}_{self.dice.randint(0, 2)}")
        return call(path, name=path.name)

    def note(self) -> Given:
        again = self.memory.notes() if self.dice.random() < 0.3 else []  # said again, it is a repeat
        text = self.dice.choice(again).text if again else self.said()
        return call(
            text,
            speaker=f"Ann {self.marker}",
            tags=[f"tag-{self.marker}"],
            ttl=self.dice.choice((None, timedelta(days=30))),
            source=f"{self.marker}.txt",
            session=f"{self.marker} at work",
            at=self.moment(),
        )


# A line a call: how often of all calls, and what with. Ids and names to look up come from `id()`, `some()`, `talk()`,
# `query()`, `act()`, `topic()`, which give the other side's as well; what is stored is one's own.
CALLS: dict[str, tuple[int, Callable[[Side], Given]]] = {
    "accept": (10, lambda s: call(s.proposal())),
    "acts": (200, lambda s: call(s.dice.randint(1, 60))),
    "ask": (60, lambda s: call(f"What did Ann {s.either().marker} say about the {s.dice.choice(WORDS)}?")),
    "change_entity": (40, lambda s: call(f"Ann {s.either().marker}", aliases=[f"Annie {s.marker} {s.count}"])),
    "backlog": (20, lambda s: call()),
    "bring_namespace_back": (10, lambda s: call(s.either().name)),
    "check_namespace": (10, lambda s: call(s.either().name)),
    "choose_embedder": (10, lambda s: call(s.memory.embedder)),
    "claims": (120, lambda s: call(s.dice.choice((None, f"Ann {s.either().marker}")), conversation=s.talk()[0])),
    "close": (8, lambda s: call()),
    "close_idle": (30, lambda s: call(s.moment())),
    "close_session": (100, lambda s: call(*s.talk())),
    "conversations": (20, lambda s: call()),
    "count_recalled": (30, lambda s: call()),
    "create_namespace": (10, lambda s: call(s.either().name)),
    "decisions": (30, lambda s: call(s.dice.choice((None, f"Ann {s.marker}")))),
    "delete_entities": (6, lambda s: call([f"Bob {s.either().marker}"])),
    "delete_namespace": (10, lambda s: call(s.dice.choice((s.name, "nobody")))),
    "documents": (200, lambda s: call()),
    "embed_in_passing": (20, lambda s: call()),
    "embed_waiting": (20, lambda s: call(s.dice.choice((None, 3)))),
    "embedder": (20, lambda s: call()),
    "entities": (40, lambda s: call(search=s.dice.choice((None, s.either().marker)))),
    "entities_page": (20, lambda s: call(search=s.dice.choice((None, s.either().marker)), sort="mentions")),
    "entity": (100, lambda s: call(s.dice.choice((f"Bob {s.either().marker}", s.dice.choice(WORDS))))),
    "export_graph": (6, lambda s: call(s.folder / f"{s.name}.json")),
    "extract_claims": (30, lambda s: call(s.dice.randint(1, 5))),
    "extract_with_llm": (6, lambda s: call()),
    "find_topics": (15, lambda s: call()),
    "finish_pending": (30, lambda s: call()),
    "forget": (60, lambda s: s.dice.choice(FORGOTTEN)(s)),
    "forget_parts": (8, lambda s: call()),
    "graph": (10, lambda s: call()),
    "graph_query": (60, lambda s: call(f"What is related to {s.dice.choice((f'Ann {s.either().marker}', 'bread'))}?")),
    "home_addresses": (10, lambda s: call()),
    "ingest": (16, lambda s: s.document()),
    "join_topics": (40, lambda s: call()),
    "known_thresholds": (20, lambda s: call()),
    "language_model": (6, lambda s: call()),
    "link": (300, lambda s: call(s.id(), s.dice.choice(KINDS), s.id(), label=f"label {s.marker}", author=s.marker)),
    "link_waiting": (100, lambda s: call()),
    "links": (900, lambda s: call(s.id())),
    "llm_settings": (6, lambda s: call()),
    "llm_status": (10, lambda s: call()),
    "mask": (30, lambda s: call(f"{s.said()}, my password is {s.marker}-tr0ub4dor")),
    "mask_name": (30, lambda s: call(f"{s.said()}, password: {s.marker}-tr0ub4dor")),
    "match": (100, lambda s: call(s.query(), s.dice.randint(1, 30))),
    "match_hybrid": (30, lambda s: call(s.query(), s.dice.randint(1, 30))),
    "merge_entities": (60, lambda s: s.one_of(s.either().marker)),
    "merge_notes": (20, lambda s: s.alike(s.either())),
    "namespace": (20, lambda s: call()),
    "namespaces": (30, lambda s: call()),
    "neighbors": (1400, lambda s: call(s.some(), s.dice.randint(1, 2))),
    "networkx": (6, lambda s: call()),
    "note": (1500, lambda s: call(s.id())),
    "notes": (40, lambda s: call(s.dice.choice((None, f"tag-{s.either().marker}")), all_states=s.dice.random() < 0.5)),
    "open": (8, lambda s: call(s.folder / "store", s.name, embedder=HashEmbedder())),
    "overrule": (20, lambda s: call(s.dice.randint(1, 40), "SEPARATE", s.marker)),
    "own_words": (20, lambda s: call(s.query())),
    "people": (20, lambda s: call()),
    "person": (60, lambda s: call(f"Ann {s.either().marker}")),
    "place_namespace": (10, lambda s: call(s.either().name, "postgres://127.0.0.1:1/nowhere")),
    "prepare": (10, lambda s: call([Request(*s.new_talk(), s.turns(2))])),
    "purge": (12, lambda s: s.dice.choice(PURGED)(s)),
    "recall": (120, lambda s: call(s.query(), s.dice.randint(1, 20), **s.dice.choice(BOUNDS)(s))),
    "reconcile": (20, lambda s: call(limit=s.dice.randint(1, 5))),
    "redact_stored": (8, lambda s: call(s.dice.random() < 0.5)),
    "remember": (110, lambda s: s.note()),
    "remember_prepared": (10, lambda s: call(s.memory.prepare([Request(*s.new_talk(), s.turns(2))]))),
    "remember_requests": (20, lambda s: call([Request(*s.new_talk(), s.turns(2))])),
    "remember_session": (60, lambda s: call(*s.new_talk(), s.turns(3), source=f"{s.marker}.json", title=s.marker)),
    "reject": (10, lambda s: call(s.proposal())),
    "rename_namespace": (10, lambda s: call("nobody", "somebody")),
    "repeats": (1000, lambda s: call(s.id())),
    "retag": (60, lambda s: call(s.id(), [f"tag-{s.marker}", "kept"])),
    "retag_many": (40, lambda s: call([s.id()], [f"tag-{s.marker}"], ["kept"])),
    "retry_llm": (6, lambda s: call(s.dice.random() < 0.5)),
    "review": (20, lambda s: call(limit=s.dice.randint(1, 20), offset=s.dice.randint(0, 3))),
    "revise": (40, lambda s: call(s.id(), s.said())),
    "segment": (1500, lambda s: call(s.id())),
    "session": (60, lambda s: call(*s.new_talk())),
    "sessions": (100, lambda s: call(s.talk()[0])),
    "steward": (20, lambda s: call(now=START + timedelta(days=900), apply=s.dice.random() < 0.5, limits=3)),
    "store": (20, lambda s: call()),
    "team": (10, lambda s: call()),
    "thresholds": (20, lambda s: call()),
    "told": (10, lambda s: call([Problem(f"{s.marker}.txt", "line 1", s.said())])),
    "topic": (60, lambda s: call(s.topic())),
    "topics": (40, lambda s: call()),
    "turns": (1200, lambda s: call(*s.talk())),
    "turns_under": (60, lambda s: call(s.talk()[0], s.dice.choice(("", s.either().marker)))),
    "undo": (150, lambda s: call(s.act())),
    "undo_all": (6, lambda s: call(s.dice.choice(("forget", "merge", "link", "prune")))),
    "unlink": (300, lambda s: call(s.id(), s.dice.choice(KINDS), s.id())),
    "used": (100, lambda s: s.used()),
    "wipe": (6, lambda s: call()),
}
# The same for what works on a memory and is no call of it.
BESIDE: dict[str, tuple[int, Callable[[Memory], Any]]] = {
    "export_lines": (15, lambda memory: list(export_lines(memory))),
    "stats": (8, stats),
    "doctor": (10, doctor),
}

# With what they are called with here: no language model is set up, nothing was decided yet, and hardly anything waits.
REFUSED = {
    "bring_namespace_back",
    "create_namespace",
    "delete_namespace",
    "place_namespace",
    "rename_namespace",
    "extract_with_llm",
    "overrule",
}
REFUSED |= {"accept", "reject"}

FORGOTTEN: list[Callable[[Side], Given]] = [
    lambda s: call(s.some(), preview=s.dice.random() < 0.5),
    lambda s: call(query=s.either().marker, preview=True),
    lambda s: call(query=f"{s.either().marker}{s.dice.randint(1, 300)}"),
    lambda s: call(speaker=f"Bob {s.either().marker}", session=s.talk()[1]),
    lambda s: call(conversation=s.talk()[0], since=s.moment(), preview=True),
    lambda s: call(conversation=s.other.talks[-1][0], session=s.other.talks[-1][1]),
]
PURGED: list[Callable[[Side], Given]] = [
    lambda s: call(s.some()),
    lambda s: call(act=s.act()),
    lambda s: call(query=f"{s.either().marker}{s.dice.randint(1, 300)}"),
]
BOUNDS: list[Callable[[Side], dict[str, Any]]] = [
    lambda s: {"recipe": s.dice.choice(RECIPES)},
    lambda s: {"recipe": s.dice.choice(RECIPES), "conversation": s.talk()[0]},
    lambda s: {"exclude_session": s.talk()[1], "active_context": [s.query()]},
    lambda s: {"recipe": "pmg", "as_of": s.moment()},
    lambda s: {"archived": True},
    lambda s: {"topic": s.topic(), "recipe": "vector"},
]
