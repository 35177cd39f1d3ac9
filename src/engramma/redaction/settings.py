"""A user's own rules: the `[redact]` table of config.toml, checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..errors import BadInput
from .catalog import SECRETS, load_rules
from .pii import PII
from .rule import ID, Rule, RuleSet

KNOWN = ("enabled", "pii", "disabled", "rules")
MAX_PATTERN = 1000
# A repeat without an end inside another: the classic that takes exponential time. Not every slow pattern has this form.
NESTED = re.compile(r"\((?:[^()\\]|\\.)*(?<!\\)[+*](?:[^()\\]|\\.)*\)(?:[+*]|\{\d*,\})")


def rules_from(table: Mapping[str, Any], where: str = "config") -> RuleSet:
    """The rules that a `[redact]` table asks for; BadInput says what to mend."""

    def need(ok: bool, what: str) -> None:
        if not ok:
            raise BadInput(f"{where}: {what}.")

    if unknown := sorted(set(table) - set(KNOWN)):
        raise BadInput(f"{where}: unknown setting redact.{', redact.'.join(unknown)}. Known: {', '.join(KNOWN)}.")
    enabled, pii, disabled = table.get("enabled", True), table.get("pii", False), table.get("disabled", [])
    need(isinstance(enabled, bool), "redact.enabled must be true or false")
    need(isinstance(pii, bool), "redact.pii must be true or false")
    need(
        isinstance(disabled, list) and all(isinstance(one, str) for one in disabled),
        "redact.disabled must be a list of rule ids",
    )
    own = table.get("rules", [])
    need(isinstance(own, list) and all(isinstance(one, Mapping) for one in own), "[[redact.rules]] must be tables")
    rules = [_own(one, f"{where}: redact.rules[{index}]") for index, one in enumerate(own)]
    ids = {rule.id for rule in (*SECRETS, *PII)}
    for rule in rules:
        need(rule.id not in ids, f"there is already a rule {rule.id!r}; give yours another id")
    if strangers := sorted(set(disabled) - ids - {rule.id for rule in rules}):
        raise BadInput(
            f"{where}: redact.disabled names no rule: {', '.join(strangers)}. A rule's id is what its mask shows."
        )
    if not enabled:
        return RuleSet.of(())
    if not rules and not disabled:
        return load_rules(pii)
    chosen = (*SECRETS, *(PII if pii else ()), *rules)
    return RuleSet.of(rule for rule in chosen if rule.id not in disabled)


def _own(table: Mapping[str, Any], where: str) -> Rule:
    """One rule of a user: id and pattern, and if it is to be fast, keywords."""
    if unknown := sorted(set(table) - {"id", "description", "pattern", "keywords"}):
        raise BadInput(f"{where}: unknown setting {', '.join(unknown)}. Known: id, description, pattern, keywords.")
    id, source, keywords = table.get("id"), table.get("pattern"), table.get("keywords", [])
    if not (isinstance(id, str) and ID.fullmatch(id)):
        raise BadInput(f"{where}: id must be lower-case letters, digits and dashes, at most 64.")
    if not (isinstance(source, str) and 0 < len(source) <= MAX_PATTERN):
        raise BadInput(f"{where}: pattern must be a regular expression of 1 to {MAX_PATTERN:,} characters.")
    if not (isinstance(keywords, list) and all(isinstance(word, str) and word for word in keywords)):
        raise BadInput(
            f"{where}: keywords must be a list of words, one of which must be in a text for it to be searched."
        )
    try:
        pattern = re.compile(source)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadInput(f"{where}: pattern is not a regular expression: {error}.") from error
    if NESTED.search(source):
        raise BadInput(f"{where}: pattern repeats a repeat, as in (a+)+, which can take forever. Bound one of them.")
    if pattern.search("") is not None:
        raise BadInput(f"{where}: pattern matches the empty string; it must match at least one character.")
    group: int | str = "secret" if "secret" in pattern.groupindex else min(pattern.groups, 1)
    words = tuple(word.lower() for word in keywords)
    return Rule(id, str(table.get("description", "")), words, pattern, group=group, anywhere=True)
