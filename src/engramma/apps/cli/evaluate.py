"""Commands that measure: eval locomo, eval longmemeval, eval lme-s-snippet."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...files.private import write_private
from .common import chosen, out, progress_bar, say
from .terminal import unfiltered, visible_within

if TYPE_CHECKING:
    from ...models.llm import LLM

PathArgument = Annotated[Path, typer.Argument(help="The data set's file, plain or gzipped.")]
RecipeOption = Annotated[
    list[str] | None, typer.Option("--recipe", help="Recipe to measure (repeatable), or all.", show_default="default")
]
AblateOption = Annotated[bool, typer.Option("--ablate", help="Also measure `default` without each of its stages.")]
JsonFileOption = Annotated[
    Path | None, typer.Option("--json", help="Write every figure to this file.", show_default=False)
]
PlotOption = Annotated[Path | None, typer.Option("--plot", help="Draw pictures into this folder.", show_default=False)]
SharedOption = Annotated[
    bool | None,
    typer.Option(
        "--shared/--no-shared", help="Only one store of everything, or only a store each.", show_default="both"
    ),
]
LimitOption = Annotated[int | None, typer.Option(help="Only the first N questions, to try things.", min=1)]
DepthOption = Annotated[int, typer.Option("--k", "-k", help="Entries asked for to rank.", min=1, max=10_000)]
CacheOption = Annotated[
    Path | None, typer.Option(help="Keep stores and vectors here: a second run embeds nothing.", show_default=False)
]
EmbedderOption = Annotated[str | None, typer.Option(help="Model to embed with.", show_default="the packaged encoder")]
ContextOption = Annotated[
    bool, typer.Option("--context/--no-context", help="Ask at every budget, for the share of evidence in a context.")
]
BaselinesOption = Annotated[
    bool, typer.Option("--baselines/--no-baselines", help="Rank by BM25 and plain cosine beside it.")
]

TaskOption = Annotated[
    str,
    typer.Option(
        "--task", help="recall (what is found), qa (answers and refusals), people (those with several conversations)."
    ),
]
ModelOption = Annotated[
    Path | None,
    typer.Option(
        "--llm",
        help="With --task qa or people: a folder whose config.toml names a model ([llm]); it words the answers.",
        show_default=False,
    ),
]
CorrectionsOption = Annotated[
    Path | None, typer.Option(help="Corrected evidence; both figures are shown.", show_default=False)
]

app = typer.Typer(
    help="Measure recall on a benchmark's file: recipes, baselines, ablations, times.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def register(main: typer.Typer) -> None:
    main.add_typer(app, name="eval")


def measure(
    task: str,
    path: PathArgument,
    recipe: RecipeOption = None,
    ablate: AblateOption = False,
    json: JsonFileOption = None,
    plot: PlotOption = None,
    shared: SharedOption = None,
    limit: LimitOption = None,
    k: DepthOption = 50,
    cache: CacheOption = None,
    corrections: CorrectionsOption = None,
    embedder: EmbedderOption = None,
    context: ContextOption = True,
    baselines: BaselinesOption = True,
    kind: TaskOption = "recall",
    llm: ModelOption = None,
) -> None:
    """Read the file, run it, show and write the figures."""
    if kind != "recall":
        measure_answers(task, kind, path, json, plot, limit, cache, embedder, llm)
        return
    from rich.console import Console

    from ...evaluate import plots, report
    from ...evaluate.runner import Options, run
    from ...evaluate.task import Reading
    from ...evaluate.tasks import TASKS
    from ..render import as_json

    recipes = tuple(recipe or ("default",))
    options = Options(recipes, ablate, shared, k, context, baselines, cache, embedder)
    if plot is not None:
        plots.pyplot()  # say what is missing now, not after an hour
    found = TASKS[task](path, Reading(limit, corrections))
    with progress_bar() as progress:
        record = report.recorded(run(found, options, progress), sys.argv[1:])
    if json is not None:
        write_private(json, as_json(record) + "\n")
        say(f"figures: {json}")
    if plot is not None:
        for picture in plots.draw(record, plot):
            say(f"picture: {picture}")
    if chosen.json:
        out(as_json(record))
        return
    console = Console(file=unfiltered(sys.stdout))
    if console.is_terminal:
        report.show(visible_within(record), console)
    else:
        report.show(record, Console(file=sys.stdout, width=150))


def measure_answers(
    task: str,
    kind: str,
    path: Path,
    json: Path | None,
    plot: Path | None,
    limit: int | None,
    cache: Path | None,
    embedder: str | None,
    llm: Path | None,
) -> None:
    """Ask every question, show and write how its answers score."""
    from rich.console import Console

    from ...evaluate import plots, qa, qa_report
    from ...evaluate.report import recorded
    from ...evaluate.task import Reading
    from ...evaluate.tasks import TASKS
    from ..render import as_json

    if kind not in (qa.QA, qa.PEOPLE):
        raise typer.BadParameter(f"{kind!r:.40} is not one of recall, qa, people.", param_hint="--task")
    if plot is not None:
        plots.pyplot()
    model = None if llm is None else model_of(llm)
    found = TASKS[task](path, Reading(limit, without_evidence=True))
    with progress_bar() as progress:
        record = recorded(qa.run(found, kind, cache, embedder, progress, model), sys.argv[1:])
    if json is not None:
        write_private(json, as_json(record) + "\n")
        say(f"figures: {json}")
    for picture in qa_report.draw(record, plot) if plot is not None else ():
        say(f"picture: {picture}")
    if chosen.json:
        out(as_json(record))
        return
    console = Console(file=unfiltered(sys.stdout))
    if console.is_terminal:
        qa_report.show(visible_within(record), console)
    else:
        qa_report.show(record, Console(file=sys.stdout, width=150))


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


def add(task: str, purpose: str, without: tuple[str, ...]) -> None:
    """A command that measures one task: the options of `measure`, but for those that mean nothing there."""

    def command(**given: Any) -> None:
        measure(task, **given)

    declared = inspect.signature(measure, eval_str=True)
    kept = [parameter for name, parameter in declared.parameters.items() if name not in ("task", *without)]
    command.__signature__ = declared.replace(parameters=kept)  # type: ignore[attr-defined]  # typer goes by it
    app.command(task, help=purpose)(command)


for task, purpose, without in (
    ("locomo", "LoCoMo: long talks of two people; evidence turns and sessions.", ()),
    (
        "longmemeval",
        "LongMemEval's oracle file: all its sessions pooled in one store.",
        ("shared", "corrections", "kind", "llm"),
    ),
    (
        "lme-s-snippet",
        "LME-S-snippet: LongMemEval_S haystacks, the first 500 characters of each session.",
        ("corrections", "kind", "llm"),
    ),
):
    add(task, purpose, without)
