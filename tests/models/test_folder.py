"""Any local model folder can be used, and says how itself."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest

from engramma.errors import ModelError
from engramma.models.folder import read_folder
from engramma.models.graph import build_onnx_graph
from engramma.models.load import load
from engramma.models.local_model import identify_model
from tests.models import tiny

TEXT = "the cat sits"
IDS = [2, 10, 6, 8, 3]


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_a_folder_of_safetensors_gives_the_models_own_vectors(tmp_path, kind):
    folder = tiny.save_folder(tmp_path / "model", kind)
    embedder = load(str(folder), cache=tmp_path / "cache")
    expected = unit(tiny.forward(kind, tiny.weights(kind), IDS).mean(axis=0))
    assert np.abs(embedder.embed([TEXT])[0] - expected).max() < 1e-5
    assert (embedder.name, embedder.dimension, embedder.edge_floor) == ("model", tiny.HIDDEN, 0.6)
    weights = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    assert embedder.sha256 == identify_model(weights, read_folder(folder).settings)


def test_the_graph_is_built_once_and_kept(tmp_path, monkeypatch):
    folder, cache = tiny.save_folder(tmp_path / "model"), tmp_path / "cache"
    first = load(str(folder), cache=cache).embed([TEXT])
    assert len(list((cache / "graphs").iterdir())) == 1
    monkeypatch.setattr("engramma.models.graph.build_onnx_graph", None)
    assert np.array_equal(load(str(folder), cache=cache).embed([TEXT]), first)


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path):
    folder = tiny.save_folder(tmp_path / "model")
    (tmp_path / "cache").write_text("a file where a folder should be")
    assert load(str(folder), cache=tmp_path / "cache").embed([TEXT]).shape == (1, tiny.HIDDEN)


def test_full_precision_gives_the_same_bits_in_any_company_too(tmp_path):
    embedder = load(str(tiny.save_folder(tmp_path / "model")), cache=tmp_path)
    rows = embedder.embed([TEXT, "a dog", "the stock market fell today ! " * 4])
    assert np.array_equal(rows[0], embedder.embed([TEXT])[0])


def test_cls_pooling_is_taken_from_the_folder(tmp_path):
    folder = tiny.save_folder(tmp_path / "m", **{"1_Pooling__config": {"pooling_mode_cls_token": True}})
    expected = unit(tiny.forward("bert", tiny.weights("bert"), IDS)[0])
    assert np.abs(load(str(folder), cache=tmp_path).embed([TEXT])[0] - expected).max() < 1e-5


def test_prompts_are_put_before_questions_and_documents(tmp_path):
    prompts = {"prompts": {"query": "dog ", "document": "market "}}
    embedder = load(str(tiny.save_folder(tmp_path / "m", config_sentence_transformers=prompts)), cache=tmp_path)
    plain = load(str(tiny.save_folder(tmp_path / "p")), cache=tmp_path)
    assert np.array_equal(embedder.embed([TEXT], "query"), plain.embed([f"dog {TEXT}"]))
    assert np.array_equal(embedder.embed([TEXT]), plain.embed([f"market {TEXT}"]))


def test_engramma_json_overrules_the_rest(tmp_path):
    own = {
        "pooling": "cls",
        "query_prefix": "q ",
        "max_tokens": 9,
        "edge_floor": 0.5,
        "name": "mine",
        "precision": "int8",
        "reads_emoji": False,
    }
    folder = tiny.save_folder(
        tmp_path / "m",
        engramma=own,
        modules=[{"type": "sentence_transformers.models.Dense"}],
        **{"1_Pooling__config": {"pooling_mode_max_tokens": True}},
    )
    settings = read_folder(folder).settings
    assert {key: getattr(settings, key) for key in own} == own
    embedder = load(str(folder), cache=tmp_path)
    assert (embedder.name, embedder.edge_floor) == ("mine", 0.5)
    weights = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    assert embedder.sha256 != weights  # int8 gives other vectors, so it is another model
    assert len(embedder.sha256) == 64


@pytest.mark.parametrize(("window", "expected"), [(12, 12), (512, 38), (None, 38)])
def test_the_window_is_the_smallest_that_anything_asks_for(tmp_path, window, expected):
    folder = tiny.save_folder(tmp_path / "m", "mpnet", sentence_bert_config={"max_seq_length": window})
    assert read_folder(folder).settings.max_tokens == expected  # 40 positions, of which 2 stand for padding
    assert load(str(folder), cache=tmp_path).embed(["the cat runs " * 50]).shape == (1, tiny.HIDDEN)


@pytest.mark.parametrize("name", ["model.onnx", "onnx/model.onnx", "model.int8.onnx", "other.onnx"])
def test_an_onnx_file_is_found_and_preferred(tmp_path, name):
    folder = tiny.save_folder(tmp_path / "m")
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(build_onnx_graph(folder / "model.safetensors", tiny.config("bert")))
    if name == "other.onnx":
        (folder / "model.safetensors").unlink()
    embedder = load(str(folder), cache=tmp_path / "cache")
    weights = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    assert embedder.sha256 == identify_model(weights, read_folder(folder).settings)
    assert not (tmp_path / "cache").exists()


def onnx_with(path, inputs: list[str], outputs: list[str]) -> None:
    """A model with just these inputs, each embedded by the same small table and summed."""
    from onnx import TensorProto, helper, numpy_helper

    table = np.random.default_rng(1).standard_normal((32, 8)).astype(np.float32)
    nodes = [helper.make_node("Gather", ["table", name], [f"{name}_rows"]) for name in inputs]
    nodes.append(helper.make_node("Sum", [f"{name}_rows" for name in inputs], ["tokens"]))
    shapes = {"tokens": ["b", "t", 8], "sentence_embedding": ["b", 8], "flat": ["n"]}
    if "sentence_embedding" in outputs:
        axes = numpy_helper.from_array(np.array([1]), "axes")
        nodes.append(helper.make_node("ReduceMax", ["tokens", "axes"], ["sentence_embedding"], keepdims=0))
    if "flat" in outputs:
        axes = numpy_helper.from_array(np.array([-1]), "axes")
        nodes.append(helper.make_node("Reshape", ["tokens", "axes"], ["flat"]))
    constants = [numpy_helper.from_array(table, "table")]
    if "sentence_embedding" in outputs or "flat" in outputs:
        constants.append(axes)
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "t"]) for name in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shapes[name]) for name in outputs],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(model.SerializeToString())
    tiny.save_tokenizer(path.parent / "tokenizer.json")


@pytest.mark.parametrize(
    "inputs", [["input_ids"], ["input_ids", "token_type_ids"], ["attention_mask", "input_ids", "token_type_ids"]]
)
def test_only_the_inputs_that_a_graph_declares_are_fed(tmp_path, inputs):
    onnx_with(tmp_path / "m" / "model.onnx", inputs, ["tokens"])
    assert load(str(tmp_path / "m")).embed([TEXT]).shape == (1, 8)


def test_a_models_own_sentence_vector_is_preferred(tmp_path):
    onnx_with(tmp_path / "a" / "model.onnx", ["input_ids"], ["tokens", "sentence_embedding"])
    onnx_with(tmp_path / "b" / "model.onnx", ["input_ids"], ["tokens"])
    own, pooled = (load(str(tmp_path / name)).embed([TEXT])[0] for name in "ab")
    assert own.shape == pooled.shape
    assert not np.allclose(own, pooled)


@pytest.mark.parametrize(("inputs", "outputs"), [(["pixels"], ["tokens"]), (["input_ids"], ["flat"])])
def test_a_model_that_is_no_text_encoder_is_refused(tmp_path, inputs, outputs):
    onnx_with(tmp_path / "m" / "model.onnx", inputs, outputs)
    with pytest.raises(ModelError, match="use a text encoder"):
        load(str(tmp_path / "m"))


def test_a_tokenizer_of_another_model_is_a_model_error(tmp_path, capfd):
    onnx_with(tmp_path / "m" / "model.onnx", ["input_ids"], ["tokens"])
    vocabulary = {"[UNK]": 900, "cat": 901}
    content = {"version": "1.0", "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"}}
    (tmp_path / "m" / "tokenizer.json").write_text(json.dumps(content))
    with pytest.raises(ModelError, match="failed on"):
        load(str(tmp_path / "m"))
    assert capfd.readouterr() == ("", "")


def test_an_empty_text_has_a_vector_even_where_the_tokenizer_leaves_nothing_of_it(tmp_path):
    onnx_with(tmp_path / "m" / "model.onnx", ["input_ids"], ["tokens"])
    content = {"version": "1.0", "model": {"type": "WordLevel", "vocab": {"[UNK]": 1}, "unk_token": "[UNK]"}}
    (tmp_path / "m" / "tokenizer.json").write_text(json.dumps(content))
    assert load(str(tmp_path / "m")).embed(["", "cat"]).shape == (2, 8)


@pytest.mark.parametrize("missing", ["model.safetensors", "tokenizer.json", "config.json"])
def test_a_folder_that_lacks_a_file_is_told_which(tmp_path, missing):
    folder = tiny.save_folder(tmp_path / "m")
    (folder / missing).unlink()
    with pytest.raises(ModelError, match=missing):
        load(str(folder), cache=tmp_path)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"engramma": {"poling": "cls"}}, "unknown key 'poling'"),
        ({"engramma": {"pooling": "max"}}, "choose mean or cls"),
        ({"engramma": {"max_tokens": "many"}}, "must be of type int"),
        ({"engramma": {"max_tokens": 0}}, "too small"),
        ({"engramma": {"precision": "int4"}}, "choose fp32 or int8"),
        ({"engramma": ["cls"]}, "must hold a JSON object"),
        ({"1_Pooling__config": {"pooling_mode_max_tokens": True}}, "'max_tokens' is not supported, only by mean"),
        ({"1_Pooling__config": {"pooling_mode_max_tokens": True, "pooling_mode_cls_token": True}}, "several ways"),
        ({"modules": [{"type": "sentence_transformers.models.Dense"}]}, "not supported .Dense."),
        ({"config": {"model_type": "t5"}}, "t5"),
    ],
)
def test_a_folder_that_asks_for_something_unknown_is_told_so(tmp_path, files, said):
    folder = tiny.save_folder(tmp_path / "m", **files)
    with pytest.raises(ModelError, match=said):
        load(str(folder), cache=tmp_path)


def test_a_json_file_that_is_damaged_is_named(tmp_path):
    folder = tiny.save_folder(tmp_path / "m")
    (folder / "config.json").write_text("{")
    with pytest.raises(ModelError, match=r"config\.json"):
        load(str(folder), cache=tmp_path)


def test_other_settings_for_the_same_weights_are_another_model(tmp_path):
    """Vectors of mean and CLS pooling do not mix, so a store has to tell them apart."""
    plain = tiny.save_folder(tmp_path / "plain")
    cls = tiny.save_folder(tmp_path / "cls", **{"1_Pooling__config": {"pooling_mode_cls_token": True}})
    assert load(str(plain), cache=tmp_path).sha256 != load(str(cls), cache=tmp_path).sha256
