"""Commands that measure: eval locomo, eval longmemeval, eval lme-s-snippet."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...files.private_files import write_private
from .common import app as main
from .common import command, out_json, progress_bar, say, wants_json
from .terminal import unfiltered, visible_within

if TYPE_CHECKING:
    from rich.console import Console

    from ...models.llm import LLM

    Draw = Callable[[dict[str, Any], Path], Iterable[Path]]
    Show = Callable[[dict[str, Any], Console], None]

app = typer.Typer(
    help="Measure recall on a benchmark's file: recipes, baselines, ablations, times.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
main.add_typer(app, name="eval")


@dataclass(frozen=True, slots=True)
class EvalOptions:
    """What to measure, and where the figures go."""

    path: Annotated[Path, typer.Argument(help="The data set's file, plain or gzipped.")]
    recipe: Annotated[
        list[str] | None,
        typer.Option("--recipe", help="Recipe to measure (repeatable), or all.", show_default="default"),
    ] = None
    ablate: Annotated[bool, typer.Option("--ablate", help="Also measure `default` without each of its stages.")] = False
    figures: Annotated[
        Path | None, typer.Option("--json", help="Write every figure to this file.", show_default=False)
    ] = None
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw pictures into this folder.", show_default=False)] = (
        None
    )
    shared: Annotated[
        bool | None,
        typer.Option(
            "--shared/--no-shared",
            help="Only one store for everything, or only one store per conversation.",
            show_default="both",
        ),
    ] = None
    limit: Annotated[int | None, typer.Option(help="Only the first N questions, for a quick try.", min=1)] = None
    k: Annotated[int, typer.Option("--k", "-k", help="Number of entries to rank.", min=1, max=10_000)] = 50
    cache: Annotated[
        Path | None, typer.Option(help="Keep stores and vectors here: a second run embeds nothing.", show_default=False)
    ] = None
    corrections: Annotated[
        Path | None, typer.Option(help="Corrected evidence; both figures are shown.", show_default=False)
    ] = None
    embedder: Annotated[str | None, typer.Option(help="Model to embed with.", show_default="the packaged encoder")] = (
        None
    )
    context: Annotated[
        bool,
        typer.Option(
            "--context/--no-context", help="Ask at every budget, to measure the share of evidence in the context."
        ),
    ] = True
    baselines: Annotated[
        bool, typer.Option("--baselines/--no-baselines", help="Also rank by BM25 and plain cosine.")
    ] = True
    kind: Annotated[
        str,
        typer.Option(
            "--task",
            help="recall (what is found), qa (answers and refusals), people (those with several conversations).",
        ),
    ] = "recall"
    llm: Annotated[
        Path | None,
        typer.Option(
            "--llm",
            help="With --task qa or people: a folder whose config.toml names a model ([llm]); it writes the answers.",
            show_default=False,
        ),
    ] = None


def measure(task: str, wanted: EvalOptions) -> None:
    """Read the file, run it, show and write the figures."""
    from ...evaluate import plots, qa, qa_report, report
    from ...evaluate.runner import BenchmarkOptions, run_benchmark
    from ...evaluate.task import TaskReading
    from ...evaluate.tasks import TASKS

    w = wanted
    if w.kind not in ("recall", qa.QA, qa.PEOPLE):
        raise typer.BadParameter(f"{w.kind!r:.40} is not one of recall, qa, people.", param_hint="--task")
    if w.kind == qa.PEOPLE and task != "locomo":
        raise typer.BadParameter("Only locomo has people with several conversations.", param_hint="--task")
    if w.plot is not None:
        plots.pyplot()  # say what is missing now, not after an hour
    if w.kind == "recall":
        recipes = tuple(w.recipe or ("default",))
        options = BenchmarkOptions(recipes, w.ablate, w.shared, w.k, w.context, w.baselines, w.cache, w.embedder)
        found = TASKS[task](w.path, TaskReading(w.limit, w.corrections))
        with progress_bar() as progress:
            record = report.recorded(run_benchmark(found, options, progress), sys.argv[1:])
        published(record, w, plots.draw_plots, report.show_record)
    else:
        model = None if w.llm is None else model_of(w.llm)
        found = TASKS[task](w.path, TaskReading(w.limit, without_evidence=True))
        with progress_bar() as progress:
            record = report.recorded(qa.run_qa(found, w.kind, w.cache, w.embedder, progress, model), sys.argv[1:])
        published(record, w, qa_report.draw_abstention, qa_report.show_qa_record)


def published(record: dict[str, Any], wanted: EvalOptions, draw: Draw, show: Show) -> None:
    """Write the figures and pictures that are wanted, and show the figures."""
    from rich.console import Console

    from ..render import as_json

    if wanted.figures is not None:
        write_private(wanted.figures, as_json(record) + "\n")
        say(f"figures: {wanted.figures}")
    for picture in draw(record, wanted.plot) if wanted.plot is not None else ():
        say(f"picture: {picture}")
    console = Console(file=unfiltered(sys.stdout))
    if wants_json():
        out_json(record)
    elif console.is_terminal:
        show(visible_within(record), console)
    else:
        show(record, Console(file=sys.stdout, width=150))


def model_of(path: Path) -> LLM:
    """The language model that a folder's config.toml names."""
    from ...config.settings import load_config
    from ...config.trust import check, llm_address
    from ...models.chat import open_llm
    from ...models.llm import llm_settings

    table = load_config(path).llm
    settings = llm_settings(table)
    if settings is None:
        raise typer.BadParameter(f"{path} has no config.toml with a table [llm].", param_hint="--llm")
    check(path, llm_address(table))
    return open_llm(settings)


def _add(task: str, purpose: str, without: tuple[str, ...]) -> None:
    """A command that measures one task: all these options, but for those that mean nothing there."""

    @command(task, within=app, without=("store", "namespace", "json", *without), help=purpose)
    def measure_task(wanted: EvalOptions) -> None:
        measure(task, wanted)


for task, purpose, without in (
    ("locomo", "LoCoMo: long conversations between two people; evidence turns and sessions.", ()),
    (
        "longmemeval",
        "LongMemEval's oracle file: all its sessions pooled in one store.",
        ("shared", "corrections"),
    ),
    (
        "lme-s-snippet",
        "LME-S-snippet: LongMemEval_S haystacks, the first 500 characters of each session.",
        ("corrections", "kind", "llm"),
    ),
):
    _add(task, purpose, without)
