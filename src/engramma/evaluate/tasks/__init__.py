"""A file a benchmark; each has `read(path, reading) -> Task`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..task import Task, TaskReading
from . import lme_s_snippet, locomo, longmemeval

TASKS: dict[str, Callable[[Path, TaskReading], Task]] = {
    module.NAME: module.read for module in (locomo, longmemeval, lme_s_snippet)
}
