"""Encrypted, unchanged: tests/test_typed.py."""

from tests.test_typed import *  # noqa: F403
