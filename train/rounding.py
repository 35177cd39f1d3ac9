"""Rounds an encoder's matrices to int8 so that what they do is kept, not each weight: GPTQ.

An encoder that learnt on from int8 weights lies within half a step of them, and plain rounding would undo what it
learnt. Here the error of each rounded weight is made good by the weights not yet rounded, as far as the inputs of
the matrix on some texts allow.

python -m train.rounding --weights model.safetensors --data DIR --out rounded.safetensors    before train.export
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from . import encode, model, tokens, weights

LEVELS = 127
DAMPING = 0.01  # of the mean of the diagonal
TEXTS = 1000
LIMIT = 160  # tokens of a text
SEED = 20261116


def rounded(encoder: model.Encoder, batcher: tokens.Batcher, rows: Tensor) -> model.Encoder:
    """The same encoder with every matrix of its layers on an int8 grid, a step a row; a new copy."""
    seen = _moments(encoder, batcher, rows)
    made = model.Encoder(encoder.shape)
    made.load_state_dict(encoder.state_dict())
    with torch.no_grad():
        for name, part in made.named_modules():
            if isinstance(part, nn.Linear):
                matrix = part.weight.detach().numpy().astype(np.float64)
                part.weight.copy_(torch.from_numpy(on_grid(matrix, seen[name])))
    return made.to(encode.device()).eval()


def on_grid(matrix: np.ndarray, moments: np.ndarray) -> np.ndarray:
    """A (rows, columns) matrix in whole steps, a step a row, close to the given one on inputs of these moments.

    A row's largest weight stays 127 steps, so that rounding the result again changes nothing.
    """
    steps = np.maximum(np.abs(matrix).max(axis=1) / LEVELS, 1e-12)
    peaks = np.abs(matrix).argmax(axis=1)
    signs = np.sign(matrix[np.arange(len(matrix)), peaks])
    order = np.argsort(-np.diag(moments), kind="stable")
    damped = moments[np.ix_(order, order)] + DAMPING * np.diag(moments).mean() * np.eye(len(order))
    upper = np.linalg.cholesky(np.linalg.inv(damped)).T
    left, made = matrix[:, order].copy(), np.empty_like(matrix)
    for place, column in enumerate(order):
        whole = np.clip(np.rint(left[:, place] / steps), -LEVELS, LEVELS)
        whole = np.where(peaks == column, signs * LEVELS, whole)
        made[:, column] = whole * steps
        error = (left[:, place] - made[:, column]) / upper[place, place]
        left[:, place + 1 :] -= error[:, None] * upper[place, place + 1 :][None]
    return made.astype(np.float32)


def _moments(encoder: model.Encoder, batcher: tokens.Batcher, rows: Tensor) -> dict[str, np.ndarray]:
    """The mean of x xᵀ over the inputs of every matrix, by its name; padding is left out."""
    sums: dict[str, Tensor] = {}
    count, mask = 0, torch.zeros(0)
    hooks = []
    for name, part in encoder.named_modules():
        if isinstance(part, nn.Linear) and not name.endswith((".key", ".value")):  # these read what query reads

            def look(_: nn.Module, given: tuple[Tensor, ...], name: str = name) -> None:
                inputs = given[0][mask].float()
                sums[name] = sums.get(name, 0) + inputs.T @ inputs

            hooks.append(part.register_forward_pre_hook(look))
    with torch.no_grad():
        for chunk in rows[torch.argsort(batcher.lengths(rows, LIMIT))].split(32):
            ids, mask = batcher.gather(chunk, LIMIT)
            encoder(ids, mask)
            count += int(mask.sum())
    for hook in hooks:
        hook.remove()
    found = {name: (value / count).double().cpu().numpy() for name, value in sums.items()}
    for name in list(found):
        if name.endswith(".query"):
            for other in (".key", ".value"):
                found[name.removesuffix(".query") + other] = found[name]
    return found


def calibration(data: Path, count: int = TEXTS) -> tuple[tokens.Batcher, Tensor]:
    """Some of the corpus's texts."""
    batcher = tokens.Batcher(tokens.load(data / "texts.npz"), encode.device())
    known = np.load(data / "distil.npy").astype(np.int64)
    chosen = np.random.default_rng(SEED).choice(known, min(count, len(known)), replace=False)
    return batcher, torch.from_numpy(chosen).to(encode.device())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=Path, required=True, help="a safetensors file")
    parser.add_argument("--data", type=Path, required=True, help="the folder of train.corpus")
    parser.add_argument("--texts", type=int, default=TEXTS)
    parser.add_argument("--out", type=Path, required=True, help="a safetensors file")
    options = parser.parse_args()
    encoder = model.Encoder()
    model.put(encoder, weights.read(options.weights))
    made = rounded(encoder.to(encode.device()).eval(), *calibration(options.data, options.texts))
    weights.write_safetensors(options.out, model.take(made))


if __name__ == "__main__":
    main()
