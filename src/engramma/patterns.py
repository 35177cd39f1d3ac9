"""Patterns that are compiled when they are first used: of several hundred, a run needs a few."""

from __future__ import annotations

import re
from typing import Any, cast


class Late:
    """Stands for a compiled pattern, and becomes as fast as one with its first use."""

    def __init__(self, source: str, flags: int) -> None:
        self.pattern, self.flags = source, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(re.compile(self.pattern, self.flags), name)
        setattr(self, name, found)
        return found


def late(source: str, flags: int = 0) -> re.Pattern[str]:
    """Like re.compile, at the first use."""
    return cast("re.Pattern[str]", Late(source, flags))
