"""Encrypted, unchanged: tests/test_tallies.py."""

from tests.test_tallies import *  # noqa: F403
