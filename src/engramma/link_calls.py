"""What a memory does with typed links."""

from __future__ import annotations

from .parts import Parts


class LinkCalls(Parts):
    """Calls about typed links."""
