"""Tiny random encoders, and what they should compute, worked out in plain numpy independently of the graph."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np

from tests.models import modern

WORDS = ["a", "cat", "dog", "sits", "runs", "the", "stock", "market", "fell", "today", "##s", "!", "."]
LAYERS, HEADS, HIDDEN, INNER, POSITIONS, BUCKETS = 2, 4, 32, 64, 40, 8
KINDS = ("bert", "mpnet", "roberta", "xlm-roberta", "modernbert")


def config(kind: str) -> dict:
    if kind == "modernbert":
        return modern.config()
    return {
        "model_type": kind,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "hidden_size": HIDDEN,
        "intermediate_size": INNER,
        "max_position_embeddings": POSITIONS,
        "layer_norm_eps": 1e-5,
        "relative_attention_num_buckets": BUCKETS,
        "hidden_act": "gelu",
    }


def weights(kind: str, seed: int = 0, tokens: int = 5 + len(WORDS)) -> dict[str, np.ndarray]:
    if kind == "modernbert":
        return modern.weights(seed, tokens=tokens)
    rng = np.random.default_rng(seed)

    def random(*shape: int) -> np.ndarray:
        return (rng.standard_normal(shape) * 0.3).astype(np.float32)

    attention = (
        ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense")
        if kind != "mpnet"
        else ("attention.attn.q", "attention.attn.k", "attention.attn.v", "attention.attn.o")
    )
    norm = "attention.output.LayerNorm" if kind != "mpnet" else "attention.LayerNorm"
    found = {
        "embeddings.word_embeddings.weight": random(tokens, HIDDEN),
        "embeddings.position_embeddings.weight": random(POSITIONS, HIDDEN),
        "embeddings.LayerNorm.weight": 1 + random(HIDDEN),
        "embeddings.LayerNorm.bias": random(HIDDEN),
    }
    if kind != "mpnet":
        found["embeddings.token_type_embeddings.weight"] = random(2 if kind == "bert" else 1, HIDDEN)
    else:
        found["encoder.relative_attention_bias.weight"] = random(BUCKETS, HEADS)
    for layer in range(LAYERS):
        below = f"encoder.layer.{layer}."
        for name in attention:
            found |= {f"{below}{name}.weight": random(HIDDEN, HIDDEN), f"{below}{name}.bias": random(HIDDEN)}
        for name in (norm, "output.LayerNorm"):
            found |= {f"{below}{name}.weight": 1 + random(HIDDEN), f"{below}{name}.bias": random(HIDDEN)}
        found |= {
            f"{below}intermediate.dense.weight": random(INNER, HIDDEN),
            f"{below}intermediate.dense.bias": random(INNER),
            f"{below}output.dense.weight": random(HIDDEN, INNER),
            f"{below}output.dense.bias": random(HIDDEN),
        }
    return found


def save_safetensors(path: Path, tensors: dict[str, np.ndarray], dtype: str = "F32") -> None:
    header, buffers, at = {"__metadata__": {"format": "pt"}}, [], 0
    for name, tensor in tensors.items():
        if dtype == "BF16":
            raw = (tensor.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
        else:
            raw = tensor.astype({"F32": "<f4", "F16": "<f2"}[dtype]).tobytes()
        header[name] = {"dtype": dtype, "shape": list(tensor.shape), "data_offsets": [at, at + len(raw)]}
        buffers.append(raw)
        at += len(raw)
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(buffers))


def save_tokenizer(path: Path) -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    vocabulary = {word: number for number, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = [("[CLS]", 2), ("[SEP]", 3)]
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", None, ends)
    tokenizer.save(str(path))


def save_folder(folder: Path, kind: str = "bert", **files: object) -> Path:
    """A model folder with safetensors; `files` are further JSON files, `__` standing for a slash."""
    folder.mkdir(parents=True, exist_ok=True)
    save_safetensors(folder / "model.safetensors", weights(kind))
    save_tokenizer(folder / "tokenizer.json")
    (folder / "config.json").write_text(json.dumps(config(kind)))
    save_json(folder, **files)
    return folder


def save_json(folder: Path, **files: object) -> None:
    for name, content in files.items():
        path = folder / (name.replace("__", "/") + ".json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))


def save_published(folder: Path, kind: str, dtype: str = "F32", **files: object) -> Path:
    """A folder as a multilingual model is published: its kind of tokenizer, CLS pooling, a long window."""
    from tests.models import tokens

    folder.mkdir(parents=True, exist_ok=True)
    save_safetensors(folder / "model.safetensors", weights(kind, tokens=300), dtype)
    (tokens.save_byte_pairs if kind == "modernbert" else tokens.save_unigram)(folder / "tokenizer.json")
    names = ("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize")
    usual = {
        "config": config(kind),
        "modules": [{"type": f"sentence_transformers.models.{name}", "path": path} for name, path in names],
        "1_Pooling__config": {"word_embedding_dimension": HIDDEN, "pooling_mode_cls_token": True},
        "sentence_bert_config": {"max_seq_length": 8192, "do_lower_case": False},
        "config_sentence_transformers": {"prompts": {"query": "", "document": ""}, "similarity_fn_name": "cosine"},
        "special_tokens_map": {},
    }
    save_json(folder, **(usual | files))
    return folder


def forward(kind: str, tensors: dict[str, np.ndarray], ids: list[int]) -> np.ndarray:
    """One unpadded text's hidden states, in float64 and loops: slow, and nothing like the graph."""
    if kind == "modernbert":
        return modern.forward(tensors, ids)
    weight = {name: tensor.astype(np.float64) for name, tensor in tensors.items()}

    def norm(rows: np.ndarray, name: str) -> np.ndarray:
        centred = rows - rows.mean(axis=1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)
        return scaled * weight[f"{name}.weight"] + weight[f"{name}.bias"]

    def dense(rows: np.ndarray, name: str) -> np.ndarray:
        return rows @ weight[f"{name}.weight"].T + weight[f"{name}.bias"]

    first = 0 if kind == "bert" else 2
    rows = weight["embeddings.word_embeddings.weight"][ids]
    rows = rows + weight["embeddings.position_embeddings.weight"][first : first + len(ids)]
    if kind != "mpnet":
        rows = rows + weight["embeddings.token_type_embeddings.weight"][0]
        query, key, value, out, after = (
            "attention.self.query",
            "attention.self.key",
            "attention.self.value",
            "attention.output.dense",
            "attention.output.LayerNorm",
        )
    else:
        query, key, value, out, after = (
            "attention.attn.q",
            "attention.attn.k",
            "attention.attn.v",
            "attention.attn.o",
            "attention.LayerNorm",
        )
    rows = norm(rows, "embeddings.LayerNorm")
    width = HIDDEN // HEADS
    for layer in range(LAYERS):
        below = f"encoder.layer.{layer}."
        queries, keys, values = (dense(rows, below + name) for name in (query, key, value))
        mixed = np.zeros_like(rows)
        for head in range(HEADS):
            part = slice(head * width, (head + 1) * width)
            for at in range(len(ids)):
                scores = keys[:, part] @ queries[at, part] / math.sqrt(width)
                if kind == "mpnet":
                    bias = weight["encoder.relative_attention_bias.weight"]
                    scores = scores + [bias[bucket(other - at), head] for other in range(len(ids))]
                shares = np.exp(scores - scores.max())
                mixed[at, part] = shares / shares.sum() @ values[:, part]
        attended = norm(dense(mixed, below + out) + rows, below + after)
        inner = dense(attended, below + "intermediate.dense")
        inner = inner * 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        rows = norm(dense(inner, below + "output.dense") + attended, below + "output.LayerNorm")
    return rows


def bucket(distance: int) -> int:
    """MPNet's bucket of a distance, one number at a time, as its paper's code has it."""
    half = BUCKETS // 2
    start, size, exact = (half if distance > 0 else 0), abs(distance), half // 2
    if size < exact:
        return start + size
    return start + min(half - 1, exact + int(math.log(size / exact) / math.log(128 / exact) * (half - exact)))
