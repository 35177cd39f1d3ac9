"""In and out: export, import, backup, restore lose nothing."""

from __future__ import annotations

import json
import sqlite3
import stat
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engramma import BadInput, BadTurn, Memory, Turn, UnreadableSource
from engramma.admin.doctor import doctor
from engramma.apps.cli.common import chosen, store_path
from engramma.config.settings import default_store_path
from engramma.files.hashing import sha256_of
from engramma.ingest.pipeline import Request
from engramma.ingest.remember import prepare_requests, remember_prepared, remember_requests
from engramma.ingest.validate import sifted_turns
from engramma.ingest.waiting_segments import finish_pending
from engramma.records import Conversation, Session
from engramma.sources import READERS
from engramma.transfer.backup import backup
from engramma.transfer.export import export_lines
from engramma.transfer.imports import Reading, import_file
from engramma.transfer.restore import restore
from tests.conftest import START, talk
from tests.fakes import HashEmbedder
from tests.sources.export_samples import chat, said


def fill(memory):
    memory.remember_session(
        "talk", "one", talk("Ana: trains are slow", "Ben: not all"), title="On trains", source="test"
    )
    memory.remember_session("talk", "two", talk("Ana: trains are slow again", day=4))
    memory.remember_session("chat", "one", talk("user: a question", "assistant: an answer", day=2), close=False)


def written(lines, path):
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    return path


def test_an_export_gives_the_same_memory_again(memory, tmp_path):
    fill(memory)
    first = written(export_lines(memory._core), tmp_path / "out.jsonl")
    with Memory.open(tmp_path / "other", embedder=HashEmbedder()) as other:
        report = import_file(other._core, first)
        assert report.turns == 5 and report.problems == ()
        assert "".join(export_lines(other._core)) == first.read_text(encoding="utf-8")
        assert sorted(other.graph()[1]) == sorted(memory.graph()[1])
        assert import_file(other._core, first).turns == 0


texts = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=80)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(texts.filter(str.strip), min_size=1, max_size=4), texts.filter(str.strip))
def test_any_text_survives_the_round_trip(tmp_path_factory, said, speaker):
    folder = tmp_path_factory.mktemp("round")
    turns = [Turn(speaker, text, START, f"t{n}") for n, text in enumerate(said)]
    with (
        Memory.open(folder / "a", embedder=HashEmbedder()) as one,
        Memory.open(folder / "b", embedder=HashEmbedder()) as two,
    ):
        one.remember_session("c", "s", turns)
        import_file(two._core, written(export_lines(one._core), folder / "x.jsonl"))
        assert [t.text for t in two.turns("c", "s")] == said


def test_a_bad_record_is_reported_and_the_rest_is_imported(memory, tmp_path):
    fill(memory)
    lines = list(export_lines(memory._core))
    lines.insert(4, '{"type":"turn","conversation":"talk","session":"one","id":"bad"}\n')
    with Memory.open(tmp_path / "other", embedder=HashEmbedder()) as other:
        report = import_file(other._core, written(lines, tmp_path / "x.jsonl"))
    assert report.turns == 5 and len(report.problems) == 1


def test_one_refused_session_does_not_stop_the_others(memory, tmp_path):
    fill(memory)
    lines = [line.replace("trains are slow again", "other words") for line in export_lines(memory._core)]
    lines += [
        '{"type":"session","conversation":"talk","id":"three","closed":true}\n',
        lines[-1].replace('"two"', '"three"').replace("other words", "new"),
    ]
    report = import_file(memory._core, written(lines, tmp_path / "x.jsonl"))
    assert report.turns == 1 and len(report.problems) == 1 and "never rewritten" in report.problems[0].reason


def test_a_backup_restores_everything(memory, tmp_path):
    fill(memory)
    (memory.path / "config.toml").write_text("idle_minutes = 45\n", encoding="utf-8")
    backup(memory._core, tmp_path / "b.zip")
    restore(tmp_path / "b.zip", tmp_path / "restored", with_config=True)
    with Memory.open(tmp_path / "restored", embedder=HashEmbedder()) as other:
        assert list(export_lines(other._core)) == list(export_lines(memory._core))
        assert other.graph() == memory.graph()
        assert other.config.idle_minutes == 45
        finish_pending(other._core)
        assert [c for c in doctor(other._core) if not c.ok] == []


def test_a_backup_never_overwrites_and_a_restore_never_covers_a_memory(memory, tmp_path):
    fill(memory)
    backup(memory._core, tmp_path / "b.zip")
    with pytest.raises(BadInput, match="already exists"):
        backup(memory._core, tmp_path / "b.zip")
    with pytest.raises(BadInput, match="already contains a memory"):
        restore(tmp_path / "b.zip", memory.path)


def test_a_damaged_backup_is_refused_and_leaves_nothing(memory, tmp_path):
    fill(memory)
    backup(memory._core, tmp_path / "b.zip")
    whole = (tmp_path / "b.zip").read_bytes()
    (tmp_path / "half.zip").write_bytes(whole[: len(whole) // 2])
    with zipfile.ZipFile(tmp_path / "b.zip") as good, zipfile.ZipFile(tmp_path / "wrong.zip", "w") as wrong:
        wrong.writestr("engramma-backup.json", json.dumps({"engramma": "0", "sha256": "0" * 64}))
        wrong.writestr("memory.db", good.read("memory.db"))
    for name in ("half.zip", "wrong.zip"):
        with pytest.raises(UnreadableSource):
            restore(tmp_path / name, tmp_path / "restored")
        assert not (tmp_path / "restored" / "memory.db").exists()


def repacked(source, target, **other):
    """A backup with other parts, or packed by another method."""
    method = other.pop("method", zipfile.ZIP_DEFLATED)
    with zipfile.ZipFile(source) as good, zipfile.ZipFile(target, "w", method) as made:
        parts = {name: good.read(name) for name in good.namelist()} | {
            f"{name}.json": one for name, one in other.items()
        }
        for name, content in parts.items():
            made.writestr(name, content)
    return target


def rewritten(source, target, script):
    """A backup in whose database somebody ran a script, with the checksum that fits."""
    database = target.with_suffix(".db")
    with zipfile.ZipFile(source) as good:
        database.write_bytes(good.read("memory.db"))
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript(script)
        connection.execute("PRAGMA journal_mode = DELETE")
    with zipfile.ZipFile(target, "w") as made:
        made.writestr("engramma-backup.json", json.dumps({"engramma": "0", "sha256": sha256_of(database)}))
        made.write(database, "memory.db")
    return target


@pytest.mark.not_on("encrypted")
def test_nothing_of_a_strange_backup_runs_by_itself_in_the_store_it_becomes(memory, tmp_path):
    fill(memory)
    backup(memory._core, tmp_path / "b.zip")
    spy = (
        "CREATE TABLE kept (t); DROP TRIGGER tally_turn_gone;"
        'CREATE TRIGGER "sp""y" AFTER INSERT ON turns BEGIN INSERT INTO kept VALUES (new.text); END;'
        "CREATE VIEW seen AS SELECT text FROM turns;"
    )
    restore(rewritten(tmp_path / "b.zip", tmp_path / "spy.zip", spy), tmp_path / "restored")
    with Memory.open(tmp_path / "restored", embedder=HashEmbedder()) as other:
        other.remember_session("c", "new", talk("Ann: the zeppelin is purple"))
        assert other.purge(query="zeppelin").purged
        finish_pending(other._core)
        assert [c for c in doctor(other._core) if not c.ok] == []
    files = [path for path in (tmp_path / "restored").rglob("*") if path.is_file()]
    assert files and not any(b"zeppelin" in path.read_bytes() for path in files)


@pytest.mark.not_on("encrypted")
@pytest.mark.parametrize("script", ["DROP TABLE turns;", "PRAGMA user_version = 1;", "PRAGMA user_version = -5;"])
def test_a_backup_whose_tables_are_not_a_memorys_is_refused_and_nothing_is_laid_down(memory, tmp_path, script):
    fill(memory)
    backup(memory._core, tmp_path / "b.zip")
    with pytest.raises(UnreadableSource, match=r"odd\.zip is damaged: the memory in it cannot be read"):
        restore(rewritten(tmp_path / "b.zip", tmp_path / "odd.zip", script), tmp_path / "restored")
    assert list((tmp_path / "restored").iterdir()) == []


def locked(source, target):
    """A zip whose parts say that they need a password."""
    data = bytearray(source.read_bytes())
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = -1
        while (at := data.find(mark, at + 1)) >= 0:
            data[at + flags] |= 1
    target.write_bytes(data)
    return target


def test_a_backup_that_another_program_packed_or_spoiled_is_refused_in_words(memory, tmp_path):
    fill(memory)
    backup(memory._core, tmp_path / "b.zip")
    wrong = {
        "locked with a password": locked(tmp_path / "b.zip", tmp_path / "locked.zip"),
        "packed in a way": repacked(tmp_path / "b.zip", tmp_path / "lzma.zip", method=zipfile.ZIP_LZMA),
        r"key\.zip is damaged: the memory in it": repacked(tmp_path / "b.zip", tmp_path / "key.zip", key=b"{}"),
        r"long\.zip is damaged: the memory in it": repacked(
            tmp_path / "b.zip", tmp_path / "long.zip", key=b" " * 10**7
        ),
    }
    for words, source in wrong.items():
        with pytest.raises(UnreadableSource, match=words):
            restore(source, tmp_path / "restored")
        assert not (tmp_path / "restored").exists() or list((tmp_path / "restored").iterdir()) == []


def test_an_export_does_not_name_a_session_that_is_forgotten(memory, tmp_path):
    fill(memory)
    memory.forget(conversation="talk", session="two")
    lines = list(export_lines(memory._core))
    assert [one["id"] for one in map(json.loads, lines) if one.get("type") == "session"] == ["one", "one"]
    with Memory.open(tmp_path / "other", embedder=HashEmbedder()) as other:
        import_file(other._core, written(lines, tmp_path / "out.jsonl"))
        assert list(export_lines(other._core)) == lines


@pytest.mark.parametrize("name", ["memory.db-wal", "memory.db-shm", "memory.db-journal", "config.toml"])
def test_a_restore_names_what_is_in_its_way_and_leaves_it(memory, tmp_path, name):
    fill(memory)
    backup(memory._core, tmp_path / "b.zip")
    (tmp_path / "restored").mkdir()
    (tmp_path / "restored" / name).write_bytes(b"mine")
    with pytest.raises(BadInput, match=f"{name}.*move it away"):
        restore(tmp_path / "b.zip", tmp_path / "restored")
    assert [(path.name, path.read_bytes()) for path in (tmp_path / "restored").iterdir()] == [(name, b"mine")]


def test_backup_restore_and_archive_are_for_their_owner_only(memory, tmp_path):
    fill(memory)
    (memory.path / "config.toml").write_text("idle_minutes = 45\n", encoding="utf-8")
    backup(memory._core, tmp_path / "b.zip")
    restore(tmp_path / "b.zip", tmp_path / "restored", with_config=True)
    for path in (tmp_path / "b.zip", tmp_path / "restored", *(tmp_path / "restored").iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    for path in (memory.path / "archive", *(memory.path / "archive").rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    assert sorted(path.name for path in (tmp_path / "restored").iterdir()) == ["config.toml", "memory.db"]


def test_a_namespace_may_be_named_like_the_archives_temporary_file(tmp_path):
    for name in (".writing", ".writing!"):
        with Memory.open(tmp_path / "store", name, embedder=HashEmbedder()) as memory:
            fill(memory)
            assert [check for check in doctor(memory._core) if not check.ok and check.name != "embedder works"] == []


def test_a_tilde_in_the_stores_path_is_the_home_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("ENGRAMMA_STORE", "~/memory")
    monkeypatch.setattr("engramma.apps.cli.common.chosen.store", None)
    assert default_store_path() == store_path() == tmp_path / "memory"
    monkeypatch.setattr(chosen, "store", Path("~/other"))
    assert store_path() == tmp_path / "other"


# --- what is known is not stored twice -------------------------------------------------------------


def chatgpt_file(path, *conversations):
    path.write_text(json.dumps(conversations), encoding="utf-8")
    return path


def question(**fields):
    return ("q", "root", said("q", "user", "What goes into borscht?", at=5, **fields))


def answer(name, text, at):
    return (name, "q", said(name, "assistant", text, at=at))


FIRST = ("a1", "Beetroot and dill.", 9)
AGAIN = ("a2", "Beetroot, cabbage and cream.", 60)


def test_an_answer_that_was_made_anew_moves_no_turn_into_a_second_session(memory, tmp_path):
    before = chatgpt_file(tmp_path / "1.json", chat("soup", ("root", None, None), question(), answer(*FIRST)))
    after = chatgpt_file(
        tmp_path / "2.json",
        chat("soup", ("root", None, None), question(), answer(*FIRST), answer(*AGAIN), current="a2"),
    )
    assert import_file(memory._core, before).turns == 2
    report = import_file(memory._core, after)
    assert (report.turns, report.known_turns, report.sessions) == (1, 2, 0)
    turns = [turn.id for session in memory.sessions() for turn in memory.turns("soup", session.id)]
    assert sorted(turns) == ["a1", "a2", "q"]
    assert import_file(memory._core, after).turns == import_file(memory._core, before).turns == 0
    assert [check for check in doctor(memory._core) if not check.ok and check.name != "embedder works"] == []


def test_an_id_that_every_session_uses_is_another_turn_each_time(memory, tmp_path):
    same = talk("Ana: good morning", "Ben: good morning")
    memory.remember_session("calls", "one", same)
    turns = sifted_turns(talk("Ana: good morning", "Ben: hello", day=1), 1000)[0]
    assert remember_requests(memory._core, [Request("calls", "two", turns, anywhere=True)]).turns == 2
    again = sifted_turns(same, 1000)[0]
    assert remember_requests(memory._core, [Request("calls", "three", again, anywhere=True)]).turns == 0
    assert remember_requests(memory._core, [Request("other", "one", again, anywhere=True)]).turns == 2
    assert memory.remember_session("calls", "three", same).turns == 2  # a caller who names a session gets it
    with Memory.open(tmp_path / "other", embedder=HashEmbedder()) as other:
        import_file(other._core, written(export_lines(memory._core), tmp_path / "x.jsonl"))
        assert list(export_lines(other._core)) == list(export_lines(memory._core))


def test_what_another_process_stores_meanwhile_is_not_stored_again(memory):
    turns = sifted_turns(talk("Ana: trains are slow", "Ben: not all"), 1000)[0]
    ready = prepare_requests(memory._core, [Request("talk", "live", turns, anywhere=True)])
    memory.remember_session("talk", "whole", turns)
    report = remember_prepared(memory._core, ready)
    assert (report.turns, report.known_turns) == (0, 2)


def test_in_an_import_known_words_stay_and_the_rest_of_the_session_is_taken(memory, tmp_path):
    memory.remember_session("soup", "soup-1", [Turn("user", "What goes into goulash?", START, "q")])
    path = chatgpt_file(tmp_path / "x.json", chat("soup", ("root", None, None), question(), answer(*FIRST)))
    report = import_file(memory._core, path)
    assert report.turns == 1 and [p.where for p in report.problems] == ["conversation soup, session soup-1, turn q"]
    assert "never rewritten" in report.problems[0].reason and report.problems[0].path == str(path)
    assert [turn.text for turn in memory.turns("soup", "soup-1")] == ["What goes into goulash?", "Beetroot and dill."]
    with pytest.raises(BadTurn):  # a caller gets to know at once
        memory.remember_session("soup", "soup-1", [Turn("user", "What goes into pho?", START, "q")])


def test_a_container_of_which_nothing_can_be_read_is_refused(memory, tmp_path):
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        for name in ("conversations-001.json", "conversations-002.json"):
            archive.writestr(name, "<!doctype html><title>Sign in</title>")
    with pytest.raises(UnreadableSource, match="nothing that can be read"):
        import_file(memory._core, tmp_path / "export.zip", Reading("chatgpt"))


class Unplugged:
    """A reader whose disk goes away after the first conversation."""

    NAME, DESCRIPTION = "unplugged", "a file on a disk that goes away"

    def looks_like(self, head, path):
        return False

    def read(self, path, options):
        yield Conversation("talk", (Session("one", tuple(talk("Ana: trains are slow", "Ben: not all"))),))
        raise UnreadableSource(f"{path} cannot be read: Input/output error")


def test_what_was_read_before_a_source_broke_off_is_stored(memory, tmp_path, monkeypatch):
    monkeypatch.setitem(READERS, "unplugged", Unplugged())
    report = import_file(memory._core, tmp_path / "x", Reading("unplugged"))
    assert report.turns == 2 and [turn.text for turn in memory.turns("talk", "one")] == ["trains are slow", "not all"]
    assert [p.reason for p in report.problems] == [
        "cannot be read: Input/output error; everything before it was imported"
    ]
