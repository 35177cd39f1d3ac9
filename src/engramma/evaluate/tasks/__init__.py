"""A file a benchmark; each has `read(path, reading) -> Task`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..task import Reading, Task
from . import lme_s_snippet, locomo, longmemeval

TASKS: dict[str, Callable[[Path, Reading], Task]] = {
    module.NAME: module.read for module in (locomo, longmemeval, lme_s_snippet)
}
