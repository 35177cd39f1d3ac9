"""The packaged encoder learns on: mine, fine-tune some seeds, take the mean of their weights, round, settle.

python -m train.renew --work DIR --out DIR                              the whole recipe, as engramma-mini-2 was made
python -m train.renew --work DIR --out DIR --set finetune.typos=0.3     another value of config.toml
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from . import encode, export, finetune, measure, mine, model, reader_trunk, rounding, settings, settle, weights
from .run import parsed

FIRST = "encoder.layer.0.output.dense.weight"  # tells encoders apart


def start_from(path: Path, shape: model.Shape = model.MINILM) -> model.Encoder:
    """The encoder that an int8 graph or a file of weights holds."""
    encoder = model.Encoder(shape)
    if path.suffix == ".onnx":
        read = reader_trunk.read(path, shape)
        encoder.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in read.items()})
    else:
        model.put(encoder, weights.read(path))
    return encoder.to(encode.device()).eval()


def mean(encoders: Sequence[model.Encoder], shares: Sequence[float] | None = None) -> model.Encoder:
    """The weighted mean of their weights."""
    shares = shares or [1 / len(encoders)] * len(encoders)
    taken = [model.take(encoder) for encoder in encoders]
    made = model.Encoder(encoders[0].shape)
    pairs = list(zip(taken, shares, strict=True))
    model.put(made, {name: np.sum([one[name] * share for one, share in pairs], axis=0) for name in taken[0]})
    return made.to(encode.device()).eval()


def renewed(
    start: model.Encoder, data: Path, config: settings.Config, negatives: np.ndarray | None
) -> list[model.Encoder]:
    """One fine-tuned copy a seed."""
    ends = []
    for number in range(config.renewal.seeds):
        seeded = dataclasses.replace(config, general=settings.General(config.general.seed + number))
        ends.append(finetune.train(start, data, seeded, negatives)[0])
    return ends


def mined_once(start: model.Encoder, work: Path, config: settings.Config) -> np.ndarray:
    """Hard negatives; kept in the folder, for runs that differ in other things."""
    settled = (
        repr((config.corpus, config.mine, config.finetune.max_tokens)).encode() + model.take(start)[FIRST].tobytes()
    )
    path = work / f"negatives-{hashlib.sha256(settled).hexdigest()[:12]}.npy"
    if not path.is_file():
        np.save(path, mine.mined(start, work / "data", config))
    return np.asarray(np.load(path))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="holds data/ (train.corpus --renew) and devsets/")
    parser.add_argument("--start", type=Path, required=True, help="model.int8.onnx of engramma-mini-1, or safetensors")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", default="renewed")
    parser.add_argument("--config", type=Path, default=settings.CONFIG)
    parser.add_argument("--set", nargs="*", default=[], metavar="SECTION.KEY=VALUE", help="values of the configuration")
    parser.add_argument("--figures", action="store_true", help="leave no weights in --out")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.backends.cuda.matmul.allow_tf32 = True  # whole numbers of eight bits are exact in it
    config = settings.load(options.config, renew=True, changes=parsed(options.set))
    began, rows = time.monotonic(), dict[str, dict[str, float]]()

    def note(name: str, encoder: model.Encoder) -> None:
        rows[name] = measure.figures(encoder, options.work / "devsets")
        path = options.work / f"{options.name}.{name}.safetensors"
        weights.write_safetensors(path, model.take(encoder))
        report = {"config": dataclasses.asdict(config), "rows": rows, "seconds": round(time.monotonic() - began, 1)}
        (options.out / f"{options.name}.json").write_text(json.dumps(report, indent=1), "utf-8")

    start = start_from(options.start)
    note("start", start)
    negatives = mined_once(start, options.work, config)
    ends = renewed(start, options.work / "data", config, negatives)
    for number, end in enumerate(ends):
        note(f"seed{number}", end)
    note("mean", mean(ends))
    kept = config.renewal.kept
    final = mean([start, *ends], [kept, *[(1 - kept) / len(ends)] * len(ends)])
    note("final", final)
    rounded = rounding.rounded(final, *rounding.calibration(options.work / "data"))
    note("rounded", rounded)
    batcher, known = rounding.calibration(options.work / "data", config.corpus.distil_texts)
    settled = settle.settled(rounded, final, batcher, known, config.settle)
    note("settled", settled)
    if not options.figures:
        export.split(options.work / f"{options.name}.settled.safetensors", options.out)
    for name, encoder in {"start": start, "rounded": rounded, "settled": settled}.items():
        rows[f"{name} int8"] = measure.figures(settle.in_whole_numbers(encoder), options.work / "devsets")
    print(options.name, *options.set, f"{time.monotonic() - began:.0f}s", flush=True)
    print(measure.table(rows), flush=True)


if __name__ == "__main__":
    main()
