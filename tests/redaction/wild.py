"""Tables of secrets and look-alikes as they stand in the wild, one a line, written before anybody looked at the rules.

`‹…›` marks what must vanish, `{b40}` is drawn (shapes.py), `\\n` is a new line and `\\\\` a backslash.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

from .shapes import drawn

HERE = Path(__file__).parent


def lines(name: str) -> list[str]:
    """The lines of a table, drawn, each with its own seed so that a new line changes no other."""
    table = [line for line in (HERE / name).read_text(encoding="utf-8").splitlines() if line]
    texts = [drawn(line, random.Random(line)) for line in table]
    return [text.replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\") for text in texts]


def secrets(name: str) -> list[tuple[str, str]]:
    """(text, a secret in it), as often as the table marks one."""
    marked = lines(f"{name}_secrets.txt")
    bare = [line.replace("‹", "").replace("›", "") for line in marked]
    return [(text, one) for line, text in zip(marked, bare, strict=True) for one in re.findall("‹(.+?)›", line, re.S)]


def benign(name: str) -> list[str]:
    """Texts in which nothing may be masked."""
    return lines(f"{name}_benign.txt")
