"""The laws of redaction: once is enough, spans are of the original, the rest of the text stays."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engramma import Redacted, redact
from engramma.redaction import SECRETS, RuleSet

from .set_check import positives as check
from .set_development import positives as development
from .shapes import drawn

KEY = b"a key of the store"
PIECES = [text for text, _ in (*development(), *check())]
GLUE = [
    "",
    " ",
    "\n",
    ": ",
    "=",
    '"',
    "'",
    "<private>",
    "</private>",
    "password",
    "token=",
    "[redacted:",
    "]",
    "İ",
    "-",
    "a",
    "7",
]
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.sampled_from(GLUE), st.text(max_size=12)), max_size=6).map(
    "".join
)


def rebuilt(text: str, result: Redacted) -> str:
    """The result, put together again from the original and the spans."""
    parts, at = [], 0
    for one in result.redactions:
        parts += [text[at : one.start], f"[redacted:{one.rule}]"]
        at = one.end
    return "".join([*parts, text[at:]])


@given(texts)
@example(drawn("AKIA{R16}", random.Random(2)) + drawn("AKIA{R16}", random.Random(3)))
@example("password: [redacted:password] hunter2 password: hunter2")
def test_redacting_again_changes_nothing(text: str):
    once = redact(text)
    assert redact(once.text) == Redacted(once.text)


@given(texts)
def test_spans_lie_in_the_original_apart_and_in_order(text: str):
    result = redact(text, pii=True)
    edges = [edge for one in result.redactions for edge in (one.start, one.end)]
    assert edges == sorted(edges) and all(0 <= edge <= len(text) for edge in edges)
    assert all(one.length > 0 for one in result.redactions)
    assert rebuilt(text, result) == result.text


@given(st.text())
def test_any_text_is_taken(text: str):
    redact(text, pii=True)


def test_the_same_secret_has_the_same_fingerprint_under_one_key_only():
    here, there = (redact(text, key=KEY).redactions[0] for text in ("my password is hunter2", "PASSWORD=hunter2"))
    assert here.fingerprint == there.fingerprint and len(here.fingerprint) == 16
    assert redact("my password is hunter3", key=KEY).redactions[0].fingerprint != here.fingerprint
    assert redact("my password is hunter2", key=b"another").redactions[0].fingerprint != here.fingerprint
    assert redact("my password is hunter2").redactions[0].fingerprint == ""


def test_overlapping_finds_become_one_that_covers_them_all():
    secret = drawn("{A12}", random.Random(5))
    result = redact(f"DATABASE_URL=postgres://shop:{secret}@db:5432/shop?password={secret}")
    assert secret not in result.text and [one.rule for one in result.redactions] == ["uri-password", "password"]


def test_what_is_private_goes_first_nested_in_any_case_and_to_the_end_when_open():
    assert redact("a <PRIVATE>b <private>c</private> d</Private> e").text == "a [redacted:private] e"
    assert redact('a <private why="x">my password is hunter2').text == "a [redacted:private]"
    assert redact("a </private> b <privateer> c").redactions == ()
    assert redact("<private>x</private>", rules=RuleSet.of(())).text == "[redacted:private]"


def test_a_key_block_is_masked_over_lines_even_when_it_is_cut_off():
    head, body = "-----BEGIN EC " + "PRIVATE KEY-----", "MHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtL7bq9\nMHcCAQEEIIrY"
    whole = f"look:\n{head}\n{body}\n-----END EC " + "PRIVATE KEY-----\nthanks"
    assert redact(whole).text == "look:\n[redacted:private-key]\nthanks"
    assert body[:20] not in redact(f"{head}\n{body}").text


@pytest.mark.long
def test_text_that_makes_patterns_backtrack_is_linear():
    """A fifth of a second each; a quadratic pattern would take a minute, so the limit may be wide."""
    blob = "".join(random.Random(6).choices("ABCDEFGHabcdefgh0123456789+/", k=100_000))
    pieces = ("a", "=", "-", '"', "'\"`", "sk-1", "eyJ1.", "password='", "://a:", "sessid=1", "token: ", "pin is ")
    spoken = ("пароль ", "пароль это ", "密码是", "パスワードは「", "hasło to ", "पासवर्ड है ", "pin: 123", "كلمة السر، ")
    repeated = [(piece * 100_000)[:100_000] for piece in (*pieces, *spoken, "-----BEGIN PRIVATE KEY-----")]
    led = ("code is", "code it's", "keypad is now", "password is", "pin is")  # to nothing, a long way below
    below = [f"{lead}{space * 30_000}x" for lead in led for space in (" ", "\n")]
    for text in (blob, *repeated, *below):
        start = time.process_time()
        redact(text)
        assert time.process_time() - start < 3, text[:30]


def test_ordinary_talk_asks_for_few_rules():
    """What talk does not hold cannot be searched for: the prefilter leaves no rule with a pattern to run."""
    talk = "We went hiking on Saturday and the children found a fox, can you believe it?"
    lower = talk.lower()
    assert [rule.id for rule in SECRETS if any(word in lower for word in rule.keywords) and not rule.drawn] == []
