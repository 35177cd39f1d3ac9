"""Telegram Desktop's result.json: one chat or an account, with every kind of message that is no text."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
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
ABSENT = "(File not included. Change data exporting settings to download.)"


def message(id: int, text: object = "hi", *, at: int = 0, who: str = "Ann", **more: object) -> dict[str, Any]:
    """A message as Telegram Desktop writes it; `at` counts seconds from START."""
    moment = datetime.fromtimestamp(START + at, UTC)
    return {
        "id": id,
        "type": "message",
        "date": moment.replace(tzinfo=None).isoformat(),
        "date_unixtime": str(START + at),
        "from": who,
        "from_id": f"user{sum(map(ord, who))}",
        "text": text,
        "text_entities": [],
        **more,
    }


def service(id: int, action: str) -> dict[str, Any]:
    return {"id": id, "type": "service", "date": "2023-11-14T22:00:00", "actor": "Ann", "action": action, "text": ""}


def chat(*messages: object, name: object = "Ann", kind: str = "personal_chat", id: object = 77) -> dict[str, Any]:
    return {"name": name, "type": kind, "id": id, "messages": list(messages)}


def account(*chats: object, left: tuple[object, ...] = ()) -> dict[str, Any]:
    return {
        "about": "Here is the data you requested. Telegram …",
        "personal_information": {"user_id": 1, "first_name": "Me"},
        "contacts": {"about": "…", "list": [{"first_name": "Ann", "phone_number": "+1"}]},
        "chats": {"about": "…", "list": list(chats)},
        "left_chats": {"about": "…", "list": list(left)},
    }


def written(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False), encoding="utf-8")
    return path


def test_a_chat_is_a_conversation_with_sessions_by_the_gap(tmp_path: Path) -> None:
    path = written(
        tmp_path / "result.json",
        chat(
            service(1, "phone_call"),
            message(2, "Hello"),
            message(3, ["See ", {"type": "link", "text": "https://example.org"}, "!"], at=60, who="Ben"),
            message(4, "Next day", at=90_000),
            service(5, "pin_message"),
            service(6, "pin_message"),
        ),
    )
    assert sources.sniff(path) == "telegram"
    (found,), problems = read_all(path)
    assert (found.id, found.title, found.source) == ("telegram-user77", "Ann", "telegram")
    assert [session.id for session in found.sessions] == [
        "telegram-user77-20231114T221320",
        "telegram-user77-20231115T231320",
    ]
    assert [(t.id, t.speaker, t.text, t.role) for t in turns_of(found)] == [
        ("2", "Ann", "Hello", None),
        ("3", "Ben", "See https://example.org!", None),
        ("4", "Ann", "Next day", None),
    ]
    assert turns_of(found)[0].said_at == datetime.fromtimestamp(START, UTC)
    assert [problem.reason for problem in problems] == ["not messages: phone_call (1), pin_message (2); skipped"]


def test_an_account_holds_chats_and_left_chats(tmp_path: Path) -> None:
    value = account(
        chat(message(1), id=1, name="Ann"),
        chat(message(1, "note to self"), id=2, name=None, kind="saved_messages"),
        chat(message(1), id=1, name="Club", kind="private_group"),
        chat(service(1, "joined_telegram"), id=4, name="Quiet"),
        "no chat",
        {"name": "Bad", "messages": None},
        left=(chat(message(1), id=1, name="News", kind="public_channel"),),
    )
    found, problems = read_all(written(tmp_path / "result.json", value))
    assert [(talk.id, talk.title) for talk in found] == [
        ("telegram-user1", "Ann"),
        ("telegram-user2", "Saved Messages"),
        ("telegram-chat1", "Club"),
        ("telegram-channel1", "News"),
    ]
    assert [(problem.where, problem.reason) for problem in problems] == [
        ("chats 5", "not a chat with messages; skipped"),
        ("chats 6", "not a chat with messages; skipped"),
        ("service messages", "not messages: chats without a message (1), joined_telegram (1); skipped"),
    ]


def test_an_account_is_known_by_its_head_even_where_contacts_fill_it(tmp_path: Path) -> None:
    value = account(chat(message(1)))
    value["contacts"]["list"] *= 5000
    path = written(tmp_path / "result.json", value)
    assert path.stat().st_size > 300_000
    assert sources.sniff(path) == "telegram"


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"photo": ABSENT, "width": 3, "height": 4}, "[photo]"),
        ({"photo": "photos/1.jpg", "text": "The hive"}, "[photo]\nThe hive"),
        ({"file": ABSENT, "file_name": "a.pdf", "mime_type": "application/pdf"}, "[file a.pdf]"),
        ({"file": ABSENT, "media_type": "sticker", "sticker_emoji": "😀"}, "[sticker 😀]"),
        ({"file": ABSENT, "media_type": "voice_message", "duration_seconds": 5}, "[voice message, 5 s]"),
        ({"file": ABSENT, "media_type": "video_file", "file_name": "a.mp4"}, "[video a.mp4]"),
        ({"file": ABSENT, "media_type": "audio_file", "performer": "Bach", "title": "Aria"}, "[audio Bach – Aria]"),
        ({"file": ABSENT, "media_type": "hologram"}, "[hologram]"),
        ({"poll": {"question": "When?", "answers": [{"text": "Mon"}, {"text": "Tue"}]}}, "[poll: When? / Mon / Tue]"),
        ({"location_information": {"latitude": 45.7, "longitude": 4.8}}, "[location: 45.7, 4.8]"),
        ({"place_name": "Park", "address": "Lyon", "location_information": {"latitude": 1}}, "[location: Park, Lyon]"),
        ({"contact_information": {"first_name": "Zoe", "phone_number": "+33 1"}}, "[contact: Zoe, +33 1]"),
        ({"game_title": "Chess"}, "[game: Chess]"),
        ({"text": [{"type": "text_link", "text": "here", "href": "https://example.org/"}]}, "here (https://example.org/)"),
        ({"text": [{"type": "pre", "text": "a = 1\n", "language": "py"}, {"type": "bold"}, None, 3]}, "a = 1\n"),
    ],
)  # fmt: skip
def test_what_is_no_text_has_a_placeholder(tmp_path: Path, fields: dict[str, Any], text: str) -> None:
    path = written(tmp_path / "result.json", chat({**message(1, ""), **fields}))
    assert [turn.text for turn in turns_of(read_all(path)[0][0])] == [text]


def test_replies_forwards_edits_and_senders_are_kept(tmp_path: Path) -> None:
    value = chat(
        message(1, reply_to_message_id=9, edited="2023-11-14T23:00:00", edited_unixtime="1700002800"),
        message(2, forwarded_from="News", via_bot="@pic"),
        message(3, forwarded_from=None),
    )
    first, second, third = turns_of(read_all(written(tmp_path / "r.json", value))[0][0])
    assert (first.id, first.meta["reply_to"], first.meta["edited"]) == ("1-1700002800", "9", "2023-11-14T23:00:00")
    assert (second.meta["forwarded_from"], second.meta["via_bot"]) == ("News", "@pic")
    assert third.meta == {"sender": first.meta["sender"], "forwarded_from": "unknown"}


def test_a_deleted_account_speaks_by_its_id_and_a_bot_is_the_assistant(tmp_path: Path) -> None:
    value = account(
        chat({**message(1), "from": None, "from_id": "user5"}, name=None, id=5),
        chat({**message(1), "from_id": "user9"}, {**message(2, who="Me"), "from_id": "user1"}, kind="bot_chat", id=9),
        chat({"id": 1, "type": "message", "date": "2023-01-01T00:00:00", "text": "x"}, name="News", id=3),
    )
    found, _ = read_all(written(tmp_path / "r.json", value))
    assert [[(turn.speaker, turn.role) for turn in turns_of(talk)] for talk in found] == [
        [("user5", None)],
        [("Ann", "assistant"), ("Me", "user")],
        [("News", None)],
    ]


def test_times_prefer_the_moment_then_the_zone_of_the_import(tmp_path: Path) -> None:
    odd = message(2)
    odd["date_unixtime"] = "soon"
    plain = message(3, at=60)
    del plain["date_unixtime"]
    broken = {**message(4), "date": "yesterday", "date_unixtime": None}
    path = written(tmp_path / "r.json", chat(message(1), odd, plain, broken))
    (found,), problems = read_all(path, zone=timezone(timedelta(hours=1)))
    moments = [turn.said_at.timestamp() - START if turn.said_at else None for turn in turns_of(found)]
    assert moments == [0, -3600, -3540, -3539]
    assert [problem.where for problem in problems] == ["the chat, message 4"]


def test_control_characters_as_telegram_spells_them_are_read(tmp_path: Path) -> None:
    path = written(tmp_path / "r.json", chat(message(1, "bell PLACE end"), message(2, "C:\\x41")))
    path.write_text(path.read_text().replace("PLACE", "\\x07"))
    with pytest.raises(json.JSONDecodeError):
        json.loads(path.read_text())
    assert [turn.text for turn in turns_of(read_all(path)[0][0])] == ["bell \x07 end", "C:\\x41"]


def test_bad_messages_cost_only_themselves(tmp_path: Path) -> None:
    twins = [message(1, "one"), message(1, "one"), message(1, "other")]
    value = chat(
        *twins, None, message(3, None), message(4, [[]]), {"id": 5, "type": "unsupported"}, message(True, "no id")
    )
    (found,), problems = read_all(written(tmp_path / "r.json", value))
    assert [turn.text for turn in turns_of(found)] == ["one", "other", "no id"]
    assert len({turn.id for turn in turns_of(found)}) == 3
    assert sorted(problem.where.rpartition(", ")[2] for problem in problems) == [
        "message 4",
        "message 5",
        "message 6",
        "service messages",
        "turn 1",
        "turn 1",
    ]


def test_a_later_and_shorter_export_adds_only_what_is_new(tmp_path: Path) -> None:
    days = [message(n, f"day {n}", at=n * 86_400) for n in range(1, 7)]
    edited = {**days[4], "text": "day five", "edited": "2023-11-20T00:00:00", "edited_unixtime": "1700438400"}
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:

        def take(*messages: object) -> tuple[int, int, int]:
            report = import_file(memory._core, written(tmp_path / "r.json", chat(*messages)))
            assert not report.problems
            return report.conversations, report.turns, report.known_turns

        assert take(*days[:4]) == (1, 4, 0)
        assert take(*days[:4]) == (0, 0, 4)
        assert take(*days[2:5]) == (0, 1, 2)
        assert take(*days[3:4], edited, *days[5:]) == (0, 2, 1)


def test_what_is_whole_of_a_damaged_export_is_taken(tmp_path: Path) -> None:
    value = account(
        chat(*(message(n, f"a {n}") for n in range(1, 5)), id=1),
        chat(*(message(n, f"b {n}") for n in range(1, 5)), id=2, name='Say "hi"', kind="private_group"),
    )
    whole = json.dumps(value, indent=1)
    path = tmp_path / "result.json"

    def texts() -> dict[str, list[str]]:
        assert sources.sniff(path) == "telegram"
        found, problems = read_all(path)
        assert "skipped" in problems[0].reason and " at byte " in problems[0].reason
        return {talk.id: [turn.text for turn in turns_of(talk)] for talk in found}

    path.write_text(whole[: whole.index("b 3")])
    assert "the file ends too early" in read_all(path)[1][0].reason
    assert texts() == {"telegram-user1": ["a 1", "a 2", "a 3", "a 4"], "telegram-chat2": ["b 1", "b 2"]}
    path.write_text(whole.replace('"a 2"', '"a 2'))
    assert texts() == {
        "telegram-user1": ["a 1", "a 3", "a 4"],
        "telegram-chat2": ["b 1", "b 2", "b 3", "b 4"],
    }


def test_the_folder_of_an_export_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "ChatExport_2023-11-14"
    (folder / "photos").mkdir(parents=True)
    (folder / "photos" / "photo_1.jpg").write_bytes(b"\xff\xd8\xff")
    written(folder / "result.json", chat(message(1, "", photo="photos/photo_1.jpg")))
    assert sources.sniff(folder) == "telegram"
    (found,), problems = read_all(folder)
    assert [turn.text for turn in turns_of(found)] == ["[photo]"]
    assert [problem.where for problem in problems] == ["other files"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"chats": {"list": []}}', '{"messages": ', "<html>"])
def test_what_holds_no_chat_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "result.json"
    path.write_text(text)
    with pytest.raises(UnreadableSource):
        read_all(path, format="telegram")


def test_messages_of_the_openai_kind_are_not_taken_for_it(tmp_path: Path) -> None:
    path = written(
        tmp_path / "chat.json", {"id": "x", "messages": [{"role": "user", "content": '"type": "personal_chat"'}]}
    )
    assert sources.sniff(path) == "messages"
