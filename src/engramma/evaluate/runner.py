"""A benchmark from file to figures: build the stores, ask every question by every recipe, sum up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UnknownRecipe
from ..memory import Memory
from ..models.embed import Embedder
from ..models.load import load
from ..recall.recipes import RECIPES, Plan
from ..records import Turn
from .ablate import WHOLE, expand_recipe_names, ways_of
from .answers import QuestionFigures, ask_benchmark_question, measure_question, rounded, summary
from .baselines import BASELINES, Ranker, ranker
from .cache import CachedEmbedder
from .metrics import summarize_values
from .stores import BuiltStores, build_stores, open_workplace, query_embedding_ms, write_to_readable
from .task import BenchmarkQuestion, BenchmarkStore, Task

if TYPE_CHECKING:
    from rich.progress import Progress

EACH, SHARED = "each", "shared"
WARM_UP = "What was said?"
TIMED_QUERIES = 100

Answers = dict[str, list[QuestionFigures]]  # by the label of the way they were found


@dataclass(frozen=True, slots=True)
class BenchmarkOptions:
    """How to run a benchmark."""

    recipes: tuple[str, ...] = (WHOLE,)
    ablate: bool = False
    shared: bool | None = None  # only the shared store, only one store each, or (None) both
    k: int = 50
    context: bool = True  # ask again at every budget, for the coverage
    baselines: bool = True
    cache: Path | None = None
    embedder: str | None = None


def choose_plans(options: BenchmarkOptions) -> dict[str, str | Plan]:
    """Label -> the recipe or plan to ask by."""
    names = expand_recipe_names(options.recipes)
    if unknown := [name for name in names if name not in RECIPES]:
        raise UnknownRecipe(f"There is no recipe {unknown[0]!r:.80}. Known: all, {', '.join(RECIPES)}.")
    return ways_of(names, options.ablate)


def layouts_of(task: Task, options: BenchmarkOptions) -> dict[str, tuple[BenchmarkStore, ...]]:
    """The ways to lay a task out as stores. One that has no stores of its own is always shared."""
    layouts = {}
    if task.each and options.shared is not True:
        layouts[EACH] = task.each
    if not task.each or options.shared is not False:
        layouts[SHARED] = (task.shared,)
    return layouts


def run_benchmark(
    task: Task, options: BenchmarkOptions, progress: Progress | None = None, embedder: Embedder | None = None
) -> Any:
    """All figures of a task: what `report` shows and writes."""
    ways = choose_plans(options)
    inner = embedder or load(options.embedder)
    result: dict[str, Any] = {
        "task": task.name,
        "title": task.title,
        "dataset": {"file": task.file, "sha256": task.sha256, "limit": task.limit},
        "notes": list(task.notes),
        "questions": len(task.questions),
        "groups": list(task.groups),
        "headline": list(task.headline),
        "embedder": {"name": inner.name, "sha256": inner.sha256},
        "k": options.k,
        "recipes": {label: RECIPES[way].purpose for label, way in ways.items() if isinstance(way, str)},
        "layouts": {},
    }
    with open_workplace(options.cache) as place:
        cached = CachedEmbedder(inner, place / "vectors")
        for layout, stores in layouts_of(task, options).items():
            told = bar(progress, f"remember ({layout})", sum(store.turns for store in stores))
            built = build_stores(task, layout, stores, cached, place, told)
            runs = _asked(task, layout, stores, built, ways, options, cached, progress)
            result["layouts"][layout] = {
                **_sizes(built),
                "write_to_readable_s": rounded(write_to_readable(built, max(stores, key=lambda s: s.turns), inner)),
                "runs": runs,
            }
        texts = [question.text for question in task.questions[:TIMED_QUERIES]]
        result["query_embedding_ms"] = rounded(summarize_values(query_embedding_ms(inner, texts)))
        result["texts_embedded"] = cached.embedded
    return result


def bar(progress: Progress | None, what: str, total: int) -> Any:
    """A function that moves a new bar on."""
    if progress is None:
        return lambda count: None
    number = progress.add_task(what, total=total)
    return lambda count: progress.advance(number, count)


def _sizes(built: BuiltStores) -> dict[str, Any]:
    return {
        "stores": built.stores,
        "turns": built.turns,
        "segments": built.segments,
        "bytes": built.bytes,
        "bytes_a_segment": round(built.bytes / max(1, built.segments), 1),
        "bytes_a_turn": round(built.bytes / max(1, built.turns), 1),
    }


def _asked(
    task: Task,
    layout: str,
    stores: Sequence[BenchmarkStore],
    built: BuiltStores,
    ways: Mapping[str, str | Plan],
    options: BenchmarkOptions,
    embedder: Embedder,
    progress: Progress | None,
) -> dict[str, Any]:
    """Every question asked in every way, summed up by way."""
    found: Answers = defaultdict(list)
    told = bar(progress, f"ask ({layout})", len(task.questions) * len(ways))
    embedder.embed([question.text for question in task.questions], "query")  # together, on every core
    for store in stores:
        own = [q for q in task.questions if layout == SHARED or q.store == store.name]
        if options.baselines:
            for name in BASELINES:
                ask_baseline(name, ranker(name, store, embedder, options.k), own, found)
        if own:
            with Memory.open(built.folder, store.name, embedder=embedder) as memory:
                ask_all(memory, store, own, ways, options, found, told)
    return {label: summary(answers, task.groups, task.corrected) for label, answers in found.items()}


def ask_baseline(name: str, rank: Ranker, questions: Sequence[BenchmarkQuestion], found: Answers) -> None:
    for question in questions:
        if question.gold.sessions:
            ranked = rank(question.text)
            turns, sessions = [turn for turn, _ in ranked], list(dict.fromkeys(session for _, session in ranked))
            mended = measure_question(question.corrected, turns, sessions) if question.corrected else {}
            found[f"baseline {name}"].append(
                QuestionFigures(question, measure_question(question.gold, turns, sessions), mended)
            )


def ask_all(
    memory: Memory,
    store: BenchmarkStore,
    questions: Sequence[BenchmarkQuestion],
    ways: Mapping[str, str | Plan],
    options: BenchmarkOptions,
    found: Answers,
    told: Any,
) -> None:
    texts: dict[str, Turn] = {
        str(turn.id): turn for talk in store.conversations for session in talk.sessions for turn in session.turns
    }
    for label, way in ways.items():
        context = options.context and isinstance(way, str)  # an ablation shows the coverage of its own budget only
        memory.recall(WARM_UP, recipe=way)
        for question in questions:
            found[label].append(ask_benchmark_question(memory, question, way, options.k, texts, context))
            told(1)
