"""Encrypted, unchanged: tests/test_graph_calls.py."""

from tests.test_graph_calls import *  # noqa: F403
