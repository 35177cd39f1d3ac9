"""Encrypted, unchanged: tests/test_documents.py."""

from tests.test_documents import *  # noqa: F403
