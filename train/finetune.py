"""Fine-tunes the distilled encoder on the pairs."""

from __future__ import annotations

import argparse
import copy
import json
import time
from pathlib import Path

import numpy as np
import torch

from . import batches, encode, losses, model, schedule, settings, tokens, weights


def train(
    start: model.Encoder, data: Path, config: settings.Config, mined: np.ndarray | None = None
) -> tuple[model.Encoder, dict[str, float]]:
    """A fine-tuned copy of `start`, and how it went."""
    chosen = config.finetune
    torch.manual_seed(config.general.seed)
    device = encode.device()
    report = json.loads((data / "corpus.json").read_text("utf-8"))
    pairs = batches.Pairs(data, config, (report["female"], report["male"]), device)
    if mined is not None:
        pairs.mined = mined
    batcher = tokens.Batcher(tokens.load(data / "texts.npz"), device)
    anchors = torch.from_numpy(np.load(data / "distil.npy").astype(np.int64)).to(device)
    before, encoder = start.to(device).eval(), copy.deepcopy(start).to(device).train()
    optim = schedule.optimiser([encoder], chosen.learning_rate)
    average, began, last = schedule.Average(encoder), time.monotonic(), 0.0
    for step in range(chosen.steps):
        schedule.apply(optim, schedule.rate(step, chosen.steps, chosen.warmup, chosen.learning_rate))
        loss = _loss(encoder, before, pairs, batcher, anchors, chosen)
        optim.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
        optim.step()
        if step >= chosen.steps * (1 - chosen.average_from) and step % 5 == 0:
            average.add()
        if step % 100 == 0 or step == chosen.steps - 1:
            last = float(loss.detach())
            print(f"finetune {step}/{chosen.steps} loss {last:.4f} {time.monotonic() - began:.0f}s", flush=True)
    average.put()
    return encoder.eval(), {"loss": last, "seconds": round(time.monotonic() - began, 1)}


def _loss(
    encoder: model.Encoder,
    before: model.Encoder,
    pairs: batches.Pairs,
    batcher: tokens.Batcher,
    anchors: torch.Tensor,
    chosen: settings.Finetune,
) -> torch.Tensor:
    batch = pairs.draw()
    queries = encode.encode(encoder, batcher, batch.queries, chosen.max_tokens, batch.query_names)
    documents = encode.encode(encoder, batcher, batch.documents, chosen.max_tokens, batch.document_names)
    rest = (batch.own, batch.hidden, chosen.temperature)
    loss = losses.nested(queries, documents, *rest, chosen.dimensions, chosen.weights)
    if chosen.sign_weight:
        loss = loss + chosen.sign_weight * losses.contrast(losses.signs(queries), losses.signs(documents), *rest)
    if chosen.keep_weight:
        rows = anchors[torch.randint(len(anchors), (chosen.keep_texts,), device=anchors.device)]
        then = encode.embed(before, batcher, rows, chosen.max_tokens)
        now = encode.encode(encoder, batcher, rows, chosen.max_tokens)
        loss = loss + chosen.keep_weight * losses.kept(now, then)
    return loss


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--start", type=Path, required=True, help="weights to start from: distilled, or dequantised")
    parser.add_argument("--mined", type=Path, help="negatives.npy of train.mine")
    parser.add_argument("--config", type=Path, default=settings.CONFIG)
    parser.add_argument("--out", type=Path, required=True, help="a .safetensors file")
    options = parser.parse_args()
    start = model.Encoder()
    model.put(start, weights.read(options.start))
    mined = np.load(options.mined) if options.mined else None
    encoder, report = train(start, options.data, settings.load(options.config), mined)
    weights.write_safetensors(options.out, model.take(encoder))
    print(json.dumps(report))


if __name__ == "__main__":
    main()
