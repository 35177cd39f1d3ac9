"""Measures an encoder by cosine alone on every development set of the pack: one figure a set, and with typos."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from . import devsets, encode, tokens

if TYPE_CHECKING:
    from .model import Encoder

TURNS, SESSIONS = 10, 5  # the first so many count
HALF = 0.5  # of a deviation, by which a best window is corrected
# What is chosen by: their mean. Sets of sessions count by the mean of any and all.
CHOSEN = (
    "locomo 1-4", "locomo 1", "realtalk", "beam", "long", "longmemeval any", "longmemeval all", "realmem any",
    "realmem all", "snippet any", "snippet all",
)  # fmt: skip


def figures(encoder: Encoder, folder: Path) -> dict[str, float]:
    """Percentages by set; "whole" is with one vector a turn, "typos" with slips in the questions."""
    device = encode.device()
    batcher = tokens.Batcher(tokens.load(folder / "devsets.npz"), device)
    rows = torch.arange(len(batcher.offsets) - 1, device=device)
    vectors = encode.embed(encoder, batcher, rows, devsets.MAX_TOKENS).float()
    found: dict[str, list[float]] = {}
    for store in devsets.load(folder):
        for way, ending in (("pieces", ""), ("whole", " whole"), ("typos", " typos")):
            _ask(store, vectors, way, ending, found)
    made = {name: round(100 * sum(values) / len(values), 2) for name, values in found.items()}
    made["mean"] = _mean(made, "")
    made["mean typos"] = _mean(made, " typos")
    return made


def _mean(made: Mapping[str, float], ending: str) -> float:
    listed = [made[name + ending] for name in CHOSEN if name + ending in made]
    return round(sum(listed) / max(1, len(listed)), 2)


def _ask(store: devsets.Store, vectors: Tensor, way: str, ending: str, found: dict[str, list[float]]) -> None:
    """Adds each question's figures to those of its set."""
    if not store.asked:
        return
    device = vectors.device
    asked = vectors[torch.tensor([one.typed if way == "typos" else one.text for one in store.asked], device=device)]
    if way == "whole":
        scores = asked @ vectors[torch.tensor(store.whole, device=device)].T
    else:
        scores = corrected(
            asked @ vectors[torch.tensor(store.pieces, device=device)].T, torch.tensor(store.turn_of, device=device)
        )
    until = torch.tensor([one.until for one in store.asked], device=device)
    later = torch.arange(scores.shape[1], device=device)[None] >= until[:, None]
    scores = scores.masked_fill(later, -9.0)
    units = torch.tensor(store.session, device=device) if store.by_session else None
    if units is not None:
        best = torch.full((len(scores), int(units.max()) + 1), -9.0, device=device)
        scores = best.scatter_reduce(1, units[None].expand(len(scores), -1), scores, "amax")
    depth = SESSIONS if store.by_session else TURNS
    first = torch.argsort(scores, dim=1, descending=True, stable=True)[:, :depth].tolist()
    for one, listed in zip(store.asked, first, strict=True):
        share = len(set(one.gold) & set(listed)) / len(one.gold)
        for name, value in _named(one, share, store.by_session):
            found.setdefault(name + ending, []).append(value)


def _named(one: devsets.Asked, share: float, by_session: bool) -> Sequence[tuple[str, float]]:
    if by_session:
        return ((f"{one.set} any", float(share > 0)), (f"{one.set} all", float(share == 1)))
    if one.set != "locomo":
        return ((one.set, share),)
    kinds = ["all", one.kind] + (["1-4"] if one.kind != "5" else [])
    return tuple((f"locomo {kind}", share) for kind in kinds)


def corrected(scores: Tensor, turn_of: Tensor) -> Tensor:
    """(questions, turns): the best window, less what the best of so many gains by chance alone."""
    count = torch.bincount(turn_of)
    best = torch.full((len(scores), len(count)), -9.0, device=scores.device)
    best = best.scatter_reduce(1, turn_of[None].expand(len(scores), -1), scores, "amax")
    return best - HALF * scores.std(dim=1, keepdim=True) * torch.sqrt(2 * torch.log(count.float()))[None]


def table(rows: Mapping[str, Mapping[str, float]]) -> str:
    """One line a figure, one column a model; below, the largest loss against the first."""
    names = list(rows)
    first = rows[names[0]]
    lines = ["figure".ljust(26) + " ".join(name.rjust(9)[:9] for name in names)]
    lines += [figure.ljust(26) + " ".join(f"{rows[name][figure]:9.2f}" for name in names) for figure in first]
    worst = [min(rows[name][figure] - first[figure] for figure in CHOSEN) for name in names]
    return "\n".join([*lines, "largest loss".ljust(26) + " ".join(f"{value:9.2f}" for value in worst)])


def main() -> None:
    from . import model, weights

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--devsets", type=Path, required=True)
    parser.add_argument("--weights", type=Path, nargs="+", required=True, help="safetensors files")
    options = parser.parse_args()
    rows = {}
    for path in options.weights:
        encoder = model.Encoder()
        model.put(encoder, weights.read(path))
        rows[path.stem] = figures(encoder.to(encode.device()).eval(), options.devsets)
    print(table(rows))
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
