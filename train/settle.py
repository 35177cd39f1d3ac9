"""Trains an encoder in whole numbers to give the vectors of the same encoder in full precision.

The packaged graph rounds twice: matrices to int8 once, and what goes into each matrix to int8 for every token. Here
an encoder that `train.rounding` put on its grid learns on with both in place: steps, biases and norms move freely,
and a weight moves to the next step where that brings the vectors nearer (the gradient passes through the rounding).
"""

from __future__ import annotations

import time

import torch
from torch import Tensor, nn
from torch.nn import functional

from . import encode, losses, model, schedule, settings, tokens
from .rounding import LEVELS

TINY = 1e-12
LIMIT = 160  # tokens of a text
SEED = 20261118
FASTER = 100.0  # weights are counted in steps here, so their rate is, too


def _through(exact: Tensor, rounded: Tensor) -> Tensor:
    """The rounded values, with the gradient of the exact ones."""
    return exact + (rounded - exact).detach()


class WholeLinear(nn.Module):
    """A matrix of whole numbers, a step a row, over inputs rounded token by token, as the graph does it."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        exact = linear.weight.detach().clone()
        self.bias = nn.Parameter(linear.bias.detach().clone())
        peaks, places = exact.abs().max(1, keepdim=True)
        steps = (peaks / LEVELS).clamp_min(TINY)
        self.log_steps = nn.Parameter(steps.log())
        self.whole = nn.Parameter(exact / steps)  # in steps; rounded when it is used
        self.register_buffer("places", places)
        self.register_buffer("pinned", torch.sign(exact.gather(1, places)) * LEVELS)

    def in_steps(self) -> Tensor:
        """The weights in whole steps. A row's largest stays 127 of them, so that exporting changes nothing."""
        near = self.whole.clamp(-LEVELS, LEVELS)
        return _through(near, near.round()).scatter(1, self.places, self.pinned)

    def matrix(self) -> Tensor:
        """The weights on their grid."""
        return self.in_steps() * self.log_steps.exp()

    def forward(self, value: Tensor) -> Tensor:
        with torch.autocast(value.device.type, enabled=False):
            value = value.float()
            step = (value.detach().abs().amax(-1, keepdim=True) / LEVELS).clamp_min(TINY)
            seen = value / step
            product = functional.linear(_through(seen, seen.round()), self.in_steps())  # exact in TF32, too
            return product * self.log_steps.exp().T * step + self.bias


def in_whole_numbers(encoder: model.Encoder) -> model.Encoder:
    """A copy whose layers compute as the packaged graph does."""
    made = model.Encoder(encoder.shape)
    made.load_state_dict(encoder.state_dict())
    for layer in made.layers:
        for name, part in list(layer.named_children()):
            if isinstance(part, nn.Linear):
                setattr(layer, name, WholeLinear(part))
    return made.to(encode.device()).eval()


def back(encoder: model.Encoder) -> model.Encoder:
    """The same weights in an ordinary encoder, to be written and exported."""
    made = model.Encoder(encoder.shape)
    state = {name: value for name, value in encoder.state_dict().items() if name in made.state_dict()}
    for name, part in encoder.named_modules():
        if isinstance(part, WholeLinear):
            state[f"{name}.weight"], state[f"{name}.bias"] = part.matrix().detach(), part.bias.detach()
    made.load_state_dict(state)
    return made.to(encode.device()).eval()


def settled(
    rounded: model.Encoder, exact: model.Encoder, batcher: tokens.Batcher, rows: Tensor, plan: settings.Settle
) -> model.Encoder:
    """An encoder on its grid whose vectors of these texts are as near to those of `exact` as it learns to make them."""
    torch.manual_seed(SEED)
    learner = in_whole_numbers(rounded).train()
    learner.words.weight.requires_grad_(False)
    learner.positions.weight.requires_grad_(False)
    wholes = [part.whole for part in learner.modules() if isinstance(part, WholeLinear)]
    own = {id(value) for value in wholes}
    rest = [value for value in learner.parameters() if value.requires_grad and id(value) not in own]
    optim = torch.optim.Adam([{"params": rest, "scale": 1.0}, {"params": wholes, "scale": FASTER}])
    began = time.monotonic()
    for step in range(plan.steps):
        for group in optim.param_groups:
            group["lr"] = group["scale"] * schedule.rate(step, plan.steps, plan.warmup, plan.learning_rate)
        chosen = rows[torch.randint(len(rows), (plan.batch,), device=rows.device)]
        then = encode.embed(exact, batcher, chosen, LIMIT)
        now = encode.encode(learner, batcher, chosen, LIMIT)
        loss = losses.kept(now, then)
        optim.zero_grad(set_to_none=True)
        loss.backward()
        optim.step()
        if step % 250 == 0 or step == plan.steps - 1:
            taken = f"{time.monotonic() - began:.0f}s"
            print(f"settle {step}/{plan.steps} loss {float(loss.detach()):.5f} {taken}", flush=True)
    return back(learner)
