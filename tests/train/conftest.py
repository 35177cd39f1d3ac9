"""A small corpus, built once for each file of tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.train import made_up
from train import corpus, settings


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory, config: settings.Config) -> Path:
    """The corpus of the configuration that the file of tests gives as its `config`."""
    folder = tmp_path_factory.mktemp("corpus")
    corpus.build(made_up.inputs(folder), made_up.words(), config, folder / "data")
    return folder / "data"
