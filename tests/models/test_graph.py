"""The graphs built from safetensors compute what the architectures say."""

from __future__ import annotations

import numpy as np
import pytest

from engramma.errors import ModelError
from engramma.models.graph import build_onnx_graph
from engramma.models.graph_bert import relative_buckets
from engramma.models.graph_parts import quantized
from engramma.models.onnx import open_session
from engramma.models.safetensors import open_tensors
from tests.models import tiny

IDS = [2, 6, 8, 5, 9, 10, 12, 13, 7, 17, 11, 3]
KINDS = tiny.KINDS
LEAST = {"modernbert": 0.95}  # nothing is normed between its layers, so what each rounds off adds up


def run(graph: bytes, rows: list[list[int]]) -> np.ndarray:
    """The graph's output for texts of several lengths, padded with zeros and masked."""
    longest = max(map(len, rows))
    ids, mask = np.zeros((len(rows), longest), np.int64), np.zeros((len(rows), longest), np.int64)
    for at, row in enumerate(rows):
        ids[at, : len(row)], mask[at, : len(row)] = row, 1
    [output] = open_session(graph, "test").run(None, {"input_ids": ids, "attention_mask": mask})
    return output


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


@pytest.mark.parametrize("kind", KINDS)
def test_a_graph_agrees_with_the_architecture_worked_out_by_hand(tmp_path, kind):
    tensors = tiny.weights(kind)
    tiny.save_safetensors(tmp_path / "model.safetensors", tensors)
    output = run(build_onnx_graph(tmp_path / "model.safetensors", tiny.config(kind)), [IDS])
    assert np.abs(output[0] - tiny.forward(kind, tensors, IDS)).max() < 1e-4


@pytest.mark.parametrize("kind", KINDS)
def test_padding_changes_nothing_that_counts(tmp_path, kind):
    tiny.save_safetensors(tmp_path / "model.safetensors", tiny.weights(kind))
    graph = build_onnx_graph(tmp_path / "model.safetensors", tiny.config(kind))
    together = run(graph, [IDS, IDS[:5]])
    assert np.abs(together[1, :5] - run(graph, [IDS[:5]])[0]).max() < 1e-5


@pytest.mark.parametrize("kind", KINDS)
def test_int8_stays_close_to_full_precision(tmp_path, kind):
    tiny.save_safetensors(tmp_path / "model.safetensors", tiny.weights(kind))
    full = run(build_onnx_graph(tmp_path / "model.safetensors", tiny.config(kind)), [IDS])[0]
    small = run(build_onnx_graph(tmp_path / "model.safetensors", tiny.config(kind), "int8"), [IDS])[0]
    assert min(cosine(a, b) for a, b in zip(full, small, strict=True)) > LEAST.get(kind, 0.99)
    assert not np.array_equal(full, small)


@pytest.mark.parametrize("kind", KINDS)
def test_in_int8_a_text_does_not_depend_on_what_it_is_batched_with(tmp_path, kind):
    tiny.save_safetensors(tmp_path / "model.safetensors", tiny.weights(kind))
    graph = build_onnx_graph(tmp_path / "model.safetensors", tiny.config(kind), "int8")
    assert np.abs(run(graph, [IDS[:4]])[0] - run(graph, [IDS[:4], IDS[8:]])[0]).max() < 1e-5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("dtype", "least"), [("F16", 0.9999), ("BF16", 0.99)])
def test_half_precision_weights_are_read(tmp_path, kind, dtype, least):
    tensors = tiny.weights(kind)
    tiny.save_safetensors(tmp_path / "model.safetensors", tensors, dtype)
    [output] = run(build_onnx_graph(tmp_path / "model.safetensors", tiny.config(kind)), [IDS])
    assert cosine(output.mean(axis=0), tiny.forward(kind, tensors, IDS).mean(axis=0)) > least


@pytest.mark.parametrize(
    ("kind", "root"), [("bert", "bert."), ("mpnet", "mpnet."), ("xlm-roberta", "roberta."), ("modernbert", "model.")]
)
def test_weights_saved_under_the_architectures_name_are_found(tmp_path, kind, root):
    tensors = tiny.weights(kind)
    tiny.save_safetensors(tmp_path / "model.safetensors", {root + name: value for name, value in tensors.items()})
    output = run(build_onnx_graph(tmp_path / "model.safetensors", tiny.config(kind)), [IDS])
    assert np.abs(output[0] - tiny.forward(kind, tensors, IDS)).max() < 1e-4


def test_relative_buckets_are_mpnets():
    distances = np.array([0, 1, -1, 7, 8, -8, 15, 16, -16, 31, 32, 64, 127, 128, 500, -500])
    expected = [0, 17, 1, 23, 24, 8, 25, 26, 10, 27, 28, 30, 31, 31, 31, 15]
    assert relative_buckets(distances, 32).tolist() == expected


def test_quantising_errs_by_half_a_step_at_most():
    values = np.random.default_rng(3).standard_normal((40, 7)).astype(np.float32)
    values[:, 2] = 0
    steps, whole = quantized(values, axis=0)
    assert (np.abs(values - steps * whole) <= steps / 2 + 1e-6).all()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model_type": "t5"}, "export the model to ONNX"),
        ({"hidden_act": "relu"}, "hidden_act 'relu' is not supported"),
        ({"position_embedding_type": "relative_key"}, "not supported"),
        ({"num_attention_heads": 5}, "do not divide"),
        ({"hidden_size": None}, "config.json lacks"),
    ],
)
def test_an_architecture_that_cannot_be_built_is_refused_with_a_reason(tmp_path, change, said):
    tiny.save_safetensors(tmp_path / "model.safetensors", tiny.weights("bert"))
    with pytest.raises(ModelError, match=said):
        build_onnx_graph(tmp_path / "model.safetensors", tiny.config("bert") | change)


def test_weights_of_another_model_are_refused(tmp_path):
    tiny.save_safetensors(tmp_path / "model.safetensors", tiny.weights("bert"))
    with pytest.raises(ModelError, match="no tensor"):
        build_onnx_graph(tmp_path / "model.safetensors", tiny.config("mpnet"))


@pytest.mark.parametrize(
    "content",
    [b"", b"abc", b"\xff" * 64, (20).to_bytes(8, "little") + b"x" * 20, (2).to_bytes(8, "little") + b"[]"],
    ids=["empty", "short", "huge header", "no JSON", "a list"],
)
def test_a_file_that_is_no_safetensors_is_refused(tmp_path, content):
    (tmp_path / "model.safetensors").write_bytes(content)
    with pytest.raises(ModelError, match="again"):
        open_tensors(tmp_path / "model.safetensors")


def test_a_safetensors_file_cut_short_is_refused(tmp_path):
    path = tmp_path / "model.safetensors"
    tiny.save_safetensors(path, tiny.weights("bert"))
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(ModelError, match="cut short"):
        open_tensors(path)
