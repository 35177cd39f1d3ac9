"""How acts are undone: each feature has a table `UNDO` of the kinds it can undo."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..records import Act
from .core import Core

Undo = Mapping[str, Callable[[Core, Act], None]]  # by kind; each runs inside the transaction of `Acts.undo`
