"""Recall and false alarms on the labelled set (figures: docs/explanation/redaction.md)."""

from __future__ import annotations

import pytest

from . import set_check, set_development
from .scoring import alarms, missed

HALVES = {"development": set_development, "check": set_check}


def test_the_set_has_seven_hundred_examples():
    assert sum(len(half.positives()) + len(half.negatives()) for half in HALVES.values()) >= 700


@pytest.mark.parametrize("name", HALVES)
def test_secrets_are_masked(name: str):
    positives = HALVES[name].positives()
    assert len(missed(positives)) <= 0.02 * len(positives), missed(positives)


@pytest.mark.parametrize("name", HALVES)
def test_look_alikes_are_left_alone(name: str):
    negatives = HALVES[name].negatives()
    assert len(alarms(negatives)) <= 0.02 * len(negatives), alarms(negatives)


def test_every_example_names_a_secret_that_is_in_its_text():
    for half in HALVES.values():
        for text, secret in half.positives():
            assert secret in text and len(secret) >= 4
