"""Chats as Markdown: many ways to name the speakers, and documents that are no chats."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engramma import sources
from engramma.errors import UnreadableSource
from engramma.memory import Memory
from engramma.records import Conversation, Problem
from engramma.sources import markdown_chat
from engramma.sources.markdown_openers import openers
from engramma.transfer.imports import Reading, import_file

from ..fakes import HashEmbedder
from .samples import read_all, turns_of

START = datetime(2026, 2, 10, tzinfo=UTC)

ASK, ANSWER = "How do I boil an egg?", "Six minutes.\n\nThen cold water."


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


def taken(path: Path, text: str) -> tuple[Conversation, list[Problem]]:
    written(path, text)
    assert sources.sniff(path) == "markdown"
    (found,), problems = read_all(path, fallback_time=START)
    return found, problems


@pytest.mark.parametrize(
    ("opener", "speakers"),
    [
        ("## {}\n\n", ("User", "Assistant")),
        ("### {}\n", ("Human", "Assistant")),
        ("# {}:\n", ("You", "ChatGPT")),
        ("#### 🧑 {}\n\n", ("User", "AI")),
        ("## **{}**\n\n", ("User", "Claude")),
        ("## {}\n\n", ("Me", "Claude 3.5 Sonnet")),
        ("## {}\n\n", ("user", "gpt-4o")),
        ("## {}:\n", ("Prompt", "Response")),
        ("**{}**\n\n", ("User", "Assistant")),
        ("**{}:**\n\n", ("Human", "Assistant")),
        ("**{}:** ", ("User", "Assistant")),
        ("**{}**: ", ("Human", "GPT")),
        ("👤 **{}:**\n", ("Human", "Bot")),
        ("_**{}**_\n\n", ("User", "Assistant")),
        ("__{}:__ ", ("User", "Assistant")),
    ],
)
def test_styles(tmp_path: Path, opener: str, speakers: tuple[str, str]) -> None:
    turns = [(speakers[n % 2], (ASK, ANSWER)[n % 2] + f" {n}") for n in range(4)]
    text = "# Eggs\n\n" + "\n\n".join(opener.format(name) + words for name, words in turns)
    found, _ = taken(tmp_path / "chat.md", text)
    assert found.title == "Eggs"
    assert [(turn.speaker, turn.text) for turn in turns_of(found)] == turns
    assert [turn.role for turn in turns_of(found)] == ["user", "assistant"] * 2


def test_one_exchange_is_a_chat(tmp_path: Path) -> None:
    text = f"## User\n\n{ASK}\n\n## Assistant\n\n{ANSWER}\n\n### Variants\n\nSoft or hard.\n"
    found, _ = taken(tmp_path / "chat.md", text)
    assert [turn.text for turn in turns_of(found)] == [ASK, f"{ANSWER}\n\n### Variants\n\nSoft or hard."]


def test_code_fences_are_kept_and_openers_in_them_are_text(tmp_path: Path) -> None:
    code = "```md\n## User\n\n    hi  \n## Assistant\n```"
    tildes = "~~~~\n```\n## User\n~~~~"
    text = f"## User\n\n{code}\n\n## Assistant\n\n{tildes}\n\n## User\n\nthanks\n"
    found, _ = taken(tmp_path / "chat.md", text)
    assert [turn.text for turn in turns_of(found)] == [code, tildes, "thanks"]


def test_rules_between_turns_are_the_exporters(tmp_path: Path) -> None:
    text = "**User**\n\none\n\n---\n\n**Assistant**\n\ntwo\n\n---\n\nstill two\n\n---\n\n**User**\n\nthree\n\n---\n"
    found, _ = taken(tmp_path / "chat.md", text)
    assert [turn.text for turn in turns_of(found)] == ["one", "two\n\n---\n\nstill two", "three"]


def test_quotes(tmp_path: Path) -> None:
    text = "**User:**\n> one\n>\n> more\n\n**Assistant:**\n\nAs you said:\n> one\n\n> **User:** two\n> and more\n"
    found, _ = taken(tmp_path / "chat.md", text)
    assert [turn.text for turn in turns_of(found)] == ["one\n\nmore", "As you said:\n> one", "two\nand more"]


def test_times_and_front_matter(tmp_path: Path) -> None:
    text = (
        "---\ntitle: \"Eggs\"\ndate: 2024-05-01T09:00:00Z\ntags: [food]\n---\n\n"
        "## User (2024-05-01 10:00)\n\none\n\n## Assistant — 2024-05-01 10:00:30Z\n\ntwo\n\n"
        "## User [2024-05-02]\n\nthree\n\n## Assistant\n\nfour\n\n## User (2024-13-02)\n\nfive\n"
    )  # fmt: skip
    found, problems = taken(tmp_path / "chat.md", text)
    assert found.title == "Eggs"
    assert [[turn.text for turn in session.turns] for session in found.sessions] == [
        ["one", "two"],
        ["three", "four", "five"],
    ]
    assert [turn.said_at for turn in turns_of(found)][:3] == [
        datetime(2024, 5, 1, 10, 0, tzinfo=UTC),
        datetime(2024, 5, 1, 10, 0, 30, tzinfo=UTC),
        datetime(2024, 5, 2, tzinfo=UTC),
    ]
    assert [problem.where for problem in problems] == ["line 23"]
    dated = "---\ncreated: 2024-05-01\n---\n# Eggs\n## User\none\n## Assistant\ntwo\n"
    found, problems = taken(tmp_path / "dated.md", dated)
    assert turns_of(found)[0].said_at == datetime(2024, 5, 1, tzinfo=UTC)
    assert not problems


def test_people_with_times_are_believed(tmp_path: Path) -> None:
    text = "\n".join(f"### {who} (2024-05-01 10:0{n})\n\n{n}\n" for n, who in enumerate(("Ann", "Ben", "Ann")))
    found, _ = taken(tmp_path / "chat.md", text)
    assert [(turn.speaker, turn.role) for turn in turns_of(found)] == [("Ann", None), ("Ben", None), ("Ann", None)]


def test_what_stands_before_and_empty_turns_are_reported(tmp_path: Path) -> None:
    text = "# Eggs\n<!-- exporter 1.0 -->\nExported today\n\n## User\n\none\n\n## Assistant\n\n## User\n\ntwo\n"
    found, problems = taken(tmp_path / "chat.md", text.replace("\n", "\r\n"))
    assert [turn.text for turn in turns_of(found)] == ["one", "two"]
    assert [(problem.where, problem.reason) for problem in problems[:2]] == [
        ("line 3", "comes before the first turn; skipped"),
        ("line 9", "a turn without text; skipped"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "# Guide\n\n## User\n\nThe one who asks.\n\n## Assistant\n\nThe one who answers.\n\n## Install\n\nRun it.\n",
        "# API\n\n## System\n\nSets rules.\n\n## User\n\nAsks.\n",
        "# API\n\n## Request\n\nGET\n\n## Response\n\n200\n\n## Request\n\nPUT\n\n## Response\n\n201\n",
        "# Changelog\n\n### Added\n\n- x\n\n### Fixed\n\n- y\n\n### Added\n\n- z\n\n### Fixed\n\n- w\n",
        "# Log\n\n## 2024-05-01\n\nRain.\n\n## 2024-05-02\n\nSun.\n",
        "# Manual\n\n## User guide\n\ntext\n\n## AI safety\n\ntext\n\n## User guide\n\nmore\n",
        "The **User** asks and the **Assistant** answers.\n\nThen the **User** asks again.\n",
        "```\n## User\nhi\n## Assistant\nho\n```\n",
        "Ann: hello\nBen: hi\n",
        "**Note:** be careful\n\n**Example:** x\n\n**Note:** again\n",
        "# Versions\n\n## Tool 1.2 (2024-05-01)\n\nx\n\n## Tool 1.1 (2024-04-01)\n\ny\n",
        "## User\n\nonly one\n",
        "",
    ],
)
def test_a_document_is_no_chat(tmp_path: Path, text: str) -> None:
    assert not markdown_chat.looks_like(text, tmp_path / "doc.md")


def test_what_is_named_a_chat_is_read_as_one(tmp_path: Path) -> None:
    path = written(tmp_path / "chat.md", "## User\n\none\n\n## Assistant\n\n## Steps\n\ntwo\n")
    (found,), _ = read_all(path, format="markdown")
    assert [turn.text for turn in turns_of(found)] == ["one", "## Steps\n\ntwo"]


@pytest.mark.parametrize(
    "text", ["", "# Title\n\ntext\n", "## User\n\n## Assistant\n", "## User\n\0\n## Assistant\nx\n"]
)
def test_what_holds_no_turn_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UnreadableSource):
        read_all(written(tmp_path / "chat.md", text), format="markdown")


def test_a_file_that_grows_adds_only_what_is_new(tmp_path: Path) -> None:
    turns = [f"## {('User', 'Assistant')[n % 2]}\n\nline {n // 2}\n\n---\n\n" for n in range(6)]
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:

        def take(count: int) -> tuple[int, int, int]:
            path = written(tmp_path / "chat.md", "# Eggs\n\n" + "".join(turns[:count]))
            report = import_file(memory._core, path, Reading(fallback_time=START))
            return report.conversations, report.turns, report.known_turns

        assert take(2) == (1, 2, 0)
        assert take(2) == (0, 0, 2)
        assert take(6) == (0, 4, 2)


TALK = (
    ("Nora Lind", "Did you call the plumber?"),
    ("Gerrit van Dijk", "Yes. He comes on Monday."),
    ("Nora Lind", "Good.\n\n- key\n- ladder"),
    ("Gerrit van Dijk", "I put them out."),
)


@pytest.mark.parametrize(
    "opener",
    ["## {}\n\n", "# {}\n", "### {}:\n\n", "**{}**\n\n", "**{}:**\n", "- __{}__\n\n", "## 🙂 {}\n\n"],
)
def test_people_who_take_turns_are_believed_without_times(tmp_path: Path, opener: str) -> None:
    found, _ = taken(tmp_path / "call.md", "\n\n".join(opener.format(name) + words for name, words in TALK))
    assert [(turn.speaker, turn.text) for turn in turns_of(found)] == list(TALK)
    assert {turn.role for turn in turns_of(found)} == {None}


@pytest.mark.parametrize(
    "opener",
    [
        "### {} (10:3{})\n\n",
        "## {} — 10:3{}\n",
        "### {} [10:3{}:00 AM]\n",
        "**{}** (10:3{})\n",
        "**{} (10:3{})**\n",
        "**{}** · *10:3{}*\n\n",
        "**{}** 10:3{}: ",
    ],
)
def test_times_of_day_are_on_the_day_that_a_heading_states(tmp_path: Path, opener: str) -> None:
    turns = [opener.format(name, n) + words for n, (name, words) in enumerate(TALK)]
    found, problems = taken(tmp_path / "call.md", "# Call of 2026-05-04\n\n" + "\n\n".join(turns))
    assert found.title == "Call of 2026-05-04"
    assert [(turn.speaker, turn.text) for turn in turns_of(found)] == list(TALK)
    assert [turn.said_at for turn in turns_of(found)] == [
        datetime(2026, 5, 4, 10, 30 + n, tzinfo=UTC) for n in range(4)
    ]
    assert not problems


def test_days_between_the_turns_and_midnight(tmp_path: Path) -> None:
    text = (
        "---\ndate: 2026-05-03\n---\n### Ann (23:50)\n\nStill up?\n\n### Ben (00:10)\n\nYes.\n\n"
        "## 2026-05-06\n\n### Ann (08:00)\n\nSlept?\n\n### Ben (08:05)\n\nNo.\n"
    )
    found, _ = taken(tmp_path / "chat.md", text)
    assert [(turn.text, turn.said_at) for turn in turns_of(found)] == [
        ("Still up?", datetime(2026, 5, 3, 23, 50, tzinfo=UTC)),
        ("Yes.", datetime(2026, 5, 4, 0, 10, tzinfo=UTC)),
        ("Slept?", datetime(2026, 5, 6, 8, 0, tzinfo=UTC)),
        ("No.", datetime(2026, 5, 6, 8, 5, tzinfo=UTC)),
    ]


def test_a_date_within_a_turn_is_no_day_of_the_turns_after_it(tmp_path: Path) -> None:
    log = "Here it is:\n```\n## 2019-03-04\nfixed the door\n```"
    text = (
        f"# Call of 2026-05-01\n\n### Ann (10:32)\n\nThe log?\n\n### Ben (10:33)\n\n{log}\n\n"
        "### Ann (10:34)\n\nThanks. Are you free?\n\n### Ben (10:35)\n\nYes.\n"
    )
    found, _ = taken(tmp_path / "call.md", text)
    assert [turn.said_at for turn in turns_of(found)] == [
        datetime(2026, 5, 1, 10, 32 + n, tzinfo=UTC) for n in range(4)
    ]
    assert turns_of(found)[1].text == log


@pytest.mark.parametrize("opener", ["### {}\n\n", "**{}**\n\n", "**{}:** "])
def test_days_above_turns_without_times_date_them(tmp_path: Path, opener: str) -> None:
    days = [("2024-05-01", "one", "two"), ("2024-05-03", "three", "four")]
    text = "".join(
        f"## {day}\n\n{opener.format('User')}{asked}\n\n{opener.format('Assistant')}{answered}\n\n"
        for day, asked, answered in days
    )
    found, _ = taken(tmp_path / "chat.md", text)
    assert [(turn.text, turn.said_at.date().isoformat()) for turn in turns_of(found) if turn.said_at] == [
        (words, day) for day, *both in days for words in both
    ]


def test_a_date_that_stands_last_in_a_turn_is_kept_where_it_dates_nothing(tmp_path: Path) -> None:
    text = "## User\n\nMy notes:\n\n## 2026-01-01\n\n## Assistant\n\nEmpty?\n\n## User\n\nYes.\n"
    found, _ = taken(tmp_path / "chat.md", text)
    assert [turn.text for turn in turns_of(found)] == ["My notes:\n\n## 2026-01-01", "Empty?", "Yes."]


@pytest.mark.parametrize(
    "row", ["**Ann**" + " " * 50_000 + "x", "# a" + "\t" * 190 + "b", "# a" + "\u00a0" * 190 + "!"]
)
def test_rows_of_blanks_are_looked_at_quickly(row: str) -> None:
    began = time.perf_counter()
    assert openers([row] * 20) == {}
    assert time.perf_counter() - began < 2


def test_times_of_day_without_a_day_are_reported(tmp_path: Path) -> None:
    text = "### Ann (10:30)\n\none\n\n### Ben (10:31)\n\ntwo\n\n### Ann (10:32)\n\nthree\n"
    _, problems = taken(tmp_path / "chat.md", text)
    assert "times of day without a date; left out" in [problem.reason for problem in problems]


def test_whoever_talks_with_an_assistant_by_name_is_its_user(tmp_path: Path) -> None:
    text = "## Nora\n\nEggs?\n\n## ChatGPT\n\n## Plan\n\nBoil them.\n\n## Nora\n\nHow long?\n\n## ChatGPT\n\nSix.\n"
    found, _ = taken(tmp_path / "chat.md", text)
    assert [(turn.speaker, turn.role, turn.text) for turn in turns_of(found)] == [
        ("Nora", "user", "Eggs?"),
        ("ChatGPT", "assistant", "## Plan\n\nBoil them."),
        ("Nora", "user", "How long?"),
        ("ChatGPT", "assistant", "Six."),
    ]


def test_somebody_who_speaks_once_is_a_speaker(tmp_path: Path) -> None:
    text = "".join(f"## {name}\n\n{words}\n\n" for name, words in (*TALK, ("Aled", "Me too, thanks."), TALK[0]))
    found, _ = taken(tmp_path / "call.md", text)
    assert [turn.speaker for turn in turns_of(found)][-2:] == ["Aled", "Nora Lind"]


RECIPE = (
    "# Pancakes\n\n## Ingredients\n\n- flour\n\n## Method\n\nStir until you see bubbles. Ready?\n\n"
    "## Ingredients\n\n- jam\n\n## Method\n\nSpread it as you like.\n"
)
README = (
    "# Tool\n\nDo you need it?\n\n## Install\n\nRun it.\n\n## Linux\n\nYou need Python.\n\n"
    "## Windows\n\nYou need luck.\n\n"
    "## Usage\n\n**Linux**\n\nType it.\n\n**Windows**\n\nClick it.\n\n## License\n\nMIT\n"
)
DIARY = (
    "# Diary\n\n## 2026-05-01\n\n### Home\n\nWhat a day. Are you there?\n\n### Office\n\nLong.\n\n"
    "## 2026-05-02\n\n### Home\n\nRain, thanks.\n\n### Office\n\nShort.\n"
)
WEEK = "".join(f"## {day}\n\nWhere are you?\n\n" for day in ("Monday", "Tuesday", "Monday", "Tuesday"))
AGENDA = (
    "# Board, 2026-05-01\n\n## Welcome (10:00)\n\nAnn\n\n## Budget (10:15)\n\nWhat can you cut?\n\n## Break (11:00)\n\n"
    "Tea\n\n## Hiring (11:15)\n\nWho?\n\n## Break (12:00)\n\nLunch\n\n## Close (13:00)\n\nThanks\n"
)
SESSIONS = "".join(f"## {what} (1{n}:00)\n\nRoom {n}\n\n" for n, what in enumerate(("Session", "Break") * 3))
REVIEWS = (
    "## Alpha\n\n**Screen**\n\nYou will like it.\n\n**Sound**\n\nLoud?\n\n"
    "## Beta\n\n**Screen**\n\nDim.\n\n**Sound**\n\nYou hear it.\n"
)
WORKOUT = "".join(f"### {what}\n\nBreathe.\n\n" for what in ("Plank (0:30)", "Rest (0:10)") * 3)
MINUTES = (
    "# Minutes\n\n## Ann\n\nOrders the paint.\n\n## Ben\n\nCleans the shed.\n\n## Carla\n\nCan you lend a ladder?\n"
)


@pytest.mark.parametrize("text", [RECIPE, README, DIARY, WEEK, AGENDA, SESSIONS, REVIEWS, WORKOUT, MINUTES])
def test_headings_that_come_back_do_not_make_a_document_a_talk(tmp_path: Path, text: str) -> None:
    assert not markdown_chat.looks_like(text, tmp_path / "doc.md")
