"""Trains the reader: corpus, mined negatives, one run or an ablation, scores of the validation candidates."""

from __future__ import annotations

import argparse
import gzip
import json
import pickle
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from . import reader_corpus, reader_score
from .model import Encoder
from .reader_data import Example
from .reader_model import Feeder, ReaderNet, from_trunk, loss_of


def encoder_of(trunk: Path, tokenizer: Path, device: torch.device) -> Any:
    """Texts to unit vectors by the packaged encoder, on the device."""
    from tokenizers import Tokenizer

    from . import reader_trunk

    encoder = Encoder()
    state = reader_trunk.read(trunk)
    encoder.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in state.items()})
    encoder = encoder.to(device).eval()
    tokens = Tokenizer.from_file(str(tokenizer))
    tokens.enable_truncation(256)
    tokens.enable_padding()

    def embed(texts: Sequence[str]) -> np.ndarray:
        order = sorted(range(len(texts)), key=lambda n: len(texts[n]))
        found = np.zeros((len(texts), 384), np.float32)
        for start in range(0, len(order), 1024):
            rows = order[start : start + 1024]
            made = tokens.encode_batch([texts[n] for n in rows])
            ids = torch.tensor([row.ids for row in made], device=device)
            mask = torch.tensor([row.attention_mask for row in made], device=device).bool()
            with torch.no_grad(), torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                found[rows] = encoder(ids, mask).float().cpu().numpy()
        return found

    return embed


def nearest_on(device: torch.device) -> Any:
    """The nearest rows by cosine, in blocks."""

    def nearest(asked: np.ndarray, passages: np.ndarray, depth: int) -> tuple[np.ndarray, np.ndarray]:
        table = torch.from_numpy(passages).to(device)
        rows, cosines = [], []
        for start in range(0, len(asked), 2048):
            near = torch.from_numpy(asked[start : start + 2048]).to(device) @ table.T
            best = near.topk(min(depth, len(passages)), dim=1)
            rows.append(best.indices.cpu().numpy())
            cosines.append(best.values.cpu().numpy())
        return np.concatenate(rows), np.concatenate(cosines)

    return nearest


def train(net: ReaderNet, rows: reader_corpus.Rows, device: torch.device, options: argparse.Namespace) -> ReaderNet:
    """Some passes over the examples, in random order."""
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    feeder = Feeder(rows, device)
    net = net.to(device).train()
    net.encoder.words.weight.requires_grad = options.words
    heads = [p for name, p in net.named_parameters() if not name.startswith("encoder.")]
    body = [p for name, p in net.named_parameters() if name.startswith("encoder.") and p.requires_grad]
    groups = [{"params": body, "lr": options.rate}, {"params": heads, "lr": 5 * options.rate}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    count = len(rows.weight)
    steps = int(options.epochs * count / options.batch)
    warm = max(1, steps // 10)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, max(0.0, (steps - step) / max(1, steps - warm)))
    )
    order = np.concatenate([rng.permutation(count) for _ in range(int(options.epochs) + 1)])
    start = time.perf_counter()
    for step in range(steps):
        chosen = torch.from_numpy(order[step * options.batch : (step + 1) * options.batch]).to(device)
        batch = feeder.batch(chosen)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            relevance, spans = net(batch.ids, batch.mask)
        loss, parts = loss_of(relevance, spans, batch)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0 or step == steps - 1:
            spent = round(time.perf_counter() - start, 1)
            print(step, steps, spent, {k: round(v, 4) for k, v in parts.items()}, flush=True)
    return net.eval()


def corpus(options: argparse.Namespace, device: torch.device) -> list[Example]:
    """The examples with their mined negatives, from the file if they were made before."""
    kept = options.work / "examples.pickle"
    if kept.is_file():
        made: list[Example] = pickle.loads(kept.read_bytes())
        return made
    begun = time.perf_counter()
    sources = reader_corpus.Sources(options.data, options.cache, options.tokenizer, options.sessions)
    examples = reader_corpus.build(sources, options.workers)
    print("built", round(time.perf_counter() - begun, 1), json.dumps(reader_corpus.report(examples)), flush=True)
    if not options.no_mining:
        embed = encoder_of(options.trunk, options.tokenizer, device)
        reader_corpus.mine(examples, embed, random.Random(3), nearest_on(device))
        print("mined", round(time.perf_counter() - begun, 1), flush=True)
    options.work.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(pickle.dumps(examples))
    return examples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True, help="where WordNet's archive lies")
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--trunk", type=Path, required=True, help="the packaged encoder, model.int8.onnx")
    parser.add_argument("--candidates", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", default="reader")
    parser.add_argument("--sessions", type=int, default=20000)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--epochs", type=float, default=2)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--words", action="store_true", help="train the word vectors too")
    parser.add_argument("--without", nargs="*", default=[], help="kinds of examples to leave out")
    parser.add_argument("--average", type=Path, nargs="*", help="weights of runs to average instead of training")
    parser.add_argument("--no-mining", action="store_true")
    parser.add_argument("--prepare", action="store_true", help="only make the corpus")
    parser.add_argument("--limit", type=int, default=0, help="questions a set to score, for trials")
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_float32_matmul_precision("high")
    if options.average:
        average(options, device)
        return
    examples = reader_corpus.without(corpus(options, device), options.without)
    if options.prepare:
        return
    begun = time.perf_counter()
    rows = reader_corpus.tokenize(examples, options.tokenizer, options.workers)
    print("tokens", len(rows.ids), "rows", len(rows.label), round(time.perf_counter() - begun, 1), flush=True)
    net = train(from_trunk(options.trunk), rows, device, options)
    finish(net, options, device)


def average(options: argparse.Namespace, device: torch.device) -> None:
    """The mean of some runs' weights, scored."""
    net = from_trunk(options.trunk)
    state = net.state_dict()
    parts = [np.load(path) for path in options.average]
    for name in parts[0].files:
        state[name] = torch.from_numpy(np.mean([part[name].astype(np.float32) for part in parts], axis=0))
    net.load_state_dict(state)
    finish(net.to(device).eval(), options, device)


def finish(net: ReaderNet, options: argparse.Namespace, device: torch.device) -> None:
    """Writes the weights, and scores and measures them."""
    options.out.mkdir(parents=True, exist_ok=True)
    kept = {
        k: v.detach().half().cpu().numpy() for k, v in net.state_dict().items() if options.words or ".words." not in k
    }
    np.savez(options.out / f"{options.name}.npz", **kept)
    begun = time.perf_counter()
    scored = reader_score.score(net, options.candidates, options.tokenizer, device, options.workers, options.limit)
    content = json.dumps(scored).encode()
    (options.out / f"{options.name}.scores.json.gz").write_bytes(gzip.compress(content))
    print("scored", round(time.perf_counter() - begun, 1), flush=True)
    from . import reader_measure

    print(json.dumps(reader_measure.table(options.candidates, scored)), flush=True)


if __name__ == "__main__":
    main()
