"""What tests about entities begin with."""

from __future__ import annotations

from itertools import count

import pytest

from tests.conftest import talk


@pytest.fixture
def say_lines(memory):
    """Remember a session of lines "speaker: text", each call a day after the one before."""
    days = count()

    def said(conversation: str, *lines: str, session: str = "s1") -> None:
        memory.remember_session(conversation, session, talk(*lines, day=next(days)))

    return said
