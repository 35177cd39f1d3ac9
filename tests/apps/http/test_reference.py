"""docs/reference/http.md lists every path as the OpenAPI has it."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "http.md"


def test_the_page_lists_every_path(api):
    document = api.get("/api/openapi.json").json()
    there = {
        (method.upper(), path, one["summary"])
        for path, methods in document["paths"].items()
        for method, one in methods.items()
    }
    listed = re.findall(r"^\| `([A-Z]+) (/api/[^`]*)` \| ([^|]+?) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert {tuple(row) for row in listed} == there
