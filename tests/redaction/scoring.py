"""Recall and false alarms over a labelled half."""

from __future__ import annotations

from collections.abc import Sequence

from engramma import redact


def missed(positives: Sequence[tuple[str, str]]) -> list[str]:
    """Texts in which the secret, or two thirds of it stands as often as before (`root:root@`: once less)."""

    def left(text: str, secret: str) -> bool:
        after = redact(text).text
        piece = min(len(secret), max(5, -(-2 * len(secret) // 3)))
        pieces = {secret[at : at + piece] for at in range(len(secret) - piece + 1)}
        return any(after.count(one) >= text.count(one) for one in pieces)

    return [text for text, secret in positives if left(text, secret)]


def alarms(negatives: Sequence[str]) -> list[str]:
    """Harmless texts in which something was masked."""
    return [redact(text).text for text in negatives if redact(text).redactions]
