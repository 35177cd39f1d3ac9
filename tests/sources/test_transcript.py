"""Plain transcripts: a wrong guess may move a boundary, but no line is lost without a word."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma import sources
from engramma.errors import UnreadableSource
from engramma.language.times import readable
from engramma.records import Conversation, Problem
from engramma.sources.transcript_lines import TranscriptOpener, marks

from .samples import TRANSCRIPT, read_all, turns_of

START = datetime(2020, 1, 1, tzinfo=UTC)


def read_text(tmp_path: Path, text: str, **options: Any) -> tuple[Conversation, list[Problem]]:
    path = tmp_path / "lake.txt"
    path.write_text(text, newline="")
    conversations, problems = read_all(path, **{"format": "transcript", "fallback_time": START, **options})
    assert len(conversations) == 1
    return conversations[0], problems


def said(talk: Conversation) -> list[tuple[str, str]]:
    return [(turn.speaker, turn.text) for turn in turns_of(talk)]


def session_names(talk: Conversation) -> list[str]:
    """The ids of the sessions, "lake" for the conversation's own id."""
    return [session.id.replace(talk.id, "lake") for session in talk.sessions]


def test_a_whole_transcript(tmp_path: Path) -> None:
    talk, problems = read_text(tmp_path, TRANSCRIPT)
    assert (talk.id, talk.title, talk.source) == ("lake-272f3574", "By the lake", "transcript")
    assert said(talk) == [
        ("Ann", "Have you seen the heron?"),
        ("Ben", "Not yet.\nIt hides.\n\nSee https://example.org/heron: a map.\nNote: bring boots."),
        ("Ann", "It is back."),
    ]
    assert session_names(talk) == ["lake-1", "lake-2"]
    assert [len(session.turns) for session in talk.sessions] == [2, 1]
    assert [readable(turn.said_at) for turn in turns_of(talk) if turn.said_at] == [
        "2023-05-08 13:56",
        "2023-05-08 13:57",
        "2023-06-01 00:00",
    ]
    assert not problems


@pytest.mark.parametrize(
    ("prefix", "minute"),
    [
        ("[2023-05-08 13:56] ", "2023-05-08 13:56"),
        ("2023-05-08 13:56 ", "2023-05-08 13:56"),
        ("2023-05-08 13:56:07 - ", "2023-05-08 13:56"),
        ("[2023-05-08T13:56:00+02:00] ", "2023-05-08 11:56"),
        ("2023-05-08T13:56:00.250Z ", "2023-05-08 13:56"),
        ("2023-05-08 13:56:00,250 +0200 ", "2023-05-08 11:56"),
        ("2023-05-08 ", "2023-05-08 00:00"),
    ],
)
def test_a_time_may_stand_before_a_name(prefix: str, minute: str, tmp_path: Path) -> None:
    talk, problems = read_text(tmp_path, f"{prefix}Ann: hi\n{prefix}Ben: hey\n")
    assert said(talk) == [("Ann", "hi"), ("Ben", "hey")]
    assert readable(turns_of(talk)[0].said_at or START) == minute
    assert not problems


def test_written_times_are_read_in_the_zone_given(tmp_path: Path) -> None:
    talk, _ = read_text(tmp_path, "[2023-07-01 12:00] Ann: hi\n", zone=ZoneInfo("Europe/Berlin"))
    assert turns_of(talk)[0].said_at == datetime(2023, 7, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize("line", ["Ann:", "**Ann:**", "**Ann**:"])
def test_a_name_alone_begins_a_turn_on_the_next_line(line: str, tmp_path: Path) -> None:
    talk, _ = read_text(tmp_path, f"{line}\n  first\n\nsecond \n\n\nBen: hey\n")
    assert said(talk) == [("Ann", "  first\n\nsecond "), ("Ben", "hey")]


@pytest.mark.parametrize(
    "row",
    [
        "http://example.org/a",
        "Note: buy milk",
        "TODO: buy milk",
        "  indented: not a name",
        "> Ben: quoted",
        "12:30 is late",
        "Well, you know: no",
        "I told him this: leave",
        "Stop! Now: go",
        "A very long line that goes on and on and on: no",
        "key=value: x",
        "Ann:without a space",
    ],
)
def test_other_lines_with_colons_belong_to_the_turn_before(row: str, tmp_path: Path) -> None:
    talk, _ = read_text(tmp_path, f"Ann: hi\n{row}\nBen: hey\n")
    assert said(talk) == [("Ann", f"hi\n{row}"), ("Ben", "hey")]


@pytest.mark.parametrize(
    "name", ["Ann", "user", "Dr. Ann Lee", "Ann (work)", "Ann-Marie O'Neil", "Åsa", "王芳", "Speaker 1"]
)
def test_names_of_many_kinds_are_names(name: str, tmp_path: Path) -> None:
    talk, _ = read_text(tmp_path, f"{name}: hi\nBen: hey\n")
    assert said(talk) == [(name, "hi"), ("Ben", "hey")]


def test_words_in_lower_case_are_a_name_only_if_they_come_back(tmp_path: Path) -> None:
    talk, _ = read_text(tmp_path, "the old man: hi\nBen: the list is\nhere it is: eggs\nthe old man: bye\n")
    assert said(talk) == [
        ("the old man", "hi"),
        ("Ben", "the list is\nhere it is: eggs"),
        ("the old man", "bye"),
    ]


def test_code_in_fences_opens_no_turn(tmp_path: Path) -> None:
    talk, _ = read_text(tmp_path, "Ann: ```yaml\nname: x\nname: y\n```\nBen: ok\n```\nAnn: unclosed\n")
    assert said(talk) == [("Ann", "```yaml\nname: x\nname: y\n```"), ("Ben", "ok\n```"), ("Ann", "unclosed")]


def test_where_turns_have_times_a_new_name_needs_one(tmp_path: Path) -> None:
    talk, _ = read_text(
        tmp_path, "[2023-05-08 13:56] Ann: hi\nIngredients: eggs\n[2023-05-08 13:57] Ben: hey\nAnn: untimed\n"
    )
    assert said(talk) == [("Ann", "hi\nIngredients: eggs"), ("Ben", "hey"), ("Ann", "untimed")]
    assert turns_of(talk)[2].said_at == datetime(2023, 5, 8, 13, 57, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("row", "session", "minute"),
    [
        ("--- 2023-05-08 13:56 ---", "lake-2", "2023-05-08 13:56"),
        ("## 2023-05-08", "lake-2", "2023-05-08 00:00"),
        ("# Session: the lake, 2023-05-08 13:56", "the lake", "2023-05-08 13:56"),
        ("### Session 2 (2023-05-08)", "2", "2023-05-08 00:00"),
        ("# Session: 2023-05-08T13:56:00Z", "lake-2", "2023-05-08 13:56"),
        ("# Session: the lake", "the lake", "2020-01-01 00:00"),
    ],
)
def test_session_lines(row: str, session: str, minute: str, tmp_path: Path) -> None:
    talk, problems = read_text(tmp_path, f"[2020-01-01 00:00] Ann: hi\n\n{row}\n\nAnn: again\n")
    assert session_names(talk) == ["lake-1", session]
    assert said(talk) == [("Ann", "hi"), ("Ann", "again")]
    assert readable(turns_of(talk)[1].said_at or START) == minute
    assert len(problems) == (minute == "2020-01-01 00:00")


def test_a_heading_inside_a_turn_is_text_and_a_dated_one_is_noted(tmp_path: Path) -> None:
    answer = "Here:\n# Session management\nUse cookies.\n## 2023-05-08\nReleased."
    talk, problems = read_text(tmp_path, f"[2023-06-01 10:00] Ann: {answer}\n[2023-06-01 10:01] Ben: ok\n")
    assert said(talk) == [("Ann", answer), ("Ben", "ok")]
    assert [problem.where for problem in problems] == ["line 4"]


def test_a_pause_longer_than_the_gap_opens_a_session(tmp_path: Path) -> None:
    text = "[2023-05-08 13:00] Ann: a\n[2023-05-08 13:30] Ben: b\n[2023-05-08 14:01] Ann: c\n"
    talk, _ = read_text(tmp_path, text)
    assert session_names(talk) == ["lake-1", "lake-2"]
    assert [len(session.turns) for session in talk.sessions] == [2, 1]
    talk, _ = read_text(tmp_path, text, idle_gap=timedelta(hours=1))
    assert len(talk.sessions) == 1
    talk, _ = read_text(tmp_path, "# Session: pier\n" + text)
    assert [session.id for session in talk.sessions] == ["pier", "pier-2"]


def test_without_any_time_the_fallback_counts_and_is_noted(tmp_path: Path) -> None:
    talk, problems = read_text(tmp_path, "Ann: hi\nBen: hey\n")
    assert [turn.said_at for turn in turns_of(talk)] == [START, START + timedelta(seconds=1)]
    assert "without a time" in problems[0].reason


def test_a_time_that_does_not_exist_is_noted_and_the_turn_kept(tmp_path: Path) -> None:
    talk, problems = read_text(tmp_path, "[2023-05-08 13:56] Ann: hi\n[2023-13-45 13:57] Ben: hey\n")
    assert said(talk) == [("Ann", "hi"), ("Ben", "hey")]
    assert problems[0].where == "line 2"


def test_what_stands_before_the_first_turn_is_reported(tmp_path: Path) -> None:
    talk, problems = read_text(tmp_path, "# Talk\n\nRecorded on a boat.\n\nAnn: hi\nBen:\nAnn: hm\n")
    assert talk.title == "Talk"
    assert said(talk) == [("Ann", "hi"), ("Ann", "hm")]
    assert [problem.where for problem in problems] == ["line 3", "line 6", "times"]


def test_ids_stay_when_the_transcript_grows(tmp_path: Path) -> None:
    text = "[2023-05-08 13:00] Ann: ok\n[2023-05-08 13:01] Ann: ok\n"
    short, _ = read_text(tmp_path, text)
    long, _ = read_text(tmp_path, text + "[2023-05-09 13:00] Ann: ok\n")
    assert long.sessions[: len(short.sessions)] == short.sessions
    assert len({turn.id for turn in turns_of(long)}) == 3
    assert long.id == short.id


def test_other_talks_in_files_of_the_same_name_stay_apart(tmp_path: Path) -> None:
    texts = [
        "Ann: hi\nBen: hey\n",
        "Cid: hi\nBen: hey\n",
        "Ann: hello\nBen: hey\n",
        "[2023-05-08 13:00] Ann: hi\nBen: hey\n",
        "--- 2023-05-09 ---\nAnn: hi\nBen: hey\n",
    ]
    ids = [read_text(tmp_path, text)[0].id for text in texts]
    assert len(set(ids)) == len(texts)


def test_an_id_does_not_depend_on_the_fallback_or_on_what_follows_the_first_line(tmp_path: Path) -> None:
    ids = [
        read_text(tmp_path, text, fallback_time=START + timedelta(days=day))[0].id
        for day, text in enumerate(["Ann: hi\n", "Ann: hi\nthere\n", "Ann: hi\r\nthere\r\nBen: hey\r\n"])
    ]
    assert len(set(ids)) == 1


def test_a_text_without_turns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match="no line that opens a turn"):
        read_text(tmp_path, "Nothing here.\n")
    with pytest.raises(UnreadableSource, match="NUL byte in line 2"):
        read_text(tmp_path, "Ann: hi\nBen: \0\n")


@pytest.mark.parametrize(
    ("text", "recognised"),
    [
        ("Ann: hi\nBen: hey\n", True),
        ("Ann: hi\n", False),
        ("name: x\nversion: 1\nlicense: MIT\n", False),
        ("2023-05-08 13:56 Ann: hi\n2023-05-08 13:56 Ben: hey\n2023-05-08 13:56 Cid: ho\n", True),
        ("try:\n    import x\nexcept ImportError:\n    x = None\n", False),
        ("---\ntags: [bees]\ntitle: Hive 4\n---\nQueen: green dot\nFeed: syrup\n", False),
        ("---\ntags: [bees]\n---\nJo: Seen the queen?\nAl: No.\nJo: Me neither.\n", True),
        ("# Diary\n\n## 3 January 2026\n\nResolutions: swim\n\n## 17 May 2026\n\nBlood test: ferritin 9\n", False),
        ("# Books\n\nJan - Small Things\nMar - Prophet Song: not finished\nJun - The Bee Sting: loved\n", False),
        ("# Monday\nAnn: hi\n# Noon\nBen: hey\n# Tuesday\nAnn: ho\n# Evening\nBen: he\n", True),
    ],
)
def test_a_talk_is_told_from_settings(text: str, recognised: bool, tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text(text)
    if recognised:
        assert sources.sniff(path) == "transcript"
    else:
        with pytest.raises(UnreadableSource):
            sources.sniff(path)


ROWS = st.lists(
    st.sampled_from(
        [
            "Ann: hi",
            "Ben:",
            "[2023-05-08 13:56] Ann: x",
            "",
            "  ",
            "more",
            "## 2023-05-08",
            "# Session: s",
            "```",
        ]
    )
)


@given(ROWS)
def test_every_row_after_the_first_turn_is_in_a_turn_or_opens_one(rows: list[str]) -> None:
    found = marks(rows)
    assert len(found) == len(rows)
    first = next((n for n, mark in enumerate(found) if isinstance(mark, TranscriptOpener)), len(rows))
    for n in range(first, len(rows)):
        following = [mark for row, mark in zip(rows[n + 1 :], found[n + 1 :], strict=True) if row.strip()]
        # A session line is believed only where a turn follows, so no text can fall between them.
        assert isinstance(found[n], TranscriptOpener | None) or (following and following[0] is not None)


def test_talk_between_two_lines_is_no_front_matter(tmp_path):
    talk, _ = read_text(tmp_path, "---\nAnn: Morning\nTom: Hi\n---\nAnn: How are you?\nTom: Fine\n")
    assert [speaker for speaker, _ in said(talk)] == ["Ann", "Tom", "Ann", "Tom"]
    talk, _ = read_text(tmp_path, "---\ntitle: Lake\ntags: boats\n---\nAnn: How are you?\nTom: Fine\n")
    assert [speaker for speaker, _ in said(talk)] == ["Ann", "Tom"]
