"""Encrypted, unchanged: tests/test_beside.py."""

from tests.test_beside import *  # noqa: F403
