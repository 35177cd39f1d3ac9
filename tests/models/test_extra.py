"""What is said where the packages for models of one's own are missing."""

from __future__ import annotations

import sys

import pytest

from engramma.errors import ModelError
from engramma.models.load import load
from engramma.models.rerank import load_reranker
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
