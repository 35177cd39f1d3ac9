"""The whole recipe on one machine with a GPU: distil, mine, tune the teacher, fine-tune, evaluate, and ablate.

python -m train.run --work DIR --out DIR                               distil, fine-tune in rounds, report
python -m train.run --work DIR --out DIR --start FILE                  skips the distillation
python -m train.run --work DIR --out DIR --ablate forms rewrite        one run less each, after the full one
python -m train.run --work DIR --out DIR --ablate only all             only those
python -m train.run --work DIR --out DIR --set finetune.keep_weight=5  another value of config.toml
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import distil, encode, evaluate, export, finetune, mine, model, settings, weights

ABLATIONS = (
    "evidence", "rewrite", "forms", "exchange", "paraphrase", "window", "temporal", "preference", "inference",
    "gloss", "scene", "mined", "session", "sign", "nested", "keep", "tutor", "distil",
)  # fmt: skip


def changed(config: settings.Config, ablation: str) -> settings.Config:
    """The configuration less one thing; `mined` and `distil` are left out by `tuned` and its caller."""
    tune = config.finetune
    replaced: dict[str, dict[str, Any]] = {
        "session": {"session_negatives": 0},
        "sign": {"sign_weight": 0.0},
        "nested": {"dimensions": tune.dimensions[:1], "weights": tune.weights[:1]},
        "keep": {"keep_weight": 0.0},
        "tutor": {"tutor_weight": 0.0},
    }
    if ablation in replaced:
        return dataclasses.replace(config, finetune=dataclasses.replace(tune, **replaced[ablation]))
    return settings.without(config, ablation)


def tuned(
    start: model.Encoder,
    data: Path,
    config: settings.Config,
    tutor: model.Encoder | None = None,
    is_mined: bool = True,
) -> tuple[model.Encoder, dict[str, object]]:
    """Fine-tuning in rounds: negatives come from BM25 and from the encoder of the round before."""
    report: dict[str, object] = {}
    encoder, rounds = start, config.mine.rounds if is_mined else 0
    for number in range(rounds + 1):
        negatives = mine.mined(encoder, data, config) if is_mined else None
        steps = config.finetune.steps if number == rounds else config.mine.round_steps
        now = dataclasses.replace(config, finetune=dataclasses.replace(config.finetune, steps=steps))
        encoder, went = finetune.train(start, data, now, negatives, tutor)
        report[f"round {number}"] = went
    return encoder, report


def tutored(teacher: model.Encoder, data: Path, config: settings.Config) -> model.Encoder:
    """The teacher, fine-tuned on the same pairs: what a larger encoder makes of them guides the student."""
    changes: dict[str, Any] = {"steps": config.tutor.steps, "learning_rate": config.tutor.learning_rate}
    changes |= {"dimensions": (), "weights": (1.0,), "sign_weight": 0.0}
    alone = dataclasses.replace(config, finetune=dataclasses.replace(config.finetune, **changes))
    return finetune.train(teacher, data, alone, mine.mined(teacher, data, config))[0]


def shorter(config: settings.Config) -> settings.Config:
    """One round of fewer steps, for ablations and what they are compared with."""
    return dataclasses.replace(
        config,
        finetune=dataclasses.replace(config.finetune, steps=config.ablation.steps),
        mine=dataclasses.replace(config.mine, rounds=0),
    )


def loaded(path: Path, shape: model.Shape = model.MINILM) -> model.Encoder:
    encoder = model.Encoder(shape)
    model.put(encoder, weights.read(path))
    return encoder.to(encode.device())


def short(figures: dict[str, Any]) -> str:
    """One line to watch."""
    apart = figures.get("longmemeval_apart", {})
    return f"LoCoMo {figures['locomo']} apart {apart} codes {figures['codes']} everyday {figures['everyday_auroc']}"


def run(
    work: Path, out: Path, config: settings.Config, start: str, ablations: Sequence[str], is_kept: bool = True
) -> None:
    """Everything; what is known is written as soon as it is known."""
    data, began = work / "data", time.monotonic()
    report: dict[str, object] = {"config": dataclasses.asdict(config), "start": start}

    def note(name: str, value: object) -> None:
        report[name], report["seconds"] = value, round(time.monotonic() - began, 1)
        (out / "metrics.json").write_text(json.dumps(report, indent=1), "utf-8")
        shown = short(value) if isinstance(value, dict) and "locomo" in value else json.dumps(value)
        print(f"[{report['seconds']:>6}s] {name}: {shown}", flush=True)

    student = loaded(work / "student.npz")
    note("official", evaluate.with_torch(data, student, config))
    if start == "distil":
        distilled_file = work / "distilled.safetensors"
        if not distilled_file.is_file():
            teacher = loaded(work / "teacher.npz", model.MPNET)
            note("teacher", evaluate.with_torch(data, teacher, config))
            encoder, went = distil.train(student, teacher, data, config)
            note("distillation", went)
            weights.write_safetensors(distilled_file, model.take(encoder))
            del teacher
        first = loaded(distilled_file)
    else:
        first = student if start == "student" else loaded(Path(start))
    note("distilled", evaluate.with_torch(data, first, config))
    tutor = None
    if config.tutor.steps and config.finetune.tutor_weight:
        tutor_file = work / "tutor.safetensors"
        if not tutor_file.is_file():
            tutor = tutored(loaded(work / "teacher.npz", model.MPNET), data, config)
            weights.write_safetensors(tutor_file, model.take(tutor))
        tutor = loaded(tutor_file, model.MPNET).eval()
        note("tutor", evaluate.with_torch(data, tutor, config))
    if "only" not in ablations:
        encoder, rounds = tuned(first, data, config, tutor)
        note("finetuning", rounds)
        note("final", evaluate.with_torch(data, encoder, config))
        weights.write_safetensors(work / "final.safetensors", model.take(encoder))
        if is_kept:
            export.split(work / "final.safetensors", out)
    for name in ("nothing", *ablations) if ablations else ():
        if name != "only":
            base, less = student if name == "distil" else first, changed(shorter(config), name)
            other, _ = tuned(base, data, less, tutor, is_mined=name != "mined")
            note(f"without {name}", evaluate.with_torch(data, other, config))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="where the parts were unpacked")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--config", type=Path, default=settings.CONFIG)
    parser.add_argument("--start", default="distil", help='"distil", "student", or a file of weights')
    parser.add_argument("--ablate", nargs="*", default=[], choices=[*ABLATIONS, "all", "only"])
    parser.add_argument("--figures", action="store_true", help="leave no weights in --out, only metrics.json")
    parser.add_argument("--set", nargs="*", default=[], metavar="SECTION.KEY=VALUE", help="values of the configuration")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    chosen = [*ABLATIONS, *options.ablate] if "all" in options.ablate else options.ablate
    chosen = [name for name in chosen if name != "all"]
    config = settings.load(options.config, changes=parsed(options.set))
    run(options.work, options.out, config, options.start, chosen, is_kept=not options.figures)


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
