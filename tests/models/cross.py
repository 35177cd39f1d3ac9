"""Tiny cross-encoders: real graphs and tokenizers whose scores can be worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np

WORDS = ["red", "blue", "train", "soup", "tea", "rain", "late", "ana", "ben"]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]

Output = Literal["column", "flat", "two", "tokens", "length", "nan"]


def save_reranker(folder: Path, output: Output = "column", types: bool = True, file: str = "model.onnx") -> Path:
    """A folder whose model counts the known words that stand on both sides.

    `column` and `flat` give the count as (n, 1) and (n,), `two` as the second of two logits with the first at 1;
    `length` counts tokens instead, `tokens` gives a number a token, `nan` none at all. Without `types` the graph
    cannot tell the sides apart, so a word counts with itself, once for each time it stands anywhere.
    """
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_bytes(graph(output, types))
    save_tokenizer(folder / "tokenizer.json")
    return folder


def graph(output: Output, types: bool) -> bytes:
    from onnx import TensorProto, helper, numpy_helper

    node, make = helper.make_node, numpy_helper.from_array
    inputs = ["input_ids", "attention_mask", *(["token_type_ids"] if types else [])]
    constants = [
        make(np.array([1], np.int64), "first"),
        make(np.array([2], np.int64), "second"),
        make(np.array([1, 2], np.int64), "sides"),
        make(np.array(len(SPECIAL) - 1, np.int64), "last_special"),
        make(np.array(1, np.float32), "one"),
        make(np.array([[1]], np.float32), "ones"),
        make(np.array(np.nan, np.float32), "nan"),
    ]
    nodes = [
        node("Greater", ["input_ids", "last_special"], ["known"]),
        node("Cast", ["known"], ["word"], to=TensorProto.FLOAT),
        node("Cast", ["token_type_ids"], ["right"], to=TensorProto.FLOAT)
        if types
        else node("Identity", ["word"], ["right"]),
        node("Sub", ["one", "right"], ["left"]) if types else node("Identity", ["word"], ["left"]),
        node("Mul", ["word", "left"], ["asked"]),
        node("Mul", ["word", "right"], ["said"]),
        node("Unsqueeze", ["input_ids", "second"], ["down"]),
        node("Unsqueeze", ["input_ids", "first"], ["across"]),
        node("Equal", ["down", "across"], ["equal"]),
        node("Cast", ["equal"], ["same"], to=TensorProto.FLOAT),
        node("Unsqueeze", ["asked", "second"], ["asked_down"]),
        node("Unsqueeze", ["said", "first"], ["said_across"]),
        node("Mul", ["same", "asked_down"], ["half"]),
        node("Mul", ["half", "said_across"], ["both"]),
        node("ReduceSum", ["both", "sides"], ["flat"], keepdims=0),
        node("Unsqueeze", ["flat", "first"], ["column"]),
        node("Concat", ["ones", "column"], ["two"], axis=1),
        node("Cast", ["attention_mask"], ["tokens"], to=TensorProto.FLOAT),
        node("ReduceSum", ["tokens", "first"], ["length"], keepdims=1),
        node("Mul", ["column", "nan"], ["nothing"]),
        node("Identity", [{"nan": "nothing"}.get(output, output)], ["logits"]),
    ]
    shape = {"flat": ["batch"], "two": ["batch", 2], "tokens": ["batch", "length"]}.get(output, ["batch", 1])
    made = helper.make_graph(
        nodes,
        "cross",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in inputs],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, shape)],
        constants,
    )
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


def save_tokenizer(path: Path) -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    vocabulary = {word: number for number, word in enumerate([*SPECIAL, *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    ends = [("[CLS]", 2), ("[SEP]", 3)]
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", ends)
    tokenizer.save(str(path))
