"""Encrypted, unchanged: tests/test_links.py."""

from tests.test_links import *  # noqa: F403
