"""LoCoMo's F1 by its own rules, the curve of abstention, and the tasks qa and people from file to figures."""

from __future__ import annotations

import json

import numpy as np
import pytest
from rich.console import Console

from engramma.evaluate import qa, qa_report
from engramma.evaluate.f1 import REFUSAL, f1, scored, tokens
from engramma.evaluate.roc import auroc, compute_roc_curve, cross_validated, fit_logistic, pair, refused_at
from engramma.evaluate.task import TaskReading
from engramma.evaluate.tasks import locomo

from .fixtures import LOCOMO, turns


def test_words_are_compared_without_case_marks_articles_and_endings():
    assert tokens("The Running dogs, and a cat's toy!") == ["run", "dog", "cat", "toi"]  # apostrophes go as they are
    assert f1("the dogs", "a dog") == 1.0
    assert f1("", "a dog") == 0.0
    assert f1("7 May 2023", "May 2023") == pytest.approx(0.8)


def test_every_category_has_its_rule():
    assert scored(2, "7 May 2023", "7 May 2023") == 1.0
    assert scored(1, "piano, violin", "violin, piano") == 1.0
    assert scored(1, "piano", "violin, piano") == 0.5
    assert scored(3, "likely no", "Likely no; since it went badly") == 1.0
    assert scored(4, "likely no", "Likely no; since it went badly") < 1.0
    assert scored(5, REFUSAL, "") == 1.0
    assert scored(5, "a kitten", "") == 0.0


def test_the_curve_runs_from_refusing_nobody_to_refusing_everybody():
    confidence, answerable = np.array([0.1, 0.4, 0.4, 0.9]), np.array([False, True, False, True])
    points = compute_roc_curve(confidence, answerable)
    assert (points[0]["answerable_refused"], points[0]["adversarial_refused"]) == (0.0, 0.0)
    assert (points[-1]["answerable_refused"], points[-1]["adversarial_refused"]) == (1.0, 1.0)
    assert [p["adversarial_refused"] for p in points] == sorted(p["adversarial_refused"] for p in points)
    assert auroc(confidence, answerable) == pytest.approx(0.875)  # one tie of four pairs
    assert pair(confidence < 0.4, answerable) == {"adversarial_refused": 0.5, "answerable_refused": 0.0}


def test_at_most_the_share_asked_for_is_refused_of_the_answerable():
    confidence = np.array([*np.linspace(0, 1, 100), *np.linspace(0, 0.5, 50)])
    answerable = np.array([True] * 100 + [False] * 50)
    assert refused_at(confidence, answerable, 0.08) == pytest.approx(0.16, abs=0.02)


def test_fitting_finds_what_tells_and_is_judged_on_other_conversations():
    draw = np.random.default_rng(7)
    answerable = np.array([True, False] * 100)
    measured = np.c_[answerable + draw.normal(0, 0.3, 200), draw.normal(0, 1, 200)]
    weights, _ = fit_logistic(measured, answerable)
    assert weights[0] > 2 > abs(weights[1])
    found = cross_validated(measured, answerable, np.array(["a", "b", "c", "d"] * 50))
    assert found["auroc"] > 0.95
    assert set(found["by_conversation"]) == {"a", "b", "c", "d"}
    shuffled = cross_validated(measured, draw.permutation(answerable), np.array(["a", "b", "c", "d"] * 50))
    assert 0.3 < shuffled["auroc"] < 0.7


def sample(talk: str, partner: str, line: str, question: str, answer: str) -> dict:
    return {
        "sample_id": talk,
        "conversation": {
            "speaker_a": "Rosa",
            "speaker_b": partner,
            "session_1_date_time": "1:00 pm on 8 May, 2023",
            "session_1": turns(1, f"{partner}: How are you, Rosa?", f"Rosa: {line}", f"{partner}: Great!"),
        },
        "qa": [
            {"question": question, "answer": answer, "evidence": ["D1:2"], "category": 2},
            {"question": question.replace("Rosa", partner), "evidence": ["D1:2"], "category": 5},
        ],
    }


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "locomo.json"
    rosa = [
        sample("r-1", "Ugo", "I bought a red canoe yesterday.", "When did Rosa buy a canoe?", "7 May 2023"),
        sample("r-2", "Vera", "I moved to a lighthouse last year.", "When did Rosa move to a lighthouse?", "2022"),
    ]
    path.write_text(json.dumps([*LOCOMO, *rosa]), encoding="utf-8")
    return locomo.read(path, TaskReading(without_evidence=True))


def test_answers_are_scored_by_category_beside_the_best_turn(task, tmp_path):
    record = qa.run_qa(task, qa.QA, cache=tmp_path)
    assert record["questions"] == len(task.questions)
    temporal = record["f1"]["2 temporal"]
    assert temporal["f1"] > temporal["best_turn_f1"]
    abstained = record["abstention"]
    assert abstained["adversarial_refused"] > abstained["answerable_refused"]
    assert abstained["curve"][-1]["answerable_refused"] == 1.0
    assert set(abstained["cross_validated"]["by_conversation"]) == {store.name for store in task.each}
    assert record["attribution"]["speaker_right"] > 0.5
    console = Console(record=True, width=150)
    qa_report.show_qa_record(record, console)
    assert "AUROC" in console.export_text()


def test_people_are_those_with_several_conversations_and_found_in_the_data(task, tmp_path):
    record = qa.run_qa(task, qa.PEOPLE, cache=tmp_path)
    assert list(record["people"]) == ["Rosa"]
    found = record["people"]["Rosa"]
    assert found["all"]["n"] == 2  # the adversarial ones name the partners, who have one conversation each
    assert found["all"]["routed"] == found["all"]["conversation_right"] == found["all"]["f1"] == 1.0
    assert len(found["conversations"]) == 2


@pytest.mark.long
def test_the_curve_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    points = compute_roc_curve(np.array([0.1, 0.9]), np.array([False, True]))
    abstained = {"curve": points, "auroc": 1.0, "threshold": 0.5, "answerable_refused": 0.0, "adversarial_refused": 1.0}
    (path,) = qa_report.draw_abstention({"task": "t", "title": "T", "abstention": abstained}, tmp_path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert qa_report.draw_abstention({"people": {}}, tmp_path) == []
