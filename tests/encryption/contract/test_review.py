"""Encrypted, unchanged: tests/test_review.py."""

from tests.test_review import *  # noqa: F403
