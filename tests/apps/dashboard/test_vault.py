"""The Markdown vault: what its pages are called, who has one, and how what was written reads there."""

from __future__ import annotations

import io
import re
import time
import zipfile
from datetime import UTC, datetime

import pytest

from engramma import Turn
from engramma.apps.dashboard.vault import vault
from tests.conftest import START, talk


def pages_of(memory) -> dict[str, str]:
    archive = zipfile.ZipFile(io.BytesIO(b"".join(vault(memory))))
    return {
        name.removeprefix("Engramma/").removesuffix(".md"): archive.read(name).decode() for name in archive.namelist()
    }


def test_a_document_is_no_person_and_keeps_its_headings(memory, tmp_path):
    page = tmp_path / "diary.md"
    days = (
        "# Diary\n\n## 7 January 2026\n\nRain fell on the roof all day.\n\n## 8 January 2026\n\nSun at the plum tree.\n"
    )
    page.write_text(days, encoding="utf-8")
    memory.remember_session("c", "a", talk("Ana: Hello."))
    memory.documents.ingest(page)
    pages = pages_of(memory)
    assert [name for name in pages if name.startswith("People/")] == ["People/Ana"]
    assert re.findall("^## .*|^> .*|^2026-.*", pages["Documents/diary"], re.MULTILINE) == [
        *("## Diary › 7 January 2026", "2026-01-07", "> Rain fell on the roof all day."),
        *("## Diary › 8 January 2026", "2026-01-08", "> Sun at the plum tree."),
    ]


def test_a_conversation_is_called_by_its_title_and_its_days(memory):
    memory.remember_session("9be4bcfc", "9be4bcfc-1", talk("Ana: Where to?"), title="What's next?")
    memory.remember_session("whatsapp-Ben", "x1", talk("Ben: Hi."), title="Ben")
    memory.remember_session("whatsapp-Ben", "x2", talk("Ben: Hi again.", day=1, prefix="u"), title="Ben")
    memory.remember_session("untitled", "s", talk("Ben: Bye.", prefix="v"))
    pages = pages_of(memory)
    assert [name for name in sorted(pages) if name.startswith("Conversations/")] == [
        "Conversations/Ben 2026-01-05",
        "Conversations/Ben 2026-01-06",
        "Conversations/What's next",
        "Conversations/untitled s",
    ]
    assert "\n# What's next?\n" in pages["Conversations/What's next"]
    for text in pages.values():
        assert all(link in pages for link in re.findall(r"\[\[([^|\]]+)", text))


def test_somebody_has_one_page_whatever_they_speak_by(memory):
    memory.remember_session("gpt", "a", talk("user: My parrot plucks.", "assistant: Why?"))
    memory.remember_session("wa", "b", talk("Dunja Marlow: Kevin plucks.", "Mirela: Poor Kevin.", prefix="u"))
    memory.people.all()
    memory.people.me("Dunja")
    memory.entities.merge(["Dunja Marlow"], "Dunja")
    pages = pages_of(memory)
    people = sorted(name for name in pages if name.startswith("People/"))
    assert people == ["People/Dunja", "People/Mirela", "People/assistant"]
    assert all(f"[[Conversations/{talk}]]" in pages["People/Dunja"] for talk in ("gpt a", "wa b"))
    assert 'aliases:\n  - "user"\n  - "Dunja Marlow"' in pages["People/Dunja"]
    assert "**[[People/Dunja|Dunja]]**" in pages["Conversations/gpt a"]


def test_times_are_those_of_the_machines_clock(memory, monkeypatch):
    monkeypatch.setenv("TZ", "Europe/London")
    time.tzset()
    try:
        at = datetime(2026, 9, 26, 23, 31, tzinfo=UTC)
        memory.remember_session("c", "a", [Turn("Ana", "Half past midnight.", at, "t")])
        assert "· 2026-09-27 00:31" in pages_of(memory)["Conversations/c a"]
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("written", "page"),
    [
        ("### Lift engineer", "### Lift engineer"),
        ("1. Ask whether **TUPE** applies", "1. Ask whether **TUPE** applies"),
        ("* they *maintain* it", "* they *maintain* it"),
        ("snake_case is 5% of C# for ~3 km!", "snake_case is 5% of C# for ~3 km!"),
        ("2*3*4 and **open", r"2\*3\*4 and \*\*open"),
        ("#tag and [[link]] and ![i](http://x)", r"\#tag and \[\[link]] and \!\[i](http://x)"),
        ("**[a](b) <b>**", r"**\[a](b) \<b>**"),
        ("%%hidden `= this` $x$ ~~~ \\[", r"\%\%hidden \`= this\` \$x\$ \~\~\~ \\\["),
    ],
)
def test_markdown_reads_as_it_was_written_and_nothing_of_it_acts(memory, written, page):
    memory.remember_session("c", "a", [Turn("Ana", written, START, "t")])
    assert f"\n> {page}\n" in pages_of(memory)["Conversations/c a"]


def test_no_page_speaks_to_a_terminal_or_has_a_name_that_windows_keeps(memory):
    memory.remember_session(
        "c", "s", [Turn("CON", "A bell \x07 and \x1b[31mred\x1b[0m,\r\n\tand a tab.", START)], title="Nul"
    )
    pages = pages_of(memory)
    assert "People/CON_" in "\n".join(pages)
    assert not [name for name in pages if name.rsplit("/", 1)[-1].casefold() in ("con.md", "nul.md")]
    text = "\n".join(pages.values())
    assert "\x07" not in text and "\x1b" not in text and "\tand a tab." in text
