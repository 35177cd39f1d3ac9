"""What a memory does with documents."""

from __future__ import annotations

from .parts import Parts


class DocumentCalls(Parts):
    """Calls about documents."""
