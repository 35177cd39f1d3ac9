"""Lines with parts that a terminal shows in colours; everywhere else they are plain text."""

from __future__ import annotations

from collections.abc import Callable

# What a part is -> how a terminal shows it (SGR codes, ECMA-48).
STYLES = {"title": "1", "dim": "2", "speaker": "36", "match": "1;33", "good": "32", "bad": "31"}
RESET = "\x1b[0m"


class Styled(str):
    """A text that knows which parts of it are what; `str` itself is the plain text."""

    __slots__ = ("parts",)
    parts: tuple[tuple[str, str], ...]

    def __new__(cls, *parts: tuple[str, str]) -> Styled:
        made = super().__new__(cls, "".join(text for text, _ in parts))
        made.parts = parts
        return made

    def painted(self, safe: Callable[[str], str]) -> str:
        """The text with colours, each part made safe for a terminal first."""
        return "".join(
            f"\x1b[{STYLES[style]}m{safe(text)}{RESET}" if style and text else safe(text) for text, style in self.parts
        )
