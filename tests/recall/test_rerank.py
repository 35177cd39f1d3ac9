"""Recall with a reranker: the first of the ranked in its order, the rest behind them; off unless a recipe asks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engramma import BadInput, Config, Memory
from engramma.apps.render import explain_lines
from engramma.recall.recipes import RECIPES
from engramma.records import Standing
from tests.conftest import talk
from tests.fakes import AngleEmbedder, HashEmbedder
from tests.models.cross import save_reranker

QUERY = "red train @0.25"
VECTOR = RECIPES["vector"]
# By cosine in this order; the reranker counts the words in common: 0, 1, 2, 0, 1.
SAID = {"soup": "soup @10", "train": "late train @20", "red": "red train @30", "rain": "rain @40", "tea": "red tea @50"}


@pytest.fixture
def folder(tmp_path):
    return save_reranker(tmp_path / "cross")


@pytest.fixture
def memory(tmp_path, folder):
    with Memory.open(tmp_path / "store", embedder=AngleEmbedder(), config=Config(reranker=str(folder))) as opened:
        for day, (name, text) in enumerate(SAID.items()):
            opened.remember_session("c", name, talk(f"Ana: {text}", day=day))
        yield opened


def entries(found):
    return [c.session_id for c in found.entries]


def test_the_first_come_in_the_rerankers_order_equals_as_they_stood(memory):
    assert entries(memory.recall(QUERY, recipe=VECTOR)) == ["soup", "train", "red", "rain", "tea"]
    found = memory.recall(QUERY, recipe=replace(VECTOR, rerank=20))
    assert entries(found) == ["red", "train", "tea", "soup", "rain"]
    assert [c.channels["rerank"] for c in found.entries] == [
        Standing(1, 2.0),
        Standing(2, 1.0),
        Standing(3, 1.0),
        Standing(4, 0.0),
        Standing(5, 0.0),
    ]
    assert found.entries[0].channels["semantic"].rank == 3, "the channels still say what they said"
    assert found.trace.timings_ms["rerank"] > 0


def test_the_rest_stays_behind_as_it_was(memory):
    found = memory.recall(QUERY, recipe=replace(VECTOR, rerank=3))
    assert entries(found) == ["red", "train", "soup", "rain", "tea"]
    assert ["rerank" in c.channels for c in found.entries] == [True, True, True, False, False]


def test_it_may_bring_up_what_stands_below_what_was_asked_for(memory):
    assert entries(memory.recall(QUERY, k=1, recipe=replace(VECTOR, rerank=3))) == ["red"]
    assert entries(memory.recall(QUERY, k=1, recipe=replace(VECTOR, rerank=2))) == ["train"]


@pytest.mark.parametrize("recipe", [name for name in RECIPES if name != "bm25"])
def test_scores_keep_their_values_and_still_fall(memory, recipe):
    plan = replace(RECIPES[recipe], thresholds="none", mmr=None)
    plain, moved = memory.recall(QUERY, recipe=plan), memory.recall(QUERY, recipe=replace(plan, rerank=20))
    assert entries(moved)[0] == "red"
    assert [c.score for c in moved.entries] == sorted((c.score for c in moved.entries), reverse=True)
    if plan.entries is None or plan.entries >= len(SAID):
        assert [c.score for c in moved.entries] == [c.score for c in plain.entries]


def test_age_and_diversity_come_after_it(memory):
    young = replace(VECTOR, rerank=20, half_life_days=0.25)
    assert entries(memory.recall(QUERY, recipe=young))[0] == "tea"  # third by the reranker, and the last that was said
    varied = memory.recall(QUERY, k=2, recipe=replace(VECTOR, rerank=20, mmr=0.2))
    assert entries(varied)[0] == "red" and "rerank" in varied.entries[1].channels


def test_explain_shows_its_rank_and_score(memory):
    lines = explain_lines(memory.recall(QUERY, recipe=replace(VECTOR, rerank=3)))
    assert lines[0].startswith("1. seg_c/red_0") and lines[1].endswith("semantic #3 0.868, rerank #1 2.000")


def test_a_question_gets_the_same_bytes_again(memory):
    plan = replace(RECIPES["default"], thresholds="none", rerank=20)
    first, second = (memory.recall(QUERY, recipe=plan) for _ in range(2))
    assert first.candidates == second.candidates and first.context == second.context


def test_a_segment_is_read_whole_and_with_its_speakers(tmp_path, folder):
    with Memory.open(tmp_path / "chat", embedder=HashEmbedder(), config=Config(reranker=str(folder))) as memory:
        memory.remember_session("c", "a", talk("user: is the train late", "assistant: yes, red and late"))
        memory.remember_session("c", "b", talk("Ben: the tea is late", day=1))
        found = memory.recall("ben late red", recipe=replace(VECTOR, rerank=5))
        logits = {c.session_id: c.channels["rerank"].score for c in found.entries}
    assert logits == {"a": 3.0, "b": 2.0}  # late twice and red; Ben and late


# --- settings -----------------------------------------------------------------------------------------------


def test_config_toml_switches_it_on(tmp_path, folder):
    (tmp_path / "store").mkdir()
    text = f'reranker = "{folder.as_posix()}"\n[recipes.default]\nthresholds = "none"\n'
    config = tmp_path / "store" / "config.toml"
    config.write_text(text, encoding="utf-8")

    def asked():
        with Memory.open(tmp_path / "store", embedder=AngleEmbedder()) as memory:
            for day, (name, said) in enumerate(SAID.items()):
                memory.remember_session("c", name, talk(f"Ana: {said}", day=day))
            return memory.recall(QUERY)

    assert all("rerank" not in c.channels for c in asked().candidates), "a reranker alone changes nothing"
    config.write_text(text + "rerank = 20\n", encoding="utf-8")
    found = asked()
    assert all("rerank" in c.channels for c in found.entries) and found.entries[0].session_id == "red"


def test_without_a_recipe_that_asks_the_folder_is_not_even_looked_at(tmp_path):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder(), config=Config(reranker="/nowhere")) as memory:
        memory.remember_session("c", "s", talk("Ana: red train"))
        found = memory.recall("red train", recipe="vector")
    assert len(found.candidates) == 1 and "rerank" not in found.trace.timings_ms


@pytest.mark.parametrize("value", [-1, 1001, 2.5, True, "20", None])
def test_a_number_that_cannot_be_is_refused(memory, value):
    with pytest.raises(BadInput, match="rerank must be a whole number from 0 to 1000"):
        memory.recall(QUERY, recipe=replace(VECTOR, rerank=value))


def test_the_setting_must_be_a_string(tmp_path):
    with pytest.raises(BadInput, match="reranker must be a string: a folder"):
        Memory.open(tmp_path / "store", config=Config(reranker=3))
