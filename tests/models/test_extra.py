"""What is said where the packages for models of one's own are missing."""

from __future__ import annotations

import re
import sys

import pytest

from engramma import Config, Memory
from engramma.admin.doctor import doctor
from engramma.errors import ModelError
from engramma.models.load import load
from engramma.models.rerank import load_reranker
from tests.fakes import HashEmbedder
from tests.models import cross

INSTALL = r"pip install 'engramma\[models\]'"


@pytest.mark.parametrize("package", ("onnxruntime", "tokenizers"))
def test_a_model_of_ones_own_names_the_extra_that_is_missing(tmp_path, monkeypatch, package):
    cross.save_reranker(tmp_path / "reranker")
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setenv("ENGRAMMA_OFFLINE", "1")
    with pytest.raises(ModelError, match=f"need {package}, .*{INSTALL}"):
        load("minilm", cache=tmp_path)
    with pytest.raises(ModelError, match=f"need {package}, .*{INSTALL}"):
        load_reranker(str(tmp_path / "reranker"))


def test_the_doctor_tells_of_a_reranker_that_cannot_be_loaded(tmp_path, monkeypatch):
    """Every recipe that asks for it fails; all checks passed."""
    folder = cross.save_reranker(tmp_path / "reranker")
    with Memory.open(tmp_path / "m", embedder=HashEmbedder(), config=Config(reranker=str(folder))) as memory:
        assert [check.detail for check in doctor(memory._core) if check.name == "reranker works"] == ["reranker"]
        monkeypatch.setitem(sys.modules, "onnxruntime", None)
        (wrong,) = (check for check in doctor(memory._core) if not check.ok)
        assert wrong.name == "reranker works" and re.search(INSTALL, wrong.detail)
