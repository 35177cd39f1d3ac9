"""Multilingual models in the layouts in which they are published: files, tokenizers, pooling, ONNX exports."""

from __future__ import annotations

import json
import shutil

import numpy as np
import onnx
import pytest
from tokenizers import Tokenizer

from engramma.errors import ModelError
from engramma.models.folder import read_folder
from engramma.models.graph import build_onnx_graph
from engramma.models.load import load
from engramma.models.local_embedder import open_tokenizer
from tests.models import tiny
from tests.models.test_folder import onnx_with, unit

KINDS = ["xlm-roberta", "modernbert"]
TEXT = "die Katze sitzt auf der Matte"
MARKS = {"xlm-roberta": ("<s>", "</s>"), "modernbert": ("[CLS]", "[SEP]")}


def ids_of(folder, text: str = TEXT) -> list[int]:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    return tokenizer.encode(text).ids


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["F32", "F16", "BF16"])
def test_a_published_folder_gives_the_models_own_vectors(tmp_path, kind, dtype):
    folder = tiny.save_published(tmp_path / "m", kind, dtype)
    expected = unit(tiny.forward(kind, tiny.weights(kind, tokens=300), ids_of(folder))[0])
    vector = load(str(folder), cache=tmp_path).embed([TEXT])[0]
    assert vector @ expected > {"F32": 0.999999, "F16": 0.9999, "BF16": 0.98}[dtype]


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_is_cut_to_the_window_and_keeps_its_marks(tmp_path, kind):
    folder = tiny.save_published(tmp_path / "m", kind)
    first, last = MARKS[kind]
    tokenizer = open_tokenizer(folder / "tokenizer.json", 12)
    for text, least in ((TEXT * 40, 12), ("", 2), (TEXT, 5)):
        tokens = tokenizer.encode(text).tokens
        assert (tokens[0], tokens[-1]) == (first, last)
        assert least <= len(tokens) <= 12  # no padding, whatever the file asks for


@pytest.mark.parametrize("kind", KINDS)
def test_any_text_has_a_vector(tmp_path, kind):
    embedder = load(str(tiny.save_published(tmp_path / "m", kind)), cache=tmp_path)
    texts = ["", " ", "猫", "🙂 \ud83d", "कुत्ता", "x" * 5000, "</s> [SEP] <pad>", "кошка " * 500]
    lengths = np.linalg.norm(embedder.embed(texts), axis=1)
    assert np.abs(lengths - 1).max() < 1e-5


@pytest.mark.parametrize(
    ("kind", "positions", "expected"), [("xlm-roberta", 130, 128), ("modernbert", 130, 130), ("bert", 130, 130)]
)
def test_the_window_ends_where_the_positions_do(tmp_path, kind, positions, expected):
    folder = tiny.save_folder(tmp_path / "m", kind)
    (folder / "config.json").write_text(json.dumps({**tiny.config(kind), "max_position_embeddings": positions}))
    assert read_folder(folder).settings.max_tokens == expected


def test_a_longer_window_is_used_where_engramma_json_asks_for_it(tmp_path):
    own = {"max_tokens": 8192, "pooling": "cls"}
    folder = tiny.save_published(tmp_path / "m", "modernbert", engramma=own)
    (folder / "config.json").write_text(json.dumps({**tiny.config("modernbert"), "max_position_embeddings": 32768}))
    assert read_folder(folder).settings.max_tokens == 8192
    assert load(str(folder), cache=tmp_path).embed([TEXT * 60]).shape == (1, tiny.HIDDEN)


@pytest.mark.parametrize(
    ("modes", "expected"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode_mean_tokens": True, "include_prompt": True}, "mean"),
        ({"pooling_mode": "cls", "embedding_dimension": 32, "include_prompt": True}, "cls"),
        ({"pooling_mode": ["mean"]}, "mean"),
        ({"pooling_mode_mean_sqrt_len_tokens": True}, "mean"),
    ],
)
def test_pooling_is_read_as_older_and_newer_files_have_it(tmp_path, modes, expected):
    folder = tiny.save_published(tmp_path / "m", "modernbert", **{"1_Pooling__config": modes})
    assert read_folder(folder).settings.pooling == expected


def test_prompts_are_read_by_the_names_that_are_in_use(tmp_path):
    prompts = {"prompts": {"query": "query: ", "document": "", "passage": "passage: "}}
    folder = tiny.save_published(tmp_path / "m", "xlm-roberta", config_sentence_transformers=prompts)
    settings = read_folder(folder).settings
    assert (settings.query_prefix, settings.document_prefix) == ("query: ", "passage: ")


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"1_Pooling__config": {"pooling_mode_lasttoken": True}}, "'lasttoken' is not supported"),
        ({"1_Pooling__config": {"pooling_mode": "weightedmean"}}, "'weightedmean' is not supported"),
        ({"1_Pooling__config": {"pooling_mode": ["cls", "mean"]}}, "several ways at once"),
        (
            {
                "1_Pooling__config": {"pooling_mode": "mean", "include_prompt": False},
                "config_sentence_transformers": {"prompts": {"query": "q: "}},
            },
            "leaves the prompt out",
        ),
        ({"modules": [{"type": "a.Transformer"}, {"type": "a.Pooling", "path": "7_Pooling"}]}, "7_Pooling/config.json"),
        ({"modules": [{"type": "sentence_transformers.models.StaticEmbedding"}]}, "StaticEmbedding"),
        ({"modules": [{"type": "pylate.models.Dense", "path": "2_Dense"}]}, "not supported .Dense."),
        ({"config_sentence_transformers": {"prompts": ["query: "]}}, "texts by name"),
        ({"config_sentence_transformers": {"prompts": {"query": 7}}}, "texts by name"),
        ({"sentence_bert_config": {"max_seq_length": "long"}}, "max_seq_length must be a number"),
        ({"sentence_bert_config": {"max_seq_length": 0}}, "max_seq_length must be a number"),
        ({"sentence_bert_config": {}, "tokenizer_config": {"model_max_length": True}}, "model_max_length"),
    ],
)
def test_what_a_folder_asks_for_and_cannot_have_is_said_in_one_line(tmp_path, files, said):
    folder = tiny.save_published(tmp_path / "m", "xlm-roberta", **files)
    with pytest.raises(ModelError, match=said) as error:
        load(str(folder), cache=tmp_path)
    assert "\n" not in str(error.value)


def test_a_tokenizer_of_sentencepiece_alone_is_told_what_to_do(tmp_path):
    folder = tiny.save_published(tmp_path / "m", "xlm-roberta")
    (folder / "tokenizer.json").rename(folder / "sentencepiece.bpe.model")
    with pytest.raises(ModelError, match=r"sentencepiece.bpe.model but no tokenizer.json; fetch .*save_pretrained"):
        load(str(folder), cache=tmp_path)


def test_weights_in_several_files_are_one_model(tmp_path):
    whole = load(str(tiny.save_published(tmp_path / "whole", "modernbert")), cache=tmp_path)
    folder = split(tiny.save_published(tmp_path / "m", "modernbert"))
    parts = load(str(folder), cache=tmp_path)
    assert np.array_equal(parts.embed([TEXT]), whole.embed([TEXT]))
    before, changed = parts.sha256, folder / "model-00002-of-00002.safetensors"
    content = bytearray(changed.read_bytes())
    content[-1] ^= 1
    changed.write_bytes(content)
    assert load(str(folder), cache=tmp_path).sha256 != before


def split(folder):
    """Puts the weights into two files with an index."""
    tensors = tiny.weights("modernbert", tokens=300)
    names = sorted(tensors)
    files = [f"model-0000{number}-of-00002.safetensors" for number in (1, 2)]
    for number, file in enumerate(files):
        tiny.save_safetensors(folder / file, {name: tensors[name] for name in names[number::2]})
    listed = {name: files[number % 2] for number, name in enumerate(names)}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": listed}))
    (folder / "model.safetensors").unlink()
    return folder


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{}", "which file has which tensor"),
        ('{"weight_map": ["a"]}', "which file has which tensor"),
        ('{"weight_map": {"a": "../model.safetensors"}}', "which file has which tensor"),
        ('{"weight_map": {"a": 5}}', "which file has which tensor"),
        ('{"weight_map": {"a": "gone.safetensors"}}', "not there .gone.safetensors.; fetch them too"),
        ('{"weight_map": {}}', "fetch them too"),
    ],
)
def test_a_damaged_index_of_several_files_is_refused(tmp_path, content, said):
    folder = split(tiny.save_published(tmp_path / "m", "modernbert"))
    (folder / "model.safetensors.index.json").write_text(content)
    with pytest.raises(ModelError, match=said):
        load(str(folder), cache=tmp_path)


def test_the_same_weights_under_another_config_are_another_model(tmp_path):
    one = tiny.save_published(tmp_path / "one", "modernbert")
    two = tiny.save_published(tmp_path / "two", "modernbert")
    changed = tiny.config("modernbert") | {"global_rope_theta": 500.0}
    (two / "config.json").write_text(json.dumps(changed))
    models = [load(str(folder), cache=tmp_path) for folder in (one, two)]
    assert models[0].sha256 != models[1].sha256
    assert not np.array_equal(*(model.embed([TEXT]) for model in models))


def export(folder, kind: str, external: str = "", half: bool = False):
    """Turns the safetensors into an `onnx` folder below, as export tools leave it."""
    (folder / "onnx").mkdir()
    graph = build_onnx_graph(folder / "model.safetensors", tiny.config(kind))
    model = onnx.load_from_string(graph)
    if half:
        model.graph.node.pop()
        last = model.graph.node[-1].output[0]
        model.graph.node.append(
            onnx.helper.make_node("Cast", [last], ["last_hidden_state"], to=onnx.TensorProto.FLOAT16)
        )
        model.graph.output[0].type.tensor_type.elem_type = onnx.TensorProto.FLOAT16
    options = {"save_as_external_data": True, "location": external, "size_threshold": 1024} if external else {}
    onnx.save_model(model, str(folder / "onnx" / "model.onnx"), **options)
    (folder / "model.safetensors").unlink()
    return folder


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beside", ["model.onnx_data", "model.onnx.data", "weights of mine.bin"])
def test_an_export_with_its_weights_in_a_second_file_is_used_and_known_by_them(tmp_path, kind, beside):
    plain = tiny.save_published(tmp_path / "plain", kind)
    expected = load(str(plain), cache=tmp_path).embed([TEXT])
    folder = export(tiny.save_published(tmp_path / "m", kind), kind, beside)
    (folder / "pytorch_model.bin").write_bytes(b"not read")
    model = load(str(folder), cache=tmp_path)
    assert np.array_equal(model.embed([TEXT]), expected)
    file = folder / "onnx" / beside
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    assert load(str(folder), cache=tmp_path).sha256 != model.sha256
    file.unlink()
    with pytest.raises(ModelError, match=r"not there .*; fetch them"):
        load(str(folder), cache=tmp_path)


def test_a_tokenizer_beside_the_export_serves_too(tmp_path):
    folder = export(tiny.save_published(tmp_path / "m", "xlm-roberta"), "xlm-roberta")
    before = load(str(folder), cache=tmp_path).embed([TEXT])
    (folder / "tokenizer.json").rename(folder / "onnx" / "tokenizer.json")
    assert np.array_equal(load(str(folder), cache=tmp_path).embed([TEXT]), before)


def test_a_graph_in_half_precision_gives_vectors_in_full(tmp_path):
    plain = load(str(tiny.save_published(tmp_path / "plain", "modernbert")), cache=tmp_path)
    half = load(str(export(tiny.save_published(tmp_path / "m", "modernbert"), "modernbert", half=True)), cache=tmp_path)
    vectors = half.embed([TEXT, "猫"])
    assert vectors.dtype == np.float32
    assert (vectors * plain.embed([TEXT, "猫"])).sum(axis=1).min() > 0.9999


def test_position_ids_are_refused(tmp_path):
    onnx_with(tmp_path / "m" / "model.onnx", ["input_ids", "position_ids"], ["tokens"])
    with pytest.raises(ModelError, match="export it to ONNX again without"):
        load(str(tmp_path / "m"))


def test_several_exports_with_none_called_model_are_not_guessed_between(tmp_path):
    folder = export(tiny.save_published(tmp_path / "m", "xlm-roberta"), "xlm-roberta")
    (folder / "onnx" / "model.onnx").rename(folder / "onnx" / "model_fp16.onnx")
    assert load(str(folder), cache=tmp_path).dimension == tiny.HIDDEN
    shutil.copy(folder / "onnx" / "model_fp16.onnx", folder / "onnx" / "model_q4.onnx")
    with pytest.raises(ModelError, match="several ONNX files"):
        load(str(folder), cache=tmp_path)


def test_weights_for_torch_alone_are_not_read(tmp_path):
    folder = tiny.save_published(tmp_path / "m", "xlm-roberta")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ModelError, match="has only pytorch_model"):
        load(str(folder), cache=tmp_path)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_a_clone_without_its_large_files_is_told_how_to_get_them(tmp_path, name):
    folder = tiny.save_published(tmp_path / "m", "modernbert")
    (folder / name).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 195000000\n")
    with pytest.raises(ModelError, match="git lfs pull"):
        load(str(folder), cache=tmp_path)


def test_a_folder_of_links_as_a_download_cache_has_them_is_used(tmp_path):
    blobs = tiny.save_published(tmp_path / "blobs", "modernbert")
    folder = tmp_path / "snapshot"
    folder.mkdir()
    for path in blobs.iterdir():
        (folder / path.name).symlink_to(path)
    expected = load(str(blobs), cache=tmp_path).embed([TEXT])
    assert np.array_equal(load(str(folder), cache=tmp_path).embed([TEXT]), expected)


def test_a_graph_that_would_be_too_large_is_refused_with_the_smaller_one(tmp_path, monkeypatch):
    monkeypatch.setattr("engramma.models.graph_parts.LARGEST", 60_000)
    folder = tiny.save_published(tmp_path / "m", "xlm-roberta")
    with pytest.raises(ModelError, match='"precision": "int8" in engramma'):
        load(str(folder), cache=tmp_path)
    tiny.save_json(folder, engramma={"precision": "int8"})
    assert load(str(folder), cache=tmp_path).dimension == tiny.HIDDEN
