"""Rounding to int8 that keeps what a matrix does."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from engramma.models.graph_parts import quantized  # noqa: E402
from train import encode, model, rounding, tokens  # noqa: E402


def _matrix_and_inputs() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A matrix on a grid, the same after it learnt a little, and inputs that share a direction."""
    rng = np.random.default_rng(3)
    steps, before = quantized(rng.normal(size=(48, 64)).astype(np.float32), axis=1)
    inputs = rng.normal(size=(2000, 64)) + 3 * rng.normal(size=(2000, 1)) * rng.normal(size=64)
    learnt = 0.3 * steps * np.sign(inputs[0])[None] * np.sign(rng.normal(size=(48, 1)))
    return before * steps, (before * steps + learnt).astype(np.float64), inputs


def test_what_was_learnt_within_half_a_step_is_not_undone() -> None:
    before, after, inputs = _matrix_and_inputs()
    made = rounding.on_grid(after, inputs.T @ inputs / len(inputs))
    steps, whole = quantized(after.astype(np.float32), axis=1)
    wanted = inputs @ after.T
    plain, kept, none = (np.abs(inputs @ m.T - wanted).mean() for m in (steps * whole, made, before))
    assert kept < 0.5 * plain and kept < 0.5 * none


def test_rounding_the_result_again_changes_nothing() -> None:
    _, after, inputs = _matrix_and_inputs()
    made = rounding.on_grid(after, inputs.T @ inputs / len(inputs))
    steps, whole = quantized(made, axis=1)
    assert np.allclose(steps * whole, made, atol=1e-6)


def test_every_matrix_of_the_layers_is_rounded_and_nothing_else() -> None:
    torch.manual_seed(1)
    encoder = model.Encoder(model.Shape(layers=1, heads=2, hidden=16, inner=32)).to(encode.device()).eval()
    texts = tokens.Tokens(np.array([101, 2000, 2001, 102, 101, 2003, 102], np.uint16), np.array([0, 4, 7]))
    rows = torch.tensor([0, 1], device=encode.device())
    made = rounding.rounded(encoder, tokens.Batcher(texts, encode.device()), rows)
    before, after = model.take(encoder), model.take(made)
    changed = {name for name in before if not np.array_equal(before[name], after[name])}
    matrices = {name for name in before if name.startswith("encoder.") and before[name].ndim == 2}
    assert changed == matrices
