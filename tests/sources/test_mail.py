"""E-mail: mails and mailboxes as threads, without what they quote, and whatever is wrong with them."""

from __future__ import annotations

import base64
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engramma import sources
from engramma.memory import Memory
from engramma.sources.mail import MAX_MAIL_BYTES
from engramma.sources.mail_text import without_quotations
from engramma.transfer.imports import import_file

from ..fakes import HashEmbedder
from .samples import read_all, turns_of

ROOT = """\
From: =?utf-8?q?Si=C3=A2n_Slams?= <sian@example.org>
To: Gwen Parry <gwen@example.org>
Subject: The bout
Date: Mon, 19 Oct 2026 14:12:00 +0100
Message-ID: <a1@example.org>
MIME-Version: 1.0
Content-Type: text/plain; charset="utf-8"

The bout is on Saturday. Who drives?
"""
REPLY = """\
From: "Gwen Parry" <gwen@example.org>
To: =?utf-8?q?Si=C3=A2n_Slams?= <sian@example.org>
Subject: Re: The bout
Date: Tue, 20 Oct 2026 09:00:00 +0100
Message-ID: <a2@example.org>
In-Reply-To: <a1@example.org>
References: <a1@example.org>
Content-Type: text/plain; charset="iso-8859-1"

I drive, in the caf\xe9's van.

On Mon, 19 Oct 2026 at 14:12, Siân Slams wrote:
> The bout is on Saturday. Who drives?
"""


def box(*mails: str) -> bytes:
    return b"\n".join(b"From x@example.org Tue Oct 20 08:00:00 2026\n" + raw(mail) for mail in mails)


def raw(mail: str) -> bytes:
    return mail.encode("latin-1", "replace")


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_a_mailbox_is_read_as_threads_of_who_wrote_when(tmp_path: Path) -> None:
    path = written(tmp_path / "thread.mbox", box(REPLY, ROOT))
    assert sources.sniff(path) == "email"
    (thread,), problems = read_all(path)
    assert thread.title == "The bout" and thread.id == "email-a1@example.org" and thread.source == "email"
    told = [(turn.speaker, turn.text, turn.id) for turn in turns_of(thread)]
    assert told == [
        ("Siân Slams", "The bout is on Saturday. Who drives?", "a1@example.org"),
        ("Gwen Parry", "I drive, in the café's van.", "a2@example.org"),
    ]
    assert turns_of(thread)[0].said_at == datetime(2026, 10, 19, 13, 12, tzinfo=UTC)
    assert [one.reason for one in problems] == ["1 quotation of an earlier mail; skipped"]


def test_mails_in_files_of_their_own_and_later_mailboxes_are_one_thread(tmp_path: Path) -> None:
    folder = tmp_path / "mails"
    folder.mkdir()
    written(folder / "one.eml", raw(ROOT))
    written(folder / "two.eml", raw(REPLY))
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        import_file(memory._core, folder)
        assert len(list(memory.conversations())) == 1 and memory.admin.stats()["turns"] == 2
        import_file(memory._core, written(tmp_path / "all.mbox", box(ROOT, REPLY)))
        assert len(list(memory.conversations())) == 1 and memory.admin.stats()["turns"] == 2


def test_replies_without_references_are_one_thread_by_subject_and_people(tmp_path: Path) -> None:
    bare = "\n".join(row for row in REPLY.split("\n") if not row.startswith(("References", "In-Reply")))
    other = bare.replace("a2@", "a3@").replace("sian@", "huw@")
    again = bare.replace("a2@", "a4@").replace("I drive", "I cycle")
    found, _ = read_all(written(tmp_path / "x.mbox", box(bare, other, again)))
    assert sorted(len(turns_of(one)) for one in found) == [1, 2]


def test_html_alone_is_read_and_attachments_are_named(tmp_path: Path) -> None:
    page = base64.b64encode(b"<p>Diwrnod <b>da</b></p><blockquote>old words</blockquote>").decode()
    mail = ROOT.split("Content-Type")[0] + (
        'Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/html; charset=utf-8\n'
        f"Content-Transfer-Encoding: base64\n\n{page}\n--b\nContent-Type: application/pdf; name=fees.pdf\n"
        "Content-Disposition: attachment\n\nx\n--b--\n"
    )
    (thread,), _ = read_all(written(tmp_path / "a.eml", raw(mail)))
    assert [turn.text for turn in turns_of(thread)] == ["Diwrnod da\n[attachment: fees.pdf]"]


def test_quotations_go_and_forwarded_words_stay() -> None:
    outlook = "Yes.\n\n________________________________\nFrom: Ann <a@example.org>\nSent: Monday\nTo: Ben\n\nShall we?"
    assert without_quotations(outlook) == ("Yes.", 1)
    inline = "> Shall we?\nYes.\n> When?\nAt nine."
    assert without_quotations(inline) == ("Yes.\nAt nine.", 2)
    assert without_quotations("Am 3. Mai 2026 schrieb Ann\n<a@example.org>:\n\n> Ja?\n\nJa.") == ("Ja.", 1)
    assert without_quotations("See: > 5 euros\nI wrote 2 lines:\nfine") == ("See: > 5 euros\nI wrote 2 lines:\nfine", 0)
    assert without_quotations("> kept", is_forward=True) == ("> kept", 0)


def test_mails_in_the_bin_are_left_out(tmp_path: Path) -> None:
    binned = REPLY.replace("Subject:", "X-Gmail-Labels: Inbox,Trash\nSubject:")
    (thread,), problems = read_all(written(tmp_path / "x.mbox", box(ROOT, binned)))
    assert len(turns_of(thread)) == 1 and "1 mail in the bin or in spam; skipped" in problems[0].reason


@pytest.mark.parametrize(
    "mail",
    [
        ROOT.replace("utf-8?q?Si=C3=A2n_Slams", "klingon?q?=C3"),
        ROOT.replace('charset="utf-8"', 'charset="no-such"'),
        ROOT.replace("Mon, 19 Oct 2026 14:12:00 +0100", "the day before yesterday"),
        ROOT.replace("Mon, 19 Oct 2026 14:12:00 +0100", "Mon, 19 Oct 99999 14:12:00 +9999"),
        ROOT.replace("Message-ID: <a1@example.org>", "Message-ID: " + "<" * 5_000),
        ROOT.replace("Gwen Parry <gwen@example.org>", "(" * 50_000),
        ROOT.replace("text/plain;", "multipart/mixed; boundary=x;"),
        ROOT.replace("The bout is", "\x00\xff\xfe The bout is"),
        "From: x\nDate: y\nSubject: =?utf-8?b?%%%?=\n\nhello\n",
        "From: x\nDate: y\nTo: z\n" + "Content-Type: message/rfc822\n\n" * 5_000,
        "From: x\nDate: y\nTo: z\n"
        + "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(3_000)),
    ],
)
def test_what_is_wrong_with_a_mail_costs_at_most_that_mail(mail: str, tmp_path: Path) -> None:
    began = time.monotonic()
    good = ROOT.replace("a1@", "good@").replace("The bout", "The van")
    found, _ = read_all(written(tmp_path / "x.mbox", box(mail, good)), format="email")
    assert "email-good@example.org" in {one.id for one in found}
    assert time.monotonic() - began < 10


def test_of_a_huge_mail_the_beginning_is_read(tmp_path: Path) -> None:
    line = "x" * 70 + "\n"
    long = ROOT + line * (MAX_MAIL_BYTES // len(line) + 10)
    found, _ = read_all(written(tmp_path / "x.mbox", box(REPLY, long)))
    texts = [turn.text for one in found for turn in turns_of(one)]
    assert len(texts) == 2 and all(len(one) <= MAX_MAIL_BYTES for one in texts)


@pytest.mark.parametrize(
    "text",
    [
        "Ann: hello\nBen: hi\nAnn: bye\n",
        "From: Ann\nTo: Ben\n\nWe meet at nine.\n",
        "Date: 3 May\nAnn: hello\n\nBen: hi\n",
        "From Monday on we open at 9 in 2026.\n\nAnn: ok\n",
    ],
)
def test_other_texts_are_no_mails(text: str, tmp_path: Path) -> None:
    assert not sources.READERS["email"].looks_like(text, tmp_path / "x.txt")
