"""The import command as a user meets it: found, looked at, imported, reported; places offered, nothing read unasked."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from engramma.sources import READERS
from tests.commands import ran
from tests.sources.agents import CLAUDE_CODE, claude_row
from tests.sources.export_samples import CHATGPT, line, said
from tests.sources.samples import json_lines

pytestmark = pytest.mark.long

COMMAND = [sys.executable, "-c", "from engramma.apps.cli.main import run; run()"]
SECRET = "AKIA" + "Z7QX3M5T2WPLK4VJ"


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def environment(home):
    kept = {name: value for name, value in os.environ.items() if name not in ("CLAUDE_CONFIG_DIR", "CODEX_HOME")}
    return {**kept, "HOME": str(home), "USERPROFILE": str(home), "XDG_CONFIG_HOME": str(home / ".config")}


@pytest.fixture
def run(tmp_path, environment):
    def call(*arguments, ok=True):
        result = ran("--store", tmp_path / "store", *arguments, cwd=tmp_path, env=environment)
        assert "Traceback" not in result.stderr
        if ok:
            assert result.returncode == 0, result.stderr
        return result

    return call


@pytest.fixture
def export(tmp_path):
    """A zip as ChatGPT sends it, with a key that somebody pasted."""
    secret = line("deploy", said("d1", "user", f"My key is {SECRET}, what now?", at=50_000))
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("conversations.json", json.dumps([*CHATGPT, secret]))
        archive.writestr("chat.html", "<html></html>")
    return tmp_path / "export.zip"


def transcript_of(home):
    path = home / ".claude" / "projects" / "-work-kites" / "5d3f7c3e.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json_lines(CLAUDE_CODE), encoding="utf-8")
    return path


def test_a_zip_a_folder_and_a_file_in_one_go(run, export, home, tmp_path):
    transcript_of(home)
    (tmp_path / "trip.txt").write_text("Ana: We take the night train.\nBen: Good.\n", encoding="utf-8")
    report = json.loads(run("import", export, home / ".claude", tmp_path / "trip.txt", "--json").stdout)
    assert [one["format"] for one in report["sources"]] == ["chatgpt", "claude-code", "transcript"]
    assert report["conversations"] == 5 and report["turns"] == sum(one["turns"] for one in report["sources"]) > 10
    skipped = {problem["where"]: problem["reason"] for problem in report["problems"]}
    assert "chat.html" in skipped["other files"]
    again = json.loads(run("import", export, home / ".claude", tmp_path / "trip.txt", "--json").stdout)
    assert (again["turns"], again["known_turns"]) == (0, report["turns"])


def test_a_dry_run_says_what_would_come_and_stores_nothing(run, export, tmp_path):
    found = json.loads(run("import", "--dry-run", export, export, "--json").stdout)
    assert not (tmp_path / "store").exists()
    assert (found["conversations"], found["new_conversations"]) == (6, 3)
    assert found["new_turns"] == found["known_turns"] == 7 and found["turns"] == 14
    assert found["redactions"] == {"aws-access-key": 1}
    told = run("import", "--dry-run", export).stdout
    assert "would add 7 turns and 3 conversations" in told and "aws-access-key (1)" in told
    assert run("import", export).stdout.startswith("added ")
    before = (tmp_path / "store" / "memory.db").read_bytes()
    after = json.loads(run("import", "--dry-run", export, "--json").stdout)
    assert (after["new_turns"], after["new_conversations"], after["known_turns"]) == (0, 0, 7)
    assert (tmp_path / "store" / "memory.db").read_bytes() == before


def test_what_a_dry_run_promises_is_what_an_import_adds(run, export):
    promised = json.loads(run("import", "--dry-run", export, "--json").stdout)
    added = json.loads(run("import", export, "--json").stdout)
    assert (promised["new_turns"], promised["new_conversations"]) == (added["turns"], added["conversations"])


def test_no_secret_reaches_the_store_or_the_report(run, export, tmp_path):
    shown = run("import", export)
    assert SECRET not in shown.stdout + shown.stderr
    assert not any(SECRET.encode() in path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file())
    assert "[redacted:aws-access-key]" in run("export").stdout


def test_since_takes_only_what_was_said_from_then_on(run, export):
    shown = run("import", export, "--since", "2023-11-15T01:00:00Z")
    turns = [json.loads(row) for row in run("export").stdout.splitlines()]
    assert sorted(turn["id"] for turn in turns if turn.get("type") == "turn") == ["d1", "k1", "k2", "k3", "k4"]
    assert "2 said before 2023-11-15T01:00:00Z; left out as requested" in shown.stderr
    assert "added 1 conversation, " in run("import", export).stdout  # the rest, later


def test_speakers_get_the_names_that_are_asked_for(run, export):
    run("import", export, "--speaker", "me=Ann", "--speaker", "assistant=GPT")
    turns = [row for row in map(json.loads, run("export").stdout.splitlines()) if row.get("type") == "turn"]
    assert {(turn["speaker"], turn["role"]) for turn in turns} == {("Ann", "user"), ("GPT", "assistant")}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "to import"),
        (("x.json", "--discover"), "not both"),
        (("x.json", "--yes"), "--yes requires"),
        (("export.zip", "--speaker", "Ann"), "NAME=OTHER"),
        (("export.zip", "--since", "soon"), "--since 'soon'"),
        (("export.zip", "--format", "word"), "unknown format 'word': choose from engramma, chatgpt"),
    ],
)
def test_wrong_usage_says_what_to_do(run, export, arguments, words):
    result = run("import", *arguments, ok=False)
    assert result.returncode == 1 and words in result.stderr


def test_damage_is_named_with_its_place_and_the_rest_is_imported(run, tmp_path):
    rows = [claude_row("user", "u1", 1, "Why does the kite fall?"), claude_row("user", "u2", 2, "And now?")]
    text = "\n".join([json.dumps(rows[0]), '{"type":"user", broken', json.dumps(rows[1])]) + "\n"
    (tmp_path / "live.jsonl").write_text(text, encoding="utf-8")
    (tmp_path / "page.json").write_text("<!doctype html><title>Sign in</title>", encoding="utf-8")
    result = run("import", "live.jsonl", "page.json", ok=False)
    assert result.returncode == 1 and "2 turns" in result.stdout
    assert "not read: page.json" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("incomplete: live.jsonl: could only be read in part: line 2: ")


def test_a_source_that_was_read_in_part_ends_with_incomplete_and_its_own_exit_code(run, export):
    whole = export.read_bytes()
    export.write_bytes(whole[: len(whole) - 60])  # the download broke off in the list of contents
    result = run("import", export, ok=False)
    assert result.returncode == 4 and "7 turns" in result.stdout
    assert result.stderr.splitlines()[-1].startswith(f"incomplete: {export}: could only be read in part: archive: ")
    seen = run("import", "--dry-run", export, "--json", ok=False)
    assert seen.returncode == 4
    report = json.loads(seen.stdout)
    assert report["sources"][0]["incomplete"] and [one["where"] for one in report["incomplete"]] == ["archive"]


def test_what_is_no_source_is_refused_in_short_and_makes_no_memory(run, tmp_path):
    (tmp_path / "page.json").write_text("<!doctype html><title>Sign in</title>", encoding="utf-8")
    (tmp_path / "empty.txt").write_text("", encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "cut.zip", "w") as archive:
        archive.writestr("user.json", '{"id": 7}')
        archive.writestr("conversations.json", json.dumps(CHATGPT))
    whole = (tmp_path / "cut.zip").read_bytes()
    (tmp_path / "cut.zip").write_bytes(whole[:60])
    result = run("import", "page.json", "empty.txt", "cut.zip", ok=False)
    assert result.returncode == 1 and not (tmp_path / "store").exists()
    page, empty, cut = [line for line in result.stderr.splitlines() if line.startswith("not read: ")]
    assert "It seems to be an HTML or XML page" in page and "the file is empty" in empty and "truncated" in cut
    assert all("`engramma import --formats` lists" in line and len(line) < 400 for line in (page, empty, cut))


def test_the_formats_are_a_table(run):
    rows = run("import", "--formats").stdout.splitlines()
    assert [row.split()[0] for row in rows] == list(READERS)


def test_a_folder_of_many_kinds_is_imported_source_by_source(run, export, tmp_path):
    downloads = tmp_path / "downloads"
    (downloads / "trips").mkdir(parents=True)
    export.rename(downloads / "export.zip")
    chat = "31/12/2023, 21:41 - Ann: Shall we take the train?\n31/12/2023, 21:42 - Ben: Yes\n"
    (downloads / "WhatsApp Chat with Ben.txt").write_text(chat, encoding="utf-8")
    (downloads / "trips" / "plan.md").write_text("## User\nWhere to?\n## Assistant\nLyon.\n", encoding="utf-8")
    (downloads / "photo.jpg").write_bytes(b"\xff\xd8\xff\0")
    (downloads / ".DS_Store").write_bytes(b"\0")
    seen = json.loads(run("import", "--dry-run", downloads, "--json").stdout)
    report = json.loads(run("import", downloads, "--json").stdout)
    for found in (seen, report):
        assert {one["format"] for one in found["sources"]} == {"whatsapp", "chatgpt", "markdown"}
        assert found["unrecognised"] == [str(downloads / "photo.jpg")]
    assert report["turns"] == seen["new_turns"] == 7 + 2 + 2
    shown = run("import", downloads)
    assert "plan.md (markdown): 0 turns added, 2 already known" in shown.stdout
    assert "not recognised and not read: 1 file: " in shown.stderr and "photo.jpg" in shown.stderr


def test_documents_in_a_folder_of_chats_are_told_with_what_reads_them(run, tmp_path):
    folder = tmp_path / "my data"
    folder.mkdir()
    (folder / "diary.md").write_text("# Diary\n\n## 3 May 2026\n\nI sowed beans.\n", encoding="utf-8")
    alone = run("import", folder, ok=False).stderr
    assert f"To keep it as a document: `engramma ingest '{folder}'`." in alone
    chat = "31/12/2023, 21:41 - Ann: Shall we take the train?\n31/12/2023, 21:42 - Ben: Yes\n"
    (folder / "WhatsApp Chat with Ben.txt").write_text(chat, encoding="utf-8")
    for dry in (("--dry-run",), ()):
        told = run("import", *dry, folder).stderr
        assert f"diary.md. To keep it as a document: `engramma ingest '{folder / 'diary.md'}'`." in told
    (folder / "plan.txt").write_text("Sow the beans in May.\n", encoding="utf-8")
    assert "To keep them as documents: `engramma ingest " in run("import", folder).stderr


def test_source_code_and_settings_in_a_folder_are_no_talk_unless_they_are_named(run, tmp_path):
    """Two lines of the form "Name: text" make a transcript of a file that is named."""
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    for name in ("src/settings.py", "config.yaml", "Makefile", "data.csv"):
        (folder / name).write_text("NAME: str = 'x'\nPORT: int = 5\n", encoding="utf-8")
    only = run("import", folder / "src", ok=False)
    assert only.returncode == 1 and "is not in a format that Engramma reads" in only.stderr
    for name in ("chat.txt", "chat.md", "chat"):
        (folder / name).write_text(f"Ann: Tea in {name}?\nBen: Yes.\n", encoding="utf-8")
    report = json.loads(run("import", folder, "--json").stdout)
    assert [Path(one["path"]).name for one in report["sources"]] == ["chat", "chat.md", "chat.txt"]
    skipped = [Path(name).name for name in report["unrecognised"]]
    assert skipped == ["Makefile", "config.yaml", "data.csv", "settings.py"]
    assert "not recognised and not read: 4 files" in run("import", folder).stderr
    assert "2 turns" in run("import", folder / "src" / "settings.py").stdout


def test_what_was_masked_is_told_and_can_be_looked_up(run, export):
    shown = run("import", export).stdout
    assert "masked 1 secret (1 aws-access-key): change it where it is still in use" in shown
    assert "deploy, turn d1, user: aws-access-key 1" in run("redactions").stdout
    (place,) = json.loads(run("redactions", "--json").stdout)
    assert (place["turn"], place["rules"]) == ("d1", {"aws-access-key": 1})
    again = json.loads(run("import", export, "--json").stdout)
    assert again["redactions"] == {}


def test_the_help_lists_every_format(run):
    shown = run("import", "--help").stdout
    assert all(f"\n  {name} " in shown for name in READERS)


def test_the_page_on_importing_names_every_format_and_no_other():
    page = (Path(__file__).parents[3] / "docs" / "howto" / "importing.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `([\w-]+)` \|", page, flags=re.MULTILINE)
    assert sorted(named) == sorted(READERS)
    options = set(re.findall(r"(--[a-z][a-z-]*)", page)) - {"--format"}
    shown = ran("import", "--help").stdout + ran("watch", "--help").stdout
    assert all(option in shown for option in options)


# --- discovery -------------------------------------------------------------------------------------


def test_without_a_terminal_places_are_listed_and_nothing_is_read(run, home, tmp_path):
    transcript_of(home)
    result = run("import", "--discover")
    assert str(home / ".claude" / "projects") in result.stdout and "1 file" in result.stdout
    assert "nothing was read" in result.stderr and not (tmp_path / "store").exists()
    (place,) = json.loads(run("import", "--discover", "--json").stdout)
    assert (place["name"], place["reader"], place["files"]) == ("Claude Code", "claude-code", 1)
    assert not (tmp_path / "store").exists()


def test_discover_with_yes_imports_every_place(run, home):
    transcript_of(home)
    (home / "Downloads").mkdir()
    with zipfile.ZipFile(home / "Downloads" / "chatgpt-export.zip", "w") as archive:
        archive.writestr("conversations.json", json.dumps(CHATGPT))
    report = json.loads(run("import", "--discover", "--yes", "--json").stdout)
    assert [one["format"] for one in report["sources"]] == ["claude-code", "chatgpt"] and report["conversations"] == 3


def test_discover_says_when_there_is_nothing(run):
    assert "Nothing was found" in run("import", "--discover").stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
@pytest.mark.parametrize(("answer", "stored"), [("y\n", True), ("n\n", False)])
def test_on_a_terminal_every_place_is_asked_for(home, environment, tmp_path, answer, stored):
    import pty

    transcript_of(home)
    mine, theirs = pty.openpty()
    command = [*COMMAND, "--store", str(tmp_path / "store"), "import", "--discover"]
    child = subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    os.write(mine, f"{answer}\n".encode())  # and Enter: who “user” is stays open
    shown = b""
    while True:
        try:
            more = os.read(mine, 4096)
        except OSError:  # the other end is closed: it has ended
            break
        if not more:
            break
        shown += more
    said = child.communicate()[0].decode()
    os.close(mine)
    assert child.returncode == 0 and "Import Claude Code" in shown.decode(errors="replace")
    assert ("added " in said) is stored and (tmp_path / "store").exists() is stored
    assert ("1 conversation, " in shown.decode(errors="replace")) is stored  # what was found, before it is imported


def test_what_whatsapp_adds_to_a_chat_is_one_plain_note(run, tmp_path):
    chat = tmp_path / "WhatsApp Chat with Ben.txt"
    notice = "03/07/2026, 07:40 - Messages and calls are end-to-end encrypted.\n"
    chat.write_text(f"{notice}14/07/2026, 07:41 - Ben: The boiler is dead.\n14/07/2026, 07:42 - Ann: Again?\n", "utf-8")
    assert f"note: {chat}: not messages: 1 notice by WhatsApp; skipped\n" in run("import", chat).stderr


def test_who_user_is_is_asked_once_and_only_after_a_chat_came(run, tmp_path):
    hint = "“user” is you: `engramma me NAME`"
    first, second, none, people = (tmp_path / name for name in ("a.json", "b.json", "c.bin", "d.txt"))
    for path, words in ((first, "Hello."), (second, "Morning.")):
        path.write_text(json.dumps([{"role": "user", "content": words}, {"role": "assistant", "content": "Hi."}]))
    none.write_bytes(b"\x00\x01")
    people.write_text("Ann: hello\nBen: hi\nAnn: bye\nBen: bye\n")
    assert hint not in run("import", people).stderr
    assert hint not in run("import", none, ok=False).stderr
    assert run("import", first).stderr.count(hint) == 1
    assert hint not in run("import", second).stderr and hint not in run("import", first, none, ok=False).stderr
