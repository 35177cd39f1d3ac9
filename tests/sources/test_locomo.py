"""LoCoMo: what was said comes back byte for byte, in order, under the data set's own ids."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engramma.errors import UnreadableSource
from engramma.language.times import format_time

from .samples import LOCOMO, read_all, turns_of


@pytest.fixture
def sample() -> dict[str, Any]:
    return copy.deepcopy(LOCOMO[0])


def write(tmp_path: Path, value: object) -> Path:
    path = tmp_path / "talks.json"
    path.write_text(json.dumps(value))
    return path


def test_texts_speakers_and_ids_are_unchanged(tmp_path: Path) -> None:
    conversations, problems = read_all(write(tmp_path, LOCOMO))
    assert not problems
    assert [conversation.id for conversation in conversations] == ["bees"]
    assert [(turn.id, turn.speaker, turn.text) for turn in turns_of(conversations[0])] == [
        ("D1:1", "Ada", " I keep bees on the roof. "),
        ("D1:2", "Ben", "Show me!"),
        ("D2:1", "Ben", "How are the bees?"),
    ]


def test_sessions_stand_in_numeric_order(sample: dict[str, Any], tmp_path: Path) -> None:
    sample["conversation"]["session_10"] = [{"speaker": "Ada", "dia_id": "D10:1", "text": "Ten."}]
    sample["conversation"]["session_10_date_time"] = "9:00 am on 1 July, 2023"
    conversations, _ = read_all(write(tmp_path, [sample]))
    assert [session.id for session in conversations[0].sessions] == ["session_1", "session_2", "session_10"]


def test_turns_of_a_session_are_a_second_apart_in_utc(tmp_path: Path) -> None:
    conversations, _ = read_all(write(tmp_path, LOCOMO))
    assert [format_time(turn.said_at) for turn in turns_of(conversations[0]) if turn.said_at] == [
        "2023-05-08T13:56:00Z",
        "2023-05-08T13:56:01Z",
        "2023-06-03T09:05:00Z",
    ]


def test_one_sample_without_a_list_is_read_too(sample: dict[str, Any], tmp_path: Path) -> None:
    assert read_all(write(tmp_path, sample)) == read_all(write(tmp_path, [sample]))


def test_a_session_without_a_date_keeps_its_turns_a_day_after_the_one_before(
    sample: dict[str, Any], tmp_path: Path
) -> None:
    del sample["conversation"]["session_2_date_time"]
    conversations, problems = read_all(write(tmp_path, [sample]))
    assert turns_of(conversations[0])[2].said_at == datetime(2023, 5, 9, 13, 56, tzinfo=UTC)
    assert [problem.where for problem in problems] == ["sample 1, session_2"]


def test_a_first_session_without_a_date_lies_a_day_before_the_next(sample: dict[str, Any], tmp_path: Path) -> None:
    sample["conversation"]["session_1_date_time"] = "some day in May"
    conversations, problems = read_all(write(tmp_path, [sample]))
    assert turns_of(conversations[0])[0].said_at == datetime(2023, 6, 2, 9, 5, tzinfo=UTC)
    assert "some day in May" in problems[0].reason


def test_without_any_date_the_fallback_counts(sample: dict[str, Any], tmp_path: Path) -> None:
    del sample["conversation"]["session_1_date_time"], sample["conversation"]["session_2_date_time"]
    start = datetime(2020, 1, 1, tzinfo=UTC)
    path = write(tmp_path, [sample])
    assert turns_of(read_all(path, fallback_time=start)[0][0])[2].said_at == start + timedelta(days=1)
    assert turns_of(read_all(path)[0][0])[2].said_at is None


def test_bad_turns_and_samples_are_reported_and_the_rest_is_read(sample: dict[str, Any], tmp_path: Path) -> None:
    sample["conversation"]["session_1"][:1] = [{"speaker": "Ada", "text": None}, "?", {"text": "Who?"}]
    sample["conversation"]["session_4"] = "not a list"
    conversations, problems = read_all(write(tmp_path, [17, sample, {"sample_id": "none"}]))
    assert [turn.id for turn in turns_of(conversations[0])] == ["D1:2", "D2:1"]
    assert [problem.where for problem in problems] == [
        "sample 1",
        "sample 2, session_4",
        "sample 2, session_1, turn 1",
        "sample 2, session_1, turn 2",
        "sample 2, session_1, turn 3",
        "sample 3",
    ]


def test_missing_ids_come_from_the_content(sample: dict[str, Any], tmp_path: Path) -> None:
    del sample["sample_id"], sample["conversation"]["session_1"][0]["dia_id"]
    path = write(tmp_path, [sample])
    first, again = read_all(path)[0][0], read_all(path)[0][0]
    assert first == again
    assert first.id.startswith("locomo-")
    assert all(turn.id for turn in turns_of(first))


def test_a_file_without_samples_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match="no LoCoMo sample"):
        read_all(write(tmp_path, [{"qa": [{"evidence": []}]}]))
