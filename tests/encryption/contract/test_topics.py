"""Encrypted, unchanged: tests/test_topics.py."""

from tests.test_topics import *  # noqa: F403
