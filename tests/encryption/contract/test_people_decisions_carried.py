"""Encrypted, unchanged: tests/people/test_decisions_carried.py."""

from tests.people.test_decisions_carried import *  # noqa: F403
