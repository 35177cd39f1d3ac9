"""One side of the wall between namespaces: its memory, what was put into it, and what is asked with."""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from engramma import Memory, Turn
from engramma.recall.session_pages import Sitting
from engramma.records import Recall
from tests.fakes import HashEmbedder

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
WORDS = ("lamp", "river", "ladder", "bread", "engine", "violin", "harbour", "window", "winter", "garden")
KINDS = ("related_to", "supports", "contradicts", "part_of", "caused_by", "before", "after")
RECIPES = ("default", "best", "pmg", "pocketpaw", "pgmemory", "takizen", "bm25", "vector")
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
