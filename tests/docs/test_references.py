"""The generated pages of docs/reference say what the package has."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

HERE = Path(__file__).parents[2] / "docs" / "reference"
STALE = "run python docs/reference/generate.py"


def generator():
    spec = importlib.util.spec_from_file_location("reference_generator", HERE / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(HERE)  # as for a script that is run there
        spec.loader.exec_module(module)
    return module


GENERATOR = generator()


@pytest.mark.parametrize("name", list(GENERATOR.PAGES))
def test_a_reference_page_is_what_the_package_says(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for variable in ("ENGRAMMA_STORE", "COLUMNS", "TERMINAL_WIDTH"):
        monkeypatch.delenv(variable, raising=False)
    assert (HERE / name).read_text(encoding="utf-8") == GENERATOR.PAGES[name](), STALE


def test_every_feature_of_memory_is_on_the_page():
    """Memory gets a new object: it belongs into FEATURES of the generator."""
    from engramma.features import Features

    made = {name for name, one in vars(Features).items() if isinstance(one, property) and not name.startswith("_")}
    assert made == {name for name, _, _ in GENERATOR.FEATURES}
