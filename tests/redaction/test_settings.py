"""A user's own rules are checked when they are read."""

from __future__ import annotations

import tomllib

import pytest

from engramma import BadInput, redact
from engramma.redaction import rules_from

OWN = """
disabled = ["pin"]
pii = true
[[rules]]
id = "badge"
pattern = 'badge (?P<secret>[A-Z]{2}\\d{4})'
keywords = ["Badge"]
"""


def test_own_rules_pii_and_what_is_switched_off():
    rules = rules_from(tomllib.loads(OWN))
    result = redact("badge AB1234, the pin is 4821, ana@example.org, my password is hunter2", rules=rules)
    assert (
        result.text == "badge [redacted:badge], the pin is 4821, [redacted:email], my password is [redacted:password]"
    )


def test_switched_off_only_what_is_private_is_masked():
    rules = rules_from({"enabled": False})
    assert redact("my password is hunter2 <private>x</private>", rules=rules).text == (
        "my password is hunter2 [redacted:private]"
    )


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"enable": True}, "unknown setting redact.enable"),
        ({"enabled": "yes"}, "redact.enabled must be true or false"),
        ({"pii": 1}, "redact.pii must be"),
        ({"disabled": "pin"}, "redact.disabled must be a list"),
        ({"disabled": ["pins"]}, "names no rule: pins"),
        ({"rules": {"id": "a"}}, "must be tables"),
        ({"rules": [{"id": "A b", "pattern": "x"}]}, "id must be lower-case"),
        ({"rules": [{"id": "a"}]}, "pattern must be a regular expression"),
        ({"rules": [{"id": "a", "pattern": "(x"}]}, "not a regular expression"),
        ({"rules": [{"id": "a", "pattern": "x*"}]}, "at least one character"),
        ({"rules": [{"id": "a", "pattern": "(x+)+y"}]}, "repeats a repeat"),
        ({"rules": [{"id": "pin", "pattern": "x"}]}, "already a rule 'pin'"),
        ({"rules": [{"id": "a", "pattern": "x", "keywords": "x"}]}, "keywords must be a list"),
        ({"rules": [{"id": "a", "pattern": "x", "flags": "i"}]}, "unknown setting flags"),
    ],
)
def test_a_bad_table_says_what_to_mend(table: dict[str, object], says: str):
    with pytest.raises(BadInput, match=says.replace("(", r"\(")):
        rules_from(table, where="config.toml")
