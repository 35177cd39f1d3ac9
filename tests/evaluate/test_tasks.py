"""Readers of benchmarks: what they keep, how they repair, and that no id tells what is gold."""

from __future__ import annotations

import json
import re

import pytest

from engramma import UnreadableSource
from engramma.evaluate.task import Names, Task, TaskReading, parse_longmemeval_date, was_trained_on
from engramma.evaluate.tasks import TASKS
from engramma.evaluate.tasks.locomo import evidence
from tests.evaluate import fixtures

WRITERS = {
    "locomo": fixtures.locomo_file,
    "longmemeval": fixtures.longmemeval_file,
    "lme-s-snippet": fixtures.snippet_file,
}


def read(name: str, folder, **how) -> Task:
    return TASKS[name](WRITERS[name](folder), TaskReading(**how))


def texts(task: Task) -> dict[str, str]:
    talks = [*task.shared.conversations, *(talk for store in task.each for talk in store.conversations)]
    return {str(turn.id): turn.text for talk in talks for session in talk.sessions for turn in session.turns}


def gold_texts(task: Task, question: str) -> set[str]:
    (asked,) = (q for q in task.questions if q.text == question)
    return {texts(task)[turn] for turn in asked.gold.turns}


@pytest.mark.parametrize("name", TASKS)
def test_every_id_is_neutral(tmp_path, name):
    task = read(name, tmp_path)
    for store in (*task.each, task.shared):
        for talk in store.conversations:
            ids = {talk.id, *(s.id for s in talk.sessions), *(str(t.id) for s in talk.sessions for t in s.turns)}
            assert all(re.fullmatch(r"[cst]\d+", found) for found in ids)


@pytest.mark.parametrize("name", TASKS)
def test_turn_and_session_ids_are_unique_in_the_shared_store(tmp_path, name):
    shared = read(name, tmp_path).shared
    sessions = [s for talk in shared.conversations for s in talk.sessions]
    turns = [turn.id for session in sessions for turn in session.turns]
    assert len({s.id for s in sessions}) == len(sessions) and len(set(turns)) == len(turns)


@pytest.mark.parametrize("name", TASKS)
def test_gold_names_what_is_stored(tmp_path, name):
    task = read(name, tmp_path)
    stored = texts(task)
    sessions = {s.id for talk in task.shared.conversations for s in talk.sessions}
    for question in task.questions:
        assert question.gold.turns <= set(stored) and question.gold.sessions <= sessions
        assert set(question.groups) <= set(task.groups)


def test_numbers_follow_a_hash_not_the_file():
    ids = [f"answer_{n}" for n in range(50)] + [f"other_{n}" for n in range(50)]
    first_half = [name for name, new in Names.of("s", ids).known.items() if int(new[1:]) <= 50]
    assert 10 < sum(name.startswith("answer_") for name in first_half) < 40
    assert Names.of("s", ids) == Names.of("s", reversed(ids))


# --- LoCoMo ------------------------------------------------------------------------------------------


def test_damaged_evidence_is_repaired():
    known = {"D1:1", "D30:5", "D11:26", "D9:17", "D8:6"}
    assert evidence(["D8:6; D9:17", "D30:05", "D:11:26", "D", "D99:1", "D1:1 D8:6"], known) == [
        "D8:6",
        "D9:17",
        "D30:5",
        "D11:26",
        "D1:1",
    ]


def test_locomo_questions_find_their_turns(tmp_path):
    task = read("locomo", tmp_path)
    assert gold_texts(task, "What happened to Tom's vases?") == {
        "My first vase broke in the kiln.",
        "Lisbon! I will visit you with a new vase.",
    }
    assert gold_texts(task, "When does Mira move to Lisbon?") == {"What a pity. I am moving to Lisbon in August."}
    assert gold_texts(task, "Where did Ines win at chess?") == {"I won the chess tournament in Graz."}


def test_locomo_groups_and_what_is_left_out(tmp_path):
    task = read("locomo", tmp_path)
    assert len(task.questions) == 6 and "1 questions without evidence were left out" in task.notes
    assert sum("categories 1-4" in q.groups for q in task.questions) == 5
    assert len(task.each) == 2 and task.shared.turns == 8
    assert not any(q.trained for q in task.questions)


def test_corrections_stand_beside_the_raw_evidence(tmp_path):
    task = read("locomo", tmp_path, corrections=fixtures.corrections_file(tmp_path))
    kitten = task.questions[0]
    assert kitten.corrected is not None and kitten.corrected.turns != kitten.gold.turns
    assert {texts(task)[turn] for turn in kitten.corrected.turns} == {"Pepper sleeps in my guitar case all day."}
    assert all(q.corrected == q.gold for q in task.questions[1:])


def test_a_limit_keeps_only_the_talks_that_are_asked_about(tmp_path):
    task = read("locomo", tmp_path, limit=2)
    assert len(task.questions) == 2 and len(task.each) == 1 and task.shared.turns == 6


# --- LongMemEval -------------------------------------------------------------------------------------


def test_longmemeval_pools_distinct_sessions_and_excludes_abs(tmp_path):
    task = read("longmemeval", tmp_path)
    assert task.each == () and task.shared.turns == 8  # the yoga session once
    counted = [q for q in task.questions if q.gold.sessions]
    assert len(counted) == 3 and task.notes[0].startswith("n = 3: 1 _abs")
    assert gold_texts(task, "Which shelf did you name?") == {"The Billy in birch, 40 cm wide."}
    assert sum("evidence by the user" in q.groups for q in counted) == 2


def test_longmemeval_turns_have_roles_and_times(tmp_path):
    task = read("longmemeval", tmp_path)
    for session in task.shared.conversations[0].sessions:
        assert [turn.role for turn in session.turns] == ["user", "assistant"] == [t.speaker for t in session.turns]
        assert all(turn.said_at.year == 2023 for turn in session.turns)
    assert {question.asked_at.isoformat() for question in task.questions} == {"2023-06-01T10:00:00+00:00"}


def test_questions_used_in_training_are_marked(tmp_path):
    task = read("longmemeval", tmp_path)
    assert [q.trained for q in task.questions] == [was_trained_on(q.id) for q in task.questions]
    for question in task.questions:
        if question.gold.sessions:
            assert ("never trained on" in question.groups) != question.trained


def test_about_a_third_was_never_trained_on():
    """The rule itself, by an id whose sha1 was taken elsewhere."""
    import hashlib

    assert was_trained_on("gpt4_2655b836") == (int(hashlib.sha1(b"gpt4_2655b836").hexdigest(), 16) % 3 != 0)
    assert 250 < sum(not was_trained_on(f"q{n}") for n in range(900)) < 350


def test_dates_are_read_as_utc(tmp_path):
    assert parse_longmemeval_date("2023/04/10 (Mon) 17:50", tmp_path, "").isoformat() == "2023-04-10T17:50:00+00:00"
    with pytest.raises(UnreadableSource, match="not like"):
        parse_longmemeval_date("yesterday", tmp_path, "")


# --- LME-S-snippet -----------------------------------------------------------------------------------


def test_a_snippet_question_has_its_own_haystack(tmp_path):
    task = read("lme-s-snippet", tmp_path)
    sizes = {store.name: store.turns for store in task.each}
    assert [sizes[q.store] for q in task.questions] == [2, 1, 2, 1]
    assert task.shared.turns == 4
    assert gold_texts(task, "On which day is yoga?") == {"I moved yoga to Thursdays."}


# --- wrong files -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"not json", "not JSON"),
        (b"{}", "no list of objects|has no question_id"),
        (b'[{"a": 1}]', "has no "),
        (b"", "not JSON|no list of objects"),
        (b"\x1f\x8b\x08broken", "cannot be read"),
    ],
    ids=["text", "object", "other", "empty", "gzip"],
)
def test_wrong_files_are_named(tmp_path, name, content, message):
    path = tmp_path / "wrong.json"
    path.write_bytes(content)
    with pytest.raises(UnreadableSource, match=message) as caught:
        TASKS[name](path, TaskReading())
    assert "wrong.json" in str(caught.value)


def test_a_missing_file_and_the_wrong_benchmark_are_named(tmp_path):
    with pytest.raises(UnreadableSource, match="cannot be read as a LoCoMo file"):
        TASKS["locomo"](tmp_path / "nothing.json", TaskReading())
    with pytest.raises(UnreadableSource, match="item 1 has no sample_id"):
        TASKS["locomo"](fixtures.longmemeval_file(tmp_path), TaskReading())


def test_corrections_of_another_form_are_refused(tmp_path):
    wrong = tmp_path / "corrections.json"
    wrong.write_text(json.dumps([{"question": "?"}]))
    with pytest.raises(UnreadableSource, match="correct_evidence"):
        read("locomo", tmp_path, corrections=wrong)
