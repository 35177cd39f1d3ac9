"""Encrypted, unchanged: tests/test_namespaces.py."""

from tests.test_namespaces import *  # noqa: F403
