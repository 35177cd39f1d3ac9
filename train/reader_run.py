"""Trains the reader step by step: corpus, teachers, what they say about all passages, students, scores.

`prepare` makes the corpus, `layout` the validation candidates' token ids, `teach` a large reader, `label` what large
readers say about the corpus, `learn` a small one, `score` lets one, or the mean of several, read the candidates.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from . import reader_corpus, reader_measure, reader_score, reader_talks, reader_unlabelled
from .model import Encoder
from .reader_model import ReaderNet, from_mpnet, from_reader, from_trunk, load_trained, loss_of, soft_loss_of
from .reader_packed import Feeder, Targets, packed

HARD = 0.3  # weight of what the data says beside what the teacher says


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


def prepare(options: argparse.Namespace, device: torch.device) -> None:
    """The examples with mined negatives, and further pairs that only a teacher judges, as token ids."""
    begun = time.perf_counter()
    sources = reader_corpus.Sources(options.data, options.cache, options.tokenizer, options.sessions)
    examples = reader_corpus.build(sources, options.workers)
    print("built", round(time.perf_counter() - begun, 1), json.dumps(reader_corpus.report(examples)), flush=True)
    embed, nearest = encoder_of(options.trunk, options.tokenizer, device), nearest_on(device)
    reader_corpus.mine(examples, embed, random.Random(3), nearest)
    reader_talks.keep_nearest(examples, embed, random.Random(4))
    examples += list(reader_unlabelled.pairs(examples, sources, embed, nearest, random.Random(5), options.times))
    print("mined", round(time.perf_counter() - begun, 1), flush=True)
    told = reader_unlabelled.texts_by_fold(options.data / "longmemeval" / "oracle_dev.json.gz")
    rows = reader_corpus.tokenize(examples, options.tokenizer, options.workers, told)
    rows.save(options.work / "rows.npz")
    spent = round(time.perf_counter() - begun, 1)
    folds = [int((rows.group_folds >> f & 1).sum()) for f in range(3)]
    apart = sum(passage.text in told[0] for e in examples for passage in e.passages)
    print("tokens", len(rows.ids), "rows", len(rows.label), "examples", len(rows.weight), spent, flush=True)
    print("examples of each third", folds, "passages of the third kept apart", apart, flush=True)


def layout(options: argparse.Namespace, device: torch.device) -> None:
    for name, stores in reader_measure.read_sets(options.candidates):
        if not (options.work / f"{name}.layout.npz").is_file():
            made = reader_score.layout(stores, options.tokenizer, options.workers)
            made.save(options.work / f"{name}.layout.npz")
            print(name, len(made.first), "windows", len(made.ids), "tokens", flush=True)


def run(net: ReaderNet, feeder: Feeder, options: argparse.Namespace, is_taught: bool) -> ReaderNet:
    """Some passes over the examples, in random order."""
    torch.manual_seed(options.seed)
    device = next(net.parameters()).device
    net.train()
    net.encoder.words.weight.requires_grad = net.encoder.distances is not None
    if net.encoder.distances is not None:
        net.encoder.distances.weight.requires_grad = False
    print(net.quicken(), flush=True)
    heads = [p for name, p in net.named_parameters() if not name.startswith("encoder.")]
    body = [p for name, p in net.named_parameters() if name.startswith("encoder.") and p.requires_grad]
    groups = [{"params": body, "lr": options.rate}, {"params": heads, "lr": 5 * options.rate}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01, fused=device.type == "cuda")
    steps, batches = feeder.batches(options.epochs, options.batch, options.seed)
    warm = max(1, steps // 10)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, max(0.0, (steps - step) / max(1, steps - warm)))
    )
    start = time.perf_counter()
    for step, batch in enumerate(batches):
        relevance, spans = net(batch.tokens)
        parts = loss_of(relevance, spans, batch)
        loss = sum(parts.values(), torch.zeros((), device=device))
        if is_taught:
            soft = soft_loss_of(relevance, spans, batch)
            loss = HARD * loss + sum(soft.values(), torch.zeros((), device=device))
            parts |= soft
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 200 == 0 or step == steps - 1:
            spent = round(time.perf_counter() - start, 1)
            print(step, steps, spent, {k: round(float(v.detach()), 4) for k, v in parts.items()}, flush=True)
    return net.eval()


def teach(options: argparse.Namespace, device: torch.device) -> None:
    """A large reader, by what the data says."""
    rows = reader_corpus.load_rows(options.work / "rows.npz")
    feeder = Feeder(rows, device)
    kinds = [str(kind) for kind in rows.kinds]
    left_out = (reader_corpus.UNLABELLED, *options.without)
    feeder.only(np.array([not kind.startswith(left_out) and not kind.endswith(left_out) for kind in kinds]))
    net = from_mpnet(options.teacher).to(device)
    keep(run(net, feeder, options, False), options.work / f"{options.name}.npz", True)
    report(net, options, device)


def learn(options: argparse.Namespace, device: torch.device) -> None:
    """A small reader, by what the teachers say and what the data says."""
    rows = reader_corpus.load_rows(options.work / "rows.npz")
    targets = None
    if options.targets:
        with np.load(options.work / options.targets) as read:
            targets = Targets(read["relevance"], read["spans"])
    feeder = Feeder(rows, device, targets, options.fold)
    if targets is None:
        feeder.only(rows.weight > 0)
    print("examples", len(feeder.groups), "of", len(rows.weight), flush=True)
    begun = from_trunk(options.trunk) if options.start is None else from_reader(options.start, options.trunk)
    net = run(begun.to(device), feeder, options, targets is not None)
    keep(net, options.work / f"{options.name}.npz", False)
    if options.report:
        report(net, options, device)


@torch.no_grad()
def label(options: argparse.Namespace, device: torch.device) -> None:
    """The mean of what some readers say about every row of the corpus."""
    rows = reader_corpus.load_rows(options.work / "rows.npz")
    relevance = np.zeros(len(rows.label), np.float32)
    spans = torch.zeros((len(rows.ids), 2), dtype=torch.float32, device=device)
    nets = [load_trained(path, options.trunk).to(device).eval() for path in options.weights]
    for net in nets:
        net.quicken()
    lengths = np.diff(rows.offsets)
    begun = time.perf_counter()
    for chosen in reader_score.batches(lengths):
        tokens = packed([rows.ids[rows.offsets[n] : rows.offsets[n + 1]] for n in chosen], device)
        within = np.arange(int(lengths[chosen].sum())) - np.repeat(
            np.cumsum(lengths[chosen]) - lengths[chosen], lengths[chosen]
        )
        flat = torch.from_numpy(np.repeat(rows.offsets[chosen], lengths[chosen]) + within).to(device)
        for net in nets:
            fits, ends = net(tokens)
            relevance[chosen] += fits.float().cpu().numpy() / len(nets)
            spans[flat] += ends.flatten(0, 1)[tokens.cells] / len(nets)
    np.savez(options.work / options.targets, relevance=relevance, spans=spans.half().cpu().numpy())
    print("labelled", len(relevance), round(time.perf_counter() - begun, 1), flush=True)
    for kind in sorted({str(kind) for kind in rows.kinds}):
        mine = np.repeat(rows.kinds == kind, np.diff(rows.groups))
        means = [
            round(float(relevance[mine & (rows.label == n)].mean()), 2)
            for n in (0, 1)
            if (mine & (rows.label == n)).any()
        ]
        print(kind, int(mine.sum()), means, flush=True)


def score(options: argparse.Namespace, device: torch.device) -> None:
    """Readings of the candidates by the mean of some runs' weights."""
    paths = ",".join(str(path) for path in options.weights)
    net = load_trained(Path(paths), options.trunk).to(device).eval()
    with torch.no_grad():
        for head, scale in ((net.relevance, options.scale), (net.spans, options.scale_spans)):
            for value in head.parameters():
                value.mul_(scale)
    net.quicken()
    if len(options.weights) > 1 or (options.scale, options.scale_spans) != (1, 1):
        keep(net, options.work / f"{options.name}.npz", net.encoder.distances is not None)
    report(net, options, device)


def keep(net: ReaderNet, path: Path, words: bool) -> None:
    state = net.state_dict().items()
    np.savez(path, **{k: v.detach().half().cpu().numpy() for k, v in state if words or ".words." not in k})


def report(net: ReaderNet, options: argparse.Namespace, device: torch.device) -> None:
    """Reads the candidates that are laid out, and says what that is worth."""
    begun = time.perf_counter()
    found = {}
    for path in sorted(options.work.glob("*.layout.npz")):
        name = path.name.split(".")[0]
        if options.only and name not in options.only:
            continue
        found[name] = reader_score.read(net.eval(), reader_score.load_layout(path), device)
        found[name].save(options.work / f"{options.name}.{name}.readings.npz")
    print("scored", round(time.perf_counter() - begun, 1), flush=True)
    summary(options.candidates, found, options.name)


def summary(folder: Path, found: dict[str, reader_score.Readings], name: str) -> None:
    """One line a set: hit@1 by share of recall, and refusal."""
    firsts: dict[str, list[float]] = {}
    for kind, stores in reader_measure.read_sets(folder):
        if kind not in found:
            continue
        rows = reader_measure.rows_of(stores, reader_score.expand(stores, found[kind]))
        ranks, refused = reader_measure.reranking(rows), reader_measure.refusal(rows)
        for share, values in ranks.items():
            firsts.setdefault(share, []).append(values[0])
        kept = {k: v for k, v in refused.items() if k in ("relevance", "null", "ask", "ask + 0.25 relevance", "n")}
        print(name, kind, {k: v[0] for k, v in ranks.items()}, kept, flush=True)
    print(name, "mean hit@1", {k: round(float(np.mean(v)), 2) for k, v in firsts.items()}, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    steps = {"prepare": prepare, "layout": layout, "teach": teach, "label": label, "learn": learn, "score": score}
    parser.add_argument("step", choices=steps)
    parser.add_argument("--data", type=Path, help="the folder of reader/, longmemeval/, longmemeval_s_snippet/")
    parser.add_argument("--cache", type=Path, help="where WordNet's archive lies")
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--trunk", type=Path, required=True, help="the packaged encoder, model.int8.onnx")
    parser.add_argument("--teacher", type=Path, help="all-mpnet-base-v2, safetensors or what train.parts packed")
    parser.add_argument("--candidates", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--name", default="reader")
    parser.add_argument("--targets", default="", help="file of what the teachers say, under the work folder")
    parser.add_argument("--weights", type=Path, nargs="*", default=[])
    parser.add_argument("--scale", type=float, default=1.0, help="of the logit: a mean of weights makes it small")
    parser.add_argument("--scale-spans", type=float, default=1.0, help="of the ends' logits")
    parser.add_argument("--sessions", type=int, default=20000)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--times", type=float, default=1.0, help="passages that only teachers judge, of the usual")
    parser.add_argument("--start", type=Path, help="an exported reader to learn on from, instead of the trunk")
    parser.add_argument("--epochs", type=float, default=2)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fold", type=int, default=0, help="a further third of LongMemEval that is left out: 1 or 2")
    parser.add_argument("--without", nargs="*", default=[], help="kinds of examples that a teacher does not see")
    parser.add_argument("--only", nargs="*", default=[], help="sets to read")
    parser.add_argument("--report", action="store_true", help="read the candidates after learning")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    torch.set_float32_matmul_precision("high")
    steps[options.step](options, torch.device("cuda" if torch.cuda.is_available() else "cpu"))


if __name__ == "__main__":
    main()
