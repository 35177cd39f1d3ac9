"""Plain text: paragraphs between blank lines."""

from __future__ import annotations

from .outline import Content, Outline


def read_plain_text(text: str) -> Content:
    """The paragraphs of a text."""
    outline = Outline()
    for paragraph in paragraphs(text):
        outline.add(paragraph)
    return Content(outline.done())


def paragraphs(text: str) -> list[str]:
    """The runs of lines between blank lines."""
    found: list[str] = []
    run: list[str] = []
    for line in [*text.split("\n"), ""]:
        if line.strip():
            run.append(line)
        elif run:
            found.append("\n".join(run))
            run = []
    return found
