"""What the processes of crowd.py do: hold three namespaces open and write, or run one command and go.

Whoever writes notes in a file of its own what it begins and, once the call has returned, what is acknowledged. Each
line is synced, so that a kill cuts off at most the last one.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import engramma.core.embedder
import engramma.models.load
from engramma import EngrammaError, Memory, Turn
from engramma.admin.stats import compute_stats
from engramma.apps.cli import main as cli
from engramma.transfer.backup import backup
from engramma.transfer.export import export_lines
from engramma.transfer.imports import import_file

NAMESPACES = ("work", "home", "trips", "garden", "default")
HELD = 3  # namespaces that a process has open
START = datetime(2026, 1, 5, 9, tzinfo=UTC)
WORDS = (
    *("garden", "ticket", "violin", "harbour", "invoice", "sister", "marathon", "recipe", "printer", "blanket"),
    *("meeting", "passport", "kitchen", "novel", "battery", "doctor", "holiday", "piano", "bicycle", "thunder"),
)
NOTE = "engramma:notes"  # notes are noted by their words: their ids are made when they are stored
DIMENSION = 64
END = "end"  # a file: the time is over

Said = tuple[str, str, str, str]  # conversation, session, turn, words


class Hashed:
    """Vectors of hashed words: it is the database that is tried, not the encoder."""

    name, dimension, edge_floor = "hashed", DIMENSION, 0.6
    sha256 = hashlib.sha256(b"crowd").hexdigest()

    def embed(self, texts: Sequence[str], kind: str = "document", progress: object = None) -> NDArray[np.float32]:
        found = np.zeros((len(texts), DIMENSION), np.float32)
        for row, text in zip(found, texts, strict=True):
            for word in text.lower().split():
                row += direction(word)
            row /= np.linalg.norm(row)
        return found


@lru_cache(maxsize=20_000)
def direction(word: str) -> NDArray[np.float64]:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(DIMENSION)


def use_hashed() -> None:
    """Have every part of this process that loads an embedder get the cheap one."""
    for module in (engramma.models.load, engramma.core.embedder):
        module.load = lambda *_a, **_k: Hashed()  # type: ignore[attr-defined]


class Journal:
    """An append-only file of what was begun and what was acknowledged."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def note(self, step: str, namespace: str, turns: Sequence[Said]) -> None:
        os.write(self._file, (json.dumps([step, namespace, turns]) + "\n").encode())
        os.fsync(self._file)

    def keep(self, namespace: str, turns: Sequence[Said], write: Callable[[], object]) -> None:
        """Note what is begun, write it, and note that it was acknowledged."""
        self.note("begun", namespace, turns)
        write()
        self.note("kept", namespace, turns)


def read_journals(folder: Path) -> Iterator[tuple[str, str, list[Said]]]:
    """All that was noted; a line that a kill cut off was not."""
    for path in sorted(folder.glob("*.log")):
        for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
            if line.endswith("\n"):
                step, namespace, turns = json.loads(line)
                yield step, namespace, [(t[0], t[1], t[2], t[3]) for t in turns]


# --- a process that holds namespaces -------------------------------------------------------------------


def hold(work: str, number: int, life: int, seed: int) -> None:
    """Hold three namespaces and write, read, import, back up, close and open again until the end is told."""
    use_hashed()
    chance = random.Random(f"{seed}/{number}/{life}")
    folder, name = Path(work), f"p{number}-{life}"
    held = [NAMESPACES[(number + step) % len(NAMESPACES)] for step in range(HELD)]
    acts = (whole, whole, whole, live, live, note, imported, recalled, looked, reopened, reopened, saved)
    journal, refused = Journal(folder / "journals" / f"{name}.log"), folder / "refused" / f"{name}.log"
    memories = {space: Memory.open(folder / "store", space) for space in held}
    count = 0
    while not (folder / END).exists():
        count += 1
        space = chance.choice(held)
        try:
            chance.choice(acts)(memories, space, journal, chance, f"{name}-{count}", folder)
        except EngrammaError as error:
            with refused.open("a", encoding="utf-8") as file:
                file.write(f"{type(error).__name__}: {error}\n")
    for memory in memories.values():
        memory.close()


Held = dict[str, Memory]


def whole(held: Held, space: str, journal: Journal, chance: random.Random, name: str, _: Path) -> None:
    """A session at once, and then a longer one of the same id."""
    turns = said(chance, 4)
    for size in (2, 4):
        told = [(f"talk {space}", name, str(turn.id), turn.text) for turn in turns[size - 2 : size]]
        part = turns[:size]
        journal.keep(space, told, lambda part=part: held[space].remember_session(f"talk {space}", name, part))  # type: ignore[misc]


def live(held: Held, space: str, journal: Journal, chance: random.Random, name: str, _: Path) -> None:
    """A session turn by turn."""
    with held[space].session(f"live {space}", name) as session:
        for turn in said(chance, 3):
            told = [(f"live {space}", name, str(turn.id), turn.text)]
            journal.keep(
                space,
                told,
                lambda turn=turn: session.add(turn.speaker, turn.text, turn.said_at, turn.id),  # type: ignore[misc]
            )


def note(held: Held, space: str, journal: Journal, chance: random.Random, name: str, _: Path) -> None:
    text = noted(chance, name)
    journal.keep(space, [(NOTE, "", "", text)], lambda: held[space].remember(text))


def imported(held: Held, space: str, journal: Journal, chance: random.Random, name: str, work: Path) -> None:
    """A file of three sessions."""
    told: list[Said] = []
    path = work / "files" / f"{name}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        file.write('{"engramma":1,"kind":"export","namespace":"default"}\n')
        file.write(json.dumps({"type": "conversation", "id": f"file {name}", "title": None, "source": None}) + "\n")
        for number in range(3):
            file.write(
                json.dumps({"type": "session", "conversation": f"file {name}", "id": f"s{number}", "closed": True})
                + "\n"
            )
            for turn in said(chance, 4):
                told.append((f"file {name}", f"s{number}", str(turn.id), turn.text))
                assert turn.said_at is not None
                place = {"conversation": f"file {name}", "session": f"s{number}", "id": turn.id}
                words = {"speaker": turn.speaker, "said_at": turn.said_at.isoformat(), "text": turn.text}
                file.write(json.dumps({"type": "turn", **place, **words}) + "\n")
    journal.keep(space, told, lambda: import_file(held[space]._core, path))


def recalled(held: Held, space: str, _j: Journal, chance: random.Random, _n: str, _: Path) -> None:
    held[space].recall(sentence(chance), k=5)


def looked(held: Held, space: str, _j: Journal, _c: random.Random, _n: str, _: Path) -> None:
    compute_stats(held[space]._core)
    held[space].sessions()


def reopened(held: Held, space: str, _j: Journal, _c: random.Random, _n: str, work: Path) -> None:
    """Open the namespace a second time, close the first: both were open in this process for a while."""
    second = Memory.open(work / "store", space)
    held[space].close()
    held[space] = second


def saved(held: Held, space: str, _j: Journal, chance: random.Random, name: str, work: Path) -> None:
    if chance.random() < 0.3:
        target = work / "files" / f"{name}.zip"
        backup(held[space]._core, target)
        target.unlink()
    else:
        for _line in export_lines(held[space]._core):
            pass


# --- a command that comes and goes ---------------------------------------------------------------------


def command(work: str, number: int, seed: int) -> None:
    """Run one command of the CLI, and note what it remembered once it has ended well."""
    use_hashed()
    chance = random.Random(f"{seed}/command {number}")
    folder, name = Path(work), f"c{number}"
    space = chance.choice(NAMESPACES)
    kind = chance.choice(("stats", "recall", "remember", "remember", "turn", "sessions", "doctor", "backup", "export"))
    turn = said(chance, 1)[0]
    assert turn.said_at is not None
    target = folder / "files" / f"{name}.out"
    told: list[Said] = []
    given: dict[str, list[str]] = {
        "stats": ["stats"],
        "recall": ["recall", sentence(chance)],
        "remember": ["remember", noted(chance, name)],
        "sessions": ["sessions"],
        "doctor": ["doctor"],
        "backup": ["backup", str(target)],
        "export": ["export", str(target)],
    }
    if kind == "remember":
        told = [(NOTE, "", "", given["remember"][1])]
    elif kind == "turn":
        told = [("commands", name, str(turn.id), turn.text)]
        given["turn"] = ["remember", turn.text, "-c", "commands", "--session", name, "--id", str(turn.id), "--close"]
        given["turn"] += ["--at", turn.said_at.isoformat()]
    journal = Journal(folder / "journals" / f"{name}.log")
    if told:
        journal.note("begun", space, told)
    code, text = run_cli(["--store", str(folder / "store"), "--json", "-n", space, *given[kind]])
    if told and code == 0:
        journal.note("kept", space, told)
    wrong = [] if code == 0 else findings(text) if code == 3 else [f"exit code {code}: {text[-2000:]}"]
    with (folder / "commands" / f"{name}.json").open("w", encoding="utf-8") as file:
        json.dump({"kind": kind, "wrong": wrong}, file)
    target.unlink(missing_ok=True)


def run_cli(arguments: list[str]) -> tuple[int, str]:
    """Run the real command line in this process: exit code, and all that it printed."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as printed:
        sys.argv = ["engramma", *arguments]
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            try:
                cli.run()
                code = 0
            except SystemExit as ended:
                code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        printed.flush()
        printed.seek(0, io.SEEK_SET)
        return code, printed.read()


def findings(text: str) -> list[str]:
    """What doctor found. A session that is stored and not archived is no fault: its writer may have been killed."""
    found: dict[str, Any] = json.loads(text)
    wrong = [check for check in found["checks"] if not check["ok"] and check["name"] != "nothing left unfinished"]
    return [f"doctor: {check['name']}: {check['detail']}" for check in wrong]


# --- what is said --------------------------------------------------------------------------------------


def said(chance: random.Random, count: int) -> list[Turn]:
    begun = START + timedelta(minutes=chance.randrange(500_000))
    return [
        Turn(("Ana", "Ben")[n % 2], sentence(chance), begun + timedelta(seconds=n), f"t{n}-{chance.randrange(10**9)}")
        for n in range(count)
    ]


def sentence(chance: random.Random) -> str:
    return f"{' '.join(chance.choices(WORDS, k=6))} {chance.randrange(10**9)}"


def noted(chance: random.Random, name: str) -> str:
    """Words of its own: a note that says what another says would be counted as its repeat."""
    return f"{name} {' '.join(f'{chance.randrange(10**12):x}' for _ in range(6))}"
