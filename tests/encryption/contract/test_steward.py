"""Encrypted, unchanged: tests/test_steward.py."""

from tests.test_steward import *  # noqa: F403
