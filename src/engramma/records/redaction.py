"""What redaction found, without the secret."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Redaction:
    """One secret that was masked: which rule, where in the original text, how long, and its keyed fingerprint."""

    rule: str
    start: int
    end: int
    fingerprint: str = ""

    @property
    def length(self) -> int:
        return self.end - self.start
