"""Encrypted, unchanged: tests/people/test_reconcile.py."""

from tests.people.test_reconcile import *  # noqa: F403
