"""Passes a one-time link to a browser in a private file, because every user can read command lines."""

from __future__ import annotations

import html
import os
import secrets
from contextlib import suppress
from pathlib import Path

NAMES = "open-*.html"
PAGE = """\
<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={link}">
<title>Engramma</title>
<p><a href="{link}">Open the dashboard</a></p>
"""


def lay_page(folder: Path, link: str) -> Path:
    """A page for its owner's eyes only; its name says nothing."""
    path = folder / NAMES.replace("*", secrets.token_hex(8))
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(PAGE.format(link=html.escape(link)))
    return path


def sweep_pages(folder: Path) -> None:
    """Remove what a daemon that was killed left behind."""
    for path in folder.glob(NAMES):
        with suppress(OSError):
            path.unlink()
