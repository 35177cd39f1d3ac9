"""Encrypted, unchanged: tests/people/test_entity_words.py."""

from tests.people.test_entity_words import *  # noqa: F403
