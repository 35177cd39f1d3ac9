"""The steps of a recipe: their order, what is done again and what is not, and what a kill leaves."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from train.steps import Step, StepError, is_done, note_of, read_note, run


class Kitchen:
    """Three steps, each of which writes what it read and one word of its own, and counts how often it is done."""

    def __init__(self, folder: Path) -> None:
        self.work, self.given, self.done = folder / "work", folder / "given.txt", list[str]()
        self.said: list[str] = []
        self.given.write_text("flour", "utf-8")

    def make(self, name: str, before: Path, word: str) -> Callable[[], None]:
        def made() -> None:
            self.done.append(name)
            (self.work / name / "made.txt").write_text(f"{before.read_text('utf-8')} {word}", "utf-8")

        return made

    def steps(self, word: str = "water") -> list[Step]:
        dough, bread = self.work / "dough" / "made.txt", self.work / "bread" / "made.txt"
        return [
            Step("dough", self.make("dough", self.given, word), {"given": self.given}, {"word": word}),
            Step("bread", self.make("bread", dough, "fire"), {"dough": dough}),
            Step("toast", self.make("toast", bread, "more fire"), {"bread": bread.parent}),
        ]

    def run(
        self,
        steps: list[Step] | None = None,
        first: str | None = None,
        last: str | None = None,
        only: str | None = None,
    ) -> list[str]:
        """The names of the steps that this run did."""
        self.done.clear()
        run(steps or self.steps(), self.work, first=first, last=last, only=only, say=self.said.append)
        return list(self.done)


@pytest.fixture
def kitchen(tmp_path: Path) -> Kitchen:
    return Kitchen(tmp_path)


def test_steps_are_done_in_order_and_then_skipped(kitchen: Kitchen) -> None:
    assert kitchen.run() == ["dough", "bread", "toast"]
    assert (kitchen.work / "toast" / "made.txt").read_text("utf-8") == "flour water fire more fire"
    assert kitchen.run() == []
    assert [line.partition(",")[0] for line in kitchen.said[3:]] == [
        "dough: done before", "bread: done before", "toast: done before",
    ]  # fmt: skip


def test_a_changed_input_is_carried_through_all_that_follows(kitchen: Kitchen) -> None:
    kitchen.run()
    kitchen.given.write_text("rye", "utf-8")
    assert kitchen.run() == ["dough", "bread", "toast"]
    assert (kitchen.work / "toast" / "made.txt").read_text("utf-8").startswith("rye")


def test_an_input_written_again_with_the_same_bytes_changes_nothing(kitchen: Kitchen) -> None:
    kitchen.run()
    kitchen.given.write_text("flour", "utf-8")
    assert kitchen.run() == []


def test_a_changed_setting_does_its_step_again(kitchen: Kitchen) -> None:
    kitchen.run()
    assert kitchen.run(kitchen.steps("milk")) == ["dough", "bread", "toast"]


def test_what_follows_is_skipped_if_a_step_makes_the_same_bytes(kitchen: Kitchen) -> None:
    kitchen.run()
    dough, *rest = kitchen.steps()
    assert kitchen.run([replace(dough, settings={"word": "water", "slowly": True}), *rest]) == ["dough"]


def test_a_damaged_file_is_made_again(kitchen: Kitchen) -> None:
    kitchen.run()
    (kitchen.work / "bread" / "made.txt").write_text("burnt", "utf-8")
    assert kitchen.run() == ["bread"]
    (kitchen.work / "toast" / "made.txt").unlink()
    assert kitchen.run() == ["toast"]


def test_from_a_step_on_all_are_done_again(kitchen: Kitchen) -> None:
    kitchen.run()
    assert kitchen.run(first="bread") == ["bread", "toast"]


def test_from_a_step_on_all_are_done_again_even_if_that_run_stops_early(kitchen: Kitchen) -> None:
    kitchen.run()
    assert kitchen.run(first="bread", last="bread") == ["bread"]
    assert kitchen.run() == ["toast"]


def test_a_run_stops_after_the_last_step_asked_for_and_goes_on_from_there(kitchen: Kitchen) -> None:
    assert kitchen.run(last="bread") == ["dough", "bread"]
    assert kitchen.run() == ["toast"]


def test_a_work_folder_can_be_moved(kitchen: Kitchen, tmp_path: Path) -> None:
    kitchen.run(last="bread")
    kitchen.work = kitchen.work.rename(tmp_path / "elsewhere")
    kitchen.given = kitchen.given.rename(tmp_path / "given elsewhere.txt")
    assert kitchen.run() == ["toast"]


def test_one_step_needs_only_what_it_reads_and_its_folder_can_come_back(kitchen: Kitchen, tmp_path: Path) -> None:
    assert kitchen.run(last="dough") == ["dough"]
    (tmp_path / "elsewhere").mkdir()
    elsewhere = Kitchen(tmp_path / "elsewhere")
    elsewhere.given.unlink()
    with pytest.raises(StepError, match="dough"):
        elsewhere.run(only="bread")
    shutil.copytree(kitchen.work / "dough", elsewhere.work / "dough")
    assert elsewhere.run(only="bread") == ["bread"]
    assert elsewhere.run(only="bread") == []
    shutil.copytree(elsewhere.work / "bread", kitchen.work / "bread")
    shutil.copyfile(note_of(elsewhere.steps()[1], elsewhere.work), note_of(kitchen.steps()[1], kitchen.work))
    assert kitchen.run() == ["toast"]


def test_what_a_step_prints_is_kept_beside_its_note(kitchen: Kitchen, capsys: pytest.CaptureFixture[str]) -> None:
    dough, *_ = kitchen.steps()

    def loud() -> None:
        print("kneading")
        dough.make()

    kitchen.run([replace(dough, make=loud)])
    assert (kitchen.work / "notes" / "dough.log").read_text("utf-8") == "kneading\n"
    assert "kneading" not in capsys.readouterr().out


def test_a_step_that_fails_is_done_again_in_an_empty_folder(kitchen: Kitchen) -> None:
    dough, bread, toast = kitchen.steps()

    def fall() -> None:
        (kitchen.work / "bread" / "half.txt").write_text("half", "utf-8")
        raise ValueError("fell")

    with pytest.raises(ValueError, match="fell") as caught:
        kitchen.run([dough, replace(bread, make=fall), toast])
    assert "bread.log" in caught.value.__notes__[0]
    assert kitchen.run() == ["bread", "toast"]
    assert [path.name for path in (kitchen.work / "bread").iterdir()] == ["made.txt"]


def test_a_folder_that_is_kept_is_not_emptied(kitchen: Kitchen) -> None:
    dough, *_ = kitchen.steps()
    kitchen.run([dough])
    (kitchen.work / "dough" / "fetched.txt").write_text("fetched", "utf-8")
    kitchen.run([replace(dough, is_kept=True)])
    assert (kitchen.work / "dough" / "fetched.txt").is_file()


def test_no_folder_is_emptied_that_no_step_made(kitchen: Kitchen) -> None:
    (kitchen.work / "dough").mkdir(parents=True)
    (kitchen.work / "dough" / "mine.txt").write_text("mine", "utf-8")
    with pytest.raises(StepError, match="no step made"):
        kitchen.run()
    assert (kitchen.work / "dough" / "mine.txt").is_file()


def test_a_missing_input_is_told_before_the_first_step(kitchen: Kitchen) -> None:
    *rest, toast = kitchen.steps()
    with pytest.raises(StepError, match=r"butter\.txt is missing: toast reads it"):
        kitchen.run([*rest, replace(toast, reads={"butter": kitchen.given.with_name("butter.txt")})])
    assert kitchen.done == []


def test_a_step_that_makes_nothing_is_not_done(kitchen: Kitchen) -> None:
    idle = Step("idle", lambda: None)
    with pytest.raises(StepError, match="made nothing"):
        run([idle], kitchen.work, say=kitchen.said.append)
    assert not is_done(idle, kitchen.work)


KILLED = """
import os, signal, sys
from pathlib import Path
from train.steps import Step, run

work, given = Path(sys.argv[1]), Path(sys.argv[2])

def whole():
    (work / "one" / "made.txt").write_text(given.read_text())

def killed():
    (work / "two" / "half.txt").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)

run([Step("one", whole, {"given": given}), Step("two", killed, {"one": work / "one"})], work)
"""


def test_after_a_kill_only_the_step_that_was_under_way_is_done_again(kitchen: Kitchen) -> None:
    ended = subprocess.run([sys.executable, "-c", KILLED, str(kitchen.work), str(kitchen.given)], check=False)
    assert ended.returncode == -signal.SIGKILL
    one = Step("one", kitchen.make("one", kitchen.given, ""), {"given": kitchen.given})
    two = Step("two", kitchen.make("two", kitchen.work / "one" / "made.txt", "end"), {"one": kitchen.work / "one"})
    assert read_note(two, kitchen.work) == {"begun": "two"}
    assert kitchen.run([one, two]) == ["two"]
    assert [path.name for path in (kitchen.work / "two").iterdir()] == ["made.txt"], "nothing half is left"
    assert kitchen.run([one, two]) == []


def test_a_step_done_again_and_killed_is_not_taken_for_done(kitchen: Kitchen) -> None:
    dough, *rest = kitchen.steps()
    kitchen.run()

    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kitchen.run([replace(dough, make=interrupted, settings={"word": "milk"}), *rest])
    assert kitchen.run()[0] == "dough"
    assert json.loads((kitchen.work / "notes" / "dough.json").read_text("utf-8"))["settings"] == {"word": "water"}
