"""Encrypted, unchanged: tests/people/test_workspace.py."""

from tests.people.test_workspace import *  # noqa: F403
