"""Encrypted, unchanged: tests/people/test_claims.py."""

from tests.people.test_claims import *  # noqa: F403
