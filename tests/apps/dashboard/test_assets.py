"""What the pages know by themselves and the program knows, too, is the same."""

from __future__ import annotations

import re
from pathlib import Path

import engramma.apps.dashboard
from engramma.language.text import DOCUMENTS, NAMELESS, NOTES

ASSETS = Path(engramma.apps.dashboard.__file__).parent / "assets"


def test_the_pages_know_the_names_that_exports_give_the_user() -> None:
    listed = re.search(r"NAMELESS = new Set\(\[(.*?)\]\)", (ASSETS / "api.js").read_text("utf-8"))
    assert listed is not None and set(re.findall(r"'(\w+)'", listed[1])) == NAMELESS


def test_the_pages_know_where_notes_and_documents_are() -> None:
    titles = (ASSETS / "ui.js").read_text("utf-8")
    assert f"'{NOTES}'" in titles and f"'{DOCUMENTS}'" in titles
