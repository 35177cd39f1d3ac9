"""The pages name files and tests that exist, and ARCHITECTURE.md draws the layers that are enforced."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.test_layers import LINES

ROOT = Path(__file__).parents[2]
MAP = ROOT / "ARCHITECTURE.md"
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
GENERATED = ROOT / "docs" / "reference"  # what these pages say stands in the code
WRITTEN = [page for page in sorted((ROOT / "docs").rglob("*.md")) if GENERATED not in page.parents]
PAGES = [MAP, ROOT / "README.md", ROOT / "CONTRIBUTING.md", *WRITTEN]
PLACES = (ROOT, ROOT / "src" / "engramma")
MADE_UP = {"a.py"}  # files of examples


@cache
def files() -> tuple[str, ...]:
    found = [
        path
        for top in ("src", "tests", "evaluate", "train", "docs", "requirements")
        for path in (ROOT / top).rglob("*")
        if path.suffix in (".py", ".sql", ".json", ".png", ".jsonl", ".txt")
    ] + list(ROOT.glob("*.py"))
    return tuple(f"/{path.relative_to(ROOT).as_posix()}" for path in found)


def is_there(name: str) -> bool:
    """A file of the repository whose path ends so; `*` stands for any letters."""
    pattern = re.compile(f"/{re.escape(name).replace(re.escape('*'), '[^/]*')}$")
    return any(pattern.search(path) for path in files())


def names_in(text: str) -> set[str]:
    """What stands in a text as a path to Python or SQL, without the tests after `::`."""
    return set(re.findall(r"(?<![\w./*-])((?:[\w*-]+/)*[\w*-]+\.(?:py|sql))\b", text)) - MADE_UP


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_file_that_a_page_names_exists(page):
    missing = sorted(name for name in names_in(page.read_text(encoding="utf-8")) if not is_there(name))
    assert missing == []


def test_every_path_in_the_map_begins_at_a_known_place():
    """In ARCHITECTURE.md a path with a folder is complete, from the repository or from src/engramma."""
    text = MAP.read_text(encoding="utf-8")
    full = {name for name in names_in(text) if "/" in name}
    folders = set(re.findall(r"`((?:[\w-]+/)+)`", text)) - {"assets/"}
    wrong = [name for name in full if not any(list(place.glob(name)) for place in PLACES)]
    wrong += [name for name in folders if not any((place / name).is_dir() for place in PLACES)]
    assert wrong == []


@pytest.mark.parametrize("page", [MAP, *DECISIONS], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_test_that_a_page_names_exists(page):
    for file, name in re.findall(r"(tests/[\w/]+\.py)::(\w+)", page.read_text(encoding="utf-8")):
        assert (ROOT / file).is_file(), file
        assert re.search(rf"^(async )?def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE), name


def test_every_invariant_names_a_test():
    text = MAP.read_text(encoding="utf-8").split("## Invariants")[1].split("\n## ")[0]
    parts = re.split(r"^\d+\. ", text, flags=re.MULTILINE)[1:]
    assert len(parts) == 9
    assert all("::test_" in part for part in parts)


def test_every_decision_names_what_holds_it_and_is_listed():
    index = (ROOT / "docs" / "decisions" / "README.md").read_text(encoding="utf-8")
    for page in DECISIONS:
        if page.name != "README.md":
            text = page.read_text(encoding="utf-8")
            assert all(word in text for word in ("**Context.**", "**Decision.**", "**Consequence.**", "::test_"))
            assert f"({page.name})" in index


def test_the_drawing_of_the_layers_is_the_one_that_is_enforced():
    (drawn,) = re.findall(r"^```layers\n(.*?)^```", MAP.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    lines = [set(re.split(r"\s{2,}", line)[0].split()) for line in drawn.splitlines()]
    assert lines == [set(line) for line in reversed(LINES)]


def test_every_page_of_the_log_begins_with_its_conclusion_and_is_listed():
    index = (ROOT / "docs" / "log" / "README.md").read_text(encoding="utf-8")
    short = (ROOT / "docs" / "log.md").read_text(encoding="utf-8")
    for page in sorted((ROOT / "docs" / "log").glob("*.md")):
        if page.name != "README.md":
            assert page.read_text(encoding="utf-8").splitlines()[2].startswith("**Conclusion.** ")
            assert f"({page.name})" in index
            assert f"(log/{page.name})" in short
