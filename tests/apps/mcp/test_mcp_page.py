"""The reference page says what the server has."""

from __future__ import annotations

from pathlib import Path

from tests.apps.mcp.page import page

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "mcp.md"


def test_the_reference_page_is_not_stale():
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tests.apps.mcp.page > docs/reference/mcp.md`"
