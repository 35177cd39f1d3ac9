"""Encrypted, unchanged: tests/people/test_tools.py."""

from tests.people.test_tools import *  # noqa: F403
