"""Encrypted, unchanged: tests/test_revise.py."""

from tests.test_revise import *  # noqa: F403
