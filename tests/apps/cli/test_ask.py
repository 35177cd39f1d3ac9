"""`engramma ask` with a language model: its sentences as they come, its sources, and a line if it failed."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

import pytest
from typer.testing import CliRunner

from engramma import Memory
from engramma.apps.cli.main import app
from tests.conftest import talk
from tests.models.chat_server import events, hangs_after, raw, refuses, writes

__all__ = ["raw"]

LINES = (
    "Ana: I repaired my old red motorcycle in the garage yesterday.",
    "Ben: Nice! I baked a lemon cake for my neighbours.",
)
QUESTION = "What did Ana repair?"
REPLY = "Ana repaired her old red motorcycle. [1]\nAna sold her Vespa. [1]"


@pytest.fixture
def store(tmp_path):
    """A store whose settings name a model at an address."""
    folder = tmp_path / "store"
    with Memory.open(folder) as memory:
        memory.remember_session("c", "s", talk(*LINES))

    def configure(address: str = "", more: str = "answers = true\n") -> str:
        table = f'[llm]\nurl = "{address}"\nmodel = "small"\nretries = 0\n{more}'
        (folder / "config.toml").write_text(table if address else "", encoding="utf-8")
        return str(folder)

    return configure


def asked(*arguments: str):
    return CliRunner().invoke(app, ["ask", QUESTION, *arguments])


def test_the_command_prints_the_sentences_their_sources_and_what_was_left_out(raw, store):
    result = asked("--store", store(raw(writes(REPLY)).address), "--explain")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(
        "Ana repaired her old red motorcycle. [1]\n  [1] [2026-01-05 09:01] c t1, Ana:\n  > I repaired my old red"
    )
    assert "written by   small" in result.stdout
    assert "left out     Ana sold her Vespa. (no cited turn names Vespa)" in result.stdout
    assert result.stderr == "note: 1 of 2 sentences left out: no cited turn supports them.\n"


def test_as_json_it_is_one_value(raw, store):
    told = json.loads(asked("--store", store(raw(writes(REPLY)).address), "--json").stdout)
    assert (told["written_by"], told["sentences"][0]["evidence"][0]["turn_id"]) == ("small", "t1")


def test_a_model_that_is_away_is_told_in_one_line_beside_the_quote(raw, store):
    result = asked("--store", store(raw(refuses(500)).address))
    assert result.exit_code == 0 and result.stdout.startswith("I repaired my old red motorcycle")
    assert result.stderr.startswith("note: Answered without the language model (small: http://127.0.0.1")
    assert result.stderr.count("\n") == 1 and "500" in result.stderr


def test_the_option_wins_over_the_switch(raw, store):
    server = raw(writes(REPLY))
    assert "motorcycle. [1]" not in asked("--store", store(server.address), "--no-llm").stdout
    folder = store(server.address, "answers = false\n")
    assert "motorcycle. [1]" not in asked("--store", folder).stdout and server.connections == 0
    assert "motorcycle. [1]" in asked("--store", folder, "--llm").stdout
    assert asked("--store", store(), "--llm").exit_code == 1


def test_a_sentence_is_printed_before_the_next_one_is_written(raw, store):
    gone = threading.Event()
    body = events("Ana repaired her old red motorcycle. [1]\nShe ", finish=None)
    folder = store(raw(hangs_after(body, gone)).address)
    code = "from engramma.apps.cli.main import run; run()"
    command = [sys.executable, "-c", code, "ask", QUESTION, "--store", folder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "Ana repaired her old red motorcycle. [1]\n"
        assert process.poll() is None and not gone.is_set()
        process.terminate()
    assert gone.wait(10)


def test_a_turn_is_known_by_the_title_of_its_conversation(tmp_path):
    folder = str(tmp_path / "store")
    with Memory.open(folder) as memory:
        memory.remember_session("whatsapp-5f2c", "s", talk(*LINES, prefix="033f27cdeb80"), title="The old Vespa")
        note = memory.remember("Carl repaired the green lawn mower in June.", speaker="Ben").note
    told = asked("--store", folder).stdout
    assert '  [2026-01-05 09:01] "The old Vespa", Ana:\n' in told and "033f27" not in told and "whatsapp" not in told
    value = json.loads(asked("--store", folder, "--json").stdout)
    first = value["evidence"][0]
    assert (first["conversation"], first["turn_id"], first["title"]) == (
        "whatsapp-5f2c",
        "033f27cdeb801",
        "The old Vespa",
    )
    assert value["reason"] == 'Ana said so in "The old Vespa", 5 January 2026'
    lawn = CliRunner().invoke(app, ["ask", "Who repaired the lawn mower?", "--store", folder]).stdout
    assert f"] {note.id}, Ben:" in lawn and "engramma:notes" not in lawn
