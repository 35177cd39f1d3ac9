"""Somebody who shows another name now is the same account: what they said is known, and keeps its first name."""

from __future__ import annotations

from dataclasses import replace

from engramma import Memory, Turn
from engramma.ingest.known_turns import same_words
from engramma.transfer.imports import import_file
from tests.conftest import START

TELEGRAM = {
    "name": "Ana",
    "type": "personal_chat",
    "id": 5,
    "messages": [
        {
            "id": 1,
            "type": "message",
            "date_unixtime": "1767603600",
            "from": "Ana",
            "from_id": "user5",
            "text": "The kite is red.",
        },
        {
            "id": 2,
            "type": "message",
            "date_unixtime": "1767603660",
            "from": "Ben",
            "from_id": "user6",
            "text": "A fine kite.",
        },
    ],
}


def test_the_same_account_is_the_same_speaker() -> None:
    before = Turn("Ana", "The kite is red.", START, "1", meta={"sender": "user5"})
    assert same_words(before, replace(before, speaker="Ana Maria"))
    assert not same_words(before, replace(before, speaker="Ben", meta={"sender": "user6"}))
    assert not same_words(replace(before, meta={}), replace(before, speaker="Ben", meta={}))
    assert not same_words(before, replace(before, speaker="Ana Maria", text="The kite is blue."))


def test_an_export_with_a_new_name_adds_nothing_and_reports_nothing(memory: Memory, tmp_path) -> None:
    import json

    path = tmp_path / "result.json"
    path.write_text(json.dumps(TELEGRAM), encoding="utf-8")
    assert import_file(memory._core, path).turns == 2
    renamed = json.loads(json.dumps(TELEGRAM).replace('"from": "Ana"', '"from": "Ana Maria"'))
    path.write_text(json.dumps(renamed), encoding="utf-8")
    again = import_file(memory._core, path)
    assert (again.turns, again.known_turns, again.problems) == (0, 2, ())
    (row,) = memory.sessions()
    assert [turn.speaker for turn in memory.turns(row.conversation, row.id)] == ["Ana", "Ben"]
