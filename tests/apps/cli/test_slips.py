"""What a command says when something is not as meant: its words, its exit code, and whom it blames."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from engramma.apps.cli.areas import AREA_OF, ELSEWHERE
from tests.commands import ran


@pytest.fixture
def run(tmp_path):
    def call(*arguments, cwd=None):
        result = ran("--store", tmp_path / "store", *arguments, cwd=cwd or tmp_path)
        assert "Traceback" not in result.stderr
        return result

    return call


def test_a_port_that_cannot_be_is_blamed_on_its_option(run):
    refused = run("start", "--port", 99999)
    assert refused.returncode == 1 and refused.stderr == "engramma: --port: port must be 0 to 65535.\n"


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX home directories")
def test_without_a_home_directory_it_is_said_what_to_set(tmp_path, monkeypatch):
    def unknown(_):
        raise KeyError("no such user")

    for name in ("ENGRAMMA_STORE", "XDG_DATA_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", unknown)  # a container that runs as a user of no name
    for line in ("remember x", "import --discover", "connect codex", "stats --store ~no/x"):
        refused = ran(*line.split(), cwd=tmp_path)
        assert refused.returncode == 1 and "home directory" in refused.stderr, refused
        assert "Traceback" not in refused.stderr and "Set HOME" in refused.stderr, refused
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="a folder's name may be any bytes")
def test_a_folder_whose_name_is_not_utf8_is_used_and_what_cannot_be_done_with_it_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    store = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    assert ran("remember", "The ladder is behind the shed", "--store", store).returncode == 0
    refused = ran("connect", "codex", "--force", "--store", store)
    assert refused.returncode == 1 and "not UTF-8" in refused.stderr and "Traceback" not in refused.stderr
    assert "ladder" in ran("recall", "Where is the ladder?", "--store", store).stdout


def test_a_backup_that_is_not_there_is_said_so(run):
    run("remember", "x y")
    for words in (("restore", "nope.zip"), ("restore", "nope.zip", "--replace")):
        refused = run(*words)
        assert refused.returncode == 1 and "nope.zip cannot be restored. There is no such file." in refused.stderr


def test_a_file_that_ingest_cannot_read_fails_the_command(run, tmp_path):
    (tmp_path / "pic.png").write_bytes(bytes(range(256)))
    refused = run("ingest", "pic.png")
    assert refused.returncode == 1 and "not read: pic.png" in refused.stderr
    (tmp_path / "a.md").write_text("# Boats\n\nThe boat is red.\n", encoding="utf-8")
    assert run("ingest", ".").returncode == 0, "in a folder it is one of many"


def test_an_export_that_is_cut_off_is_called_that(run, tmp_path):
    (tmp_path / "cut.json").write_text('[{"title": "x", "mapping": {"a": {"message": {"aut', encoding="utf-8")
    refused = run("import", "cut.json")
    assert refused.returncode == 1 and "is cut off: it ends at byte" in refused.stderr
    assert "everything complete before it was imported" not in refused.stderr


def test_a_document_is_no_chat_and_told_so(run, tmp_path):
    (tmp_path / "doc.md").write_text("# Boats\n\nSome text about boats.\n", encoding="utf-8")
    told = run("import", "doc.md")
    assert "`engramma ingest doc.md`" in told.stderr and "added" not in told.stdout


def test_chunks_that_were_purged_are_told_in_grammar(run, tmp_path):
    (tmp_path / "doc.md").write_text("# Boats\n\nThe red boat needs paint in spring.\n", encoding="utf-8")
    run("ingest", "doc.md")
    run("purge", "-q", "boat", "--yes")
    assert run("ingest", "doc.md").stdout.endswith("; 1 chunk purged before and not added again\n")


def test_no_notes_are_said_so(run):
    note = json.loads(run("remember", "the only one", "--json").stdout)["note"]["id"]
    run("forget", note, "--yes")
    none = run("notes")
    assert none.stdout == "" and none.stderr.startswith("There are no notes here.")


def test_a_whatsapp_folder_is_named_by_itself_also_from_inside(run, tmp_path):
    folder = tmp_path / "WhatsApp Chat - Ana"
    folder.mkdir()
    lines = "[03.02.26, 18:00:00] Ana: We booked the night train.\n[03.02.26, 18:01:00] Ben: Great.\n"
    (folder / "_chat.txt").write_text(lines, encoding="utf-8")
    run("import", ".", cwd=folder)
    assert '"Ana"' in run("sessions").stdout


def test_help_names_what_a_list_is_of(run):
    for command in ("import", "ingest", "forget", "neighbors", "serve", "watch"):
        assert "list[" not in run(command, "--help").stdout


def test_one_is_one(run, tmp_path):
    (tmp_path / "talk.txt").write_text("Ana: I live in Lyon.\nBen: Nice.\n", encoding="utf-8")
    run("import", "talk.txt")
    assert "1 conversation " in run("people").stdout and "1 conversations" not in run("people").stdout


def test_metadata_and_filters(run):
    run("remember", "the boat is red", "--meta", "ticket=42", "--tags", "boat", "--at", "2026-02-03T10:00:00Z")
    run("remember", "the boat is blue", "--speaker", "Ana", "--source", "letter", "--at", "2026-02-04T10:00:00Z")
    assert "ticket=42" in run("notes").stdout
    for bounds in (("--tag", "boat"), ("--until", "2026-02-03"), ("--speaker", "user")):
        found = run("recall", "the boat", *bounds).stdout
        assert "red" in found and "blue" not in found, bounds
    for bounds in (("--source", "letter"), ("--since", "2026-02-04"), ("-s", "ana")):
        found = run("recall", "the boat", *bounds).stdout
        assert "blue" in found and "red" not in found, bounds
    assert "NAME=VALUE" in run("remember", "x", "--meta", "ticket").stderr
    assert "--since: " in run("recall", "x", "--since", "soon").stderr


def test_a_passphrase_file_is_heeded_where_a_memory_is_made(tmp_path, monkeypatch):
    pytest.importorskip("sqlcipher3")
    secret = tmp_path / "passphrase"
    secret.write_text("four random words here\n", encoding="utf-8")
    secret.chmod(0o600)
    monkeypatch.setenv("ENGRAMMA_PASSPHRASE_FILE", str(secret))
    made = ran("init", "--encrypted", "--store", tmp_path / "sealed", cwd=tmp_path)
    assert made.returncode == 0 and "encrypted" in made.stderr, made.stderr


def test_a_name_or_a_question_of_several_words_needs_no_quotes(run, tmp_path):
    talk = "Pekka Ranta: I live in Tampere.\nAino: My cat is called Moss.\nPekka Ranta: I like the sauna.\n"
    (tmp_path / "cottage plans.txt").write_text(talk, encoding="utf-8")
    run("import", "cottage plans.txt")
    assert run("person", "Pekka", "Ranta").stdout.startswith("Pekka Ranta\n")
    assert "lives in Tampere" in run("claims", "Pekka", "Ranta").stdout
    assert run("entity", "Pekka", "Ranta").stdout == run("entity", "Pekka Ranta").stdout
    assert re.match(r" +#[0-9]+  Pekka Ranta  person", run("entities", "pekka", "ran").stdout)
    assert "sauna" in run("recall", "Pekka", "likes", "which", "sauna", "-k", 1).stdout
    assert run("me", "Pekka", "Ranta").stdout == "You are Pekka Ranta.\n"
    assert run("ask", "Where", "do", "I", "live?").stdout == run("ask", "Where do I live?").stdout
    assert run("show", *run("sessions").stdout.split()[2:3]).returncode == 0


def test_what_was_masked_by_mistake_is_kept_as_the_remark_says(run, tmp_path, monkeypatch):
    told = run("remember", "the gate code is 4471").stderr
    assert """ENGRAMMA_REDACT_DISABLED='["code"]' before the command""" in told and 'disabled = ["code"]' in told
    assert "4471" not in run("recall", "gate code").stdout
    monkeypatch.setenv("ENGRAMMA_REDACT_DISABLED", '["code"]')
    again = run("remember", "the gate code is 4471")
    assert "masked" not in again.stdout and again.stderr == "" and "4471" in run("recall", "gate code").stdout
    monkeypatch.delenv("ENGRAMMA_REDACT_DISABLED")
    (tmp_path / "store" / "config.toml").write_text('[redact]\ndisabled = ["code"]\n', encoding="utf-8")
    run("remember", "the shed code is 9312")
    assert "9312" in run("recall", "shed code").stdout
    assert "If that is no secret" not in run("remember", "the tin <private>behind the oats</private>").stderr


def test_an_export_writes_over_an_earlier_one_and_nothing_else_unless_it_is_told_to(run, tmp_path):
    run("remember", "The boat is red.")
    (tmp_path / "all.jsonl").write_text("my notes\n", encoding="utf-8")
    refused = run("export", "all.jsonl")
    assert refused.returncode == 1 and "all.jsonl is no export." in refused.stderr
    assert (tmp_path / "all.jsonl").read_text(encoding="utf-8") == "my notes\n"
    assert run("export", "all.jsonl", "--overwrite").returncode == 0
    assert "The boat is red." in (tmp_path / "all.jsonl").read_text(encoding="utf-8")
    run("remember", "The oar is blue.")
    assert run("export", "all.jsonl").returncode == 0
    assert "The oar is blue." in (tmp_path / "all.jsonl").read_text(encoding="utf-8")


def test_a_plan_is_told_once_and_a_purge_by_its_own_name(run, tmp_path):
    run("remember", "I plan to bring gin.", "-s", "Jeanette", "-c", "gin", "--id", "t1")
    told = run("claims", "Jeanette").stdout
    assert "plans to bring gin " in told and "(plan)" not in told
    run("purge", "-q", "gin", "--yes")
    assert "1 turn purged" in run("acts").stdout


def test_a_command_that_people_try_says_where_it_is_instead(run):
    for name, told in (("timeline", "`engramma open`"), ("documents", "`engramma sessions`"), ("delete", "forget")):
        refused = run(name)
        assert refused.returncode == 2 and f"No such command '{name}'." in refused.stderr and told in refused.stderr
    assert not set(ELSEWHERE) & set(AREA_OF)
    assert "Did you mean 'recall'" in run("recal").stderr
