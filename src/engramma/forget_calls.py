"""What a memory does with forgetting."""

from __future__ import annotations

from .parts import Parts


class ForgetCalls(Parts):
    """Calls about forgetting."""
