"""kill -9 while the steward works or its acts are undone: every act is whole or absent, and the next run goes on."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import time
from datetime import timedelta
from pathlib import Path

import pytest

from engramma import Config, Memory, Turn
from engramma.core.names import known_key
from engramma.store.store import ARCHIVED, RETIRED
from tests.conftest import START
from tests.crash.processes import answer, die_at_statement, started, unwell
from tests.fakes import FamilyEmbedder
from tests.steward.helpers import content, count, differences, store_notes

pytestmark = pytest.mark.usefixtures("nobody_else_writes")
STEP = 43 if os.environ.get("ENGRAMMA_LONG") else 109  # statements from one kill to the next
NOW = START + timedelta(days=100)
FRUITS = ("apple", "pear", "plum", "fig", "date", "lime")
FAMILIES = [
    *((0.90, (f"the {fruit} is ripe", f"ripe is the {fruit}")) for fruit in FRUITS),
    *((0.84, tuple(f"{verb} the {fruit} tree" for verb in ("plant", "water", "cut"))) for fruit in FRUITS[:2]),
]
CONFIG = Config(archive_after_days=99, edge_cap=2)


def opened(store: Path) -> Memory:
    return Memory.open(store, embedder=FamilyEmbedder(FAMILIES), config=CONFIG)


def run_steward(pipe, store: Path, dies_at: int) -> None:
    """Run until nothing is left to do: what stays of a merge may be due for the archive. Die on the way if told to."""
    if dies_at:
        die_at_statement(dies_at)
    with opened(store) as memory:
        pipe.send("begun")
        while memory.steward.run(now=NOW, apply=True).acts:
            pass
    pipe.send("done")


def run_undo(pipe, store: Path, dies_at: int) -> None:
    """Take everything back; die on the way if told to."""
    if dies_at:
        die_at_statement(dies_at)
    with opened(store) as memory:
        pipe.send("begun")
        memory.acts.undo_all()
    pipe.send("done")


@pytest.fixture
def base(tmp_path):
    """A store in which each kind of act is due."""
    store = tmp_path / "base"
    with opened(store) as memory:
        families = [text for _, texts in FAMILIES for text in texts]
        store_notes(memory, families, strength=0.95)
        (recalled,) = store_notes(memory, ["what was recalled"], strength=0.95, tags=("pinned",))
        count(memory, recalled, hits=3)
        store_notes(memory, ["of no use", "of no use at all", "of little use"])
        store_notes(memory, ["soon over", "over soon"], expires_at=1)
        memory.remember_session("talk", "old", [Turn("Ana", "long ago", START, "t1")])
        memory.remember_session("talk", "new", [Turn("Ana", "just now", NOW, "t1")])
        kinds = {kind for kind, number in memory.steward.run(now=NOW).counts.items() if number}
        assert kinds == {"expire", "prune", "merge", "consolidate", "archive"}
        assert unwell(memory) == []
    return store


def halves(memory: Memory) -> list[str]:
    """Acts of which only a part can be seen, and parts that no act accounts for."""
    rows = memory._core.store.database._held().connection.execute(
        "SELECT g.key, g.state FROM segments g WHERE g.state > 0 ORDER BY g.key"
    )
    aside = {row["key"]: row["state"] for row in rows}
    links = {(row["src"], row["dst"]) for row in memory._core.store.all("links_all") if row["kind"] == "supersedes"}
    written = {note.id for note in memory.notes.all(all_states=True) if note.speaker == "steward"}
    wrong = []
    for act in memory.acts.all(limit=1_000):
        if act.undone_at is not None:
            continue
        keys = [known_key(memory._core, id) for id in act.detail["ids"]]
        due = ARCHIVED if act.kind == "archive" else RETIRED
        if any(aside.pop(key, None) != due for key in keys):
            wrong.append(f"{act.kind} {act.id}: not all are set aside")
        if (into := act.detail.get("into")) is not None:
            kept = known_key(memory._core, into)
            if any((kept, key) not in links for key in keys):
                wrong.append(f"{act.kind} {act.id}: a link is missing")
            links -= {(kept, key) for key in keys}
            written.discard(into)
    return [*wrong, *(f"{part} of no act" for part in (aside, links, written) if part)]


def seen(memory: Memory) -> dict[str, object]:
    """What a run leaves, but for the numbers and times of its acts."""
    acts = sorted(
        (act.kind, act.reason, act.detail["ids"]) for act in memory.acts.all(limit=1_000) if not act.undone_at
    )
    states = sorted((note.id, note.text, note.state) for note in memory.notes.all(all_states=True))
    found = content(memory)
    export = re.sub(r'"made_at":"20(?!26-01)[^"]*"', "", str(found["export"]))  # of links that the run drew
    return {"acts": acts, "states": states, "archive": found["archive"], "export": export}


def killed(target, store: Path, dies_at: int) -> bool:
    with started(target, store, dies_at) as (process, _):
        process.join(60)
        return process.exitcode == -signal.SIGKILL


def finished(target, store: Path) -> None:
    with started(target, store, 0) as (_, says):
        assert (answer(says), answer(says)) == ("begun", "done")


def sound(memory: Memory) -> list[str]:
    return [*halves(memory), *(line for line in unwell(memory) if not line.startswith("nothing left unfinished"))]


@pytest.mark.long
def test_a_steward_killed_at_any_statement_leaves_no_half_done_act(tmp_path, base):
    whole = tmp_path / "whole"
    shutil.copytree(base, whole)
    finished(run_steward, whole)
    with opened(whole) as memory:
        expected = seen(memory)
        assert halves(memory) == [] and unwell(memory) == []
    died_at, numbers = 0, set()
    while True:
        died_at += STEP
        store = tmp_path / "died"
        shutil.copytree(base, store)
        died = killed(run_steward, store, died_at)
        with opened(store) as memory:
            assert sound(memory) == [], f"killed at statement {died_at}"
            numbers.add(len(memory.acts.all(limit=1_000)))
        finished(run_steward, store)
        with opened(store) as memory:
            assert (halves(memory), unwell(memory)) == ([], []), f"killed at statement {died_at}"
            assert seen(memory) == expected, f"killed at statement {died_at}"
        shutil.rmtree(store)
        if not died:
            break
    assert len(numbers) > 8, "the kills met too few different moments to mean anything"


@pytest.mark.long
def test_an_undo_killed_at_any_statement_leaves_no_half_undone_act(tmp_path, base):
    done = tmp_path / "done"
    with opened(base) as memory:
        before = content(memory)
    shutil.copytree(base, done)
    finished(run_steward, done)
    died_at, numbers = 0, set()
    while True:
        died_at += STEP
        store = tmp_path / "died"
        shutil.copytree(done, store)
        died = killed(run_undo, store, died_at)
        with opened(store) as memory:
            assert sound(memory) == [], f"killed at statement {died_at}"
            numbers.add(sum(act.undone_at is None for act in memory.acts.all(limit=1_000)))
        finished(run_undo, store)
        with opened(store) as memory:
            memory.steward.run(now=NOW, apply=True, limits=0)  # a text file that was left over goes with the next run
            assert unwell(memory) == [], f"killed at statement {died_at}"
            assert differences(content(memory), before) == [], f"killed at statement {died_at}"
        shutil.rmtree(store)
        if not died:
            break
    assert len(numbers) > 8, "the kills met too few different moments to mean anything"


@pytest.mark.long
def test_a_steward_killed_at_random_moments_goes_on_until_it_is_done(tmp_path, base):
    whole, store = tmp_path / "whole", tmp_path / "store"
    for copy in (whole, store):
        shutil.copytree(base, copy)
    finished(run_steward, whole)
    with opened(whole) as memory:
        expected = seen(memory)
    chance = random.Random(5)
    for _ in range(8):
        with started(run_steward, store, 0) as (process, says):
            assert answer(says) == "begun"
            time.sleep(chance.uniform(0, 0.05))  # the moment is what is tested
            process.kill()
        with opened(store) as memory:
            assert sound(memory) == []
    finished(run_steward, store)
    with opened(store) as memory:
        assert seen(memory) == expected
        assert unwell(memory) == []
