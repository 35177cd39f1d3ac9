"""What the child processes of these tests run, and how two stores are compared."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import time
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import engramma.core.embedder as embedders_module
from engramma import Memory, Turn
from engramma.admin import reindex as reindexing
from engramma.admin.doctor import doctor
from engramma.apps.render import as_value
from engramma.core.names import segment_key
from engramma.language.fence import unfenced
from engramma.store.sqlite.database import SqliteDatabase
from engramma.transfer import imports
from engramma.transfer.export import export_lines
from engramma.transfer.imports import import_file
from tests.conftest import START
from tests.fakes import HashEmbedder

# A fork server starts a process in milliseconds, so that kills meet its work and not its start.
METHOD = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
CONTEXT = multiprocessing.get_context(METHOD)
if METHOD == "forkserver":
    CONTEXT.set_forkserver_preload([__name__])

WORDS = (
    *("garden", "ticket", "violin", "harbour", "invoice", "sister", "recipe"),
    *("printer", "blanket", "passport", "kitchen", "novel", "battery"),
)
FEWEST_ROUNDS = 3  # of a writer, however slow the machine is
QUERIES = ("thanks a lot", "garden violin", "the printer in the kitchen", "user: novel battery")


# --- stores and what is in them -------------------------------------------------------------------------


def opened(store: Path, **options) -> Memory:
    return Memory.open(store, embedder=HashEmbedder(), **options)


def said(number: int, size: int, seed: int = 0) -> list[Turn]:
    """A session's turns: few words, so that many are similar and some are equal; every third is a chat."""
    chance = random.Random(f"{seed}/{number}")
    names = ("user", "assistant") if number % 3 == 0 else ("Ana", "Ben")
    return [
        Turn(
            names[n % 2],
            "thanks a lot" if chance.random() < 0.1 else " ".join(chance.choices(WORDS, k=chance.randint(2, 5))),
            START + timedelta(hours=number, minutes=n),
            f"t{n}",
        )
        for n in range(size)
    ]


def write_source(path: Path, conversations: list[str], sessions: int, turns: int) -> Path:
    """A file to import, as `engramma export` writes it."""
    with path.open("w", encoding="utf-8") as file:
        file.write('{"engramma":1,"kind":"export","namespace":"default"}\n')
        for conversation in conversations:
            file.write(json.dumps({"type": "conversation", "id": conversation, "title": None, "source": None}) + "\n")
            for number in range(sessions):
                name = {"conversation": conversation, "id": f"s{number}", "closed": True}
                file.write(json.dumps({"type": "session", **name}) + "\n")
                for turn in said(number, turns, seed=sum(conversation.encode())):
                    named = {"conversation": conversation, "session": f"s{number}", "id": turn.id}
                    words = {"speaker": turn.speaker, "said_at": turn.said_at.isoformat(), "text": turn.text}
                    file.write(json.dumps({"type": "turn", **named, **words}) + "\n")
    return path


def unwell(memory: Memory) -> list[str]:
    """What doctor finds, one line each: [] is a clean bill."""
    return [f"{check.name}: {check.detail}" for check in doctor(memory._core) if not check.ok]


def picture(memory: Memory) -> dict[str, object]:
    """Everything that must not depend on crashes, processes or the order of arrival."""
    segments, edges = memory.graph()
    recalls = []
    for query in QUERIES:
        for recipe in ("default", "pmg", "vector"):
            found = as_value(memory.recall(query, recipe=recipe))
            del found["trace"]["timings_ms"]
            found["context"] = unfenced(found["context"])  # its tag is made with a key of the store's own
            recalls.append(found)
    archive = memory.path / "archive"
    return {
        "export": "".join(export_lines(memory._core)),
        "segments": segments,
        "edges": sorted(edges),
        "recalls": recalls,
        "archive": {str(p.relative_to(archive)): p.read_bytes() for p in archive.rglob("*") if p.is_file()},
    }


def assert_same(found: dict[str, object], expected: dict[str, object]) -> None:
    """Part by part, so that a failure says which."""
    for part in expected:
        assert found[part] == expected[part], part


# --- processes --------------------------------------------------------------------------------------------


@contextmanager
def started(target, *arguments):
    """A child process with a pipe to it; ended at the latest when the block is left."""
    ours, theirs = CONTEXT.Pipe()
    process = CONTEXT.Process(target=target, args=(theirs, *arguments), daemon=True)
    process.start()
    theirs.close()
    try:
        yield process, ours
    finally:
        process.kill()
        process.join()
        ours.close()


def answer(pipe, seconds: float = 60.0):
    """The next thing a child says; it never takes this long unless something is wrong."""
    assert pipe.poll(seconds), "the child process says nothing"
    return pipe.recv()


def die_at_statement(number: int) -> None:
    """Kill this very process, as `kill -9` would, when it is about to run its n-th SQL statement."""
    opened = SqliteDatabase._opened
    left = [number]

    def traced(_: str) -> None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def patched(self, path):
        connection = opened(self, path)
        connection.set_trace_callback(traced)
        return connection

    SqliteDatabase._opened = patched


def run_import(pipe, store: Path, sources: list[Path], dies_at: int = 0) -> None:
    """Import files in small groups, so that there are many transactions to be killed in."""
    imports.GROUP_TURNS = 16
    if dies_at:
        die_at_statement(dies_at)
    with opened(store) as memory:
        pipe.send("begun")
        for source in sources:
            import_file(memory._core, source)
    pipe.send("done")


def run_extension(pipe, store: Path, dies_at: int) -> None:
    """Extend a closed chat (which replaces a segment), add a session, close it; die on the way if told to."""
    if dies_at:
        die_at_statement(dies_at)
    with opened(store) as memory:
        memory.remember_session("c", "s0", said(0, 6))
        with memory.session("c", "s3") as live:
            for turn in said(3, 4):
                live.add(turn.speaker, turn.text, turn.said_at, turn.id)
    pipe.send("done")


def run_opening(pipe, store: Path, barrier) -> None:
    """Open a store together with others."""
    barrier.wait()
    try:
        with opened(store) as memory:
            memory.remember_session("c", f"s{os.getpid()}", said(1, 2))
            pipe.send(("opened", memory._core.store.ns, memory._core.store.meta("store_id")))
    except Exception as error:  # whatever it is, the test has to see it
        pipe.send(("failed", type(error).__name__, str(error)))


def run_commands(pipe, store: Path) -> None:
    """Do what the test says, one thing at a time, and say when it is done."""
    with opened(store) as memory:
        pipe.send("ready")
        while True:
            command, *arguments = pipe.recv()
            if command == "remember":
                memory.remember_session(*arguments)
            elif command == "remove":
                (segment_id,) = arguments
                with memory._core.store.transaction():
                    memory._core.store.remove_segment(segment_key(memory._core, segment_id))
            elif command == "hang in a transaction":
                (segment_id,) = arguments
                with memory._core.store.transaction():
                    memory._core.store.remove_segment(segment_key(memory._core, segment_id))
                    pipe.send("hanging")
                    pipe.recv()  # never comes: the process is killed here
            pipe.send("done")


def run_writer(pipe, store: Path, log: Path, name: str, seconds: float) -> None:
    """Write sittings of three kinds and note every turn once it is stored: for so long, and some in any case."""
    until = time.monotonic() + seconds
    chance = random.Random(name)
    with opened(store) as memory, log.open("w", encoding="utf-8") as file:
        pipe.send("ready")

        def note(*turn: str) -> None:
            file.write(json.dumps(turn) + "\n")
            file.flush()

        number = 0
        while number < FEWEST_ROUNDS or time.monotonic() < until:
            number += 1
            with memory.session(name, f"live-{number}") as live:
                for step, speaker in enumerate(("user", "assistant", "user", "assistant")):
                    text = f"{sentence(chance)} {name} {number} {step}"
                    id = live.add(speaker, text, START + timedelta(hours=number, minutes=step))
                    note(name, f"live-{number}", id, text)
            turns = [
                Turn("Ana", f"{sentence(chance)} {name} {number}", START + timedelta(hours=number, minutes=n), f"t{n}")
                for n in range(10, 14)
            ]
            for size in (2, 4):
                memory.remember_session(name, f"whole-{number}", turns[:size])
                for turn in turns[size - 2 : size]:
                    note(name, f"whole-{number}", str(turn.id), turn.text)
            text = f"{sentence(chance)} {name} {number}"
            memory.session("everyone", "talk").add(name, text, START, id=f"{name}-{number}")
            note("everyone", "talk", f"{name}-{number}", text)
    pipe.send("done")


def run_reader(pipe, store: Path, logs: list[Path], seconds: float) -> None:
    """Ask for noted turns: what was stored is found at once."""
    until = time.monotonic() + seconds
    chance = random.Random(os.getpid())
    recalls, missing = 0, []
    with opened(store) as memory:
        pipe.send("ready")
        while time.monotonic() < until:
            memory.recall(sentence(chance))
            recalls += 1
            if known := noted(logs):
                conversation, session, id, text = chance.choice(known)
                found = memory.recall(text, k=10_000, recipe="vector", conversation=conversation)
                recalls += 1
                if not any(c.session_id == session and id in c.turn_ids for c in found.candidates):
                    missing.append((conversation, session, id))
    pipe.send((recalls, missing))


def noted(logs: list[Path]) -> list[tuple[str, ...]]:
    """What writers say was stored; a line that is cut off was not noted."""
    lines = (line for log in logs if log.exists() for line in log.read_text(encoding="utf-8").splitlines(True))
    return [tuple(json.loads(line)) for line in lines if line.endswith("\n")]


def sentence(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=5))


def run_reindex(pipe, store: Path, dies_at: int) -> None:
    """Give the whole store vectors of another model; die on the way if told to."""
    reindexing.REINDEX_BATCH = 4
    embedders_module.load = lambda spec=None: HashEmbedder("new")
    if dies_at:
        die_at_statement(dies_at)
    with Memory.open(store, create=False) as memory:
        reindexing.reindex(memory._core, HashEmbedder("new"), "new")
    pipe.send("done")
