"""Chats as Markdown: many ways to name the speakers, and documents that are no chats."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from engramma import sources
from engramma.errors import UnreadableSource
from engramma.memory import Memory
from engramma.records import Conversation, Problem
from engramma.sources import markdown_chat
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
        ("lines 3 to 3", "comes before the first turn; skipped"),
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
