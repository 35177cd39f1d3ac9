"""Source code and settings: a block from one top-level definition to the next, in any language.

A block begins at a line without indent that follows a blank line. What a definition spans is indented
or closes it, so a function or class stays whole, with the comment or decorator that stands on it.
"""

from __future__ import annotations

import re

from .outline import Content, Outline

# A line that goes on with what stands above it, though a blank line may come between.
_GOES_ON = re.compile(r"[\s})\]]|(?:end|fi|done|esac|else|elif|elsif|except|finally|catch|rescue|ensure)\b")


def read_code(text: str) -> Content:
    """The top-level parts of a file of code."""
    outline = Outline()
    run: list[str] = []
    after_blank = False
    for line in text.split("\n"):
        if not line.strip():
            after_blank = True
            run.append(line)
            continue
        if after_blank and not _GOES_ON.match(line):
            outline.add("\n".join(run), "code")
            run = []
        after_blank = False
        run.append(line)
    outline.add("\n".join(run), "code")
    return Content(outline.done())
