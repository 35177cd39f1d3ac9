"""An export carries what users said of entities, and an import brings it back."""

from __future__ import annotations

import json

import pytest

from engramma import Memory
from engramma.admin.doctor import doctor
from engramma.transfer.export import export_lines
from engramma.transfer.imports import import_file
from tests.conftest import talk

pytestmark = pytest.mark.on("postgres", "encrypted")

TALK = (
    *("user: My parrot Kevin plucks.", "Dunja Marlow: I work at TechCorp.", "Mirela: My cat Rex is old."),
    *("Bobby: I live in Lisbon.", "Robert Hale: I live in Lisbon.", "Gordon: I play the guitar."),
)


@pytest.fixture
def told(memory):
    memory.remember_session("wa", "s1", talk(*TALK))
    memory.people.me("Dunja")
    memory.entities.merge(["Dunja Marlow"], "Dunja")
    memory.entities.merge(["Bobby"], "Robert Hale")
    memory.entities.change("TechCorp", name="Technical Corporation", aliases=["TC"], type="project")
    memory.entities.delete(["Gordon"])
    memory.undo(memory.entities.merge(["Mirela"], "Dunja").act)
    return memory


def written(memory, path):
    path.write_text("".join(export_lines(memory._core)), "utf-8")
    return path


def shown(memory):
    return sorted((row.name, row.type, row.aliases, row.mentions) for row in memory.entities.all(everything=True))


def test_merges_new_names_and_deletions_come_back_with_an_import(told, tmp_path):
    path = written(told, tmp_path / "all.jsonl")
    with Memory.open(tmp_path / "other") as other:
        assert import_file(other._core, path).problems == ()
        assert shown(other) == shown(told)
        assert other.stats()["speakers_by_person"] == told.stats()["speakers_by_person"]
        assert written(other, tmp_path / "again.jsonl").read_bytes() == path.read_bytes()
        acts = other.acts.all(100)
        assert import_file(other._core, path).problems == ()
        assert other.acts.all(100) == acts
        assert [check for check in doctor(other._core) if not check.ok] == []
        merged = next(act for act in acts if "Robert Hale" in act.reason)
        other.undo(merged.id)
        assert {"Bobby", "Robert Hale"} <= {row.name for row in other.entities.all()}


def test_of_whom_nothing_is_left_to_be_seen_nothing_is_exported(told, tmp_path):
    told.forget(speaker="Bobby")
    told.forget(speaker="Robert Hale")
    lines = written(told, tmp_path / "all.jsonl").read_text("utf-8")
    assert "Technical Corporation" in lines and "Bobby" not in lines and "Robert" not in lines


def test_what_is_not_here_is_told_and_the_rest_is_taken(told, tmp_path):
    lines = [json.loads(line) for line in written(told, tmp_path / "all.jsonl").read_text("utf-8").splitlines()]
    kept = [line for line in lines if line.get("speaker") not in ("Bobby", "Robert Hale")]
    path = tmp_path / "some.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in kept), "utf-8")
    with Memory.open(tmp_path / "other") as other:
        (problem,) = import_file(other._core, path).problems
        assert "nobody and nothing here is called so" in problem.reason
        assert {"Dunja", "Technical Corporation"} <= {row.name for row in other.entities.all()}


def test_another_of_nearly_that_name_is_not_meant(told, tmp_path):
    lines = [json.loads(line) for line in written(told, tmp_path / "all.jsonl").read_text("utf-8").splitlines()]
    beside = [line for line in lines if "entity" in line]
    path = tmp_path / "some.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in [lines[0], *beside]), "utf-8")
    with Memory.open(tmp_path / "other") as other:
        other.remember_session("c", "s", talk("Bobbi: I live in Lisbon.", "Robert Hales: I live in Porto."))
        assert len(import_file(other._core, path).problems) == 3
        assert {"Bobbi", "Robert Hales"} <= {row.name for row in other.entities.all()} and other.acts.all(10) == []


def claimed(memory):
    return sorted((claim.subject, claim.relation, claim.value) for claim in memory.claims.all())


def test_who_was_deleted_before_the_user_took_the_name_is_not_the_user(memory, tmp_path):
    memory.remember_session("c", "s", talk("Clara: I live in Rome.", "user: I like tea. I work at Acme."))
    memory.entities.delete(["Clara"])
    memory.people.me("Clara")
    path, before = written(memory, tmp_path / "all.jsonl"), claimed(memory)
    assert len(before) == 2
    with Memory.open(tmp_path / "other") as other:
        assert import_file(other._core, path).problems == ()
        assert (claimed(other), shown(other)) == (before, shown(memory))
        assert [one.name for one in other.people.all()] == ["Clara"]
        assert written(other, tmp_path / "again.jsonl").read_bytes() == path.read_bytes()
    assert import_file(memory._core, path).problems == () and claimed(memory) == before
    with Memory.open(tmp_path / "third") as third:  # where Clara is the user already
        third.remember_session("c", "s", talk("Clara: I live in Rome.", "user: I like tea. I work at Acme."))
        third.people.me("Clara")
        (problem,) = import_file(third._core, path).problems
        assert "the user has this name here" in problem.reason and len(claimed(third)) == 3


def test_the_user_who_was_deleted_stays_so_with_an_import(memory, tmp_path):
    memory.remember_session("c", "s", talk("Clara: I live in Rome.", "user: I like tea. I work at Acme."))
    memory.people.me("Clara")
    memory.entities.delete(["Clara"])
    path = written(memory, tmp_path / "all.jsonl")
    with Memory.open(tmp_path / "other") as other:
        assert import_file(other._core, path).problems == ()
        assert claimed(other) == claimed(memory) == [] and shown(other) == shown(memory)


def test_who_took_the_name_of_somebody_deleted_stays(memory, tmp_path):
    memory.remember_session("c", "s", talk("Clara: I live in Rome.", "Bob: I work at Acme."))
    memory.entities.delete(["Clara"])
    memory.entities.change("Bob", name="Clara")
    path, before = written(memory, tmp_path / "all.jsonl"), (claimed(memory), shown(memory))
    with Memory.open(tmp_path / "other") as other:
        assert import_file(other._core, path).problems == ()
        assert (claimed(other), shown(other)) == before
    assert import_file(memory._core, path).problems == () and (claimed(memory), shown(memory)) == before
