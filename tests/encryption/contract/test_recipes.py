"""Encrypted, unchanged: tests/test_recipes.py."""

from tests.test_recipes import *  # noqa: F403
