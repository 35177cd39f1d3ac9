"""Learning rates, the optimiser, and the average of the last weights."""

from __future__ import annotations

import math

import torch
from torch import nn


def optimiser(modules: list[nn.Module], rate: float) -> torch.optim.AdamW:
    """AdamW, with no decay of biases and norms."""
    parameters = [value for module in modules for value in module.parameters()]
    groups = [
        {"params": [value for value in parameters if value.ndim > 1], "weight_decay": 0.01},
        {"params": [value for value in parameters if value.ndim < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=rate, fused=torch.cuda.is_available())


def rate(step: int, steps: int, warmup: int, peak: float) -> float:
    """A linear rise, then half a cosine down to nothing."""
    if step < warmup:
        return peak * (step + 1) / warmup
    return peak * 0.5 * (1 + math.cos(math.pi * (step - warmup) / max(1, steps - warmup)))


def apply(optim: torch.optim.Optimizer, value: float) -> None:
    for group in optim.param_groups:
        group["lr"] = value


class Average:
    """The mean of a model's weights over some steps."""

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self.sum = {name: torch.zeros_like(value) for name, value in model.state_dict().items()}
        self.count = 0

    @torch.no_grad()
    def add(self) -> None:
        self.count += 1
        for name, value in self.model.state_dict().items():
            self.sum[name] += value

    @torch.no_grad()
    def put(self) -> None:
        """Loads the mean into the model, if anything was added."""
        if self.count:
            self.model.load_state_dict({name: value / self.count for name, value in self.sum.items()})
