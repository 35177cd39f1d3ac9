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
    start: model.Encoder,
    data: Path,
    config: settings.Config,
    mined: np.ndarray | None = None,
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
    encoder.words.weight.requires_grad_(not chosen.is_table_frozen)
    optim = schedule.optimiser([encoder], chosen.learning_rate)
    average, began, last = schedule.Average(encoder), time.monotonic(), 0.0
    for step in range(chosen.steps):
        schedule.apply(optim, schedule.rate(step, chosen.steps, chosen.warmup, chosen.learning_rate))
        loss = _asked(encoder, pairs.draw(), batcher, chosen)
        if chosen.keep_weight:
            rows = anchors[torch.randint(len(anchors), (chosen.keep_texts,), device=device)]
            loss = loss + chosen.keep_weight * _kept(encoder, before, rows, batcher, chosen.max_tokens)
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


def _asked(
    encoder: model.Encoder, batch: batches.Batch, batcher: tokens.Batcher, chosen: settings.Finetune
) -> torch.Tensor:
    """How far the questions of a batch are from the turns that answer them."""
    queries = encode.encode(encoder, batcher, batch.queries, chosen.max_tokens, batch.query_names)
    documents = encode.encode(encoder, batcher, batch.documents, chosen.max_tokens, batch.document_names)
    rest = (batch.own, batch.hidden, chosen.temperature)
    sizes = [size for size in chosen.dimensions if size < queries.shape[1]]
    loss = losses.nested(queries, documents, *rest, [queries.shape[1], *sizes], chosen.weights[: len(sizes) + 1])
    if chosen.sign_weight:
        loss = loss + chosen.sign_weight * losses.contrast(losses.signs(queries), losses.signs(documents), *rest)
    return loss


def _kept(
    encoder: model.Encoder, before: model.Encoder, rows: torch.Tensor, batcher: tokens.Batcher, limit: int
) -> torch.Tensor:
    then = encode.embed(before, batcher, rows, limit)
    return losses.kept(encode.encode(encoder, batcher, rows, limit), then)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--start", type=Path, required=True, help="weights to start from")
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
