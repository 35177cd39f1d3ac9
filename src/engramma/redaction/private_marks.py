"""`<private>…</private>`: what the speaker marked as never to be kept."""

from __future__ import annotations

import re

from .rule import Span

TAG = re.compile(r"<(/?)private(?:\s[^<>]{0,500})?/?>", re.IGNORECASE)


def private_spans(text: str) -> list[Span]:
    """The outermost private parts; one that is not closed goes to the end of the text."""
    spans: list[Span] = []
    depth = start = 0
    for tag in TAG.finditer(text):
        if not tag[1]:
            start = tag.start() if depth == 0 else start
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                spans.append((start, tag.end()))
    return [*spans, (start, len(text))] if depth else spans
