"""What a memory does with topics."""

from __future__ import annotations

from .parts import Parts


class TopicCalls(Parts):
    """Calls about topics."""
