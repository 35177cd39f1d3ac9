"""The HTTP API of a daemon: `router` has its paths, `install` gives an application its errors."""

from __future__ import annotations

from .api import router as router
from .problems import install as install
