"""The encoder beside the same network in floats and as ordinary int8: texts a second, one query, how alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from speed_networks import FLOAT, INT8, TOKENIZER, write_networks
from speed_plain import PlainEncoder
from speed_talk import laid_out

from engramma.models.load import load

Vectors = NDArray[np.float32]
MOST_TEXTS = 400
COMPARED = 200
REST = 0.3  # seconds after a measurement: the runtime's threads spin on for a while


def measure_encoder(work: Path, rounds: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Texts a second, processor time of a text and milliseconds of a query, medians of interleaved rounds."""
    texts = [text for session in laid_out(work, "sessions") for text in session][:MOST_TEXTS]
    questions = laid_out(work, "questions")
    say("making the same network in floats and in dynamic int8")
    write_networks(work)
    packaged = load()
    floats, dynamic = PlainEncoder(work / FLOAT, TOKENIZER), PlainEncoder(work / INT8, TOKENIZER)
    encoders: dict[str, tuple[Callable[[Sequence[str]], Vectors], Callable[[Sequence[str]], Vectors]]] = {
        "engramma": (packaged.embed, lambda asked: packaged.embed(asked, "query")),
        "fp32": (floats.embed, floats.embed),
        "dynamic_int8": (dynamic.embed, dynamic.embed),
    }
    vectors = {name: embed(texts[:COMPARED]) for name, (embed, _) in encoders.items()}
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in encoders}
    for number in range(rounds):
        for name, (embed, ask) in encoders.items():
            say(f"encoder, round {number + 1}: {name}")
            runs[name].append(one_round(embed, ask, texts, questions))
    return {
        "texts": len(texts),
        **{name: summed_up(found) | alike(vectors[name], vectors["fp32"]) for name, found in runs.items()},
    }


def one_round(
    embed: Callable[[Sequence[str]], Vectors],
    ask: Callable[[Sequence[str]], Vectors],
    texts: Sequence[str],
    questions: Sequence[str],
) -> dict[str, float]:
    time.sleep(REST)
    began, cpu = time.perf_counter(), time.process_time()
    embed(texts)
    wall, cpu = time.perf_counter() - began, time.process_time() - cpu
    asked = []
    for question in questions:
        began = time.perf_counter()
        ask([question])
        asked.append(time.perf_counter() - began)
    return {"texts_s": len(texts) / wall, "cpu_ms_a_text": cpu / len(texts) * 1e3, "query_ms": median(asked) * 1e3}


def summed_up(runs: Sequence[dict[str, float]]) -> dict[str, Any]:
    """The medians, and the least and the most of each."""
    found: dict[str, Any] = {name: round(median(run[name] for run in runs), 2) for name in runs[0]}
    spread = {
        name: [round(min(run[name] for run in runs), 2), round(max(run[name] for run in runs), 2)] for name in found
    }
    return {**found, "from_to": spread}


def alike(vectors: Vectors, exact: Vectors) -> dict[str, float]:
    cosines = np.einsum("ij,ij->i", vectors, exact)
    return {"cosine_least": round(float(cosines.min()), 4), "cosine_mean": round(float(cosines.mean()), 4)}
