"""Makes the second network of engramma-multi-1 from its named sources: every step, in order, by one command.

python -m train.multi_run --work DIR --data DATA                   all steps that are not done yet (train/steps.py)
python -m train.multi_run --work DIR --data DATA --small           the same with little of everything, on a CPU
python -m train.multi_run --work DIR --data DATA --until devsets   what needs no GPU; --work can then be moved to one
python -m train.multi_run --work DIR --data DATA --only train      this step, if there is no more than what it reads
python -m train.multi_run --work DIR --data DATA --from words      these steps again, whatever is known of them
python -m train.multi_run --work DIR --data DATA --install         and put the files into the package

DATA holds the development halves: longmemeval, longmemeval_s_snippet, locomo, memdaily_zh, tatoeba and xquad. What each
step prints is in DIR/notes.
"""

from __future__ import annotations

import argparse
import importlib
import json
import shutil
import time
import tomllib
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from engramma.files.hashing import sha256_of
from engramma.models import packaged
from engramma.models.embed import PACKAGED
from engramma.models.native import layout_name
from engramma.models.onnx import WEIGHTS, graph_name

from . import multi_sources, multi_wordlists
from .sources import SourceError
from .steps import Step, StepError, run

CONFIG = Path(__file__).with_name("multi.toml")
MINI, TOKENIZER = WEIGHTS / packaged.MINI_WEIGHTS, WEIGHTS / packaged.MINI_TOKENIZER
MADE = {  # what the package has, and where the steps put it
    packaged.MULTI_WEIGHTS: f"export/{PACKAGED}/int8/model.int8.onnx",
    graph_name(packaged.MULTI_WEIGHTS): f"export/{PACKAGED}/int8/{graph_name(packaged.MULTI_WEIGHTS)}",
    layout_name(packaged.MULTI_WEIGHTS): f"export/{PACKAGED}/int8/{layout_name(packaged.MULTI_WEIGHTS)}",
    packaged.MULTI_TOKENIZER: f"words/{packaged.MULTI_TOKENIZER}",
    packaged.MULTI_PIECES: f"words/{packaged.MULTI_PIECES}",
    packaged.LATIN_PIECES: f"words/{packaged.LATIN_PIECES}",
    packaged.ENGLISH_WORDS: f"dictionary/{packaged.ENGLISH_WORDS}",
}
FOLLOWED = ("mini", "first", "half", "final")  # when training measures: engramma-mini alone, then the new network
TRAINING = ("torch", "onnx")  # what training and export need beside what the package needs
FIGURES = "measure/figures.json"
NAMES = (
    "sources", "english", "corpus", "teacher", "words", "pack", "devsets", "train", "export", "dictionary", "measure",
)  # fmt: skip
Settings = Mapping[str, Mapping[str, Any]]


def settings_of(path: Path = CONFIG, *, is_small: bool = False, training_steps: int | None = None) -> Settings:
    """Settings by step, with those of `[small]` above them and a number of training steps above these."""
    read = tomllib.loads(path.read_text("utf-8"))
    small = read.pop("small")
    for layer in (small if is_small else {}, {"train": {"steps": training_steps}} if training_steps else {}):
        for step, values in layer.items():
            read[step] = {**read.get(step, {}), **values}
    return read


def flags(values: Mapping[str, Any]) -> list[str]:
    """Settings as a command line has them: {"rates": [1, 2], "tiny": true} is `--rates 1 2 --tiny`."""
    found = []
    for name, value in values.items():
        given = [] if value is True else value if isinstance(value, list | tuple) else [value]
        found += [f"--{name}", *map(str, given)]
    return found


def steps_of(work: Path, data: Path, settings: Settings) -> list[Step]:
    """All steps: sources, English texts, pairs, dictionary, vocabulary, arrays, training, export, words, figures."""
    steps: list[Step] = []

    def add(name: str, module: str, reads: Mapping[str, Path], also: Sequence[Path] = (), **given: Path) -> None:
        """One step is a module's command: its options are what it reads, what else is given, and its settings."""
        own = settings.get(name, {})
        known = {**reads, **{path.name: path for path in also}}
        steps.append(Step(name, partial(call, module, flags({**reads, **given, **own})), known, own, name == "sources"))

    cache, pairs, told = work / "sources", work / "corpus" / "pairs.jsonl.gz", work / "english" / "texts.jsonl.gz"
    taught, vocabulary = work / "teacher" / "dictionary.jsonl", work / MADE[packaged.MULTI_TOKENIZER]
    encoder, xquad, locomo = work / "export" / PACKAGED, data / "xquad", data / "locomo" / "locomo_dev.json"
    lists = (multi_sources.SOURCES, multi_wordlists.LISTS)
    chats = {
        "longmemeval": data / "longmemeval" / "oracle_dev.json.gz",
        "snippets": data / "longmemeval_s_snippet" / "questions_dev.jsonl.gz",
        "locomo": locomo,
    }
    texts = {"pairs": pairs, "texts": told, "dictionary": taught, "base": TOKENIZER}
    both = {"tokenizer": vocabulary, "base": TOKENIZER}
    add("sources", "multi_sources", {}, lists, cache=cache)
    add("english", "corpus", {**chats, "tokenizer": TOKENIZER, "cache": cache}, out=told.parent)
    add(
        "corpus",
        "multi_corpus",
        {"cache": cache, "tatoeba": data / "tatoeba" / "pairs_eng.json.gz"},
        lists,
        out=pairs.parent,
    )
    add("teacher", "multi_teacher", {"pairs": pairs, "cache": cache, "tokenizer": TOKENIZER}, lists, out=taught)
    add("words", "multi_words", texts, out=vocabulary)
    add("pack", "multi_pack", {**texts, **both}, out=work / "pack")
    measured = (xquad, data / "memdaily_zh" / "memdaily_dev.json.gz", locomo)
    add("devsets", "multi_devsets", both, measured, data=data, out=work / "devsets")
    begun = {"data": work / "pack", "devsets": work / "devsets", "start": MINI}
    add("train", "multi_train", begun, out=work / "train")
    add("export", "multi_export", {"parts": work / "train", "tokenizer": vocabulary}, out=encoder)
    trained = {"weights": encoder / "model.safetensors", "tokenizer": vocabulary}
    add("dictionary", "multi_english", trained, out=work / MADE[packaged.ENGLISH_WORDS])
    add("measure", "multi_measure", {"folder": encoder / "int8", "xquad": xquad}, out=work / FIGURES)
    return steps


def call(module: str, arguments: Sequence[str]) -> None:
    """A step's command in this process, so that it ends with it; its module is imported when it is needed."""
    importlib.import_module(f"{__package__}.{module}").main(arguments)


def look_for_packages(last: str | None) -> None:
    """What the steps up to the last one import has to be installed before the first begins."""
    is_training = last is None or NAMES.index(last) >= NAMES.index("train")
    missing = [name for name in ("tokenizers", *(TRAINING if is_training else ())) if find_spec(name) is None]
    if missing:
        raise StepError(f"{' and '.join(missing)} must be installed first; see train/README.md")


def report(work: Path) -> str:
    """The figures, and the sha256 of each file for the package."""
    trained = json.loads((work / "train" / "multi.json").read_text("utf-8"))
    measured = json.loads((work / FIGURES).read_text("utf-8"))
    lines = [
        f"trained: {trained['steps']} steps in {trained['seconds']:.0f} s",
        *(f"English by engramma-mini-1, {name}: {json.dumps(trained[name])}" for name in FOLLOWED),
        f"all by itself, int8: {json.dumps(measured)}",
    ]
    for name, place in MADE.items():
        found = sha256_of(work / place)
        as_published = "as packaged" if found == packaged.PUBLISHED[name] else "not as packaged"
        lines.append(f"{found}  {name} ({(work / place).stat().st_size:,} bytes, {as_published})")
    return "\n".join(lines)


def install(work: Path, weights: Path = WEIGHTS, published: Path = Path(packaged.__file__)) -> None:
    """Puts the files where the package has them, and their hashes where it checks them."""
    text = published.read_text("utf-8")
    for name, place in MADE.items():
        line = f'"{packaged.PUBLISHED[name]}"'
        if text.count(line) != 1:
            raise StepError(f"{published} does not have the hash of {name} that was loaded; nothing was installed")
        text = text.replace(line, f'"{sha256_of(work / place)}"')
    for name, place in MADE.items():
        shutil.copyfile(work / place, weights / name)
    published.write_text(text, "utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="a folder of this recipe's own")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the development halves")
    parser.add_argument("--config", type=Path, default=CONFIG)
    parser.add_argument("--small", action="store_true", help="with the settings of [small]")
    parser.add_argument("--steps", type=int, help="of training, instead of those of the configuration")
    parser.add_argument("--from", dest="first", choices=NAMES, help="do this step and all after it again")
    parser.add_argument("--until", dest="last", choices=NAMES, help="stop after this step")
    parser.add_argument("--only", choices=NAMES, help="do this step alone, without looking at those before it")
    parser.add_argument("--install", action="store_true", help="put the files into the package")
    options = parser.parse_args(arguments)
    if options.only and (options.first or options.last):
        parser.error("--only names one step; --from and --until name several")
    if options.install and (options.small or options.steps or options.last or options.only):
        parser.error("--install takes a whole run with the settings of the configuration")
    settings = settings_of(options.config, is_small=options.small, training_steps=options.steps)
    work, began = options.work.resolve(), time.monotonic()
    steps = steps_of(work, options.data.resolve(), settings)
    try:
        look_for_packages(options.only or options.last)
        run(steps, work, first=options.first, last=options.last, only=options.only, say=partial(print, flush=True))
        if not options.last and not options.only:
            print(report(work))
        if options.install:
            install(work)
    except (StepError, SourceError) as error:
        raise SystemExit(f"{error}") from error
    print(f"{time.monotonic() - began:.1f} s in all")


if __name__ == "__main__":
    main()
