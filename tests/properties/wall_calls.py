"""Every call of a memory as the tests of the wall between namespaces make it: how often, and with what."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from engramma import Memory, Turn
from engramma.admin.doctor import doctor
from engramma.ingest.pipeline import Request
from engramma.ingest.remember import prepare_requests, remember_prepared, remember_requests
from engramma.ingest.waiting_segments import embed_in_passing, embed_waiting, finish_pending
from engramma.recall.count import count_recalled
from engramma.recall.session_pages import Sitting
from engramma.records import Problem, Recall
from engramma.transfer.export import export_lines
from tests.fakes import HashEmbedder

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

    def live_note(self) -> str:
        """A note that can be changed, or whatever comes: most ids name something else, or what was set aside."""
        notes = self.memory.notes.all() if self.dice.random() < 0.5 else []
        return self.dice.choice(notes).id if notes else self.id()

    def thing(self) -> str:
        return self.dice.choice((f"Ann {self.either().marker}", "bread"))

    def ends(self) -> tuple[str, str, str]:
        return self.id(), self.dice.choice(KINDS), self.id()

    def tag(self) -> str | None:
        return self.dice.choice((None, f"tag-{self.either().marker}"))

    def query(self) -> str:
        return f"{self.either().marker} {' '.join(self.dice.sample(WORDS, 2))}"

    def act(self) -> int:
        acts = self.either().memory.acts.all(200)
        return self.dice.choice(acts).id if acts else self.dice.randint(1, 50)

    def topic(self) -> int:
        topics = self.either().memory.topics.all()
        return self.dice.choice(topics).id if topics else self.dice.randint(1, 9)

    def proposal(self) -> str:
        found = self.either().memory.review.page(None, 20, 0).items  # which changes nothing
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
        ids = [note.id for note in side.memory.notes.all()] or self.some()
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

    def talk_file(self) -> Given:
        path = self.folder / f"{self.marker}.jsonl"
        path.write_text("\n".join(line.rstrip("\n") for line in self.memory.export()) + "\n", encoding="utf-8")
        return call(path)

    def exchange(self) -> dict[str, Any]:
        """What a proxy would have captured."""
        said = {"speaker": f"Ann {self.marker}", "kind": "talk", "redactions": []}
        now = float(1_700_000_000 + self.count)
        return {
            **{"provider": "openai", "model": self.marker, "partial": False, "reply_id": "", "previous": ""},
            **{"conversation": f"{self.marker} proxy", "began": now, "ended": now + 1},
            "said": [{**said, "role": "user", "text": self.said()}],
            "reply": [{**said, "role": "assistant", "text": self.said()}],
        }

    def sitting(self) -> Sitting:
        return self.memory.browse.sitting(*self.dice.choice(self.talks[:1])) or Sitting(1, "", "", START, True)

    def note(self) -> Given:
        again = self.memory.notes.all() if self.dice.random() < 0.3 else []  # said again, it is a repeat
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
    "review.accept": (10, lambda s: call(s.proposal())),
    "acts.all": (200, lambda s: call(s.dice.randint(1, 60))),
    "ask": (60, lambda s: call(f"What did Ann {s.either().marker} say about the {s.dice.choice(WORDS)}?")),
    "entities.change": (40, lambda s: call(f"Ann {s.either().marker}", aliases=[f"Annie {s.marker} {s.count}"])),
    "backlog": (20, lambda s: call()),
    "namespaces.bring_back": (10, lambda s: call(s.either().name)),
    "redactor.check_namespace_name": (10, lambda s: call(s.either().name)),
    "_core.choose_embedder": (10, lambda s: call(s.memory._core.embedder)),
    "claims.all": (120, lambda s: call(s.dice.choice((None, f"Ann {s.either().marker}")), conversation=s.talk()[0])),
    "close": (8, lambda s: call()),
    "close_idle": (30, lambda s: call(s.moment())),
    "close_session": (100, lambda s: call(*s.talk())),
    "conversations": (20, lambda s: call()),
    "count_recalled": (30, lambda s: call()),
    "namespaces.create": (10, lambda s: call(s.either().name)),
    "people.decisions": (30, lambda s: call(s.dice.choice((None, f"Ann {s.marker}")))),
    "entities.delete": (6, lambda s: call([f"Bob {s.either().marker}"])),
    "namespaces.delete": (10, lambda s: call(s.dice.choice((s.name, "nobody")))),
    "documents.all": (200, lambda s: call()),
    "embed_in_passing": (20, lambda s: call()),
    "embed_waiting": (20, lambda s: call(s.dice.choice((None, 3)))),
    "_core.embedder": (20, lambda s: call()),
    "entities.all": (40, lambda s: call(search=s.dice.choice((None, s.either().marker)))),
    "entities.page": (20, lambda s: call(search=s.dice.choice((None, s.either().marker)), sort="mentions")),
    "claims.entity": (100, lambda s: call(s.dice.choice((f"Bob {s.either().marker}", s.dice.choice(WORDS))))),
    "claims.export_graph": (6, lambda s: call(s.folder / f"{s.name}.json")),
    "claims.extract": (30, lambda s: call(s.dice.randint(1, 5))),
    "llm.extract": (6, lambda s: call()),
    "topics.find": (15, lambda s: call()),
    "finish_pending": (30, lambda s: call()),
    "forget": (60, lambda s: s.dice.choice(FORGOTTEN)(s)),
    "_core.drop_caches": (8, lambda s: call()),
    "graph": (10, lambda s: call()),
    "claims.graph_query": (
        60,
        lambda s: call(f"What is related to {s.thing()}?"),
    ),
    "namespaces.home_addresses": (10, lambda s: call()),
    "documents.ingest": (16, lambda s: s.document()),
    "topics.join": (40, lambda s: call()),
    "_core.known_thresholds": (20, lambda s: call(s.memory._core.default_plan)),
    "llm.model": (6, lambda s: call()),
    "links.add": (
        300,
        lambda s: call(*s.ends(), label=f"label {s.marker}", author=s.marker),
    ),
    "notes.link_waiting": (100, lambda s: call()),
    "links.all": (900, lambda s: call(s.id())),
    "llm.settings": (6, lambda s: call()),
    "llm.status": (10, lambda s: call()),
    "redactor.mask": (30, lambda s: call(f"{s.said()}, my password is {s.marker}-tr0ub4dor")),
    "redactor.mask_name": (30, lambda s: call(f"{s.said()}, password: {s.marker}-tr0ub4dor")),
    "entities.merge": (60, lambda s: s.one_of(s.either().marker)),
    "notes.merge": (20, lambda s: s.alike(s.either())),
    "namespace": (20, lambda s: call()),
    "namespaces.all": (30, lambda s: call()),
    "links.neighbors": (1400, lambda s: call(s.some(), s.dice.randint(1, 2))),
    "claims.networkx": (6, lambda s: call()),
    "notes.get": (1500, lambda s: call(s.id())),
    "notes.all": (
        40,
        lambda s: call(s.tag(), all_states=s.dice.random() < 0.5),
    ),
    "open": (8, lambda s: call(s.folder / "store", s.name, embedder=HashEmbedder())),
    "people.overrule": (20, lambda s: call(s.dice.randint(1, 40), "SEPARATE", s.marker)),
    "redactor.own_words": (20, lambda s: call(s.query())),
    "people.all": (20, lambda s: call()),
    "people.get": (60, lambda s: call(f"Ann {s.either().marker}")),
    "namespaces.place": (10, lambda s: call(s.either().name, "postgres://127.0.0.1:1/nowhere")),
    "prepare_requests": (10, lambda s: call([Request(*s.new_talk(), s.turns(2))])),
    "purge": (12, lambda s: s.dice.choice(PURGED)(s)),
    "recall": (120, lambda s: call(s.query(), s.dice.randint(1, 20), **s.dice.choice(BOUNDS)(s))),
    "people.reconcile": (20, lambda s: call(limit=s.dice.randint(1, 5))),
    "redact_stored": (8, lambda s: call(s.dice.random() < 0.5)),
    "remember": (110, lambda s: s.note()),
    "remember_prepared": (10, lambda s: call(prepare_requests(s.memory._core, [Request(*s.new_talk(), s.turns(2))]))),
    "remember_requests": (20, lambda s: call([Request(*s.new_talk(), s.turns(2))])),
    "remember_session": (60, lambda s: call(*s.new_talk(), s.turns(3), source=f"{s.marker}.json", title=s.marker)),
    "review.reject": (10, lambda s: call(s.proposal())),
    "namespaces.rename": (10, lambda s: call("nobody", "somebody")),
    "notes.repeats": (1000, lambda s: call(s.id())),
    "notes.retag": (60, lambda s: call(s.live_note(), [f"tag-{s.marker}", "kept"])),
    "notes.retag_many": (40, lambda s: call([s.live_note()], [f"tag-{s.marker}"], ["kept"])),
    "llm.retry": (6, lambda s: call(s.dice.random() < 0.5)),
    "review.all": (20, lambda s: call(limit=s.dice.randint(1, 20), offset=s.dice.randint(0, 3))),
    "notes.revise": (40, lambda s: call(s.live_note(), s.said())),
    "segment": (1500, lambda s: call(s.id())),
    "session": (60, lambda s: call(*s.new_talk())),
    "sessions": (100, lambda s: call(s.talk()[0])),
    "steward.run": (20, lambda s: call(now=START + timedelta(days=900), apply=s.dice.random() < 0.5, limits=3)),
    "_core.store": (20, lambda s: call()),
    "_core.thresholds": (20, lambda s: call(s.memory._core.default_plan)),
    "redactor.mask_problems": (10, lambda s: call([Problem(f"{s.marker}.txt", "line 1", s.said())])),
    "topics.get": (60, lambda s: call(s.topic())),
    "topics.all": (40, lambda s: call()),
    "turns": (1200, lambda s: call(*s.talk())),
    "turns_under": (60, lambda s: call(s.talk()[0], s.dice.choice(("", s.either().marker)))),
    "undo": (150, lambda s: call(s.act())),
    "acts.undo_all": (6, lambda s: call(s.dice.choice(("forget", "merge", "link", "prune")))),
    "links.remove": (300, lambda s: call(*s.ends())),
    "links.match": (100, lambda s: call(s.query(), s.dice.randint(1, 30))),
    "links.match_hybrid": (30, lambda s: call(s.query(), s.dice.randint(1, 30))),
    "links.used": (100, lambda s: s.used()),
    "_core.wipe": (6, lambda s: call()),
    "acts.undo": (20, lambda s: call(s.act())),
    "notes.add": (20, lambda s: s.note()),
    "people.key_of": (20, lambda s: call(f"Ann {s.either().marker}")),
    "people.count": (20, lambda s: call()),
    "people.is_me_open": (20, lambda s: call()),
    "people.me": (20, lambda s: call(None)),
    "people.names_like": (20, lambda s: call(f"Ann {s.either().marker}")),
    "people.settle": (10, lambda s: call(None)),
    "fence_key": (10, lambda s: call()),
    "browse.people": (20, lambda s: call()),
    "browse.segments": (20, lambda s: call(speaker=s.dice.choice((None, f"Ann {s.either().marker}")), limit=20)),
    "browse.session_page": (20, lambda s: call(words=s.dice.choice((None, s.either().marker)))),
    "browse.sitting": (20, lambda s: call(*s.talk())),
    "browse.sittings_named": (20, lambda s: call(s.talk()[1])),
    "browse.snapshot": (10, lambda s: call()),
    "browse.sources": (10, lambda s: call(20)),
    "browse.speakers": (10, lambda s: call(20)),
    "browse.spellings": (20, lambda s: call(f"ANN {s.either().marker}")),
    "browse.talks_from": (10, lambda s: call(f"{s.either().marker}.json")),
    "browse.talks_of": (20, lambda s: call(f"Ann {s.either().marker}")),
    "browse.texts_in": (20, lambda s: call(*s.talk())),
    "browse.thread": (20, lambda s: call(s.talk()[0])),
    "browse.threads": (10, lambda s: call()),
    "browse.turn_page": (20, lambda s: call(s.sitting(), most=400)),
    "browse.turn_text": (20, lambda s: call(s.sitting(), f"{s.either().marker}-1")),
    "browse.turns_in": (20, lambda s: call(*s.talk())),
    "browse.turns_of": (20, lambda s: call(s.sitting())),
    "changes.between": (20, lambda s: call(0, s.memory.changes.last())),
    "changes.last": (10, lambda s: call()),
    "changes.told": (10, lambda s: call()),
    "claims.graph_parts": (6, lambda s: call()),
    "claims.of_session": (20, lambda s: call(s.sitting().key)),
    "claims.waiting": (10, lambda s: call()),
    "entities.hub_named": (20, lambda s: call(f"Ann {s.either().marker}")),
    "entities.hubs": (20, lambda s: call([f"entity:{s.dice.randint(1, 60)}"])),
    "entities.listing": (20, lambda s: call(search=s.dice.choice((None, s.either().marker)))),
    "entities.wheel": (
        20,
        lambda s: call(s.dice.choice((f"entity:{s.dice.randint(1, 60)}", f"person:Ann {s.marker}")), 9),
    ),
    "export": (6, lambda s: call()),
    "import_": (6, lambda s: s.talk_file()),
    "ingest.check": (10, lambda s: call(s.turns(2))),
    "ingest.draft": (10, lambda s: call(*s.new_talk(), s.turns(2), close=True)),
    "ingest.embed_waiting": (10, lambda s: call(s.dice.choice((None, 3)))),
    "ingest.finish_pending": (10, lambda s: call()),
    "ingest.keep_out": (10, lambda s: call(s.exchange())),
    "ingest.store_backlog": (10, lambda s: call()),
    "ingest.store_exchange": (10, lambda s: call(s.exchange())),
    "notes.ids": (20, lambda s: call(words=s.dice.choice((None, s.either().marker)))),
    "notes.page": (20, lambda s: call(words=s.dice.choice((None, s.either().marker)), all_states=True)),
    "notes.tags": (20, lambda s: call(all_states=True)),
    "profiles.claims": (20, lambda s: call(f"Ann {s.either().marker}")),
    "profiles.decisions": (20, lambda s: call(f"Ann {s.either().marker}")),
    "profiles.get": (20, lambda s: call(f"Ann {s.either().marker}")),
    "profiles.me": (20, lambda s: call()),
    "profiles.page": (20, lambda s: call(s.dice.choice((None, s.either().marker)))),
    "profiles.read_some": (10, lambda s: call()),
    "profiles.talks": (20, lambda s: call(f"Ann {s.either().marker}")),
    "stats": (8, lambda s: call()),
    "surroundings.keys": (20, lambda s: call(s.some())),
    "surroundings.outwards": (20, lambda s: call(s.memory.surroundings.seeds(), 2, 20)),
    "surroundings.part": (20, lambda s: call(list(range(1, 60)))),
    "surroundings.seeds": (20, lambda s: call(s.some())),
    "surroundings.sessions": (20, lambda s: call(*s.talk()[:2])),
    "surroundings.words": (20, lambda s: call(s.some(), 160)),
    "topics.names": (10, lambda s: call(20)),
    "transfer.export": (6, lambda s: call()),
    "transfer.import_file": (6, lambda s: s.talk_file()),
    "transfer.preview": (6, lambda s: s.talk_file()),
    "redactor.counts": (20, lambda s: call()),
    "redactor.fingerprint_key": (10, lambda s: call()),
    "redactor.rescan": (6, lambda s: call(s.dice.random() < 0.5)),
    "review.page": (10, lambda s: call(None, s.dice.randint(1, 20), s.dice.randint(0, 3))),
}
# Calls that are functions of what a memory works with.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    one.__name__: one
    for one in (
        count_recalled,
        embed_in_passing,
        embed_waiting,
        finish_pending,
        prepare_requests,
        remember_prepared,
        remember_requests,
    )
}
# The same for what works on a memory and is no call of it.
BESIDE: dict[str, tuple[int, Callable[[Memory], Any]]] = {
    "export_lines": (15, lambda memory: list(export_lines(memory._core))),
    "doctor": (10, lambda memory: doctor(memory._core)),
}

# With what they are called with here: no language model is set up, nothing was decided yet, and hardly anything waits.
REFUSED = {
    "namespaces.bring_back",
    "namespaces.create",
    "namespaces.delete",
    "namespaces.place",
    "namespaces.rename",
    "llm.extract",
    "people.overrule",
}
REFUSED |= {"review.accept", "review.reject"}

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
