"""What a user decided goes along: with an export, into a store that knows more, and with a backup."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engramma import BadInput, Memory
from engramma.transfer.backup import backup
from engramma.transfer.export import export_lines
from engramma.transfer.imports import import_file
from engramma.transfer.restore import restore
from tests.conftest import talk
from tests.fakes import HashEmbedder
from tests.people.reconcile.test_workspace import TALKS, of, tell, things

pytestmark = pytest.mark.on("postgres", "encrypted")


def opened(folder: Path) -> Memory:
    return Memory.open(folder, embedder=HashEmbedder())


@pytest.fixture
def exported(tmp_path):
    """A store whose user keeps the first two jobs apart, and its export."""
    with opened(tmp_path / "one") as memory:
        tell(memory, TALKS)
        memory.people.overrule(of(memory, "job")[0].id, "SEPARATE", "another John")
        path = tmp_path / "export.jsonl"
        path.write_text("".join(export_lines(memory._core)), encoding="utf-8")
    return path


def standing(memory: Memory) -> list[tuple[str, str, str, tuple[str, ...]]]:
    return [(d.verdict, d.by, d.reason, d.conversations) for d in of(memory, "job") if d.by == "user"]


TOLD = [("SEPARATE", "user", "another John", ("conv-41", "conv-43"))]


def test_an_overruled_decision_survives_export_and_import(tmp_path, exported):
    with opened(tmp_path / "two") as memory:
        assert import_file(memory._core, exported).problems == ()
        assert standing(memory) == TOLD
        assert things(memory, "job") == [("conv-41",), ("conv-43", "conv-47")]
        assert next(d.overruled for d in of(memory, "job") if d.by == "policy")
        assert import_file(memory._core, exported).problems == ()  # again: nothing twice
        assert standing(memory) == TOLD
        act = next(act for act in memory.acts.all() if act.kind == "decide")
        memory.undo(act.id)
        assert things(memory, "job") == [("conv-41", "conv-43", "conv-47")]


def test_it_holds_in_a_store_that_decided_already(tmp_path, exported):
    with opened(tmp_path / "two") as memory:
        tell(memory, TALKS)
        assert things(memory, "job") == [("conv-41", "conv-43", "conv-47")]
        import_file(memory._core, exported)
        assert things(memory, "job") == [("conv-41",), ("conv-43", "conv-47")]


def test_what_was_undone_is_not_exported(tmp_path):
    with opened(tmp_path / "one") as memory:
        tell(memory, TALKS)
        memory.people.overrule(of(memory, "job")[0].id, "SEPARATE")
        act = next(act for act in memory.acts.all() if act.kind == "decide")
        memory.undo(act.id)
        assert not any('"type":"decision"' in line for line in export_lines(memory._core))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("verdict", "PERHAPS"),
        ("entity", "horoscope"),
        ("turns", [["conv-41", "s3", "D9:9"]]),
        ("turns", []),
        ("conversations", None),
        ("person", ""),
    ],
)
def test_a_decision_that_cannot_be_is_told_and_the_rest_is_taken(tmp_path, exported, name, value):
    lines = [json.loads(line) for line in exported.read_text(encoding="utf-8").splitlines()]
    (line,) = [line for line in lines if line.get("type") == "decision"]
    line[name] = value
    bad = tmp_path / "bad.jsonl"
    bad.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with opened(tmp_path / "two") as memory:
        (problem,) = import_file(memory._core, bad).problems
        assert "this decision was not imported" in problem.reason
        assert standing(memory) == []
        assert len(of(memory, "job")) == 2


@pytest.mark.not_on("postgres")
def test_it_is_in_a_backup(tmp_path, exported):
    with opened(tmp_path / "one") as memory:
        backup(memory._core, tmp_path / "all.zip")
    restore(tmp_path / "all.zip", tmp_path / "back")
    with opened(tmp_path / "back") as memory:
        assert standing(memory) == TOLD
        assert things(memory, "job") == [("conv-41",), ("conv-43", "conv-47")]


def test_a_purge_leaves_no_name_in_the_act_of_a_decision(memory):
    for day, conversation in enumerate(("one", "two")):
        memory.remember_session(conversation, "s", talk("Zorkana: I work at Siemens.", "Ben: I like tea.", day=day))
    memory.claims.extract()
    memory.people.reconcile()
    (decision, *_) = memory.people.decisions()
    memory.people.overrule(decision.id, "SEPARATE", "two people of one name")
    act = memory.acts.all()[0].id
    memory.purge(speaker="Zorkana")
    assert all("Zorkana" not in f"{one.reason} {one.detail}" for one in memory.acts.all())
    with pytest.raises(BadInput, match="gone"):
        memory.undo(act)
