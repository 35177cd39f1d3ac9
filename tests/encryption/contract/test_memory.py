"""Encrypted, unchanged: tests/test_memory.py."""

from tests.test_memory import *  # noqa: F403
