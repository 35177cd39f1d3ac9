from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engramma.apps.daemon import control


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A store that a real daemon serves."""
    store = tmp_path_factory.mktemp("served") / "store"
    control.start_daemon(store, ["--port", "0"])
    yield store
    control.stop_daemon(store)
