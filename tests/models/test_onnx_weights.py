"""Arrays out of ONNX files without the library, and what is said where the library is missing."""

from __future__ import annotations

import sys

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import helper, numpy_helper

from engramma.errors import ModelError
from engramma.models.load import load
from engramma.models.local_model import graph_file
from engramma.models.onnx import WEIGHTS
from engramma.models.onnx_weights import read_weights
from engramma.models.packaged import MINI_WEIGHTS, MULTI_WEIGHTS
from engramma.models.reader import READER, word_table
from engramma.models.tiers import TIERS
from tests.models import tiny

KINDS = ("float32", "uint8", "int8", "int32", "int64", "float16", "float64")


def save(path, arrays) -> None:
    tensors = [numpy_helper.from_array(array, name) for name, array in arrays.items()]
    node = helper.make_node("Identity", ["a"], ["b"], doc="a field of another kind", weight=0.5)
    graph = helper.make_graph([node], "graph", [], [], tensors)
    onnx.save(helper.make_model(graph), str(path))


@given(
    arrays=st.dictionaries(
        st.text("abcé", max_size=200),
        st.tuples(st.sampled_from(KINDS), st.lists(st.sampled_from([0, 1, 3, 130]), max_size=3)),
        max_size=5,
    )
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
def test_arrays_are_those_of_the_library(tmp_path, arrays):
    made = {name: np.ones(sizes, kind) * 3 for name, (kind, sizes) in arrays.items()}
    save(tmp_path / "model.onnx", made)
    found = read_weights(tmp_path / "model.onnx")
    assert found.keys() == made.keys()
    for name, array in made.items():
        assert found[name].shape == array.shape and found[name].dtype == array.dtype
        assert np.array_equal(found[name], array)


@pytest.mark.parametrize("name", [MINI_WEIGHTS, MULTI_WEIGHTS, READER])
def test_the_packaged_files_are_read_as_the_library_reads_them(name):
    expected = {one.name: numpy_helper.to_array(one) for one in onnx.load(str(WEIGHTS / name)).graph.initializer}
    found = read_weights(WEIGHTS / name)
    assert found.keys() == expected.keys() and all(np.array_equal(found[one], expected[one]) for one in expected)


def test_a_file_that_is_none_is_refused(tmp_path):
    save(tmp_path / "whole.onnx", {"a": np.arange(1000.0)})
    whole = (tmp_path / "whole.onnx").read_bytes()
    for content in (b"", b"\xff" * 99, whole[:500], whole[:-1]):
        (tmp_path / "m.onnx").write_bytes(content)
        with pytest.raises(ModelError, match="not a usable ONNX model"):
            read_weights(tmp_path / "m.onnx")
    with pytest.raises(ModelError, match="not a usable ONNX model"):
        read_weights(tmp_path / "none.onnx")


def test_the_packaged_models_need_no_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    steps, rows = word_table(WEIGHTS / MINI_WEIGHTS)
    assert steps.shape == (len(rows), 1) and rows.shape == (30_522, 384) and rows.dtype == np.int8
    assert load().embed(["a cat on a mat", "eine Katze auf der Matte"]).shape == (2, 384)


def test_without_the_extra_safetensors_name_it(tmp_path, monkeypatch):
    folder = tiny.save_published(tmp_path / "m", "modernbert")
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ModelError, match=r"pip install 'engramma\[safetensors\]'"):
        load(str(folder), cache=tmp_path)
    with pytest.raises(ModelError, match=r"pip install 'engramma\[safetensors\]'"):
        load("minilm", cache=tmp_path, offline=False)


def test_a_graph_that_was_built_before_needs_no_extra(tmp_path, monkeypatch):
    folder = tiny.save_published(tmp_path / "m", "modernbert")
    first = load(str(folder), cache=tmp_path).embed(["a cat"])
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert np.array_equal(load(str(folder), cache=tmp_path).embed(["a cat"]), first)
    tier = TIERS["minilm"]
    _, built = graph_file(tier.config, tier.settings.precision, tier.weights.sha256, tmp_path)
    built.parent.mkdir(exist_ok=True)
    built.touch()
    with pytest.raises(ModelError, match="not tried"):  # it goes on to the files of the model
        load("minilm", cache=tmp_path, offline=True, models=tmp_path / "none")
