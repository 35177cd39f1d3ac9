"""What a fold leaves out of the reader's training, and what is read off a reader's scores."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from train.reader_data import Example, Read
from train.reader_measure import best_window

from engramma.models.onnx import WEIGHTS
from train import longmemeval, reader_corpus, reader_unlabelled


def keys() -> list[str]:
    """An id of each third."""
    return [next(f"q{n}" for n in range(99) if longmemeval.fold_of(f"q{n}") == fold) for fold in range(3)]


def test_a_fold_leaves_out_its_questions_and_every_window_of_their_sessions(tmp_path: Path) -> None:
    said = [f"I bought a boat number {fold} in the harbour." for fold in range(3)]
    rows = [
        {
            "question_id": key,
            "question": "What did I buy?",
            "question_type": "single",
            "haystack_session_ids": [f"session {fold}"],
            "haystack_sessions": [[{"role": "user", "content": said[fold], "has_answer": True}]],
            "answer_session_ids": [f"session {fold}"],
        }
        for fold, key in enumerate(keys())
    ]
    path = tmp_path / "oracle.json.gz"
    path.write_bytes(gzip.compress(json.dumps(rows).encode()))
    told = reader_unlabelled.texts_by_fold(path)
    assert told == [{text} for text in said]
    examples = [
        Example("What did I buy?", "evidence", [Read("Something else.", "user")], source=keys()[1]),
        Example("What did she buy?", "statement", [Read(said[2], "user", label=1), Read(said[1], "user")]),
        Example("Who called?", reader_corpus.UNLABELLED, [Read("Nobody called.", "user"), Read(said[0], "user")]),
    ]
    made = reader_corpus.tokenize(examples, WEIGHTS / "tokenizer.json", 1, told)
    assert made.group_folds.tolist() == [2, 4, 0]
    assert made.folds.tolist() == [0, 4, 2, 0, 1]
    assert made.weight.tolist() == [1, 1, 0] and made.soft_weight.tolist() == [1, 1, 1]
    assert made.groups.tolist() == [0, 1, 3, 5]


def test_an_entry_is_its_best_window_with_the_least_null() -> None:
    windows = [[1.0, -2.0, "a", "a b", "Emma"], [3.0, 5.0, "c", "c d", "Emma"]]
    assert best_window(windows) == [3.0, -2.0, "c", "c d", "Emma"]
    assert best_window([])[:2] == [-20.0, 20.0]
