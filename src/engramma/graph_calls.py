"""What a memory does with the graph."""

from __future__ import annotations

from .parts import Parts


class GraphCalls(Parts):
    """Calls about the graph."""
