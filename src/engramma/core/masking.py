"""Masks secrets by a store's rules, before anything is stored, shown or logged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..redaction import Redacted, RuleSet, redact, rules_from
from ..store.keys import FINGERPRINTS, fingerprint_key
from ..store.store import Store

SHORT, MANY = 300, 20_000  # characters of a text, and texts, remembered as free of secrets: names come again and again


class Masking:
    """The rules of one store, the key of its fingerprints, and short texts already seen to hold no secret."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings = settings
        self._rules: RuleSet | None = None
        self._key: bytes | None = None
        self._clean: set[str] = set()

    @property
    def rules(self) -> RuleSet:
        if self._rules is None:
            self._rules = rules_from(self._settings)
        return self._rules

    def make_key(self, store: Store) -> None:
        """Make the store's key for fingerprints if it has none yet. Writes to the store."""
        self._key = fingerprint_key(store)

    def mask(self, store: Store, text: str) -> Redacted:
        """A text without its secrets; a fingerprint tells whether two are the same secret."""
        found = self.look(store, text)
        if found.redactions and self._key is None:
            self.make_key(store)
            found = self.look(store, text)
        return found

    def look(self, store: Store, text: str) -> Redacted:
        """The same without making a key for fingerprints: it writes nothing, so it can stand in a transaction."""
        if text in self._clean:
            return Redacted(text)
        found = redact(text, rules=self.rules, key=self._key or b"")
        if found.redactions:
            if self._key is None and (key := store.meta(FINGERPRINTS)) is not None:
                self._key = bytes(key)
                return self.look(store, text)
        elif len(text) <= SHORT:
            if len(self._clean) >= MANY:
                self._clean.clear()
            self._clean.add(text)
        return found
