"""ModernBERT in all its forms, and every architecture held against the library that defines it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engramma.errors import ModelError
from engramma.models.graph import build_onnx_graph
from engramma.models.graph_modernbert import read_modern_shape
from tests.models import modern, tiny
from tests.models.test_graph import IDS, cosine, run

# What `transformers` computed, once, from the same weights; the file says with which version. MPNet is not among
# them: there the library has 32 buckets whatever config.json says, and the tiny one has 8.
STORED = json.loads((Path(__file__).parent / "transformers.json").read_text())
BIASED = {"norm_bias": True, "attention_bias": True, "mlp_bias": True}
NEWER = {
    "layer_types": ["full_attention", "sliding_attention", "sliding_attention", "full_attention"],
    "rope_parameters": {
        "full_attention": {"rope_type": "default", "rope_theta": 160000.0},
        "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
    },
}


def hidden_states(folder: Path, tensors: dict, config: dict, ids: list[int] = IDS) -> np.ndarray:
    tiny.save_safetensors(folder / "model.safetensors", tensors)
    return run(build_onnx_graph(folder / "model.safetensors", config), [ids])[0]


@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta", "modernbert", "modernbert-silu"])
def test_a_graph_agrees_with_transformers(tmp_path, kind):
    if kind == "modernbert-silu":
        config = modern.config(hidden_activation="silu", global_rope_theta=80000.0, **BIASED)
        rows = hidden_states(tmp_path, modern.weights(biased=True), config)
    else:
        rows = hidden_states(tmp_path, tiny.weights(kind), tiny.config(kind))
    assert STORED["ids"] == IDS
    for name, vector in (("cls", rows[0]), ("mean", rows.mean(axis=0))):
        expected = np.array(STORED[kind][name])
        assert np.abs(vector - expected).max() < 1e-4
        assert cosine(vector, expected) > 0.999999


@pytest.mark.parametrize("activation", ["gelu", "silu"])
@pytest.mark.parametrize("biased", [False, True])
def test_activation_and_biases_are_the_models_own(tmp_path, activation, biased):
    tensors = modern.weights(biased=biased)
    config = modern.config(hidden_activation=activation, **(BIASED if biased else {}))
    expected = modern.forward(tensors, IDS, activation)
    assert np.abs(hidden_states(tmp_path, tensors, config) - expected).max() < 1e-4


def test_newer_and_older_files_of_settings_mean_the_same():
    older = modern.config()
    left_out = ("global_rope_theta", "local_rope_theta", "global_attn_every_n_layers")
    newer = {key: value for key, value in older.items() if key not in left_out} | NEWER
    assert read_modern_shape(newer) == read_modern_shape(older)


def test_a_file_that_leaves_the_usual_values_out_gets_them():
    named = ("global_attn_every_n_layers", "global_rope_theta", "local_rope_theta", "hidden_activation", "norm_eps")
    short = {key: value for key, value in modern.config().items() if key not in named}
    assert read_modern_shape(short) == read_modern_shape(modern.config())


@pytest.mark.parametrize("every", [1, 2, 4])
def test_the_layers_that_see_the_whole_text_are_chosen_by_the_settings(tmp_path, every):
    tensors = modern.weights()
    config = modern.config(global_attn_every_n_layers=every, global_rope_theta=500.0, local_rope_theta=None)
    expected = modern.forward(tensors, IDS, thetas=(500.0, 500.0), every=every)
    assert np.abs(hidden_states(tmp_path, tensors, config) - expected).max() < 1e-4


@pytest.mark.long
def test_a_long_text_turns_as_far_as_it_is_long(tmp_path):
    tensors, ids = modern.weights(), [2, *np.random.default_rng(4).integers(5, 18, 80).tolist(), 3]
    expected = modern.forward(tensors, ids)
    assert np.abs(hidden_states(tmp_path, tensors, modern.config(), ids) - expected).max() < 1e-3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"hidden_activation": "swish9"}, "hidden_activation 'swish9' is not supported"),
        ({"rope_scaling": {"rope_type": "yarn", "factor": 4}}, "scaled rotary positions"),
        ({"rope_parameters": {"full_attention": {"rope_type": "linear"}}}, "scaled rotary positions"),
        ({"head_dim": 16}, "head_dim 16 is not supported"),
        ({"num_attention_heads": 32}, "cannot be rotated in pairs"),
        ({"num_attention_heads": 5}, "do not divide"),
        ({"layer_types": ["full_attention"]}, "layer_types must name"),
        ({"layer_types": "full_attention"}, "layer_types must name"),
        ({"global_rope_theta": -1}, "usable 'global_rope_theta'"),
        ({"local_attention": "wide"}, "usable 'local_attention'"),
        ({"global_attn_every_n_layers": 0}, "usable 'global_attn_every_n_layers'"),
        ({"norm_bias": True}, "no tensor 'embeddings.norm.bias'"),
        (
            {"intermediate_size": 49},
            r"layers.0.mlp.Wi.weight has the shape .96, 32., but config.json asks for .98, 32.",
        ),
        ({"num_hidden_layers": 10**15}, "no tensor 'layers.4"),
        ({"hidden_size": 10**15}, "asks for .any, 1000000000000000."),
    ],
)
def test_a_form_that_cannot_be_built_is_refused_with_a_reason(tmp_path, change, said):
    with pytest.raises(ModelError, match=said):
        hidden_states(tmp_path, modern.weights(), modern.config(**change))
