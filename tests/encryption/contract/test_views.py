"""Encrypted, unchanged: tests/test_views.py."""

from tests.test_views import *  # noqa: F403
