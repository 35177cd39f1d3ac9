"""What PostgreSQL costs beside SQLite: the same recalls and the same import on both, in turns, in one process.

    python evaluate/bench/databases.py [--sizes 3000 100000] [--locomo LOCOMO.json] [--encoder] [--questions 100]
                                       [--rounds 1] [--stores DIR] [--json OUT]

Recall: made-up talk (recall.py; vectors from the texts' own bytes) of each size, and LoCoMo in one namespace, its
vectors from a table. Each question is asked on both databases, one right after the other, the one that begins taking
turns, with `default` and with `vector`; told are median and 95th percentile by the clock, and the means of the
processor time of this process and of the server's. Candidates, scores and contexts are compared.

Import: LoCoMo with `remember_session`, each session on both databases in turns; vectors from a table, or with --encoder
from the packaged one as they are needed. What is stored is compared: the exports, vectors, edges and near lists.

The server is a private one. --stores keeps the stores there, and a second run fills nothing.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from engramma import Memory, Turn
from engramma.evaluate.task import TaskReading
from engramma.evaluate.tasks import locomo
from engramma.language.fence import unfenced
from engramma.models.load import load
from engramma.store.engine import choose
from engramma.store.postgres.server import find_server_place
from recall import MadeUp, asked, fill, fill_bare

DATABASES = ("sqlite", "postgres")
RECIPES = ("default", "vector")
LINKED = 5_000  # larger made-up stores have no edges: filling them would take too long

Talk = tuple[str, str, list[Turn]]


class TabledEmbedder:
    """The packaged encoder, with a table of what it has read before."""

    def __init__(self, file: Path | None) -> None:
        self.inner = load()
        self.name, self.sha256, self.dimension = self.inner.name, self.inner.sha256, self.inner.dimension
        self.edge_floor, self.window = self.inner.edge_floor, getattr(self.inner, "window", None)
        self.file, self.known = file, dict[tuple[str, str], NDArray[np.float32]]()
        if file is not None and file.exists():
            with np.load(file) as kept:
                names = [tuple(name) for name in json.loads(str(kept["names"]))]
                self.known = dict(zip(names, kept["rows"], strict=True))

    def embed(self, texts: Sequence[str], kind: str = "document", progress: object = None) -> NDArray[np.float32]:
        if missing := list(dict.fromkeys(text for text in texts if (kind, text) not in self.known)):
            for text, row in zip(missing, self.inner.embed(missing, kind), strict=True):  # type: ignore[arg-type]
                self.known[kind, text] = row
        return np.stack([self.known[kind, text] for text in texts])

    def save(self) -> None:
        if self.file is not None:
            np.savez(self.file, names=json.dumps(list(self.known)), rows=np.stack(list(self.known.values())))


class Spent:
    """Seconds by the clock, and processor seconds of this process and of the server, between two moments."""

    def __init__(self, database: str, folder: Path) -> None:
        self.postmaster = find_server_place(folder).pid if database == "postgres" else None
        self.rows = list[tuple[float, float, float]]()

    def of(self, act: Callable[[], Any]) -> Any:
        before = self.now()
        result = act()
        after = self.now()
        self.rows.append((after[0] - before[0], after[1] - before[1], after[2] - before[2]))
        return result

    def now(self) -> tuple[float, float, float]:
        return time.perf_counter(), time.process_time(), served(self.postmaster)

    def told(self) -> dict[str, float]:
        wall, client, server = np.array(self.rows).T * 1e3
        return {
            "p50_ms": round(float(np.median(wall)), 2),
            "p95_ms": round(float(np.percentile(wall, 95)), 2),
            "client_ms": round(float(np.mean(client)), 2),
            "client_p50_ms": round(float(np.median(client)), 2),
            "server_ms": round(float(np.mean(server)), 2),
            "all_s": round(float(wall.sum()) / 1e3, 2),
        }


def served(postmaster: int | None) -> float:
    """Processor seconds that a server's processes have used."""
    if postmaster is None:
        return 0.0
    children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
    total = 0
    for child in (str(postmaster), *children):
        try:
            total += int(Path(f"/proc/{child}/schedstat").read_text().split()[0])
        except OSError:  # it has just ended
            continue
    return total / 1e9


def opened(folders: dict[str, Path], embedder: Any) -> dict[str, Memory]:
    return {name: Memory.open(folder, embedder=embedder) for name, folder in folders.items()}


def folders_in(place: Path) -> dict[str, Path]:
    folders = {name: place.with_name(f"{name}-{place.name}") for name in DATABASES}
    for name, folder in folders.items():
        if not folder.exists():
            folder.mkdir(parents=True)
            if name == "postgres":
                choose(folder, "postgres")
    return folders


# --- recall ---------------------------------------------------------------------------------------


def one_recall(memory: Memory, question: str, recipe: str) -> Callable[[], Any]:
    return lambda: memory.recall(question, recipe=recipe)


def recalls(place: Path, embedder: Any, ready: Callable[[Memory], Any], questions: list[str]) -> dict[str, Any]:
    folders = folders_in(place)
    memories = opened(folders, embedder)
    for memory in memories.values():
        if not memory.sessions():
            ready(memory)
    found: dict[str, Any] = {"segments": len(memories["sqlite"]._core.store.keys("keys_all"))}
    for recipe in RECIPES:
        for question in questions[:12]:
            for memory in memories.values():
                memory.recall(question, recipe=recipe)
        spent, same = {name: Spent(name, folders[name]) for name in DATABASES}, 0
        for number, question in enumerate(questions):
            answers = {
                name: spent[name].of(one_recall(memories[name], question, recipe))
                for name in (DATABASES if number % 2 else DATABASES[::-1])
            }
            same += shown(answers["sqlite"]) == shown(answers["postgres"])
        found[recipe] = {name: one.told() for name, one in spent.items()}
        found[recipe]["ratio_p50"] = ratio(found[recipe], "p50_ms")
        found[recipe]["same"] = f"{same} of {len(questions)}"
    for memory in memories.values():
        memory.close()
    return found


def shown(answer: Any) -> Any:
    return [(one.segment_id, one.score, one.text) for one in answer.candidates], unfenced(answer.context)


def ratio(found: dict[str, dict[str, float]], figure: str) -> float:
    return round(found["postgres"][figure] / found["sqlite"][figure], 2)


# --- import ---------------------------------------------------------------------------------------


def talks_of(data: Path) -> tuple[list[Talk], list[str]]:
    task = locomo.read(data, TaskReading())
    talks = [
        (talk.id, session.id, list(session.turns))
        for store in task.each
        for talk in store.conversations
        for session in talk.sessions
    ]
    return talks, [question.text for question in task.questions]


def one_session(memory: Memory, talk: Talk) -> Callable[[], Any]:
    conversation, session, turns = talk
    return lambda: memory.remember_session(conversation=conversation, session=session, turns=turns)


def imported(talks: list[Talk], embedder: Any, forget: bool) -> dict[str, Any]:
    """Each session on both databases, one right after the other. `forget`: the encoder reads each text anew."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
        folders = folders_in(Path(made) / "import")
        memories = opened(folders, embedder)
        spent = {name: Spent(name, folders[name]) for name in DATABASES}
        for number, (conversation, session, turns) in enumerate(talks):
            for name in DATABASES if number % 2 else DATABASES[::-1]:
                if forget:
                    embedder.known.clear()
                spent[name].of(one_session(memories[name], (conversation, session, turns)))
        found: dict[str, Any] = {name: one.told() for name, one in spent.items()}
        found["sessions"], found["turns"] = len(talks), sum(len(turns) for _, _, turns in talks)
        found["ratio_all"], found["ratio_p50"] = ratio(found, "all_s"), ratio(found, "p50_ms")
        kept = [kept_in(memory) for memory in memories.values()]
        found["same"] = {name: kept[0][name] == kept[1][name] for name in kept[0]}
        for memory in memories.values():
            memory.close()
    return found


def kept_in(memory: Memory) -> dict[str, list[Any]]:
    """What is stored, by the segments' identities: keys may have gaps on one database."""
    store = memory._core.store
    rows = store.all("segments_by_keys", keys=json.dumps(store.keys("keys_all").tolist()))
    names = {row["key"]: (row["conversation"], row["session_id"], row["idx"]) for row in rows}
    keys, vectors = store.vectors("embeddings_all", memory._core.embedder.dimension)
    listed = json.dumps(sorted(names))
    turns = [tuple(store.all("turns_of_session", session=row["session"])) for row in rows if row["idx"] == 0]
    return {
        "segments": sorted((names[row["key"]], row["kind"], row["first"], row["last"], row["tie"]) for row in rows),
        "turns": sorted(tuple(tuple(turn)[1:] for turn in said) for said in turns),
        "vectors": sorted((names[key], row.tobytes()) for key, row in zip(keys.tolist(), vectors, strict=True)),
        "edges": sorted((names[a], kind, names[b], w) for a, kind, b, w in map(tuple, store.all("edges_all"))),
        "near lists": sorted(
            (names[row["key"]], row["reach"], len(bytes(row["list"]))) for row in store.all("near_get", keys=listed)
        ),
        "changes": [tuple(row)[::2] for row in store.all("changes_since", seq=0)],
    }


def measured(options: argparse.Namespace, stores: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for size in options.sizes:

        def ready(memory: Memory, size: int = size) -> float:
            return (fill if size <= LINKED else fill_bare)(memory, size)

        for _ in range(options.rounds):
            questions = asked()[: options.questions]
            yield f"recall, made up, {size}", recalls(stores / str(size), MadeUp(), ready, questions)
    if options.locomo:
        embedder = TabledEmbedder(options.stores / "vectors.npz" if options.stores else None)
        talks, questions = talks_of(options.locomo)
        asking = questions[:: max(1, len(questions) // options.questions)][: options.questions]
        embedder.embed(asking, "query")
        for _ in range(options.rounds):
            yield (
                "recall, LoCoMo",
                recalls(stores / "locomo", embedder, lambda memory: remember_all(memory, talks), asking),
            )
            embedder.save()
            yield "import, table", imported(talks, embedder, False)
        if options.encoder:
            yield "import, encoder", imported(talks[:30], embedder, True)


def remember_all(memory: Memory, talks: Iterable[Talk]) -> None:
    for conversation, session, turns in talks:
        memory.remember_session(conversation=conversation, session=session, turns=turns)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[3_000, 100_000])
    parser.add_argument("--locomo", type=Path)
    parser.add_argument("--encoder", action="store_true", help="import once more with the packaged encoder")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--stores", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
        for what, found in measured(options, options.stores or Path(made)):
            rows.append({"what": what, **found})
            Console(width=200).print_json(json.dumps(rows[-1]))
            if options.json:
                options.json.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
