"""What a memory does with the steward."""

from __future__ import annotations

from .parts import Parts


class CareCalls(Parts):
    """Calls about the steward."""
