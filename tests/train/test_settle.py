"""An encoder in whole numbers that learns to give the vectors of the exact one."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from engramma.models.graph_parts import quantized  # noqa: E402
from train import encode, model, rounding, settings, settle, tokens  # noqa: E402

TEXTS = tokens.Tokens(
    np.array([101, 2000, 2001, 102, 101, 2003, 102, 101, 2005, 2006, 2007, 102], np.uint16), np.array([0, 4, 7, 12])
)
PLAN = settings.Settle(steps=120, batch=8, warmup=5, learning_rate=3e-5)


@pytest.fixture(scope="module")
def exact() -> model.Encoder:
    torch.manual_seed(1)
    return model.Encoder(model.Shape(layers=1, heads=2, hidden=16, inner=32)).to(encode.device()).eval()


def _read() -> tuple[tokens.Batcher, torch.Tensor]:
    return tokens.Batcher(TEXTS, encode.device()), torch.tensor([0, 1, 2], device=encode.device())


def _coarse(encoder: model.Encoder) -> model.Encoder:
    """A rounding that is worse than need be: every row's smaller weights are one step off."""
    batcher, rows = _read()
    made = rounding.rounded(encoder, batcher, rows)
    with torch.no_grad():
        for part in made.modules():
            if isinstance(part, torch.nn.Linear):
                steps = part.weight.abs().amax(1, keepdim=True) / rounding.LEVELS
                small = part.weight.abs() < 100 * steps
                part.weight.add_(torch.where(small, 4 * steps, 0.0))
    return made


def _distance(one: model.Encoder, other: model.Encoder) -> float:
    batcher, rows = _read()
    first, second = (encode.embed(encoder, batcher, rows, settle.LIMIT) for encoder in (one, other))
    return float((1 - (first * second).sum(-1)).mean())


def test_it_comes_nearer_to_the_exact_vectors(exact: model.Encoder) -> None:
    coarse, (batcher, rows) = _coarse(exact), _read()
    made = settle.settled(coarse, exact, batcher, rows, PLAN)
    before, after = (_distance(settle.in_whole_numbers(encoder), exact) for encoder in (coarse, made))
    assert after < 0.5 * before


def test_exporting_rounds_nothing_any_more(exact: model.Encoder) -> None:
    batcher, rows = _read()
    made = settle.settled(_coarse(exact), exact, batcher, rows, PLAN)
    for part in made.modules():
        if isinstance(part, torch.nn.Linear):
            matrix = part.weight.detach().cpu().numpy()
            steps, whole = quantized(matrix, axis=1)
            assert np.allclose(steps * whole, matrix, atol=1e-6)


def test_word_vectors_stay(exact: model.Encoder) -> None:
    batcher, rows = _read()
    made = settle.settled(rounding.rounded(exact, batcher, rows), exact, batcher, rows, PLAN)
    assert torch.equal(made.words.weight, exact.words.weight)
