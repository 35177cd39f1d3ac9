"""Encrypted, unchanged: tests/test_notes.py."""

from tests.test_notes import *  # noqa: F403
