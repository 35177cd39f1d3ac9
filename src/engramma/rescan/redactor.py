"""Keeps secrets out: masks texts and names by the store's rules, and what was stored before those rules."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.core import Core
from ..records import Problem, RedactReport
from ..redaction import Redacted
from ..store.keys import fingerprint_key
from .rescan import Rescan


class Redactor:
    """Masks secrets before anything is stored, shown or logged, and counts them."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def mask(self, text: str) -> Redacted:
        """A text without its secrets, by the store's rules; a fingerprint tells whether two are the same secret."""
        return self._core.mask(text)

    def mask_name(self, name: str) -> str:
        """A name without its secrets: names that differ in a secret stay apart."""
        return self._core.mask_name(name)

    def mask_problems(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Problems as they may be shown and logged: they quote what was read."""
        return self._core.mask_problems(problems)

    def own_words(self, text: str) -> str:
        """A text without the memory that this store handed out itself."""
        return self._core.own_words(text)

    def check_namespace_name(self, name: str) -> None:
        """No new namespace is named by a secret: nothing is lost by choosing another name."""
        self._core.check_namespace_name(name)

    def fingerprint_key(self) -> bytes:
        """The key that tells whether two masked secrets are the same; made when it is first asked for."""
        return fingerprint_key(self._core.store)

    def counts(self) -> list[tuple[str, int, int]]:
        """Each rule that masked something in what is stored: its name, how often, and how many different secrets."""
        return [(row["rule"], row["found"], row["secrets"]) for row in self._core.store.all("redactions_counts")]

    def rescan(self, apply: bool = False) -> RedactReport:
        """Look for secrets in what was stored before masking, or under fewer rules; with `apply`, mask them."""
        return Rescan(self._core).run(apply)
