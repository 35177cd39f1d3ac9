"""Distils the teacher into the student: the same similarities from a fifth of the parameters."""

from __future__ import annotations

import argparse
import copy
import json
import time
from pathlib import Path

import numpy as np
import torch

from . import encode, losses, model, schedule, settings, tokens, weights


def train(
    student: model.Encoder, teacher: model.Encoder, data: Path, config: settings.Config
) -> tuple[model.Encoder, dict[str, float]]:
    """A distilled copy of the student, and how it went."""
    chosen, device = config.distil, encode.device()
    torch.manual_seed(config.general.seed)
    batcher = tokens.Batcher(tokens.load(data / "texts.npz"), device)
    rows = torch.from_numpy(np.load(data / "distil.npy").astype(np.int64)).to(device)
    began = time.monotonic()
    targets = encode.embed(teacher.to(device), batcher, rows, chosen.max_tokens).half()
    print(f"teacher embedded {len(rows)} texts in {time.monotonic() - began:.0f}s", flush=True)
    encoder = copy.deepcopy(student).to(device).train()
    bridge = torch.nn.Linear(encoder.shape.hidden, teacher.shape.hidden).to(device)
    optim = schedule.optimiser([encoder, bridge], chosen.learning_rate)
    size = min(chosen.batch, len(rows))
    steps, step, last = chosen.epochs * (len(rows) // size), 0, 0.0
    for _ in range(chosen.epochs):
        for part in torch.randperm(len(rows), device=device)[: len(rows) // size * size].split(size):
            schedule.apply(optim, schedule.rate(step, steps, chosen.warmup, chosen.learning_rate))
            ours = encode.encode(encoder, batcher, rows[part], chosen.max_tokens)
            terms = losses.taught(ours, bridge(ours), targets[part].float(), chosen.temperature)
            loss = chosen.relations * terms[0] + chosen.direction * terms[1] + chosen.similarities * terms[2]
            optim.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
            optim.step()
            if step % 200 == 0 or step == steps - 1:
                last = float(loss.detach())
                shown = " ".join(f"{float(term.detach()):.4f}" for term in terms)
                print(f"distil {step}/{steps} loss {last:.4f} ({shown}) {time.monotonic() - began:.0f}s", flush=True)
            step += 1
    return encoder.eval(), {"loss": last, "seconds": round(time.monotonic() - began, 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--student", type=Path, required=True, help="official all-MiniLM-L6-v2")
    parser.add_argument("--teacher", type=Path, required=True, help="official all-mpnet-base-v2")
    parser.add_argument("--config", type=Path, default=settings.CONFIG)
    parser.add_argument("--out", type=Path, required=True, help="a .safetensors file")
    options = parser.parse_args()
    student, teacher = model.Encoder(), model.Encoder(model.MPNET)
    model.put(student, weights.read(options.student))
    model.put(teacher, weights.read(options.teacher))
    encoder, report = train(student, teacher, options.data, settings.load(options.config))
    weights.write_safetensors(options.out, model.take(encoder))
    print(json.dumps(report))


if __name__ == "__main__":
    main()
