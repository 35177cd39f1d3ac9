"""Encrypted, unchanged: tests/people/test_query.py."""

from tests.people.test_query import *  # noqa: F403
