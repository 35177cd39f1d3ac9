"""The docs are true: their commands print what they say, their code runs, their links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOP = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PAGES = [*TOP, *sorted((ROOT / "docs").rglob("*.md"))]
README, QUICKSTART = TOP[0], ROOT / "docs" / "quickstart.md"
COMMAND = [sys.executable, "-c", "from engramma.apps.cli.main import run; run()"]


def blocks(page: Path, language: str = "") -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def only_in_check(page: Path):
    return pytest.param(page, marks=pytest.mark.long)


WITH_PYTHON = [page if page == README else only_in_check(page) for page in PAGES if blocks(page, "python")]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def anchors(page: Path) -> set[str]:
    """The names by which a page's headings can be linked to."""
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


@pytest.fixture
def trip(tmp_path, monkeypatch):
    """The quickstart's file, in an empty folder with an empty memory."""
    (text,) = (block for block in blocks(ROOT / "docs" / "quickstart.md") if block.startswith("--- 2026-02-03"))
    (tmp_path / "trip.txt").write_text(text, encoding="utf-8")
    monkeypatch.setenv("ENGRAMMA_STORE", str(tmp_path / "memory"))
    return tmp_path


@pytest.mark.parametrize("page", [only_in_check(README), QUICKSTART], ids=name_of)
def test_the_commands_print_what_the_page_says(trip, page):
    shown = [block for block in blocks(page) if block.startswith("$ ")]
    assert shown
    for block in shown:
        for part in block.split("$ engramma ")[1:]:
            line, _, expected = part.partition("\n")
            arguments = [a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', line)]
            result = subprocess.run([*COMMAND, *arguments], capture_output=True, encoding="utf-8", cwd=trip, check=True)
            assert result.stdout.strip() == expected.strip()


@pytest.mark.parametrize("page", WITH_PYTHON, ids=name_of)
def test_the_python_on_the_page_runs(tmp_path, monkeypatch, page):
    monkeypatch.setenv("ENGRAMMA_STORE", str(tmp_path / "memory"))  # not the memory of whoever runs this
    code = "\n".join(blocks(page, "python"))  # a later example may build on an earlier one
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", cwd=tmp_path)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_to_files_and_headings(page):
    for target, heading in re.findall(r"\]\(([^)#:]*)(?:#([^):]*))?\)", page.read_text(encoding="utf-8")):
        there = page.parent / target if target else page
        assert there.exists(), target
        assert not heading or heading in anchors(there), f"{target}#{heading}"


def test_every_command_the_changelog_names_exists():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    (named,) = re.findall(r"Commands: `([^`]+)`", text)
    shown = subprocess.run([*COMMAND, "--help"], capture_output=True, encoding="utf-8", check=True).stdout
    assert all(re.search(rf"^  {name} ", shown, flags=re.MULTILINE) for name in named.split(", "))
