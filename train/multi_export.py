"""Writes the multilingual encoder as the package loads it, from the parts that training left."""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engramma.models import packaged
from engramma.models.native import layout_name
from engramma.models.onnx import graph_name

from . import export, model, weights


def joined(parts: Sequence[Path]) -> dict[str, np.ndarray]:
    """The weights under their official names, in float32."""
    files = [file for part in parts for file in (part.glob("multi.[0-9]*") if part.is_dir() else [part])]
    content = b"".join(file.read_bytes() for file in sorted(files))
    with np.load(io.BytesIO(content)) as archive:
        found = {name: archive[name].astype(np.float32) for name in archive.files}
    found["words.weight"] = found["words.weight"] * found.pop("words.steps")
    named = {model.official_name(name): value for name, value in found.items()}
    hidden = found["words.weight"].shape[1]
    return named | {"embeddings.token_type_embeddings.weight": np.zeros((2, hidden), np.float32)}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", type=Path, nargs="+", required=True, help="multi.0, multi.1, ..., or their folder")
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="a folder; its name is the model's")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "model.safetensors"
    weights.write_safetensors(path, joined(options.parts))
    config = export.config_of(path, model.MINILM.heads)
    print(json.dumps(export.export(path, options.tokenizer, options.out, config), indent=1))
    from .light_graph import light_graph  # these need onnx
    from .network_layout import layout_text

    made = options.out / "int8"
    light = light_graph(made / "model.int8.onnx", packaged.MULTI_WEIGHTS)
    (made / graph_name(packaged.MULTI_WEIGHTS)).write_bytes(light)
    (made / layout_name(packaged.MULTI_WEIGHTS)).write_text(layout_text(made / "model.int8.onnx"), "utf-8")


if __name__ == "__main__":
    main()
