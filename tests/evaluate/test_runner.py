"""Runs over small fixtures: figures agree with each other, a cache saves work, ablations leave stages out."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from engramma import Memory, UnknownRecipe
from engramma.evaluate import plots, report
from engramma.evaluate.ablate import ways_of
from engramma.evaluate.answers import BUDGETS, coverage, rankings
from engramma.evaluate.baselines import ranker
from engramma.evaluate.cache import CachedEmbedder
from engramma.evaluate.porter import stem
from engramma.evaluate.runner import BenchmarkOptions, choose_plans, layouts_of, run_benchmark
from engramma.evaluate.task import BenchmarkStore, TaskReading
from engramma.evaluate.tasks import TASKS
from engramma.recall.recipes import ABLATIONS, RECIPES
from engramma.records import Conversation, Session
from tests.conftest import talk
from tests.evaluate import fixtures
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.long


class Counting(HashEmbedder):
    """Counts the texts it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.texts = 0

    def embed(self, texts, kind="document", progress=None):
        self.texts += len(texts)
        return super().embed(texts, kind, progress)


@pytest.fixture(scope="module")
def locomo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("locomo")
    return TASKS["locomo"](fixtures.locomo_file(folder), TaskReading(corrections=fixtures.corrections_file(folder)))


@pytest.fixture(scope="module")
def result(locomo):
    return run_benchmark(locomo, BenchmarkOptions(recipes=("vector", "default"), ablate=True), embedder=HashEmbedder())


# --- the whole ---------------------------------------------------------------------------------------


def test_a_run_has_every_layout_recipe_and_baseline(result):
    assert set(result["layouts"]) == {"each", "shared"}
    for layout in result["layouts"].values():
        wanted = {"baseline bm25", "baseline cosine", "vector", "default"}
        assert wanted | {f"without {name}" for name in ABLATIONS} == set(layout["runs"])
        assert layout["turns"] == 8 and layout["bytes_a_segment"] > 0
        assert layout["write_to_readable_s"]["missed"] == 0


def test_the_recipe_vector_is_plain_cosine_over_utterances(result):
    """The memory's own ranking and the harness's independent one agree on every measure."""
    for layout in result["layouts"].values():
        ours, theirs = (layout["runs"][label]["groups"]["all"] for label in ("vector", "baseline cosine"))
        for measure, value in theirs.items():
            assert ours[measure] == pytest.approx(value), measure


def test_figures_by_hand(result):
    """Six turns and fifty places: everything is found, and the context holds what was found."""
    figures = result["layouts"]["each"]["runs"]["vector"]["groups"]["categories 1-4"]
    assert figures["n"] == 5
    assert figures["turn_recall@10"] == figures["session_all@10"] == figures["coverage"] == 1
    assert figures["refused"] == 0 and figures["tokens"] > 0


def test_corrected_figures_stand_beside_the_raw_ones(result):
    run_ = result["layouts"]["each"]["runs"]["vector"]
    assert set(run_["corrected"]) == set(run_["groups"])
    assert run_["corrected"]["all"]["turn_mrr"] != run_["groups"]["all"]["turn_mrr"]


def test_a_larger_budget_never_covers_less(result):
    for layout in result["layouts"].values():
        for run_ in layout["runs"].values():
            values = [run_["groups"]["all"].get(f"coverage@{size}", 0) for size in BUDGETS]
            assert values == sorted(values)


def test_times_leave_out_the_embedding_of_the_query(result):
    run_ = result["layouts"]["each"]["runs"]["default"]
    assert run_["recall_ms"]["p50"] > 0 and "embed" not in run_["stages_ms"] and "search" in run_["stages_ms"]
    assert result["query_embedding_ms"]["p50"] > 0


@pytest.mark.parametrize(
    ("name", "write"), [("longmemeval", fixtures.longmemeval_file), ("lme-s-snippet", fixtures.snippet_file)]
)
def test_the_other_benchmarks_run_and_abs_questions_count_only_as_refused(tmp_path, name, write):
    task = TASKS[name](write(tmp_path), TaskReading())
    found = run_benchmark(task, BenchmarkOptions(recipes=("vector",), context=False), embedder=HashEmbedder())
    groups = found["layouts"]["shared"]["runs"]["vector"]["groups"]
    assert groups["all"]["n"] == 3 and groups["all"]["session_recall@10"] == 1
    assert "session_any@1" not in groups["unanswerable (_abs)"] and "refused" in groups["unanswerable (_abs)"]
    assert ("each" in found["layouts"]) == (name == "lme-s-snippet")


def test_a_run_without_the_headline_group_can_be_shown(locomo, tmp_path):
    pytest.importorskip("matplotlib")
    adversarial = replace(locomo, questions=tuple(q for q in locomo.questions if q.category.startswith("5")), limit=1)
    found = run_benchmark(adversarial, BenchmarkOptions(shared=False), embedder=HashEmbedder())
    console = Console(file=io.StringIO(), width=150)
    report.show_record(report.recorded(found, []), console)
    assert "5 adversarial" in console.file.getvalue() and "do not compare" in console.file.getvalue()
    assert plots.draw_plots(found, tmp_path)


def test_layouts_can_be_chosen(locomo):
    assert list(layouts_of(locomo, BenchmarkOptions())) == ["each", "shared"]
    assert list(layouts_of(locomo, BenchmarkOptions(shared=True))) == ["shared"]
    assert list(layouts_of(locomo, BenchmarkOptions(shared=False))) == ["each"]


def test_recipes_can_be_chosen():
    assert list(choose_plans(BenchmarkOptions(recipes=("all",)))) == list(RECIPES)
    with pytest.raises(UnknownRecipe, match="Known: all, default"):
        choose_plans(BenchmarkOptions(recipes=("finest",)))


# --- cache -------------------------------------------------------------------------------------------


def test_a_second_run_embeds_nothing_and_finds_the_same(locomo, tmp_path):
    options = BenchmarkOptions(recipes=("vector",), cache=tmp_path / "cache")
    first = run_benchmark(locomo, options, embedder=HashEmbedder())
    second = run_benchmark(locomo, options, embedder=HashEmbedder())
    assert first["texts_embedded"] > 0 and second["texts_embedded"] == 0
    for layout in ("each", "shared"):
        both = [found["layouts"][layout]["runs"]["vector"]["groups"] for found in (first, second)]
        assert both[0] == both[1]


def test_cached_vectors_are_the_models_own(tmp_path):
    texts, inner = ["one", "two", "one"], Counting()
    plain = HashEmbedder().embed(texts)
    for expected in (2, 0):
        cached = CachedEmbedder(inner, tmp_path)
        assert np.array_equal(cached.embed(texts), plain) and cached.embedded == expected
    assert inner.texts == 2
    assert cached.embed([]).shape == (0, inner.dimension)


def test_purposes_and_models_do_not_share_vectors(tmp_path):
    CachedEmbedder(HashEmbedder(), tmp_path).embed(["one"], "document")
    for embedder, kind in ((HashEmbedder(), "query"), (HashEmbedder("other"), "document")):
        cached = CachedEmbedder(embedder, tmp_path)
        cached.embed(["one"], kind)
        assert cached.embedded == 1


def test_a_record_cut_short_is_embedded_again(tmp_path):
    CachedEmbedder(HashEmbedder(), tmp_path).embed(["one", "two"])
    (path,) = tmp_path.glob("*.vectors")
    path.write_bytes(path.read_bytes()[:-5])
    cached = CachedEmbedder(HashEmbedder(), tmp_path)
    cached.embed(["one", "two"])
    assert cached.embedded == 1


# --- parts -------------------------------------------------------------------------------------------


def test_turns_of_a_segment_take_a_place_each(memory):
    memory.remember_session(
        "c", "s1", talk("user: Where is my red bicycle?", "assistant: In the cellar, behind the sledge.")
    )
    memory.remember_session("c", "s2", talk("user: Green tea, please.", prefix="u"))
    turns, sessions = rankings(memory.recall("red bicycle cellar", recipe="vector"))
    assert turns == ["t1", "t2", "u1"] and sessions == ["s1", "s2"]


def test_coverage_counts_only_what_stands_in_the_block(memory):
    lines = ["Ana: The red bicycle is in the cellar.", "Ben: The red bicycle is in the garden, I think."]
    memory.remember_session("c", "s", talk(*lines))
    texts = {turn.id: turn for turn in talk(*lines)}
    whole = memory.recall("red bicycle", recipe="vector")
    small = memory.recall("red bicycle", recipe="vector", budget_tokens=80)
    assert coverage(whole, {"t1", "t2"}, texts) == 1
    assert coverage(small, {"t1", "t2"}, texts) == 0.5


def test_every_stage_of_the_default_can_be_left_out(memory):
    memory.remember_session("c", "s", talk("Ana: The red bicycle is in the cellar.", "Ben: Fine."))
    ways = ways_of(("vector",), ablate=True)
    assert list(ways)[:2] == ["default", "vector"] and len(ways) == 2 + len(ABLATIONS)
    for plan in ways.values():
        memory.recall("red bicycle", recipe=plan)


def test_bm25_prefers_rare_words_and_leaves_out_what_shares_none():
    turns = talk("Ana: the vase the vase", "Ben: vases break in a kiln", "Cem: bread", prefix="t")
    store = BenchmarkStore("x", (Conversation("c", (Session("s", tuple(turns)),)),))
    assert [turn for turn, _ in ranker("bm25", store, HashEmbedder(), 50)("Which vase broke in the kiln?")] == [
        "t2",
        "t1",
    ]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        # from Porter's paper
        ("caresses", "caress"), ("ponies", "poni"), ("cats", "cat"), ("feed", "feed"), ("agreed", "agre"),
        ("plastered", "plaster"), ("motoring", "motor"), ("sing", "sing"), ("conflated", "conflat"),
        ("hopping", "hop"), ("falling", "fall"), ("filing", "file"), ("happy", "happi"), ("sky", "sky"),
        ("relational", "relat"), ("conditional", "condit"), ("vietnamization", "vietnam"), ("triplicate", "triplic"),
        ("hopeful", "hope"), ("goodness", "good"), ("revival", "reviv"), ("adjustment", "adjust"),
        ("adoption", "adopt"), ("probate", "probat"), ("rate", "rate"), ("controll", "control"), ("roll", "roll"),
        ("2023", "2023"), ("by", "by"),
    ],
)  # fmt: skip
def test_stems(word, expected):
    assert stem(word) == expected


def test_the_stores_in_a_cache_are_ordinary_ones(tmp_path):
    task = TASKS["locomo"](fixtures.locomo_file(tmp_path), TaskReading())
    run_benchmark(
        task,
        BenchmarkOptions(recipes=("vector",), cache=tmp_path / "cache", shared=True, context=False),
        embedder=HashEmbedder(),
    )
    (folder,) = (tmp_path / "cache").glob("locomo-shared-*")
    with Memory.open(folder, "shared", embedder=HashEmbedder()) as memory:
        assert sum(1 for _ in memory.conversations()) == 2
