"""kill -9 at any moment: what was stored stays, and running the same thing again gives what no crash would have."""

from __future__ import annotations

import os
import random
import shutil
import signal
from contextlib import ExitStack

import pytest

from engramma import EmbedderMismatch, Memory
from engramma.transfer.export import export_lines
from engramma.transfer.imports import import_file
from tests.crash.processes import (
    answer,
    assert_same,
    opened,
    picture,
    run_extension,
    run_import,
    run_reindex,
    said,
    started,
    unwell,
    write_source,
)
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.usefixtures("nobody_else_writes")
STEP = 17 if os.environ.get("ENGRAMMA_LONG") else 31  # statements from one kill to the next


@pytest.fixture
def source(tmp_path):
    return write_source(tmp_path / "talks.jsonl", ["one", "two", "three"], sessions=24, turns=6)


@pytest.fixture
def undisturbed(tmp_path, source):
    """What one process makes of the source."""
    with opened(tmp_path / "undisturbed") as memory:
        import_file(memory._core, source)
        assert unwell(memory) == []
        return picture(memory)


def exit_code(process) -> int | None:
    process.join(60)
    return process.exitcode


@pytest.mark.long
def test_kills_during_an_import_by_four_processes_leave_nothing_wrong(tmp_path, source, undisturbed):
    store = tmp_path / "store"
    chance = random.Random(4)
    kills = 0
    while kills < 16:
        # Each process dies in the middle of its own work, at another statement, while the others go on.
        deaths = [chance.randint(40, 2_500) for _ in range(4)]
        with ExitStack() as stack:
            children = [stack.enter_context(started(run_import, store, [source], death)) for death in deaths]
            codes = [exit_code(process) for process, _ in children]
        assert set(codes) <= {0, -signal.SIGKILL}
        kills += codes.count(-signal.SIGKILL)
        with opened(store) as memory:
            wrong = [line for line in unwell(memory) if not line.startswith("nothing left unfinished")]
            assert wrong == [], "a reader meets a sound store at any time"
            if "".join(export_lines(memory._core)) == undisturbed["export"]:
                shutil.rmtree(store)  # all imported before the kills were spent: begin anew
    with opened(store) as memory:
        import_file(memory._core, source)
        assert unwell(memory) == []
        assert_same(picture(memory), undisturbed)


@pytest.mark.long
def test_random_kills_from_outside_leave_nothing_wrong(tmp_path, source, undisturbed):
    store = tmp_path / "store"
    chance = random.Random(8)
    for _ in range(4):
        with (
            started(run_import, store, [source]) as (one, one_says),
            started(run_import, store, [source]) as (two, two_says),
        ):
            assert answer(one_says) == answer(two_says) == "begun"
            one.join(chance.uniform(0, 0.4))  # at any moment of its work
            one.kill()
            two.join(chance.uniform(0, 0.2))
            two.kill()
    with opened(store) as memory:
        import_file(memory._core, source)
        assert unwell(memory) == []
        assert_same(picture(memory), undisturbed)


@pytest.mark.long
def test_processes_that_import_different_files_make_the_graph_one_process_makes(tmp_path):
    names = ["one", "two", "three", "four"]
    files = [write_source(tmp_path / f"{name}.jsonl", [name], sessions=12, turns=6) for name in names]
    with opened(tmp_path / "undisturbed") as memory:
        for file in files:
            import_file(memory._core, file)
        expected = picture(memory)
    orders = [files[n:] + files[:n] for n in (3, 2, 1, 0)]
    with ExitStack() as stack:
        children = [stack.enter_context(started(run_import, tmp_path / "store", order)) for order in orders]
        assert [exit_code(process) for process, _ in children] == [0, 0, 0, 0]
    with opened(tmp_path / "store") as memory:
        assert unwell(memory) == []
        assert_same(picture(memory), expected)


@pytest.mark.long
def test_a_process_killed_at_any_statement_loses_nothing(tmp_path):
    """Extending, adding and closing, cut off at statement after statement."""
    base = tmp_path / "base"
    with opened(base) as memory:
        for number in range(3):
            memory.remember_session("c", f"s{number}", said(number, 5))
        before = {turn.text for name in ("s0", "s1", "s2") for turn in memory.turns("c", name)}
    shutil.copytree(base, tmp_path / "expected")
    with started(run_extension, tmp_path / "expected", 0) as (_, says):
        assert answer(says) == "done"
    with opened(tmp_path / "expected") as memory:
        expected = picture(memory)
    died_at = 0
    while True:
        died_at += STEP
        store = tmp_path / f"died-at-{died_at}"
        shutil.copytree(base, store)
        with started(run_extension, store, died_at) as (process, _):
            killed = exit_code(process) == -signal.SIGKILL
        with opened(store) as memory:
            wrong = [line for line in unwell(memory) if not line.startswith("nothing left unfinished")]
            assert wrong == [], f"killed at statement {died_at}"
            assert before <= {turn.text for row in memory.sessions() for turn in memory.turns("c", row.id)}
        with started(run_extension, store, 0) as (_, says):
            assert answer(says) == "done"
        with opened(store) as memory:
            assert unwell(memory) == [], f"killed at statement {died_at}"
            assert_same(picture(memory), expected)
        shutil.rmtree(store)
        if not killed:
            break
    assert died_at > 10 * STEP, "it ran to its end too early for this test to mean anything"


@pytest.mark.long
def test_a_reindex_killed_at_any_statement_mixes_nothing_and_can_be_run_again(tmp_path):
    base = tmp_path / "base"
    for store, embedder in ((base, HashEmbedder()), (tmp_path / "new", HashEmbedder("new"))):
        with Memory.open(store, embedder=embedder) as memory:
            for number in range(6):
                memory.remember_session("c", f"s{number}", said(number, 4))
            expected = picture(memory)
    died_at, killed = 0, True
    while killed:
        died_at += 2 * STEP
        store = tmp_path / f"died-at-{died_at}"
        shutil.copytree(base, store)
        with started(run_reindex, store, died_at) as (process, _):
            killed = exit_code(process) == -signal.SIGKILL
        try:
            memory = Memory.open(store, embedder=HashEmbedder())
        except EmbedderMismatch:  # the new vectors are in
            memory = Memory.open(store, embedder=HashEmbedder("new"))
        with memory:
            wrong = [line for line in unwell(memory) if not line.startswith("nothing left unfinished")]
            assert wrong == [], f"killed at statement {died_at}"
            assert "".join(export_lines(memory._core)) == expected["export"]
        with started(run_reindex, store, 0) as (_, says):
            assert answer(says) == "done"
        with Memory.open(store, embedder=HashEmbedder("new")) as memory:
            assert unwell(memory) == [], f"killed at statement {died_at}"
            assert_same(picture(memory), expected)
        shutil.rmtree(store)
    assert died_at > 10 * STEP, "it ran to its end too early for this test to mean anything"
