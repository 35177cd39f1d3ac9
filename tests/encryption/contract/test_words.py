"""Encrypted, unchanged: tests/test_words.py."""

from tests.test_words import *  # noqa: F403
