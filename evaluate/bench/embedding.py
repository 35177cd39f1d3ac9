"""Throughput of the packaged encoder against a plain fp32 loop over a network of the same shape, in one run.

The baseline is what one writes first: onnxruntime's defaults, float32 weights, batches of 32 in the
order given, padded to the longest. Its weights are random: speed does not depend on them.
"""

from __future__ import annotations

import json
import struct
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from engramma.models.graph import build_onnx_graph
from engramma.models.load import load
from engramma.models.onnx import WEIGHTS, runtime

SHAPE = {
    "model_type": "bert",
    "hidden_size": 384,
    "num_hidden_layers": 6,
    "num_attention_heads": 12,
    "intermediate_size": 1536,
    "vocab_size": 30522,
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "hidden_act": "gelu",
}
ROUNDS = 3


def random_weights(path: Path) -> None:
    """A safetensors file with the encoder's shape and random numbers."""
    h, f, rng = SHAPE["hidden_size"], SHAPE["intermediate_size"], np.random.default_rng(0)
    assert isinstance(h, int) and isinstance(f, int)
    sizes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (30522, h),
        "embeddings.position_embeddings.weight": (512, h),
        "embeddings.token_type_embeddings.weight": (2, h),
        "embeddings.LayerNorm.weight": (h,),
        "embeddings.LayerNorm.bias": (h,),
    }
    for layer in range(6):
        at = f"encoder.layer.{layer}"
        for part in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            sizes |= {f"{at}.{part}.weight": (h, h), f"{at}.{part}.bias": (h,)}
        sizes |= {f"{at}.intermediate.dense.weight": (f, h), f"{at}.intermediate.dense.bias": (f,)}
        sizes |= {f"{at}.output.dense.weight": (h, f), f"{at}.output.dense.bias": (h,)}
        for norm in ("attention.output.LayerNorm", "output.LayerNorm"):
            sizes |= {f"{at}.{norm}.weight": (h,), f"{at}.{norm}.bias": (h,)}
    header: dict[str, Any] = {}
    blobs, offset = [], 0
    for name, size in sizes.items():
        data = (rng.standard_normal(size) * 0.02).astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(size), "data_offsets": [offset, offset + len(data)]}
        blobs.append(data)
        offset += len(data)
    head = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(head)) + head + b"".join(blobs))


def plain_loop(model: bytes, tokenizer: Any, texts: list[str]) -> float:
    """Seconds the baseline takes."""
    session = runtime().InferenceSession(model, providers=["CPUExecutionProvider"])
    names = {given.name for given in session.get_inputs()}
    start = time.perf_counter()
    for at in range(0, len(texts), 32):
        encoded = tokenizer.encode_batch(texts[at : at + 32])
        width = max(len(e.ids) for e in encoded)
        ids = np.zeros((len(encoded), width), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, e in enumerate(encoded):
            ids[row, : len(e.ids)] = e.ids
            mask[row, : len(e.ids)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = session.run(None, {k: v for k, v in inputs.items() if k in names})[0]
        pooled = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        pooled /= np.linalg.norm(pooled, axis=1, keepdims=True)
    return time.perf_counter() - start


def run(texts: list[str]) -> dict[str, Any]:
    """Sentences a second of both, and the ratio, best of a few interleaved rounds."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(WEIGHTS / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    encoder = load()
    encoder.embed(texts[:8])
    with tempfile.TemporaryDirectory() as folder:
        weights = Path(folder) / "model.safetensors"
        random_weights(weights)
        model = build_onnx_graph(weights, SHAPE)
    ours, plain = [], []
    for _ in range(ROUNDS):
        plain.append(plain_loop(model, tokenizer, texts))
        start = time.perf_counter()
        encoder.embed(texts)
        ours.append(time.perf_counter() - start)
    return {
        "texts": len(texts),
        "mean_tokens": round(float(np.mean([len(e.ids) for e in tokenizer.encode_batch(texts)])), 1),
        "plain_fp32_per_s": round(len(texts) / min(plain), 1),
        "engramma_per_s": round(len(texts) / min(ours), 1),
        "ratio": round(min(plain) / min(ours), 2),
    }
