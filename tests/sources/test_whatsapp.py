"""WhatsApp exports: Android and iOS, any region's dates, notices told from messages."""

from __future__ import annotations

import contextlib
import time
import zipfile
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from engramma import sources
from engramma.errors import UnreadableSource
from engramma.memory import Memory
from engramma.records import Conversation, Problem
from engramma.sources import whatsapp
from engramma.transfer.imports import import_file

from ..fakes import HashEmbedder
from .samples import read_all, turns_of

LRM, NNBSP = "\u200e", "\u202f"

ANDROID = f"""\
12/30/23, 9:41{NNBSP}PM - Messages and calls are end-to-end encrypted. No one outside of this chat can read them.
12/30/23, 9:41{NNBSP}PM - Ann created group "Trip: Rome"
12/30/23, 9:42{NNBSP}PM - Ann added Ben
12/30/23, 9:43{NNBSP}PM - Ann: Shall we take
the train?

It leaves at 8:15: early!
12/30/23, 9:44{NNBSP}PM - Ben: <Media omitted>
12/31/23, 12:05{NNBSP}AM - +33 6 12 34 56 78: IMG-20231231-WA0001.jpg (file attached)
The tickets
12/31/23, 12:06{NNBSP}AM - Ben: ok
12/31/23, 12:06{NNBSP}AM - Ben: ok
12/31/23, 12:07{NNBSP}AM - Ann changed the subject from "Trip" to "Trip: Rome"
12/31/23, 12:08{NNBSP}AM - Ben: This message was deleted
1/1/24, 12:00{NNBSP}PM - Ann: Happy new year <This message was edited>
"""

IOS = f"""\
[31.12.23, 21:41:05] Trip: {LRM}Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt.
[31.12.23, 21:41:05] Trip: {LRM}Ann hat diese Gruppe erstellt.
[31.12.23, 21:42:00] ~{NNBSP}Ann: Wer kommt mit?
Bitte bis morgen.
{LRM}[31.12.23, 21:43:10] Ben: {LRM}<Anhang: 00000012-PHOTO-2023-12-31-21-43-10.jpg>
{LRM}[31.12.23, 21:43:11] Ben: {LRM}Bild weggelassen
[31.12.23, 21:44:00] Zoe: Plan.pdf • {LRM}3 Seiten {LRM}Dokument weggelassen
[31.12.23, 21:45:00] Cem: [12:30] ist gut: ja {LRM}<Diese Nachricht wurde verändert>
"""


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def taken(path: Path, **options: object) -> tuple[Conversation, list[Problem]]:
    assert sources.sniff(path) == "whatsapp"
    (found,), problems = read_all(path, **options)
    return found, problems


def test_an_android_export(tmp_path: Path) -> None:
    found, problems = taken(written(tmp_path / "WhatsApp Chat with Trip - Rome.txt", ANDROID))
    assert (found.id, found.title, found.source) == ("whatsapp-Trip - Rome", "Trip - Rome", "whatsapp")
    assert [(turn.speaker, turn.text) for turn in turns_of(found)] == [
        ("Ann", "Shall we take\nthe train?\n\nIt leaves at 8:15: early!"),
        ("+33 6 12 34 56 78", "[attached: IMG-20231231-WA0001.jpg]\nThe tickets"),
        ("Ben", "ok"),
        ("Ben", "ok"),
        ("Ann", "Happy new year"),
    ]
    assert [turn.said_at for turn in turns_of(found)][::4] == [
        datetime(2023, 12, 30, 21, 43, tzinfo=UTC),
        datetime(2024, 1, 1, 12, tzinfo=UTC),
    ]
    assert turns_of(found)[-1].meta == {"edited": "yes"}
    assert [session.id.rpartition("-")[2] for session in found.sessions] == [
        "20231230T214300",
        "20231231T000500",
        "20240101T120000",
    ]
    assert [problem.reason for problem in problems] == [
        "4 notices by WhatsApp, 1 deleted message, 1 attachment that is not in the export; skipped"
    ]


def test_an_ios_export(tmp_path: Path) -> None:
    found, problems = taken(written(tmp_path / "WhatsApp Chat - Trip" / "_chat.txt", IOS.replace("\n", "\r\n")))
    assert (found.id, found.title) == ("whatsapp-Trip", "Trip")
    assert [(turn.speaker, turn.text) for turn in turns_of(found)] == [
        ("Ann", "Wer kommt mit?\nBitte bis morgen."),
        ("Ben", "[attached: 00000012-PHOTO-2023-12-31-21-43-10.jpg]"),
        ("Zoe", "[Plan.pdf • 3 Seiten Dokument weggelassen]"),
        ("Cem", "[12:30] ist gut: ja"),
    ]
    assert turns_of(found)[0].said_at == datetime(2023, 12, 31, 21, 42, tzinfo=UTC)
    assert [problem.reason for problem in problems] == [
        "2 notices by WhatsApp, 1 attachment that is not in the export; skipped"
    ]


@pytest.mark.parametrize(
    ("stamp", "hour"),
    [
        ("31/12/2023, 21:41 - ", 21),
        ("31/12/23 21:41 - ", 21),
        ("31.12.23, 21:41 - ", 21),
        ("31-12-23, 21:41 – ", 21),
        ("12/31/23, 9:41 PM - ", 21),
        ("31/12/23, 9:41 p. m. - ", 21),
        ("31/12/2023, 9:41 a.m. - ", 9),
        ("31/12/2023, 12:41 am - ", 0),
        ("31/12/2023, 12:41\u00a0pm - ", 12),
        ("2023/12/31, 21:41 - ", 21),
        ("2023-12-31, 21:41 - ", 21),
        ("2023/12/31 下午9:41 - ", 21),
        ("2023. 12. 31. 오후 9:41 - ", 21),
        ("[31/12/2023, 21:41:05] ", 21),
        ("[31/12/2023 à 21:41:05] ", 21),
        ("[31.12.2023 klo 21.41.05] ", 21),
        ("[12/31/23, 9:41:05\u202fPM] ", 21),
        ("[2023-12-31, 9:41:05 AM] ", 9),
        ("\u200f[٣١‏/١٢‏/٢٠٢٣، ٩:٤١:٠٥ م] ", 21),
        ("\ufeff[31.12.23, 21:41:05] ", 21),
    ],
)
def test_stamps_of_many_regions(tmp_path: Path, stamp: str, hour: int) -> None:
    path = written(tmp_path / "chat.txt", f"{stamp}Ann: one\n{stamp}דנה: שלום: two\n")
    first, second = turns_of(taken(path)[0])
    assert [(turn.speaker, turn.text) for turn in (first, second)] == [("Ann", "one"), ("דנה", "שלום: two")]
    assert first.said_at is not None
    assert (first.said_at.replace(second=0)) == datetime(2023, 12, 31, hour, 41, tzinfo=UTC)


def test_the_zone_is_that_of_the_import(tmp_path: Path) -> None:
    path = written(tmp_path / "chat.txt", "31/12/2023, 21:41 - Ann: one\n31/12/2023, 21:42 - Ben: two\n")
    found, _ = taken(path, zone=timezone(timedelta(hours=-5)))
    assert turns_of(found)[0].said_at == datetime(2024, 1, 1, 2, 41, tzinfo=UTC)


@pytest.mark.parametrize(
    ("dates", "first", "note"),
    [
        (["03/04/2024", "25/04/2024"], "2024-04-03", None),
        (["4/3/24", "4/25/24"], "2024-04-03", None),
        # Only as months do these days rise.
        (["1/2/24", "1/5/24", "2/1/24"], "2024-01-02", None),
        (["01/02/24", "05/02/24", "01/03/24"], "2024-02-01", None),
        (["05/05/24", "06/06/24"], "2024-05-05", None),
        (["03/04/2024", "03/04/2024"], "2024-04-03", "day/month"),
        (["3/4/24", "3/4/24"], "2024-03-04", "month/day"),
    ],
)
def test_day_and_month_are_found_from_the_whole_file(
    tmp_path: Path, dates: list[str], first: str, note: str | None
) -> None:
    clock = "9:41 PM" if dates[0][0] != "0" else "21:41"
    path = written(tmp_path / "chat.txt", "".join(f"{date}, {clock} - Ann: {n}\n" for n, date in enumerate(dates)))
    found, problems = taken(path)
    assert f"{turns_of(found)[0].said_at:%Y-%m-%d}" == first
    assert [problem.reason.rpartition("read as ")[2] for problem in problems] == ([note] if note else [])


def test_an_impossible_date_costs_only_the_time(tmp_path: Path) -> None:
    text = "31/12/2023, 21:41 - Ann: one\n31/02/2023, 21:42 - Ben: two\n31/12/2023, 29:41 - Ann: three\n"
    found, problems = taken(written(tmp_path / "chat.txt", text))
    assert [turn.text for turn in turns_of(found)] == ["one", "two", "three"]
    assert [problem.where for problem in problems] == ["line 2", "line 3"]
    assert all(turn.said_at for turn in turns_of(found))


def test_lines_that_cannot_be_read_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "WhatsApp Chat with Ann.txt"
    rows = (b"41 - Ann: one", b"42 - Ben: \xff", b"43 - Ben: ", b"44 - Ann: two")
    path.write_bytes(b"".join(b"31/12/2023, 21:" + row + b"\n" for row in rows))
    found, problems = taken(path)
    assert [turn.text for turn in turns_of(found)] == ["one", "two"]
    assert [problem.where for problem in problems] == ["line 2", "line 3"]


def test_a_pasted_log_of_the_other_form_is_text(tmp_path: Path) -> None:
    text = "31/12/2023, 21:41 - Ann: see\n[31.12.23, 21:41:05] Zoe: hi\n31/12/2023, 21:42 - Ben: ok\n"
    found, _ = taken(written(tmp_path / "chat.txt", text))
    assert [turn.text for turn in turns_of(found)] == ["see\n[31.12.23, 21:41:05] Zoe: hi", "ok"]


def test_text_in_angle_brackets_is_kept(tmp_path: Path) -> None:
    text = (
        "31/12/2023, 21:41 - Ann: <html>\n31/12/2023, 21:42 - Ben: image omitted\n31/12/2023, 21:43 - Ann: I left Ben\n"
    )
    found, _ = taken(written(tmp_path / "chat.txt", text))
    assert [turn.text for turn in turns_of(found)] == ["<html>", "image omitted", "I left Ben"]


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("WhatsApp Chat with Ann Lee.txt", "Ann Lee"),
        ("WhatsApp Chat with Ann Lee (1).txt", "Ann Lee"),
        ("WhatsApp Chat - Ann Lee.txt", "Ann Lee"),
        ("WhatsApp-Chat mit Ann Lee.txt", "Ann Lee"),
        ("Chat de WhatsApp con Ann Lee.txt", "Ann Lee"),
        ("Conversa do WhatsApp com Ann Lee.txt", "Ann Lee"),
        ("Discussion WhatsApp avec Ann Lee.txt", "Ann Lee"),
        ("Ann.txt", None),
        ("_chat.txt", "Ann and Ben"),  # as iPhones call every chat
        ("_chat (1).txt", "Ann and Ben"),
    ],
)
def test_the_chat_is_named_by_the_file(tmp_path: Path, name: str, title: str | None) -> None:
    found, _ = taken(written(tmp_path / name, ANDROID))
    assert found.title == title


def test_a_zip_from_an_iphone_is_read_in_place(tmp_path: Path) -> None:
    path = tmp_path / "WhatsApp Chat - Trip.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("_chat.txt", IOS)
        archive.writestr("00000012-PHOTO-2023-12-31-21-43-10.jpg", b"\xff\xd8\xff")
    found, problems = taken(path)
    assert [problem.where for problem in problems] == ["not messages", "other files"]
    assert (found.id, len(turns_of(found))) == ("whatsapp-Trip", 4)


def test_a_later_export_that_begins_later_adds_only_what_is_new(tmp_path: Path) -> None:
    rows = [f"{day:02}/12/2023, 21:4{n} - Ann: ok\n" for day in range(13, 20) for n in (1, 1, 2)]
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:

        def take(*some: str) -> tuple[int, int, int]:
            report = import_file(memory._core, written(tmp_path / "WhatsApp Chat with Ann.txt", "".join(some)))
            return report.conversations, report.turns, report.known_turns

        assert take(*rows[:8]) == (1, 8, 0)
        assert take(*rows[:8]) == (0, 0, 8)
        assert take(*rows[3:12]) == (0, 4, 5)
        assert take(*rows) == (0, 9, 12)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Ann: hello\nBen: hi\n",
        "[2023-05-08 13:57] Ann: hello\n[2023-05-08 13:58] Ben: hi\n",
        "2023-05-08 13:57 - Ann: hello\n2023-05-08 13:58 - Ben: hi\n",
        "12/31/23, 9:41 PM - Ann: only one line\n",
        "31/12/2023, 21:41 - no name\n31/12/2023, 21:42 - none here\n",
        "Prices of 12/31/23, 9:41 PM - all: high\n",
    ],
)
def test_other_text_is_not_taken_for_it(tmp_path: Path, text: str) -> None:
    path = written(tmp_path / "chat.txt", text)
    assert not whatsapp.looks_like(text, path)
    with contextlib.suppress(UnreadableSource):
        assert sources.sniff(path) != "whatsapp"


@pytest.mark.parametrize("text", ["", "Ann: hello\n", "31/12/2023, 21:41 - Ann left\n"])
def test_what_holds_no_message_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UnreadableSource):
        read_all(written(tmp_path / "chat.txt", text), format="whatsapp")


@pytest.mark.parametrize("unit", [f"{LRM} ", f"{LRM}<a", "a.b ", "<", "(", " "])
def test_a_huge_message_is_kept_and_soon_read(tmp_path: Path, unit: str) -> None:
    huge = f"x{unit * 100_000}x"
    text = f"31/12/2023, 21:40 - Ann: hi\n31/12/2023, 21:41 - Ben: ok\n31/12/2023, 21:42 - Ann: {huge}\n"
    started = time.process_time()
    found, _ = taken(written(tmp_path / "chat.txt", text))
    assert [turn.text for turn in turns_of(found)] == ["hi", "ok", huge]
    # Searched at every position it would take minutes.
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    "words",
    [
        "<Media omitted>",
        "<Medien ausgeschlossen>",
        "<Multimedia omitido>",
        "<Médias omis>",
        "<Arquivo de mídia oculto>",
        "<Media omessi>",
        f"{LRM}image omitted",
    ],
)
def test_a_message_that_only_says_that_media_was_left_out_is_no_turn(tmp_path: Path, words: str) -> None:
    text = f"31/12/2023, 21:41 - Ann: Look!\n31/12/2023, 21:42 - Ben: {words}\n31/12/2023, 21:43 - Ann: <big hug>\n"
    found, problems = taken(written(tmp_path / "WhatsApp Chat with Ben.txt", text))
    assert [turn.text for turn in turns_of(found)] == ["Look!", "[big hug]"]
    assert [problem.reason for problem in problems] == ["1 attachment that is not in the export; skipped"]


@pytest.mark.parametrize(
    "words",
    [
        f"Our new kitchen at last {LRM}image omitted",
        f"{LRM}Our new kitchen at last {LRM}image omitted",
        f"The last chapter was omitted{LRM}",
        f"{LRM}I looked twice and the last chapter was omitted",
        "<I looked twice and the last chapter was omitted>",
        "<Media omitted> haha look",
        "haha <Media omitted>",
        "<Media omitted>\nhaha look",
    ],
)
def test_words_beside_media_that_was_left_out_are_a_turn(tmp_path: Path, words: str) -> None:
    text = f"31/12/2023, 21:41 - Ann: Look!\n31/12/2023, 21:42 - Ben: {words}\n31/12/2023, 21:43 - Ann: ok\n"
    found, problems = taken(written(tmp_path / "WhatsApp Chat with Ben.txt", text))
    assert len(turns_of(found)) == 3
    assert not problems
