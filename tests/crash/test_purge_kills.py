"""kill -9 while something is purged: nothing of it is seen by halves, and the next purge leaves no byte of it."""

from __future__ import annotations

import os
import shutil
import signal
from datetime import timedelta
from pathlib import Path

import pytest

from engramma import Memory, Turn
from tests.conftest import START
from tests.crash.processes import answer, die_at_statement, opened, said, started, unwell

pytestmark = [pytest.mark.usefixtures("nobody_else_writes"), pytest.mark.long]
STEP = 7 if os.environ.get("ENGRAMMA_LONG") else 23  # statements from one kill to the next
SECRET = "zanzibar"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A store in which the secret stands within a session, makes up another, and is in a note."""
    store = tmp_path / "base"
    with opened(store) as memory:
        memory.remember_session("c", "s0", said(0, 5))
        among = [Turn("Ana", f"we meet in {SECRET}", START + timedelta(hours=30), "x1")]
        memory.remember_session("c", "s1", [*said(1, 4), *among])
        told = [Turn("Ben", f"{SECRET} it is, {n}", START + timedelta(hours=40 + n), f"y{n}") for n in range(4)]
        memory.remember_session("c", "s2", told)
        memory.remember(f"never tell of {SECRET}")
        assert len(secrets_in(memory)) == 6
    return store


def run_purge(pipe, store: Path, dies_at: int) -> None:
    if dies_at:
        die_at_statement(dies_at)
    with opened(store) as memory:
        memory.purge(query=SECRET)
    pipe.send("done")


def secrets_in(memory: Memory) -> list[str]:
    """What recall, the sessions and the notes show of the secret."""
    turns = [turn.text for row in memory.sessions() for turn in memory.turns(row.conversation, row.id)]
    return sorted({text for text in (*turns, *(note.text for note in memory.notes.all())) if SECRET in text})


def kept_in(memory: Memory) -> set[str]:
    return {turn.text for row in memory.sessions() for turn in memory.turns(row.conversation, row.id)} - set(
        secrets_in(memory)
    )


def files_with_the_secret(store: Path) -> list[str]:
    files = (path for path in store.rglob("*") if path.is_file())
    return sorted(str(path.relative_to(store)) for path in files if SECRET.encode() in path.read_bytes().lower())


def test_a_purge_killed_at_any_statement_hides_all_or_nothing_and_can_be_run_again(tmp_path, base):
    assert files_with_the_secret(base)
    with opened(base) as memory:
        whole, kept = secrets_in(memory), kept_in(memory)
    died_at, seen = 0, set[int]()
    while True:
        died_at += STEP
        store = tmp_path / f"died-at-{died_at}"
        shutil.copytree(base, store)
        with started(run_purge, store, died_at) as (process, _):
            process.join(60)
            killed = process.exitcode == -signal.SIGKILL
        with opened(store) as memory:
            left = secrets_in(memory)
            assert left in ([], whole), f"killed at statement {died_at}"
            seen.add(len(left))
            assert kept_in(memory) == kept, f"killed at statement {died_at}"
            wrong = [line for line in unwell(memory) if not line.startswith("nothing left unfinished")]
            is_told = any(line.startswith("purges are finished") for line in wrong)
            assert is_told or wrong == [], f"killed at statement {died_at}"
            if not left and files_with_the_secret(store):
                assert is_told, f"killed at statement {died_at}: doctor says nothing of what is left"
        with started(run_purge, store, 0) as (_, says):
            assert answer(says) == "done"
        assert files_with_the_secret(store) == [], f"killed at statement {died_at}"
        with opened(store) as memory:
            assert kept_in(memory) == kept
            assert unwell(memory) == []
        shutil.rmtree(store)
        if not killed:
            break
    assert seen == {0, len(whole)}, "kills met it before and after all was hidden"
