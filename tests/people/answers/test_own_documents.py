"""What stands in a document may be of who asks about themself: a diary says "I", and its file is its speaker."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engramma import Memory, Turn

DIARY = """# Diary

## 3 October 2026
Bought Teo a second-hand electric kit off a man in Hessle, £260 with the stool.

## 5 October 2026
Rang the surgery about my hands. Dr Pike says it is arthritis, early.
"""
SAID = [
    ("Mirela", "hows teo getting on with school"),
    ("Dunja", "fine, he is drumming on everything"),
    ("Mirela", "i sold my tent in leeds yesterday"),
]


@pytest.fixture
def memory(tmp_path):
    (tmp_path / "diary.md").write_text(DIARY, "utf-8")
    at = datetime(2026, 10, 4, 7, 40, tzinfo=UTC)
    with Memory.open(tmp_path / "memory") as memory:
        memory.remember_session("chat", "one", [Turn(who, text, said_at=at) for who, text in SAID])
        memory.documents.ingest(tmp_path / "diary.md")
        memory.people.me("Dunja")
        yield memory


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("How much did I pay for Teo's electric kit?", "£260"),
        ("How much did Dunja pay for Teo's electric kit?", "£260"),
        ("What is wrong with my hands?", "arthritis"),
    ],
)
def test_what_a_diary_says_is_of_who_asks(memory, question, quote):
    answer = memory.ask(question)
    assert quote in answer.quote and not answer.abstained
    assert answer.evidence[0].speaker != "Dunja"  # the file is named as the source


def test_what_another_said_is_not_theirs_by_it(memory):
    assert memory.ask("Where did I sell my tent?").abstained
    assert memory.ask("How much did Mirela pay for the electric kit?").abstained


MAIL = """From x Thu Jan  1 00:00:00 2026
From: {sender}
To: Dunja <dunja@example.org>
Subject: Booking
Date: Tue, 06 Oct 2026 20:35:00 +0000
Message-ID: <{number}@example.org>

{text}

"""


def test_mail_to_who_asks_is_of_them_and_what_somebody_writes_of_themself_is_not(memory, tmp_path):
    (tmp_path / "box.mbox").write_text(
        MAIL.format(
            sender="Fjord Line <no@fjord.example>", number=1, text="The ferry to Bergen: Monday 12 October 2026."
        )
        + MAIL.format(sender="Mirela Kos <m@kos.example>", number=2, text="I start my pottery class on 21 October."),
        "utf-8",
    )
    memory.import_(tmp_path / "box.mbox")
    answer = memory.ask("When is my ferry to Bergen?")
    assert (answer.short, answer.evidence[0].speaker) == ("Monday, 12 October 2026", "Fjord Line")
    assert memory.ask("When do I start my pottery class?").abstained
