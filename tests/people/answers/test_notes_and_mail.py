"""Notes that list people, mail, counts and what was before: whose it is, and what a quote does not tell."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engramma import Memory, Turn
from engramma.people.answers.sentences import find_content_stems
from tests.people.answers.guesses import is_guess

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
NOTE = """---
title: Crew list
tags: [boat, crew]
---
# Crew list

- Pim: allergic to shellfish, size 44 boots
- Wout: vegetarian, sleeps forward
"""
OF_ONE = """# Pim

Knee brace on the left, ibuprofen gel twice a day.
"""
TALK = (
    ("Pim", "Who steers on Saturday?"),
    ("Wout", "I do, till noon."),
    ("Pim", "Fine, then I cook."),
    ("Wout", "You fell off the ladder twice, cook sitting down."),
    ("Joost", "My first report got a 7."),
    ("Joost", "Harbour watch is not on Fridays any more but on Sundays."),
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("crew")
    for name, text in (("crew.md", NOTE), ("pim.md", OF_ONE)):
        (folder / name).write_text(text, encoding="utf-8")
    with Memory.open(tmp_path_factory.mktemp("store")) as memory:
        turns = [Turn(who, text, START + timedelta(minutes=n)) for n, (who, text) in enumerate(TALK)]
        memory.remember_session("whatsapp-crew", "one", turns)
        mail = "the mast is sound, the keel bolts show rust on the port side."
        memory.remember_session("email-1", "one", [Turn("Gerrit Zwart", mail, START + timedelta(days=1))])
        memory.documents.ingest(folder)
        yield memory


def test_a_line_of_a_list_is_about_whom_it_names(memory: Memory) -> None:
    answer = memory.ask("What is Pim allergic to?")
    assert answer.verdict == "answered" and "shellfish" in answer.quote
    assert memory.ask("What is Wout allergic to?").abstained


def test_a_note_is_about_whom_its_heading_names(memory: Memory) -> None:
    assert "ibuprofen gel" in memory.ask("Which gel does Pim take?").quote


def test_the_front_matter_of_a_note_answers_nothing(memory: Memory) -> None:
    answer = memory.ask("Is there a list of the boat's crew?")
    assert answer.evidence and not any(one.text.startswith("---") for one in answer.evidence)


def test_a_note_without_a_heading_answers_below_its_front_matter(tmp_path: Path) -> None:
    (tmp_path / "greta.md").write_text("---\ntags: [x]\n---\nGreta is allergic to walnuts.\n", encoding="utf-8")
    with Memory.open(tmp_path / "memory") as memory:
        memory.documents.ingest(tmp_path / "greta.md")
        answer = memory.ask("What is Greta allergic to?")
    assert answer.verdict == "answered" and "walnuts" in answer.quote


@pytest.mark.parametrize("verb", ["write", "say"])
def test_what_somebody_wrote_is_what_they_said_whatever_it_is_about(memory: Memory, verb: str) -> None:
    answer = memory.ask(f"What did Gerrit {verb} about the keel?")
    assert answer.verdict == "answered" and "rust" in answer.quote


@pytest.mark.parametrize(
    ("question", "doubted"),
    [
        ("What did Joost get for his first report?", False),
        ("What did Joost get for his second report?", True),
    ],
)
def test_the_second_of_its_kind_is_not_the_first(memory: Memory, question: str, doubted: bool) -> None:
    assert memory.ask(question).abstained == doubted


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What was my 2nd essay about?", "My second essay was about whales and got an A."),
        ("What did I eat on the 2nd with Ann?", "I had dinner with Ann at the harbour, we ate mussels."),
    ],
)
def test_the_second_is_the_2nd_and_a_day_counts_nothing(tmp_path: Path, question: str, text: str) -> None:
    with Memory.open(tmp_path / "memory") as memory:
        memory.remember_session("c", "s", [Turn("Sam", text, START)])
        assert memory.ask(question).verdict == "answered"


def test_the_day_that_was_before_is_not_the_one_that_is_now(memory: Memory) -> None:
    assert memory.ask("On which day was the harbour watch before?").short == ""
    assert memory.ask("On which day is the harbour watch?").short == "Sundays"


def test_how_many_times_is_told_by_times(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        said = ("I failed the radio exam, 41 out of 50.", "The harbour was full.", "We anchored outside.")
        turns = [Turn("Joost", text, START + timedelta(minutes=n)) for n, text in enumerate(said)]
        memory.remember_session("talk", "one", turns)
        answer = memory.ask("How many times did Joost take the radio exam?")
        assert answer.abstained or is_guess(answer)


def test_irregular_verbs_say_what_their_base_says() -> None:
    assert find_content_stems("He fell and broke his wrist") == find_content_stems("fall, break, wrist")


def test_a_mail_of_days_later_corrects_a_number(tmp_path):
    with Memory.open(tmp_path / "memory") as memory:
        said = [
            "A second tap would cost £870 and we can pay half. Please let me know whether the club finds the rest.",
            "You are on the list for April. One correction: the cost is £780, not £870, I had turned the figures.",
        ]
        for number, text in enumerate(said):
            turn = Turn("Joanne Hicks", text, START + timedelta(days=7 * number))
            memory.remember_session("email-tap", f"mail {number}", [turn])
        answer = memory.ask("How much would a second tap cost?")
        assert answer.verdict == "answered" and "£780" in answer.text


def test_the_week_of_a_day_is_told_by_its_days(tmp_path):
    with Memory.open(tmp_path / "memory") as memory:
        text = "Thank you for your report. The footpath will be cleared in the week of 11 August."
        memory.remember_session("email-path", "one", [Turn("Council", text, datetime(2025, 7, 17, tzinfo=UTC))])
        assert memory.ask("When will the footpath be cleared?").text == "11 August 2025 to 17 August 2025"
