"""A cross-encoder from a folder scores pairs, one at a time, and says what is wrong with it."""

from __future__ import annotations

import pytest

from engramma.errors import ModelError
from engramma.models.rerank import MAX_TOKENS, load_reranker
from tests.models.cross import graph, save_reranker, save_tokenizer

QUERY = "red train"
TEXTS = ["soup", "a red train, a train", "Ana: the train", "red tea", "", "nothing known"]
COUNTS = [0.0, 3.0, 1.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize("file", ["model.onnx", "onnx/model.onnx"])
def test_the_models_own_logit_is_the_score(tmp_path, file):
    reranker = load_reranker(str(save_reranker(tmp_path / "cross", file=file)))
    assert reranker.name == "cross" and reranker.scores(QUERY, TEXTS) == COUNTS
    assert reranker.scores(QUERY, []) == []


def test_of_two_logits_the_second_counts_less_the_first(tmp_path):
    reranker = load_reranker(str(save_reranker(tmp_path, "two")))
    assert reranker.scores(QUERY, TEXTS) == [count - 1 for count in COUNTS]


def test_a_flat_output_will_do(tmp_path):
    assert load_reranker(str(save_reranker(tmp_path, "flat"))).scores(QUERY, TEXTS) == COUNTS


def test_a_graph_without_token_types_gets_none(tmp_path):
    reranker = load_reranker(str(save_reranker(tmp_path, types=False)))
    assert reranker.scores("red", ["red tea", "soup"]) == [5.0, 2.0]  # red twice with itself and each other, tea once


def test_a_score_does_not_depend_on_its_company(tmp_path):
    reranker = load_reranker(str(save_reranker(tmp_path)))
    texts = [*TEXTS, "red train " * 2000, "\ud800 red", "red\0train"]
    together = reranker.scores(QUERY, texts)
    assert reranker.scores(QUERY, texts[::-1])[::-1] == together
    assert [reranker.scores(QUERY, [text])[0] for text in texts] == together


def test_a_pair_is_cut_to_512_tokens_the_longer_part_first(tmp_path):
    reranker = load_reranker(str(save_reranker(tmp_path, "length")))
    long = "red train " * 5000
    assert reranker.scores("red", ["train", long]) == [5.0, MAX_TOKENS]
    assert reranker.scores(long, ["train", long]) == [MAX_TOKENS, MAX_TOKENS]
    counting = load_reranker(str(save_reranker(tmp_path / "count")))
    assert counting.scores("soup", [f"soup {long}"]) == counting.scores(f"soup {long}", ["soup"]) == [1.0]


# --- what may be wrong --------------------------------------------------------------------------------------


def test_a_missing_folder_or_file_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"there is no folder .*nowhere.*; set reranker in config\.toml"):
        load_reranker(str(tmp_path / "nowhere"))
    with pytest.raises(ModelError, match=r"has no model; a reranker needs one of model\.onnx"):
        load_reranker(str(tmp_path))
    (tmp_path / "model.onnx").write_bytes(graph("column", True))
    with pytest.raises(ModelError, match=r"has no tokenizer\.json; save the model's fast tokenizer there"):
        load_reranker(str(tmp_path))


def test_damaged_files_are_named(tmp_path):
    folder = save_reranker(tmp_path)
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match=r"tokenizer\.json is not a usable tokenizer"):
        load_reranker(str(folder))
    save_tokenizer(folder / "tokenizer.json")
    (folder / "model.onnx").write_bytes(b"\x08\x01")
    with pytest.raises(ModelError, match=r"model\.onnx is not a usable ONNX model"):
        load_reranker(str(folder))


def test_a_model_of_another_kind_is_refused_when_loaded(tmp_path):
    with pytest.raises(ModelError, match=r"gives 1 x 5 numbers for a pair \(logits\), not one logit or two"):
        load_reranker(str(save_reranker(tmp_path / "encoder", "tokens")))
    with pytest.raises(ModelError, match="gave a score that is not a number"):
        load_reranker(str(save_reranker(tmp_path / "broken", "nan")))
    folder = save_reranker(tmp_path / "pictures")
    renamed = graph("column", True).replace(b"token_type_ids", b"picture_pixels")
    (folder / "model.onnx").write_bytes(renamed)
    with pytest.raises(ModelError, match=r"inputs other than tokens \(picture_pixels\)"):
        load_reranker(str(folder))
