"""A conversation or a document is named in every command as it is listed: by its title or its file's name."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from engramma import BadInput, Memory, Turn
from engramma.apps.conversation_names import PlaceMeant, place_meant
from engramma.language.text import DOCUMENTS
from tests.commands import ran

SAID = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "diary.md").write_text("# Diary\n\nThe heron stood in the burn all day.\n", encoding="utf-8")
    (tmp_path / "notes" / "plan.md").write_text("# Plan\n\nPaint the gate green.\n", encoding="utf-8")
    with Memory.open(tmp_path / "store") as opened:
        opened.remember_session("c1", "s", [Turn("Jeanette", "The heron is back.", SAID)], title="Jeanette")
        opened.documents.ingest(tmp_path / "diary.md")
        opened.documents.ingest(tmp_path / "notes")
        yield opened


@pytest.fixture
def run(memory, tmp_path):
    memory.close()
    return lambda *arguments: ran("--store", tmp_path / "store", *arguments, cwd=tmp_path)


@pytest.mark.parametrize("name", ["diary.md", "DIARY.md", "diary", "{}/diary.md"])
def test_a_document_is_meant_by_its_file_its_stem_or_its_path(memory, tmp_path, name):
    found = place_meant(memory, name.format(tmp_path))
    assert (found.conversation, found.document) == (DOCUMENTS, str(tmp_path / "diary.md"))


def test_a_part_of_a_path_will_do_if_it_is_of_one(memory, tmp_path):
    assert place_meant(memory, "notes/plan").document == str(tmp_path / "notes" / "plan.md")
    with pytest.raises(BadInput, match=r"a part of 2 titles and paths(.|\n)*diary\.md(.|\n)*plan\.md"):
        place_meant(memory, tmp_path.name)


def test_a_file_name_that_two_documents_have_is_not_guessed(memory, tmp_path):
    (tmp_path / "plan.md").write_text("# Other\n\nBuy a boat for the loch.\n", encoding="utf-8")
    memory.documents.ingest(tmp_path / "plan.md")
    with pytest.raises(BadInput, match=r"'plan\.md' is the name of 2 documents") as refused:
        place_meant(memory, "plan.md")
    assert str(tmp_path / "plan.md") in str(refused.value) and str(tmp_path / "notes" / "plan.md") in str(refused.value)


def test_an_id_and_a_title_are_taken_and_what_is_misspelt_is_asked_about(memory):
    assert place_meant(memory, "c1") == place_meant(memory, "jeanette") == PlaceMeant("c1")
    for name, near in (("jeannette", '"Jeanette"'), ("diary.mdd", '"diary.md"')):
        with pytest.raises(BadInput, match=f"Did you mean one of these[?]\n  {near}"):
            place_meant(memory, name)


def test_a_document_is_recalled_and_forgotten_by_its_name_and_nothing_else_goes(run, tmp_path):
    found = json.loads(run("recall", "-c", "diary.md", "heron", "--json").stdout)["candidates"]
    assert {one["session_id"] for one in found} == {str(tmp_path / "diary.md")}
    shown = run("forget", "-c", "diary.md")
    assert shown.stdout.startswith("would go: 1 turn ") and f"The document is {tmp_path / 'diary.md'}." in shown.stderr
    assert run("forget", "-c", "diary.md", "--yes").stdout.startswith("forgotten: 1 turn ")
    left = {row["session"]: row["turns"] for row in json.loads(run("sessions", "--json").stdout)}
    assert left == {"s": 1, str(tmp_path / "diary.md"): 0, str(tmp_path / "notes" / "plan.md"): 1}
    assert run("purge", "-c", "diary.md", "--yes").stdout.startswith("purged: 1 turn ")


def test_a_conversation_that_nobody_has_is_an_error_in_every_command(run):
    for command in (("recall", "heron"), ("ask", "Who is back?"), ("forget",), ("claims",)):
        refused = run(*command, "-c", "jeannette")
        assert refused.returncode == 1 and 'Did you mean one of these?\n  "Jeanette"  c1' in refused.stderr


def test_ask_says_which_command_looks_through_one_of_several_documents(run):
    refused = run("ask", "-c", "diary.md", "Where did the heron stand?")
    assert refused.returncode == 1 and "`engramma recall -c diary.md`" in refused.stderr
    assert "Jeanette" in run("ask", "-c", "jeanette", "Who said that the heron is back?").stdout


def test_a_document_has_no_other_source_and_no_sessions(run):
    assert "by -c or by --source" in run("recall", "-c", "diary.md", "--source", "email", "heron").stderr
    assert "has no sessions" in run("forget", "-c", "diary.md", "--session", "s").stderr


def test_a_title_may_be_typed_without_its_accents(memory):
    memory.remember_session("c2", "s", [Turn("Jeanette", "The heron left.", SAID)], title="Décès du héron")
    assert place_meant(memory, "deces du HERON").conversation == place_meant(memory, "heron").conversation == "c2"
