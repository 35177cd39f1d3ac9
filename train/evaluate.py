"""Measures an encoder: torch weights on this machine's accelerator, or an ONNX model through the package."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from . import metrics, settings, tokens, validation

if TYPE_CHECKING:
    from .model import Encoder


def with_torch(data: Path, encoder: Encoder, config: settings.Config) -> dict[str, object]:
    """Figures of a torch encoder over the token ids of the corpus folder."""
    import torch

    from . import encode

    device = encode.device()
    batcher = tokens.Batcher(tokens.load(data / "validation.npz"), device)
    rows = torch.arange(len(batcher.offsets) - 1, device=device)
    vectors = encode.embed(encoder, batcher, rows, config.corpus.max_tokens).float().cpu().numpy()
    return _measured(data, vectors, config)


def with_package(data: Path, folder: Path | None, config: settings.Config) -> dict[str, object]:
    """Figures of a model folder, or of the packaged encoder, as the package embeds."""
    from engramma.models.load import load

    from .corpus import validation_order

    embedder = load(str(folder) if folder else None)
    return _measured(data, embedder.embed(validation_order(validation.load(data / "validation.json"))), config)


def _measured(data: Path, vectors: np.ndarray, config: settings.Config) -> dict[str, object]:
    chosen = config.evaluate
    sizes = [size for size in config.finetune.dimensions if size <= vectors.shape[1]]
    return metrics.measured(validation.load(data / "validation.json"), vectors, chosen.depth, chosen.rescored, sizes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the corpus folder")
    parser.add_argument("--weights", type=Path, help="a safetensors or npz file of the student's shape, for torch")
    parser.add_argument("--folder", type=Path, help="a model folder for the package; by default its own encoder")
    parser.add_argument("--teacher", action="store_true", help="the weights are the teacher's")
    parser.add_argument("--config", type=Path, default=settings.CONFIG)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    config = settings.load(options.config)
    if options.weights:
        from . import encode, model, weights

        encoder = model.Encoder(model.MPNET if options.teacher else model.MINILM)
        model.put(encoder, weights.read(options.weights))
        report = with_torch(options.data, encoder.to(encode.device()), config)
    else:
        report = with_package(options.data, options.folder, config)
    print(json.dumps(report, indent=1))
    if options.out:
        options.out.write_text(json.dumps(report, indent=1), "utf-8")


if __name__ == "__main__":
    main()
