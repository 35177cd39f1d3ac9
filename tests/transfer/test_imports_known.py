"""What an import takes for the same: a file read in another zone, and a copy of it under another name."""

from __future__ import annotations

import json
from datetime import UTC
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from engramma.records import Turn
from engramma.sources.ids import name_file
from engramma.transfer.imports import Reading, import_file
from tests.sources.agents import card
from tests.sources.samples import json_lines

BERLIN, AUCKLAND = ZoneInfo("Europe/Berlin"), ZoneInfo("Pacific/Auckland")
SECRET_PLAN = "the spare key lies under the fern"

WHATSAPP = f"""\
31/12/2023, 21:41 - Ann: Shall we take the train?
31/12/2023, 21:42 - Ben: Yes, and {SECRET_PLAN}
31/12/2023, 21:43 - Ann: Good
14/01/2024, 08:00 - Ben: On the way
"""
TRANSCRIPT = f"""\
[2023-12-31 21:41] Ann: Shall we take the train?
[2023-12-31 21:42] Ben: Yes, and {SECRET_PLAN}
[2024-01-14 08:00] Ben: On the way
"""
MARKDOWN = f"""\
## User (2023-12-31 21:41)
Shall we take the train?
## Assistant (2023-12-31 21:42)
Yes, and {SECRET_PLAN}
## User (2024-01-14 08:00)
On the way
"""
TELEGRAM = {
    "name": "Ben",
    "type": "personal_chat",
    "id": 7,
    "messages": [
        {"id": n, "type": "message", "date": date, "from": "Ben", "from_id": "user7", "text": text}
        for n, (date, text) in enumerate(
            [
                ("2023-12-31T21:41:00", "Shall we take the train?"),
                ("2023-12-31T21:42:00", f"Yes, and {SECRET_PLAN}"),
                ("2024-01-14T08:00:00", "On the way"),
            ]
        )
    ],
}
MESSAGES = [
    {"role": "user", "content": "Shall we take the train?", "timestamp": "2023-12-31T21:41:00"},
    {"role": "assistant", "content": f"Yes, and {SECRET_PLAN}", "timestamp": "2023-12-31T21:42:00"},
    {"role": "user", "content": "On the way", "timestamp": "2024-01-14T08:00:00"},
]
CLAUDE = [
    {
        "name": "Trip",
        "created_at": "2023-12-31T21:41:00",
        "chat_messages": [
            {"sender": "human", "text": "Shall we take the train?", "created_at": "2023-12-31T21:41:00"},
            {"sender": "assistant", "text": f"Yes, and {SECRET_PLAN}", "created_at": "2023-12-31T21:42:00"},
        ],
    }
]
MCP = [
    {"type": "entity", "name": "Ann", "entityType": "p", "observations": ["keeps bees", SECRET_PLAN],
     "createdAt": "2023-12-31T21:41:00"},
]  # fmt: skip
FACTS = f"- [2023-12-31 21:41] We take the train\n- [2023-12-31 21:42] {SECRET_PLAN}\n"
TAKEOUT = f"""<html><body>{
    card(f"Prompted&nbsp;Shall we take the train?<br>Dec 31, 2023, 9:41:00 PM XYZ<br><p>{SECRET_PLAN}</p><br>")
}</body></html>"""

FILES = {
    "whatsapp": ("WhatsApp Chat with Ben.txt", WHATSAPP),
    "transcript": ("trip.txt", TRANSCRIPT),
    "markdown": ("trip.md", MARKDOWN),
    "telegram": ("result.json", json.dumps(TELEGRAM)),
    "messages": ("trip.jsonl", json_lines(MESSAGES)),
    "claude": ("conversations.json", json.dumps(CLAUDE)),
    "mcp-memory": ("memory.json", json_lines(MCP)),
    "facts": ("facts.txt", FACTS),
    "gemini-takeout": ("MyActivity.html", TAKEOUT),
}


@pytest.fixture(params=FILES)
def source(request, tmp_path: Path) -> tuple[str, Path]:
    name, text = FILES[request.param]
    path = tmp_path / "given" / name
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    return request.param, path


def everything(memory) -> list[Turn]:
    return [turn for talk in memory.conversations() for session in talk.sessions for turn in session.turns]


@pytest.mark.parametrize(("first", "second"), [(BERLIN, UTC), (UTC, AUCKLAND)])
def test_a_file_read_in_another_zone_is_known_and_keeps_its_first_times(memory, source, first, second):
    format, path = source
    report = import_file(memory._core, path, Reading(format, zone=first))
    assert report.turns >= 2
    before = everything(memory)
    again = import_file(memory._core, path, Reading(format, zone=second))
    assert (again.turns, again.known_turns) == (0, report.turns)
    assert everything(memory) == before


def test_the_zone_of_an_import_places_what_names_none(memory, source):
    format, path = source
    import_file(memory._core, path, Reading(format, zone=BERLIN))
    assert min(turn.said_at for turn in everything(memory)).strftime("%H:%M") == "20:41"


def test_what_was_purged_stays_out_in_another_zone(memory, source):
    format, path = source
    import_file(memory._core, path, Reading(format, zone=BERLIN))
    assert any(SECRET_PLAN in turn.text for turn in everything(memory))
    memory.purge(query=SECRET_PLAN)
    again = import_file(memory._core, path, Reading(format, zone=UTC))
    assert (again.turns, again.purged_turns) == (0, 1)
    assert not any(SECRET_PLAN in turn.text for turn in everything(memory))


@pytest.mark.parametrize("kind", ["whatsapp", "telegram"])
def test_a_shorter_export_in_another_zone_is_known_and_what_was_purged_stays_out(memory, tmp_path, kind):
    name, text = FILES[kind]
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    whole = import_file(memory._core, path, Reading(zone=BERLIN))
    memory.purge(query=SECRET_PLAN)
    if kind == "whatsapp":
        text = text.partition("\n")[2]
    else:
        text = json.dumps({**TELEGRAM, "messages": TELEGRAM["messages"][1:]})
    path.write_text(text, encoding="utf-8")
    again = import_file(memory._core, path, Reading(zone=AUCKLAND))
    assert (again.turns, again.purged_turns, again.known_turns) == (0, 1, whole.turns - 2)


COPIES = ["{} (1)", "{}(2)", "{} copy", "{} copy 3", "{} - Copy", "{} - Copy (2)", "{} - Kopie", "{} Kopie",
          "{} (copy)", "{} (3rd copy)", "{} - copie", "{} - copia", "Copy of {}", "Kopie von {}",
          "{} (1) - Kopie"]  # fmt: skip


@pytest.mark.parametrize("form", COPIES)
def test_the_name_of_a_copy_is_the_name_of_its_original(form):
    assert name_file(Path("a") / (form.format("kitchen-plan") + ".md")) == "kitchen-plan"


@pytest.mark.parametrize("name", ["Trip (2023)", "copy", "(1)", "Kopie", "notes (final)", "Photocopy"])
def test_a_name_that_only_looks_like_a_copys_stays(name):
    assert name_file(Path(f"{name}.txt")) == name


def test_a_copy_is_known_and_what_was_purged_of_its_original_stays_out(memory, source):
    format, path = source
    whole = import_file(memory._core, path, Reading(format))
    copy = path.rename(path.with_stem(f"{path.stem} (1)"))
    again = import_file(memory._core, copy, Reading(format))
    assert (again.turns, again.known_turns) == (0, whole.turns)
    memory.purge(query=SECRET_PLAN)
    other = copy.rename(path.with_stem(f"{path.stem} - Kopie"))
    again = import_file(memory._core, other, Reading(format))
    assert (again.turns, again.purged_turns) == (0, 1)
