"""Scenes between several people."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from train.pairs import Book

from train import people


def test_a_question_finds_what_was_said_under_its_speaker(tmp_path: Path) -> None:
    said = [
        (["Ada Green"], "I lost the keys again ."),
        (["Bo Hill"], "Oh no !"),
        (["Ada Green"], "It is in the car ."),
    ]
    utterances = [{"uid": n, "speakers": who, "utterance": text} for n, (who, text) in enumerate(said)]
    asked = {"question": "Where are the keys ?", "answers": [{"utterance_id": 2}, {"utterance_id": 1}]}
    path = tmp_path / "friends.json.gz"
    scene = {"paragraphs": [{"utterances:": utterances, "qas": [asked]}]}
    path.write_bytes(gzip.compress(json.dumps({"data": [scene, scene]}).encode()))
    book = Book()
    assert people.friends(book, path, 7) == 9
    assert [u.text for u in book.utterances[:2]] == ["Ada: I lost the keys again.", "Ada: It is in the car."]
    assert {u.session for u in book.utterances} == {7, 8}
    assert [(p.question, p.utterance) for p in book.pairs] == [("Where are the keys?", 1), ("Where are the keys?", 3)]
