"""Writes the model that ships: int8 ONNX with a scale per channel and per token, and its tokenizer."""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engramma.models import graph
from engramma.models.tiers import TIERS

from . import weights

RETURNED = 14 * 2**20  # largest file that comes back from the machine that trains


def split(path: Path, out: Path) -> list[Path]:
    """The weights in half precision, in parts small enough to come back."""
    half = out / "half.npz"
    weights.write_half(half, weights.read(path))
    content = half.read_bytes()
    half.unlink()
    made = []
    for number, start in enumerate(range(0, len(content), RETURNED)):
        made.append(out / f"weights.{number}")
        made[-1].write_bytes(content[start : start + RETURNED])
    return made


def join(parts: Sequence[Path], path: Path) -> None:
    """A safetensors file from the parts that came back."""
    whole = path.with_suffix(".npz")
    whole.write_bytes(b"".join(part.read_bytes() for part in sorted(parts)))
    weights.write_safetensors(path, weights.read(whole))
    whole.unlink()


def export(path: Path, tokenizer: Path, out: Path, config: dict[str, object]) -> dict[str, object]:
    """A model folder that the package loads, in int8 and, beside it, in full precision to compare with."""
    sizes: dict[str, object] = {}
    for precision in ("int8", "fp32"):
        folder = out / precision
        folder.mkdir(parents=True, exist_ok=True)
        model = folder / ("model.int8.onnx" if precision == "int8" else "model.onnx")
        model.write_bytes(graph.build_onnx_graph(path, config, precision))
        shutil.copyfile(tokenizer, folder / "tokenizer.json")
        settings = {"pooling": "mean", "max_tokens": 256, "name": out.name}
        (folder / "engramma.json").write_text(json.dumps(settings), "utf-8")
        content = model.read_bytes()
        sizes[precision] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    return sizes


def config_of(path: Path, heads: int) -> dict[str, object]:
    """What config.json would say, read off the weights."""
    found = weights.read(path)
    layers = 1 + max(int(name.split(".")[2]) for name in found if name.startswith("encoder.layer."))
    positions, hidden = np.shape(found["embeddings.position_embeddings.weight"])
    return dict(TIERS["minilm"].config) | {
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "hidden_size": hidden,
        "max_position_embeddings": positions,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--weights", type=Path, nargs="+", required=True, help="a safetensors file, or parts that came back"
    )
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--heads", type=int, default=12)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.weights[0]
    if path.suffix != ".safetensors":
        path = options.out / "model.safetensors"
        join(options.weights, path)
    print(json.dumps(export(path, options.tokenizer, options.out, config_of(path, options.heads)), indent=1))


if __name__ == "__main__":
    main()
