"""Encrypted, unchanged: tests/test_forget.py."""

from tests.test_forget import *  # noqa: F403
