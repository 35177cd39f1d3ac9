"""The whole recipe on one machine with a GPU: distil, mine, tune the teacher, fine-tune, evaluate, and ablate.

python -m train.run --work DIR --out DIR                               everything; what a run before it left in
                                                                       --work (distilled, tutor, again) is used
python -m train.run --work DIR --out DIR --ablate forms rewrite        one run less each, after the full one
python -m train.run --work DIR --out DIR --ablate only all             only those
python -m train.run --work DIR --out DIR --set finetune.keep_weight=5  another value of config.toml
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import distil, encode, evaluate, export, finetune, mine, model, settings, weights

ABLATIONS = (
    "evidence", "rewrite", "forms", "exchange", "paraphrase", "window", "temporal", "preference", "inference",
    "gloss", "scene", "mined", "session", "nested", "keep", "distil",
)  # fmt: skip


def changed(config: settings.Config, ablation: str) -> settings.Config:
    """The configuration less one thing; `mined` and `distil` are left out by the caller."""
    tune = config.finetune
    replaced: dict[str, dict[str, Any]] = {
        "session": {"session_negatives": 0},
        "nested": {"dimensions": tune.dimensions[:1], "weights": tune.weights[:1]},
        "keep": {"keep_weight": 0.0},
    }
    if ablation in replaced:
        return dataclasses.replace(config, finetune=dataclasses.replace(tune, **replaced[ablation]))
    return settings.without(config, ablation)


def tutored(teacher: model.Encoder, data: Path, config: settings.Config) -> model.Encoder:
    """The teacher, fine-tuned on the same pairs: it is larger and makes more of them."""
    chosen = config.tutor
    changes: dict[str, Any] = {"steps": chosen.steps, "batch": chosen.batch, "group": chosen.batch}
    changes |= {"keep_weight": chosen.keep_weight, "keep_texts": chosen.keep_texts}
    changes |= {"dimensions": (), "weights": (1.0,), "sign_weight": 0.0}
    alone = dataclasses.replace(config, finetune=dataclasses.replace(config.finetune, **changes))
    return finetune.train(teacher, data, alone, mine.mined(teacher, data, config))[0]


def taught_again(
    student: model.Encoder, tutor: model.Encoder, data: Path, config: settings.Config
) -> tuple[model.Encoder, dict[str, float]]:
    """The student distilled from the tutor: it takes over most of what the tutor has learnt."""
    changes = {"epochs": config.tutor.epochs, "learning_rate": config.tutor.learning_rate}
    return distil.train(
        student, tutor, data, dataclasses.replace(config, distil=dataclasses.replace(config.distil, **changes))
    )


def tuned(
    starts: Sequence[model.Encoder], data: Path, config: settings.Config, negatives: np.ndarray | None
) -> model.Encoder:
    """Fine-tunes every start with a seed of its own and takes the mean of the weights."""
    ends = []
    for number, start in enumerate(starts):
        seeded = dataclasses.replace(config, general=settings.General(config.general.seed + number))
        ends.append(model.take(finetune.train(start, data, seeded, negatives)[0]))
    mean = model.Encoder(starts[0].shape)
    model.put(mean, {name: sum(end[name] for end in ends) / len(ends) for name in ends[0]})
    return mean.to(encode.device()).eval()


def loaded(path: Path, shape: model.Shape = model.MINILM) -> model.Encoder:
    encoder = model.Encoder(shape)
    model.put(encoder, weights.read(path))
    return encoder.to(encode.device())


def short(figures: dict[str, Any]) -> str:
    """One line to watch."""
    apart = figures.get("longmemeval_apart", {})
    return f"LoCoMo {figures['locomo']} apart {apart} codes {figures['codes']} everyday {figures['everyday_auroc']}"


def run(work: Path, out: Path, config: settings.Config, ablations: Sequence[str], is_kept: bool = True) -> None:
    """Everything; what is known is written as soon as it is known."""
    data, began = work / "data", time.monotonic()
    report: dict[str, object] = {"config": dataclasses.asdict(config)}

    def note(name: str, value: object) -> None:
        report[name], report["seconds"] = value, round(time.monotonic() - began, 1)
        (out / "metrics.json").write_text(json.dumps(report, indent=1), "utf-8")
        shown = short(value) if isinstance(value, dict) and "locomo" in value else json.dumps(value)
        print(f"[{report['seconds']:>6}s] {name}: {shown}", flush=True)

    def cached(name: str, make: Callable[[], model.Encoder], shape: model.Shape = model.MINILM) -> model.Encoder:
        file = work / f"{name}.safetensors"
        if not file.is_file():
            weights.write_safetensors(file, model.take(make()))
        found = loaded(file, shape).eval()
        note(name, evaluate.with_torch(data, found, config))
        return found

    student, teacher = loaded(work / "student.npz"), loaded(work / "teacher.npz", model.MPNET)
    note("official", evaluate.with_torch(data, student, config))
    note("teacher", evaluate.with_torch(data, teacher, config))
    distilled = cached("distilled", lambda: distil.train(student, teacher, data, config)[0])
    if "only" not in ablations:
        starts = [distilled]
        if config.tutor.steps:
            tutor = cached("tutor", lambda: tutored(teacher, data, config), model.MPNET)
            starts.insert(0, cached("again", lambda: taught_again(distilled, tutor, data, config)[0]))
        encoder = tuned(starts, data, config, mine.mined(distilled, data, config))
        note("final", evaluate.with_torch(data, encoder, config))
        weights.write_safetensors(work / "final.safetensors", model.take(encoder))
        if is_kept:
            export.split(work / "final.safetensors", out)
    for name in ("nothing", *ablations) if ablations else ():
        if name != "only":
            start, less = student if name == "distil" else distilled, changed(config, name)
            negatives = None if name == "mined" else mine.mined(distilled, data, less)
            note(f"without {name}", evaluate.with_torch(data, tuned([start], data, less, negatives), config))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="where the parts were unpacked")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--config", type=Path, default=settings.CONFIG)
    parser.add_argument("--ablate", nargs="*", default=[], choices=[*ABLATIONS, "all", "only"])
    parser.add_argument("--figures", action="store_true", help="leave no weights in --out, only metrics.json")
    parser.add_argument("--set", nargs="*", default=[], metavar="SECTION.KEY=VALUE", help="values of the configuration")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    chosen = [*ABLATIONS, *options.ablate] if "all" in options.ablate else options.ablate
    chosen = [name for name in chosen if name != "all"]
    config = settings.load(options.config, changes=parsed(options.set))
    run(options.work, options.out, config, chosen, is_kept=not options.figures)


def parsed(changes: Sequence[str]) -> dict[str, dict[str, object]]:
    """`finetune.steps=500` as a section, a key and a value."""
    found: dict[str, dict[str, object]] = {}
    for change in changes:
        place, _, value = change.partition("=")
        section, _, key = place.partition(".")
        found.setdefault(section, {})[key] = json.loads(value)
    return found


if __name__ == "__main__":
    main()
