"""Slack exports: folder or zip, names for ids, threads in the order of time, notices counted."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engramma import sources
from engramma.errors import UnreadableSource
from engramma.memory import Memory
from engramma.transfer.imports import import_file

from ..fakes import HashEmbedder
from .samples import read_all, turns_of

START = 1_700_000_000

USERS = [
    {"id": "U1", "name": "ann", "real_name": "Ann Lee", "profile": {"display_name": "Annie", "real_name": "Ann Lee"}},
    {"id": "U2", "name": "ben", "profile": {"display_name": "", "real_name": "Ben Roy"}},
    {"id": "U3", "name": "deploybot", "is_bot": True, "profile": {"bot_id": "B3"}},
    {"id": "U4", "name": "zoe", "deleted": True},
    "no user",
]
LISTS = {
    "users.json": USERS,
    "channels.json": [{"id": "C1", "name": "general", "members": ["U1", "U2"]}],
    "groups.json": [{"id": "G1", "name": "secret-plans", "members": ["U1"]}],
    "dms.json": [{"id": "D1", "members": ["U1", "U2"]}],
    "mpims.json": [{"id": "G2", "name": "mpdm-ann--ben--zoe-1", "members": ["U1", "U2", "U4"]}],
}


def ts(at: float) -> str:
    return f"{START + at:.6f}"


def message(text: object, *, at: float = 0, user: str | None = "U1", **more: object) -> dict[str, Any]:
    """A message as Slack exports it; `at` counts seconds from START."""
    by = {} if user is None else {"user": user}
    return {"type": "message", **by, "text": text, "ts": ts(at), "client_msg_id": "x", **more}


def files(**days: object) -> dict[str, object]:
    """The files of an export, its days given as general__2023_11_14=[...]."""
    named = {f"{name.replace('__', '/').replace('_', '-')}.json": value for name, value in days.items()}
    return {**LISTS, **named}


def as_folder(path: Path, content: dict[str, object]) -> Path:
    for name, value in content.items():
        target = path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return path


def as_zip(path: Path, content: dict[str, object], inside: str = "") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in content.items():
            archive.writestr(inside + name, value if isinstance(value, bytes) else json.dumps(value))
    return path


def one(path: Path, *messages: object) -> list[tuple[str, str]]:
    (found,), _ = read_all(as_folder(path, files(general__2023_11_14=list(messages))))
    return [(turn.speaker, turn.text) for turn in turns_of(found)]


def test_every_kind_of_channel_is_a_conversation(tmp_path: Path) -> None:
    content = files(
        general__2023_11_14=[message("morning"), message("hi", at=60, user="U2")],
        general__2023_11_15=[message("next day", at=86_400, user="U4")],
        secret_plans__2023_11_14=[message("hush")],
        D1__2023_11_14=[message("just us")],
        mpdm_ann__ben__zoe_1__2023_11_14=[],
    )
    content["mpdm-ann--ben--zoe-1/2023-11-14.json"] = [message("we three")]
    content.pop("mpdm-ann/ben/zoe-1/2023-11-14.json")
    path = as_folder(tmp_path / "export", content)
    assert sources.sniff(path) == "slack"
    found, problems = read_all(path)
    assert not problems
    assert {(talk.id, talk.title): [turn.text for turn in turns_of(talk)] for talk in found} == {
        ("slack-C1", "#general"): ["morning", "hi", "next day"],
        ("slack-G1", "#secret-plans"): ["hush"],
        ("slack-D1", "Annie, Ben Roy"): ["just us"],
        ("slack-G2", "Annie, Ben Roy, zoe"): ["we three"],
    }
    general = next(talk for talk in found if talk.id == "slack-C1")
    assert [session.id for session in general.sessions] == ["slack-C1-20231114T221320", "slack-C1-20231115T221320"]
    first = turns_of(general)[0]
    assert (first.id, first.said_at) == (ts(0), datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC))
    assert [turn.speaker for turn in turns_of(general)] == ["Annie", "Ben Roy", "zoe"]


@pytest.mark.parametrize("inside", ["", "Acme Slack export/"])
def test_a_zip_gives_the_same_as_the_folder(tmp_path: Path, inside: str) -> None:
    content = files(general__2023_11_14=[message("morning")], D1__2023_11_14=[message("just us")])
    packed = as_zip(tmp_path / "export.zip", content, inside)
    assert sources.sniff(packed) == "slack"
    assert read_all(packed) == read_all(as_folder(tmp_path / "export", content))


def test_a_file_of_one_day_is_read_in_its_export(tmp_path: Path) -> None:
    path = as_folder(tmp_path, files(general__2023_11_14=[message("hello <@U2>")])) / "general" / "2023-11-14.json"
    assert sources.sniff(path) == "slack"
    (found,), _ = read_all(path)
    assert (found.id, turns_of(found)[0].text) == ("slack-C1", "hello @Ben Roy")


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("<@U1> and <@U2|ben>, <@U9> and <@U8|guest>", "@Annie and @Ben Roy, @U9 and @guest"),
        ("in <#C1> or <#C1|old-name> or <#C9|gone>", "in #general or #general or #gone"),
        ("<!here> <!channel|@channel> <!subteam^S1|@devs> <!subteam^S2>", "@here @channel @devs @group"),
        ("<!date^1700000000^{date}|14 Nov>", "14 Nov"),
        ("see <https://example.org/a?b=1&amp;c|the docs>", "see the docs (https://example.org/a?b=1&c)"),
        ("<https://example.org>", "https://example.org"),
        ("<http://example.org|example.org>", "example.org (http://example.org)"),
        ("<mailto:a@example.org|a@example.org>", "a@example.org"),
        ("1 &lt; 2 &amp;&amp; a &gt; b &amp;lt;", "1 < 2 && a > b &lt;"),
        ("`a <b` ok", "`a <b` ok"),
    ],
)
def test_markup_is_written_out(tmp_path: Path, written: str, text: str) -> None:
    assert one(tmp_path, message(written)) == [("Annie", text)]


@pytest.mark.parametrize(
    ("fields", "speaker"),
    [
        ({"user": "U1"}, "Annie"),
        ({"user": "U9"}, "U9"),
        ({"user": "U9", "user_profile": {"display_name": "", "real_name": "Guest Star"}}, "Guest Star"),
        ({"subtype": "bot_message", "bot_id": "B1", "username": "github"}, "github"),
        ({"subtype": "bot_message", "bot_id": "B3"}, "deploybot"),
        ({"user": "U3", "bot_id": "B3", "bot_profile": {"name": "Deploys"}}, "deploybot"),
        ({"bot_id": "B7", "bot_profile": {"name": "Deploys"}}, "Deploys"),
        ({"bot_id": "B7"}, "B7"),
        ({}, "unknown"),
    ],
)
def test_speakers(tmp_path: Path, fields: dict[str, Any], speaker: str) -> None:
    assert one(tmp_path, {**message("hi", user=None), **fields}) == [(speaker, "hi")]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"text": "look", "files": [{"name": "a.png", "title": "Plan"}, {}]}, "look\n[file Plan]\n[file]"),
        ({"text": "", "file": {"name": "old.txt"}, "subtype": "file_share"}, "[file old.txt]"),
        ({"text": "", "attachments": [{"title": "Build", "text": "by <@U2>", "fallback": "x"}]}, "Build\nby @Ben Roy"),
        ({"text": "", "attachments": [{"fallback": "only this"}]}, "only this"),
        ({"text": "same", "attachments": [{"text": "same"}]}, "same"),
        ({"text": "", "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "*hi*"}}]}, "*hi*"),
        ({"text": None, "blocks": [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [
            {"type": "text", "text": "ask "}, {"type": "user", "user_id": "U2"}]}]}]}, "ask @Ben Roy"),
        ({"text": "shrugs", "subtype": "me_message"}, "shrugs"),
    ],
)  # fmt: skip
def test_what_is_attached_is_shown(tmp_path: Path, fields: dict[str, Any], text: str) -> None:
    assert one(tmp_path, {**message(""), **fields}) == [("Annie", text)]


def test_threads_stand_in_the_order_of_time(tmp_path: Path) -> None:
    content = files(
        general__2023_11_14=[
            message("root", thread_ts=ts(0), reply_count=2),
            message("late reply", at=300, thread_ts=ts(0), user="U2"),
            message("between", at=60),
            message("also to all", at=120, thread_ts=ts(0), subtype="thread_broadcast"),
        ],
        general__2023_11_15=[message("also to all", at=120, thread_ts=ts(0), subtype="thread_broadcast")],
    )
    (found,), problems = read_all(as_folder(tmp_path, content))
    assert [(turn.text, turn.meta.get("thread")) for turn in turns_of(found)] == [
        ("root", None),
        ("between", None),
        ("also to all", ts(0)),
        ("late reply", ts(0)),
    ]
    assert [problem.reason for problem in problems] == ["the same turn again; imported once"]


def test_notices_are_counted(tmp_path: Path) -> None:
    notices = ["channel_join", "channel_join", "channel_topic", "tombstone", "group_leave", "bot_add", "pinned_item"]
    messages = [message("<@U1> did it", at=n, subtype=kind) for n, kind in enumerate(notices)]
    (found,), problems = read_all(as_folder(tmp_path, files(general__2023_11_14=[*messages, message("hi", at=99)])))
    assert [turn.text for turn in turns_of(found)] == ["hi"]
    assert [problem.reason for problem in problems] == [
        "not messages: bot_add (1), channel_join (2), channel_topic (1), group_leave (1), pinned_item (1), "
        "tombstone (1); skipped"
    ]


def test_bad_files_and_messages_cost_only_themselves(tmp_path: Path) -> None:
    content = files(
        general__2023_11_14=[message("one"), None, message(""), message("no time", ts=None), {"type": "other"}],
        general__2023_11_15=b'[{"type": "mess',
        general__2023_11_16={"ok": False},
        general__2023_11_17=b"\xff\xfe",
        general__2023_11_18=[message("two", at=5 * 86_400, ts="soon"), message("three", at=6 * 86_400)],
    )
    content["channels.json"] = b"<html>"
    (found,), problems = read_all(as_folder(tmp_path, content))
    assert found.id == "slack-general"
    assert sorted(turn.text for turn in turns_of(found)) == ["no time", "one", "three", "two"]
    assert all(turn.said_at and turn.id for turn in turns_of(found))
    assert [(Path(problem.path).name, problem.where) for problem in problems] == [
        ("channels.json", "file"),
        ("2023-11-14.json", "message 2"),
        ("2023-11-14.json", "message 3"),
        ("2023-11-14.json", "message 5"),
        ("2023-11-15.json", "file"),
        ("2023-11-16.json", "file"),
        ("2023-11-17.json", "file"),
    ]


def test_an_export_without_lists_keeps_ids(tmp_path: Path) -> None:
    content = {"random/2023-11-14.json": [message("hi <@U2>")]}
    (found,), problems = read_all(as_folder(tmp_path, content))
    assert (found.id, found.title) == ("slack-random", "#random")
    assert [(turn.speaker, turn.text) for turn in turns_of(found)] == [("U1", "hi @U2")]
    assert not problems


def test_a_later_export_adds_only_what_is_new(tmp_path: Path) -> None:
    days = {f"general__2023_11_{14 + n}": [message(f"day {n}", at=n * 86_400)] for n in range(5)}
    edited = message("day three", at=3 * 86_400, edited={"user": "U1", "ts": ts(3 * 86_400 + 9)})
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:

        def take(name: str, some: dict[str, Any]) -> tuple[int, int, int]:
            report = import_file(memory._core, as_zip(tmp_path / f"{name}.zip", files(**some)))
            return report.conversations, report.turns, report.known_turns

        names = list(days)
        assert take("a", {name: days[name] for name in names[:4]}) == (1, 4, 0)
        assert take("b", {name: days[name] for name in names[:4]}) == (0, 0, 4)
        assert take("c", {name: days[name] for name in names[2:]}) == (0, 1, 2)
        assert take("d", {names[2]: days[names[2]], names[3]: [edited]}) == (0, 1, 1)


def test_other_folders_are_not_taken_for_it(tmp_path: Path) -> None:
    as_folder(tmp_path, {"users.json": USERS, "log/2023-11-14.json": [{"type": "message", "text": "no time"}]})
    with pytest.raises(UnreadableSource):
        sources.sniff(tmp_path)


@pytest.mark.parametrize("day", [[], {}, [None], "text", [{"type": "message", "ts": "1"}]])
def test_what_holds_no_message_is_refused(tmp_path: Path, day: object) -> None:
    with pytest.raises(UnreadableSource):
        read_all(as_folder(tmp_path, files(general__2023_11_14=day)), format="slack")
