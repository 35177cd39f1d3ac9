"""A document is shown by its file's name, wherever it is listed, read or found."""

from __future__ import annotations

import pytest

from engramma import Memory
from tests.browser.conftest import served

ONE_PAGE = True  # see conftest.py


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("documents")
    (folder / "diary.md").write_text(
        "# Diary\n\n## 4 May 2026\n\nThe heron ate all of the goldfish in the pond.\n", encoding="utf-8"
    )

    def with_a_diary(memory: Memory) -> None:
        memory.documents.ingest(folder / "diary.md")
        memory.remember("The heron comes at seven every morning.")

    with served(folder / "memory", with_a_diary) as path:
        yield path


@pytest.mark.parametrize(
    "address", ["conversations?q=goldfish", "recall?q=What%20did%20the%20heron%20eat%3F", "graph?q=heron"]
)
def test_internal_names_are_shown_nowhere(visit, address):
    page = visit.see(address, "goldfish")
    shown = page.locator("main").inner_text()
    assert "engramma:" not in shown and ("diary.md" in shown or "Documents" in shown)


def test_a_document_is_read_under_its_name(visit):
    page = visit.see("conversations?q=goldfish", "goldfish")
    item = page.locator(".item").first
    assert item.locator(".title").inner_text() == "diary.md" and "document" in item.locator(".meta").inner_text()
    item.click()
    page.get_by_role("heading", name="diary.md").wait_for()
