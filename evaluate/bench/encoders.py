"""engramma-mini-1 beside the packaged encoder, which has a second network for other languages, in one run.

    python evaluate/bench/encoders.py --xquad FOLDER [--sentences 100] [--paragraphs 10] [--rounds 5] [--json OUT]

FOLDER has the same questions and paragraphs in several languages (languages.py). Each encoder embeds the English ones,
and those of all other languages, each in a process of its own, so that memory is its own: four processes a round, one
after the other, in turns. Shown are medians of the rounds:

    open         from asking for the encoder to having it, imports included; to having its first vector, for which the
                 second network is opened where the text needs it; and the processor time of both
    a second     questions and paragraphs embedded, and the processor time of one, which is steadier on a busy machine
    query        a question embedded alone
    peak         the most memory that the process had

Below, for each language: questions a second and their processor time, against engramma-mini-1 with the same text, and
with the English of it. The shares of vectors that are the same bits in both encoders, and bytes on disk. English texts
that the packaged encoder gives to its second network are counted and left out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from languages import ENGLISH, NAMES, read_languages, spread_sample
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from speed_machine import load_now, machine
from speed_talk import peak_mb

from engramma.evaluate.report import recorded
from engramma.models import packaged
from engramma.models.embed import MINI, PACKAGED
from engramma.models.onnx import WEIGHTS

ENCODERS = (MINI, PACKAGED)
OTHERS = "others"
KINDS = (ENGLISH, OTHERS)
PROCESS = ("before_mb", "open_ms", "first_ms", "first_cpu_ms", "peak_mb")
WARM = 8  # texts embedded before any is timed
TEXTS, VECTORS = "texts.json", "vectors.npy"
MOST_MB, LEAST_RATIO = 60.0, 0.5  # goals: the second network on disk; its questions a second against engramma-mini-1

NOT_INSTALLED = (packaged.MINI_TOKENIZER, packaged.MULTI_TOKENIZER)
FILES = {
    MINI: (packaged.MINI_WEIGHTS, packaged.MINI_PIECES),
    PACKAGED: tuple(name for name in packaged.PUBLISHED if name not in NOT_INSTALLED),
}
COLUMNS = {
    "open_ms": "open, ms",
    "first_ms": "first text",
    "first_cpu_ms": "its cpu",
    "questions_s": "questions/s",
    "cpu_ms": "cpu ms",
    "paragraphs_s": "paragraphs/s",
    "paragraph_cpu_ms": "cpu ms",
    "query_ms": "query, ms",
    "peak_mb": "peak MB",
}
RATIOS = {
    "ratio_same_text": "same text",
    "ratio_english": "its English",
    "cpu_ratio_same_text": "same text, by cpu",
    "cpu_ratio_english": "its English, by cpu",
}
Measured = dict[str, Any]


def lay_out(
    work: Path, files: Mapping[str, Any], sizes: Mapping[str, int], is_small: Callable[[str], bool]
) -> dict[str, list[int]]:
    """Write the texts for all processes: the same ones in each language.

    Left out are those whose English the packaged encoder gives to its second network, since the first of them would
    open it, and English be measured with both. Returns how many that are of each kind, and of how many.
    """
    texts: dict[str, dict[str, list[str]]] = {language: {} for language in files}
    elsewhere = {}
    for kind, size in sizes.items():
        own = {language: [text_of(one) for one in found[kind]] for language, found in files.items()}
        sample = spread_sample(range(len(own[ENGLISH])), size)[:size]
        kept = [number for number in sample if is_small(own[ENGLISH][number])]
        elsewhere[kind] = [len(sample) - len(kept), len(sample)]
        for language, every in own.items():
            texts[language][kind] = [every[number] for number in kept]
    (work / TEXTS).write_text(json.dumps(texts), encoding="utf-8")
    return elsewhere


def text_of(one: Any) -> str:
    """A question's or a paragraph's text."""
    return str(one["question"] if isinstance(one, dict) else one)


def measure_here(encoder: str, kind: str, work: Path) -> Measured:
    """What one process measures: opening, then each language's texts."""
    texts = json.loads((work / TEXTS).read_text(encoding="utf-8"))
    chosen = {language: one for language, one in texts.items() if (language == ENGLISH) == (kind == ENGLISH)}
    first = next(iter(chosen.values()))["questions"]
    before, began, cpu = peak_mb(), time.perf_counter(), time.process_time()
    from engramma.models.load import load

    opened = load(encoder)
    opening = time.perf_counter() - began
    opened.embed(first[:1], "query")
    to_first, first_cpu = time.perf_counter() - began, time.process_time() - cpu
    opened.embed(first[:WARM])  # opens what a first text may do without
    languages, vectors = {}, list[NDArray[np.float32]]()
    for language, one in chosen.items():
        seconds, cpu, rows = timed_embedding(opened, one["questions"])
        vectors.append(rows)
        single = []
        for question in one["questions"][: max(1, len(one["questions"]) // 4)]:
            start = time.perf_counter()
            opened.embed([question], "query")
            single.append(time.perf_counter() - start)
        long, long_cpu, rows = timed_embedding(opened, one["paragraphs"])
        vectors.append(rows)
        languages[language] = {
            "questions_s": len(one["questions"]) / seconds,
            "cpu_ms": cpu / len(one["questions"]) * 1e3,
            "query_ms": median(single) * 1e3,
            "paragraphs_s": len(one["paragraphs"]) / long,
            "paragraph_cpu_ms": long_cpu / len(one["paragraphs"]) * 1e3,
        }
    np.save(work / f"{encoder}-{kind}-{VECTORS}", np.concatenate(vectors))
    return {
        "before_mb": before,
        "open_ms": opening * 1e3,
        "first_ms": to_first * 1e3,
        "first_cpu_ms": first_cpu * 1e3,
        "peak_mb": peak_mb(),
        "languages": languages,
    }


def timed_embedding(encoder: Any, texts: Sequence[str]) -> tuple[float, float, NDArray[np.float32]]:
    """Seconds, seconds of the processor, and the vectors."""
    began, cpu = time.perf_counter(), time.process_time()
    rows: NDArray[np.float32] = encoder.embed(texts)
    return time.perf_counter() - began, time.process_time() - cpu, rows


def measure_apart(encoder: str, kind: str, work: Path) -> Measured:
    """The same in a new process."""
    command = [sys.executable, __file__, "--process", encoder, kind, str(work)]
    told = subprocess.run(command, capture_output=True, text=True)
    if told.returncode:
        sys.exit(f"{encoder} failed with {kind}:\n{told.stderr}")
    found: Measured = json.loads(told.stdout)
    return found


def take_medians(rounds: Sequence[Measured]) -> Measured:
    """The medians of several rounds; of all languages of a round, the mean is one more."""
    own = {name: median(one[name] for one in rounds) for name in PROCESS}
    names = list(next(iter(rounds[0]["languages"].values())))
    languages = {
        language: {name: median(one["languages"][language][name] for one in rounds) for name in names}
        for language in rounds[0]["languages"]
    }
    # Texts a second are averaged as seconds a text: that is what embedding all of them takes.
    mean = {
        name: len(languages) / sum(1 / one[name] for one in languages.values())
        if name.endswith("_s")
        else sum(one[name] for one in languages.values()) / len(languages)
        for name in names
    }
    return {**own, **mean, "languages": languages}


def compare_languages(found: Mapping[str, Mapping[str, Measured]]) -> dict[str, Measured]:
    """Language -> the packaged encoder's questions a second, and against mini with the same text and its English."""
    english = found[MINI][ENGLISH]["languages"][ENGLISH]
    compared = {}
    for kind in KINDS:
        for language, ours in found[PACKAGED][kind]["languages"].items():
            same = found[MINI][kind]["languages"][language]
            compared[language] = {
                "questions_s": ours["questions_s"],
                "ratio_same_text": ours["questions_s"] / same["questions_s"],
                "ratio_english": ours["questions_s"] / english["questions_s"],
                "cpu_ratio_same_text": same["cpu_ms"] / ours["cpu_ms"],
                "cpu_ratio_english": english["cpu_ms"] / ours["cpu_ms"],
            }
    return compared


def share_of_same_bits(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """In percent, the rows that are equal to the last bit."""
    return round(100 * float(np.mean(np.all(one == other, axis=1))), 1)


def bytes_on_disk(encoder: str) -> dict[str, int]:
    return {name: (WEIGHTS / name).stat().st_size for name in FILES[encoder]}


def measure(files: Mapping[str, Any], options: argparse.Namespace, progress: Progress) -> Measured:
    """All rounds, in turns, and what they come to."""
    cases = [(encoder, kind) for kind in KINDS for encoder in ENCODERS]
    runs: dict[tuple[str, str], list[Measured]] = {case: [] for case in cases}
    figures: Measured = {"machine": machine(), "load": {"before": load_now()}}
    bar = progress.add_task("rounds", total=options.rounds * len(cases))
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        sizes = {"questions": options.sentences, "paragraphs": options.paragraphs}
        figures["elsewhere"] = lay_out(work, files, sizes, packaged.load_packaged().is_small)
        for number in range(options.rounds):
            for encoder, kind in cases if number % 2 == 0 else reversed(cases):
                progress.update(bar, description=f"round {number + 1}: {encoder}, {NAMES.get(kind, kind)}")
                runs[encoder, kind].append(measure_apart(encoder, kind, work))
                progress.advance(bar)
        kept = {case: np.load(work / f"{case[0]}-{case[1]}-{VECTORS}") for case in cases}
    found = {encoder: {kind: take_medians(runs[encoder, kind]) for kind in KINDS} for encoder in ENCODERS}
    return figures | {
        "load": figures["load"] | {"after": load_now()},
        "encoders": found,
        "languages": compare_languages(found),
        "same_bits": {kind: share_of_same_bits(kept[MINI, kind], kept[PACKAGED, kind]) for kind in KINDS},
        "bytes": {encoder: bytes_on_disk(encoder) for encoder in ENCODERS},
    }


def check_goals(figures: Measured) -> list[tuple[str, float, bool]]:
    """Each goal, what was found, and whether that reaches it."""
    network = figures["bytes"][PACKAGED][packaged.MULTI_WEIGHTS] / 1e6
    mini, others = figures["encoders"][MINI][ENGLISH], figures["encoders"][PACKAGED][OTHERS]
    ratio, cpu = others["questions_s"] / mini["questions_s"], mini["cpu_ms"] / others["cpu_ms"]
    return [
        (f"second network, MB (at most {MOST_MB})", network, network <= MOST_MB),
        (f"its questions a second against {MINI} (at least {LEAST_RATIO})", ratio, ratio >= LEAST_RATIO),
        ("the same by processor time", cpu, cpu >= LEAST_RATIO),
    ]


def show(figures: Measured, console: Console) -> None:
    console.print(f"load average {figures['load']['before']} before, {figures['load']['after']} after")
    table = Table("encoder", "text", *COLUMNS.values())
    for kind in KINDS:
        for encoder in ENCODERS:
            one = figures["encoders"][encoder][kind]
            cells = (f"{one[name]:.1f}" for name in COLUMNS)
            table.add_row(encoder.removeprefix("engramma-"), NAMES.get(kind, kind), *cells)
    console.print(table)
    table = Table(f"{PACKAGED}, text", "questions/s", *RATIOS.values(), title=f"how many times {MINI}'s")
    for language, one in figures["languages"].items():
        shown = (f"{one[name]:.2f}" for name in RATIOS)
        table.add_row(NAMES.get(language, language), f"{one['questions_s']:.1f}", *shown)
    console.print(table)
    for kind, share in figures["same_bits"].items():
        console.print(f"vectors with the same bits in both, {NAMES.get(kind, kind)}: {share} %")
    for kind, (count, total) in figures["elsewhere"].items():
        console.print(f"English {kind} that go to the second network, and were left out: {count} of {total}")
    for encoder, sizes in figures["bytes"].items():
        console.print(f"{encoder}: {sum(sizes.values()) / 1e6:.1f} MB on disk in {len(sizes)} files")
    for goal, value, is_reached in check_goals(figures):
        console.print(f"{goal}: {value:.2f}: {'reached' if is_reached else 'MISSED'}")


def main() -> None:
    if sys.argv[1:2] == ["--process"]:
        encoder, kind, work = sys.argv[2:]
        print(json.dumps(measure_here(encoder, kind, Path(work))))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--xquad", type=Path, required=True, help="a folder with a file a language")
    parser.add_argument("--sentences", type=int, default=100, help="questions of each language")
    parser.add_argument("--paragraphs", type=int, default=10, help="paragraphs of each language")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    if min(options.sentences, options.paragraphs, options.rounds) < 1:
        parser.error("--sentences, --paragraphs and --rounds must be at least 1")
    files = read_languages(options.xquad)
    if set(files) == {ENGLISH}:
        parser.error("the folder has English alone: the second network is for other languages")
    with Progress(console=Console(stderr=True)) as progress:
        figures = measure(files, options, progress)
    show(figures, Console(width=130))
    if options.json:
        whole = recorded(figures, sys.argv[1:], "python evaluate/bench/encoders.py")
        options.json.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
