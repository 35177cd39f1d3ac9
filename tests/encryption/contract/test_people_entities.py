"""Encrypted, unchanged: tests/people/test_entities.py."""

from tests.people.test_entities import *  # noqa: F403
