"""What an unknown word costs a query: mistyped words, and names in other letters, over 1,000 to 100,000 segments.

    python evaluate/bench/unknown_words.py --talk en.json [...] --noise texts.json [...] --english locomo.json
        --foreign ru.json [...] [--sizes 1000 10000 100000] [--questions 60] [--engine postgres] [--json OUT]

`--talk` and `--noise` are JSON files (also .gz, also a value a line) of which every text of four words and more is
taken, in pieces of up to 200 characters, said by people with made-up names. The talk is in every store, embedded by
the packaged encoder; of the noise as much as is missing, in an order drawn by lot and with random vectors.

A question is asked as it is, then with one and two of its words mistyped; one in another language without the reading
of its words and names, and then with it. `extra` is the difference of the whole queries, `reading` what the reading
alone takes: a question in another language that is read also searches by words, which one that is not read does not.
Times are without the embedding; what was counted for the plain question is known when the other is asked. With
`--writes` a turn is added before every query. The first query of each kind, which opens what the others use, is told
apart.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from people_scale import names
from typos import as_typed, mistyped

from engramma import Memory, Turn
from engramma.ingest.pipeline import Request, tie_of
from engramma.language.times import to_micros
from engramma.models.load import load
from engramma.recall.in_english import words_in_english
from engramma.recall.typos import with_typos_read
from engramma.store.store import SegmentRow
from recall import START

LONGEST, A_SESSION, PEOPLE = 200, 20, 600
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


class Cost(NamedTuple):
    """Milliseconds by the clock and of the process's processors."""

    ms: float
    cpu_ms: float

    @classmethod
    def now(cls) -> Cost:
        return cls(1000 * time.perf_counter(), 1000 * time.process_time())

    def less(self, other: Cost) -> Cost:
        return Cost(self.ms - other.ms, self.cpu_ms - other.cpu_ms)


class Meter:
    """What calls of some functions took together."""

    def __init__(self) -> None:
        self.spent = Cost(0, 0)

    def watch(self, act: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*given: Any, **named: Any) -> Any:
            began = Cost.now()
            try:
                return act(*given, **named)
            finally:
                self.spent = Cost(0, 0).less(began.less(Cost.now()).less(self.spent))

        return watched

    def read(self) -> Cost:
        spent, self.spent = self.spent, Cost(0, 0)
        return spent


def values_of(path: Path) -> Any:
    content = (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).decode("utf-8-sig")
    try:
        return json.loads(content)
    except json.JSONDecodeError:
        return [json.loads(line) for line in content.splitlines() if line.strip()]


def texts_in(value: Any) -> Iterator[str]:
    """Every text of a value, in pieces of whole sentences where they are short enough."""
    if isinstance(value, str) and value.count(" ") > 2:
        piece = ""
        for sentence in SENTENCE.split(value):
            if piece and len(piece) + len(sentence) >= LONGEST:
                yield piece
                piece = ""
            piece = f"{piece} {sentence}".strip()[:LONGEST]
        yield from filter(None, (piece,))
    elif isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts_in(inner)


def texts_of(paths: list[Path]) -> list[str]:
    return list(dict.fromkeys(text for path in paths for text in texts_in(values_of(path)) if text.count(" ") > 2))


def questions_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(asked := value.get("question"), str):
            yield asked
        value = list(value.values())
    for inner in value if isinstance(value, list) else ():
        yield from questions_in(inner)


def add(memory: Memory, texts: list[str], vectors: Any, people: list[str], first: int) -> None:
    """Straight into the database, without drafts, edges and archive, in sessions of two people."""
    store = memory._core.store
    for start in range(0, len(texts), A_SESSION):
        number = (first + start) // A_SESSION
        pair = (people[number % len(people)], people[(number * 7 + 3) % len(people)])
        at = START + timedelta(hours=number)
        turns = [Turn(pair[n % 2], text, at, f"t{n}") for n, text in enumerate(texts[start : start + A_SESSION])]
        request = Request(f"c{number // 10}", f"s{first + start}", turns)
        names_of_it = {"conversation": request.conversation, "id": request.session}
        store.run("conversation_put", id=request.conversation, title=None, source=None)
        store.run("session_add", **names_of_it, started_at=to_micros(at), captured_at=0)
        session = store.session(request.conversation, request.session)
        assert session is not None
        store.add_turns(session.key, 0, turns)
        ties = [tie_of(request.conversation, request.session, n) for n in range(len(turns))]
        rows = [SegmentRow(0, n, "utterance", n, n, to_micros(at) + n, tie) for n, tie in enumerate(ties)]
        store.add_segments(session.key, rows, vectors[start : start + A_SESSION])


def fill(memory: Memory, talk: list[str], noise: list[str]) -> None:
    people, dice = names(PEOPLE), np.random.default_rng(1)
    with memory._core.store.transaction():
        add(memory, talk, memory._core.embedder.embed(talk).astype(np.float16), people, 0)
    for start in range(0, len(noise), 2_000):
        vectors = dice.standard_normal((len(noise[start : start + 2_000]), memory._core.embedder.dimension))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        with memory._core.store.transaction():
            add(memory, noise[start : start + 2_000], vectors.astype(np.float16), people, len(talk) + start)


@contextmanager
def not_in_english() -> Iterator[None]:
    """Recall that asks for the words of another language only as they stand."""
    with mock.patch("engramma.recall.pipeline.words_in_english", lambda store, segments, text: ()):
        yield


class Asker:
    """Asks one store, and knows how long it took: the query without its embedding, and the reading alone."""

    def __init__(self, memory: Memory, writes: bool) -> None:
        self.memory, self.writes = memory, writes
        self.written = memory._core.store.last_change()  # a store that is kept has those of the last run
        self.embedding, self.reading = Meter(), Meter()

    @contextmanager
    def watching(self) -> Iterator[None]:
        embedder, pipeline = self.memory._core.embedder, "engramma.recall.pipeline"
        with (
            mock.patch.object(embedder, "embed", self.embedding.watch(embedder.embed)),
            mock.patch(f"{pipeline}.words_in_english", self.reading.watch(words_in_english)),
            mock.patch(f"{pipeline}.with_typos_read", self.reading.watch(with_typos_read)),
        ):
            yield

    def ask(self, text: str) -> tuple[Cost, Cost]:
        if self.writes:
            self.written += 1
            with self.memory._core.store.transaction():
                vector = np.eye(1, self.memory._core.embedder.dimension, dtype=np.float16)
                said = f"Something new was said for the {self.written}. time"
                add(self.memory, [said], vector, ["Ana", "Ben"], 10_000_000 + self.written * A_SESSION)
            with as_typed():
                self.memory.recall("What was new?")  # the index is brought up to date by whoever asks first
        self.embedding.read(), self.reading.read()
        began = Cost.now()
        self.memory.recall(text)
        return Cost.now().less(began).less(self.embedding.read()), self.reading.read()


def spread(costs: list[Cost]) -> dict[str, float]:
    """The median, the tenth slowest and, apart, the first."""
    first, *others = costs
    figures = {"first_ms": round(first.ms, 1)}
    for name in Cost._fields:
        values = [getattr(one, name) for one in others]
        figures |= {f"p50_{name}": round(float(np.median(values)), 1)}
        figures |= {f"p90_{name}": round(float(np.quantile(values, 0.9)), 1)}
    return figures


def measure_typos(asker: Asker, questions: list[str], seed: int) -> dict[str, Any]:
    costs, chance = defaultdict[str, list[Cost]](list), random.Random(seed)
    for text in questions:
        asker.ask(text)
        plain, _ = asker.ask(text)
        costs["plain query"].append(plain)
        for slips, name in ((1, "one mistyped word"), (2, "two mistyped words")):
            whole, reading = asker.ask(mistyped(text, slips, chance))
            costs[f"{name}, extra"].append(whole.less(plain))
            costs[f"{name}, reading"].append(reading)
    return {name: spread(found) for name, found in costs.items()}


def measure_foreign(asker: Asker, questions: list[str]) -> dict[str, Any]:
    costs = defaultdict[str, list[Cost]](list)
    for text in questions:
        with not_in_english():
            asker.ask(text)
            plain, _ = asker.ask(text)
        whole, reading = asker.ask(text)
        costs["plain query"].append(plain)
        costs["extra"].append(whole.less(plain))
        costs["reading"].append(reading)
    return {name: spread(found) for name, found in costs.items()}


def measure(memory: Memory, english: list[str], foreign: dict[str, list[str]], writes: bool) -> dict[str, Any]:
    asker = Asker(memory, writes)
    with asker.watching():
        with as_typed(), not_in_english():
            for text in english[:5]:
                asker.ask(text)
        figures = {"mistyped": measure_typos(asker, english, 1)}
        return figures | {name: measure_foreign(asker, questions) for name, questions in foreign.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("talk", "noise", "foreign"):
        parser.add_argument(f"--{name}", type=Path, nargs="+", required=True)
    parser.add_argument("--english", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--questions", type=int, default=60, help="of each kind")
    parser.add_argument("--writes", action="store_true", help="also after a write before every query")
    parser.add_argument("--engine", help="postgres")
    parser.add_argument("--folder", type=Path, help="keeps the stores, and takes those that are there")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    chance = random.Random(1)
    talk, noise = texts_of(given.talk), texts_of(given.noise)
    chance.shuffle(noise)
    english = chance.sample(list(questions_in(values_of(given.english))), given.questions)
    foreign = {
        path.name.partition(".")[0]: chance.sample(list(questions_in(values_of(path))), given.questions)
        for path in given.foreign
    }
    figures = dict[str, Any]()
    with tempfile.TemporaryDirectory() as temporary:
        for size in given.sizes:
            figures[str(size)] = at_size(given, Path(temporary), talk, noise, size, english, foreign)
            print(json.dumps({str(size): figures[str(size)]}, indent=2), flush=True)
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def at_size(
    given: argparse.Namespace,
    temporary: Path,
    talk: list[str],
    noise: list[str],
    size: int,
    english: list[str],
    foreign: dict[str, list[str]],
) -> dict[str, Any]:
    from engramma.store.engine import choose

    place = (given.folder or temporary) / str(size)
    is_new = not place.exists()
    if is_new:
        place.mkdir(mode=0o700, parents=True)
        if given.engine:
            choose(place, given.engine)
    with Memory.open(place, embedder=load(None)) as memory:
        if is_new:
            fill(memory, talk[:size], noise[: max(0, size - len(talk))])
        found: dict[str, Any] = {"segments": int(memory._core.store.one("words_rows")[0])}  # type: ignore[index]
        found |= measure(memory, english, foreign, writes=False)
        if given.writes:
            found["after a write"] = measure(memory, english, foreign, writes=True)
        return found


if __name__ == "__main__":
    main()
