"""Recall and false alarms on tables written before the rules were mended (first-sight figures: docs/log.md)."""

from __future__ import annotations

import pytest

from engramma import redact

from . import wild
from .scoring import alarms, missed

TABLES = ("wild", "wild2", "wild3")


@pytest.mark.parametrize("name", TABLES)
def test_secrets_in_the_wild_are_masked(name: str):
    secrets = wild.secrets(name)
    assert len(secrets) >= 80
    assert len(missed(secrets)) <= 0.04 * len(secrets), missed(secrets)


@pytest.mark.parametrize("name", TABLES)
def test_look_alikes_in_the_wild_are_left_alone(name: str):
    benign = wild.benign(name)
    assert len(benign) >= 60
    assert len(alarms(benign)) <= 0.01 * len(benign), alarms(benign)


def test_secrets_among_code_are_masked():
    assert missed(wild.secrets("code")) == []


def test_what_is_said_of_code_is_left_alone():
    assert alarms(wild.benign("code")) == []


@pytest.mark.parametrize("whose", ["my", "our", "the wifi", "user bob", "login mira@acme.io", "router,", "ftp /"])
def test_a_pass_that_is_somebodys_is_a_password_and_what_is_passed_is_none(whose: str):
    assert redact(f"{whose} pass `blueberry`").text == f"{whose} pass `[redacted:password]`"
    assert redact("We pass `blueberry` on").text == "We pass `blueberry` on"
    assert redact("pass `hunter22` works").text == "pass `[redacted:password]` works"
