"""Reads config.toml: one frozen record a step."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CONFIG = Path(__file__).with_name("config.toml")


@dataclass(frozen=True, slots=True)
class General:
    """What all steps share."""

    seed: int


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is built from the sources."""

    max_tokens: int
    distil_texts: int
    turn_pairs: int
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Distil:
    """How the student learns the teacher's similarities."""

    epochs: int
    batch: int
    max_tokens: int
    learning_rate: float
    warmup: int
    temperature: float
    relations: float
    direction: float
    similarities: float


@dataclass(frozen=True, slots=True)
class Finetune:
    """How questions are drawn towards the turns that answer them."""

    steps: int
    batch: int
    group: int
    max_tokens: int
    learning_rate: float
    warmup: int
    temperature: float
    session_negatives: int
    mined_negatives: int
    same_speaker: float
    told_by_other: float
    swapped: float
    named: float
    typos: float
    dimensions: tuple[int, ...]
    weights: tuple[float, ...]
    sign_weight: float
    keep_weight: float
    keep_texts: int
    average_from: float
    is_table_frozen: bool
    shares: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Tutor:
    """How the teacher itself is fine-tuned, and the student distilled from it again."""

    steps: int
    batch: int
    keep_weight: float
    keep_texts: int
    epochs: int
    learning_rate: float


@dataclass(frozen=True, slots=True)
class Mine:
    """How hard negatives are looked for."""

    depth: int
    keep: int
    ceiling: float
    elsewhere: bool


@dataclass(frozen=True, slots=True)
class Renewal:
    """How the packaged encoder learns on."""

    seeds: int
    kept: float


@dataclass(frozen=True, slots=True)
class Settle:
    """How the rounded encoder learns to give the vectors of the exact one."""

    steps: int
    batch: int
    warmup: int
    learning_rate: float


@dataclass(frozen=True, slots=True)
class Evaluate:
    """What is measured."""

    depth: int
    rescored: int


@dataclass(frozen=True, slots=True)
class Config:
    """The whole of config.toml."""

    general: General
    corpus: Corpus
    distil: Distil
    finetune: Finetune
    tutor: Tutor
    mine: Mine
    renewal: Renewal
    settle: Settle
    evaluate: Evaluate


def load(
    path: Path = CONFIG,
    *,
    tiny: bool = False,
    renew: bool = False,
    changes: Mapping[str, Mapping[str, Any]] | None = None,
) -> Config:
    """The configuration; layers, and `changes` above them, overrule single values, section by section."""
    with path.open("rb") as file:
        read = tomllib.load(file)
    small, renewed = read.pop("tiny", {}), read.pop("renew", {})
    for layer in ((renewed if renew else {}), (small if tiny else {}), changes or {}):
        for section, values in layer.items():
            read[section] = {**read[section], **values}
    return Config(
        General(**_frozen(read["general"])),
        Corpus(**_frozen(read["corpus"])),
        Distil(**_frozen(read["distil"])),
        Finetune(**_frozen(read["finetune"])),
        Tutor(**_frozen(read["tutor"])),
        Mine(**_frozen(read["mine"])),
        Renewal(**_frozen(read["renewal"])),
        Settle(**_frozen(read["settle"])),
        Evaluate(**_frozen(read["evaluate"])),
    )


def without(config: Config, kind: str) -> Config:
    """The same, less one kind of pair: what an ablation runs."""
    kinds = tuple(name for name in config.corpus.kinds if name != kind)
    return dataclasses.replace(config, corpus=dataclasses.replace(config.corpus, kinds=kinds))


def _frozen(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
