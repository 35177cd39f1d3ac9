"""Answers that quote: what counts as said, quoted, wrong and refused, and LongMemEval from file to figures."""

from __future__ import annotations

import json

import pytest
from rich.console import Console
from typer.testing import CliRunner

from engramma.apps.cli.main import app
from engramma.evaluate import qa, qa_report
from engramma.evaluate.quote_scores import (
    BEST_TURN,
    BM25_QUOTE,
    ENGRAMMA,
    SYSTEMS,
    QuoteOutcome,
    bm25_quoter,
    content_words,
    covers_answer,
    is_short,
    outcome_of,
    quote_figures,
    quote_shares,
)
from engramma.evaluate.task import BenchmarkQuestion, Gold, TaskReading
from engramma.evaluate.tasks import longmemeval
from engramma.records import Turn

from .fixtures import CAR, LONGMEMEVAL, SHELF, YOGA, YOGA_NOW, lme


def question(id: str = "q", answer: str = "the red canoe", **fields) -> BenchmarkQuestion:
    return BenchmarkQuestion(id, "What did Rosa buy?", "shared", "kind", Gold(), answer=answer, **fields)


def test_most_words_of_the_answer_have_to_be_there_whatever_their_form():
    assert content_words("The three Dogs, 1,200 of them") == ["3", "dog", "1200", "them"]
    assert covers_answer("She bought two red canoes.", "2 red canoes") and covers_answer("Red. Canoe!", "the red canoe")
    assert not covers_answer("She bought a canoe.", "the red canoe") and not covers_answer("anything", "")
    assert is_short(question()) and not is_short(question(answer="")) and not is_short(question(answer="w " * 9))


def test_an_answer_is_said_quoted_wrong_or_refused():
    turn = "I bought a canoe. It is red."
    said = outcome_of(question(), "a red canoe", turn, False, 0.9)
    quoted = outcome_of(question(), "I bought a canoe.", turn, False, 0.9)
    wrong = outcome_of(question(), "a kayak", "I sold my kayak.", False, 0.9)
    refused = outcome_of(question(), "", turn, True, 0.1)
    assert [(one.is_said, one.is_quoted, one.is_refused) for one in (said, quoted, wrong, refused)] == [
        (True, True, False),
        (False, True, False),
        (False, False, False),
        (False, False, True),
    ]


def test_shares_are_of_short_answers_and_refusals_of_what_nobody_said():
    def one(right: bool, refused: bool, confidence: float, **fields) -> QuoteOutcome:
        return QuoteOutcome(question(**fields), right and not refused, right and not refused, refused, confidence)

    asked = [one(True, False, 0.9), one(False, False, 0.8), one(False, False, 0.2), one(True, True, 0.1)]
    long, unknown = one(True, False, 0.9, answer="w " * 9), one(False, True, 0.0, answer="", is_answerable=False)
    found = quote_shares([*asked, long, unknown])
    assert found["n"] == 4 and found["said"] == found["said_or_quoted"] == found["refused"] == 0.25
    assert found["wrong"] == 0.5 and found["most_confident_third"] == 1.0
    assert (found["unanswerable"], found["unanswerable_refused"]) == (1, 1)
    assert quote_figures({ENGRAMMA: [long]}, ("all",))["left_out"] == 1


def test_bm25_quotes_the_sentence_that_fits_of_the_turn_that_fits():
    turns = [
        Turn("Ana", "The weather was fine. I painted the fence green.", None, "1"),
        Turn("Ben", "Hello.", None, "2"),
    ]
    quote = bm25_quoter(turns)
    text, turn, score = quote("Which colour did she paint the fence?")
    assert text == "I painted the fence green." and turn == turns[0].text and score > 0
    assert quote("submarines") == ("", "", 0.0) and bm25_quoter([])("fence") == ("", "", 0.0)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    rows = [
        {**row, "answer": answer}
        for row, answer in zip(LONGMEMEVAL, ["the GPS", "the Billy", "Thursday", "not said"], strict=True)
    ]
    held = {"answer_1": CAR, "answer_3": SHELF, "x_2": YOGA, "answer_4": YOGA_NOW}
    rows.append({**lme("q-taste", longmemeval.TASTE, "What should I buy?", ["answer_3"], held), "answer": "a shelf"})
    path = tmp_path_factory.mktemp("data") / "oracle.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def test_longmemeval_is_asked_as_chats_of_their_own_and_told_by_type_with_both_baselines(file, tmp_path):
    task = longmemeval.read(file, TaskReading(without_evidence=True))
    assert len(task.shared.conversations) == 4 and all(len(one.sessions) == 1 for one in task.shared.conversations)
    assert len(longmemeval.read(file, TaskReading()).shared.conversations) == 1  # as recall was always measured
    record = qa.run_qa(task, qa.QA, cache=tmp_path)
    groups = record["quotes"]["groups"]
    assert {"all", "knowledge-update", "single-session-user", longmemeval.ABSTAIN} <= set(groups)
    assert all(set(systems) == set(SYSTEMS) for systems in groups.values()) and "f1" not in record
    whole = groups["all"][ENGRAMMA]
    assert whole["n"] == 3 and whole["unanswerable"] == 1 and record["quotes"]["left_out"] == 1
    assert groups["knowledge-update"][BEST_TURN]["n"] == groups["knowledge-update"][BM25_QUOTE]["n"] == 1
    for own in groups["all"].values():
        assert own["said_or_quoted"] + own["wrong"] + own["refused"] == pytest.approx(1, abs=0.001)
    console = Console(record=True, width=170)
    qa_report.show_qa_record(record, console)
    told = console.export_text()
    assert "all: bm25 quote" in told and "knowledge-update: engramma" in told and "1 answerable question" in told


def test_the_command_prints_it_and_refuses_what_longmemeval_has_not(file, tmp_path):
    ran = CliRunner().invoke(app, ["eval", "longmemeval", str(file), "--task", "qa", "--cache", str(tmp_path)])
    assert ran.exit_code == 0 and "best turn" in ran.output, ran.output
    refused = CliRunner().invoke(app, ["eval", "longmemeval", str(file), "--task", "people"])
    assert refused.exit_code != 0 and "Only locomo" in refused.output
