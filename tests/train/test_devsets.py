"""The pack of the development sets."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from types import SimpleNamespace

from tests.train import made_up
from train import devsets, longmemeval

SENTENCE = "The committee discussed several proposals about gardens and bridges at length today. "


def keys() -> tuple[str, str]:
    """An id kept apart, and one that may train."""
    listed = [f"q{n}" for n in range(50)]
    return (
        next(key for key in listed if longmemeval.is_kept_apart(key)),
        next(key for key in listed if not longmemeval.is_kept_apart(key)),
    )


def test_only_questions_kept_apart_are_asked_and_sessions_are_numbers() -> None:
    apart, other = keys()
    rows = [
        {"question_id": key, "question": f"{key}?", "question_type": "", "answer_session_ids": [f"answer_{key}"]}
        for key in (apart, other)
    ]
    pack = devsets.Pack()
    devsets.pooled(pack, "s", rows, lambda row: [(f"answer_{row['question_id']}", [("user", row["question"])])])
    [store] = pack.stores
    texts = list(pack.texts)
    assert [texts[one.text] for one in store.asked] == [f"{apart}?"]
    [gold] = store.asked[0].gold
    assert texts[store.whole[store.session.index(gold)]] == f"user: {apart}?"
    assert len(store.whole) == 2


def test_a_long_turn_has_windows_and_a_question_for_its_words() -> None:
    pack, said = devsets.Pack(), SENTENCE * 20
    sessions = [("1", None, [("1", "user", "Hello."), ("2", "assistant", said)])]
    devsets.talks(pack, None, "beam", iter([("c", sessions, [("Which proposals?", "x", ["2", "9"])])]), True)
    [store] = pack.stores
    assert store.turn_of.count(0) == 1 and store.turn_of.count(1) > 2
    assert [(one.set, one.gold) for one in store.asked] == [("beam", [1]), ("long", [1])]
    assert all(len(text) < 520 for text in (list(pack.texts)[row] for row in store.pieces))


def test_a_request_sees_only_what_was_said_before(tmp_path: Path) -> None:
    (tmp_path / "realmem").mkdir()
    sessions = [{"id": f"s{n}", "turns": [{"speaker": "User", "text": f"Word {n}."}]} for n in range(3)]
    asked = [{"session": "s1", "text": "Go on.", "gold_sessions": ["s0"]}]
    path = tmp_path / "realmem" / "a.json.gz"
    path.write_bytes(gzip.compress(json.dumps({"sessions": sessions, "queries": asked}).encode()))
    pack = devsets.Pack()
    quality = SimpleNamespace(HERE=tmp_path, load=lambda file: json.loads(gzip.decompress(file.read_bytes())))
    devsets.realmem(pack, quality)
    assert [(one.until, one.gold) for one in pack.stores[0].asked] == [(1, [0])]
    devsets.save(pack, made_up.TOKENIZER, tmp_path / "out")
    assert devsets.load(tmp_path / "out") == pack.stores
