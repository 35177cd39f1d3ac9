"""The user's word about entities: it holds whatever is extracted later, and `undo` takes it back."""

from __future__ import annotations

import re

import pytest

from engramma import Memory
from engramma.admin.doctor import doctor
from engramma.errors import BadInput
from engramma.people.claims.store import RULES
from engramma.people.entities.entities import tidy
from engramma.transfer.export import export_lines
from engramma.transfer.imports import import_file
from tests.conftest import talk

pytestmark = pytest.mark.on("postgres", "encrypted")


@pytest.fixture
def known(memory):
    memory.remember_session("a", "s1", talk("Ann: I work at TechCorp.", "Ben: I live in Lisbon. My dog Rex is old."))
    memory.remember_session("b", "s1", talk("Annie: I work at Globex.", "Ben: I play the guitar.", day=1))
    return memory


def again(memory):
    """Everything is extracted anew, as after new rules."""
    with memory._core.store.transaction():
        for row in memory._core.store.all("extraction_waiting", version=RULES + 1, limit=1_000):
            at = {"session": row["session"], "block": row["block"]}
            memory._core.store.run("extraction_done", version=0, **at)
    memory.claims.extract()


def names(memory):
    return {row.name for row in memory.entities.all()}


def works_at(memory, name):
    found = memory.claims.entity(name)
    return [] if found is None else [fact.value for fact in found.facts if fact.relation == "works_at"]


def sound(memory):
    return [check for check in doctor(memory._core) if not check.ok]


def test_a_new_name_stays_whatever_is_said_later_and_both_find_it(known):
    edit = known.entities.change("TechCorp", name="Technical Corporation", aliases=["TC"], type="project")
    assert (edit.entity.name, edit.entity.type) == ("Technical Corporation", "project")
    assert set(edit.entity.aliases) == {"TechCorp", "TC"}
    again(known)
    known.remember_session("c", "s1", talk("Cora: I work at TechCorp.", "Cora: Dan works at Tech Corp.", day=2))
    (row,) = [row for row in known.entities.all() if row.key == edit.entity.key]
    assert (row.name, row.type) == ("Technical Corporation", "project") and row.conversations == 2
    assert "TechCorp" not in names(known)
    for name in ("TechCorp", "TC", "Technical Corporation"):
        assert known.claims.entity(name).entity.key == row.key
    assert works_at(known, "Cora") == ["Technical Corporation"]
    assert [one.key for one in known.entities.all(search="tc")] == [row.key]
    known.undo(edit.act)
    (row,) = [row for row in known.entities.all() if row.key == edit.entity.key]
    assert (row.name, row.type) == ("TechCorp", "organisation")
    assert known.claims.entity("TC") is None
    assert sound(known) == []


def test_what_is_merged_is_one_now_and_later_until_it_is_undone(known):
    edit = known.entities.merge(["Annie"], "Ann")
    assert edit.entity.name == "Ann" and edit.entity.conversations == 2
    assert set(works_at(known, "Annie")) == set(works_at(known, "Ann")) == {"TechCorp", "Globex"}
    assert known.people.get("Annie").name == "Ann" and len(known.people.get("Ann").conversations) == 2
    again(known)
    known.remember_session("c", "s1", talk("Annie: I live in Porto.", day=2))
    assert "Annie" not in names(known)
    assert any(fact.value == "Porto" for fact in known.claims.entity("Ann").facts)
    assert set(works_at(known, "Ann")) == {"TechCorp", "Globex"}
    assert sound(known) == []
    known.undo(edit.act)
    assert works_at(known, "Ann") == ["TechCorp"] and works_at(known, "Annie") == ["Globex"]
    assert any(fact.value == "Porto" for fact in known.claims.entity("Annie").facts)
    assert not any(fact.value == "Porto" for fact in known.claims.entity("Ann").facts)
    assert sound(known) == []


def test_a_person_who_is_merged_into_a_thing_of_that_name_stays_a_person(known):
    known.remember_session("c", "s1", talk("Ben: I bought a Wombat.", "Ben: I love the Wombat.", day=2))
    thing = known.claims.entity("Wombat").entity
    assert thing.type != "person"
    edit = known.entities.merge(["Ann"], "Wombat")
    assert edit.entity.type == "person" and known.people.get("Wombat").name == "Wombat"
    known.undo(edit.act)
    assert known.claims.entity("Wombat").entity.type == thing.type and known.people.get("Ann").name == "Ann"
    assert sound(known) == []


def test_merges_are_undone_in_any_order(known):
    known.remember_session("c", "s1", talk("Anna: I work at Initech.", day=2))
    first = known.entities.merge(["Annie"], "Ann")
    second = known.entities.merge(["Ann"], "Anna")
    assert set(works_at(known, "Annie")) == {"TechCorp", "Globex", "Initech"}
    known.undo(first.act)
    assert works_at(known, "Annie") == ["Globex"] and set(works_at(known, "Ann")) == {"TechCorp", "Initech"}
    known.undo(second.act)
    assert works_at(known, "Ann") == ["TechCorp"] and works_at(known, "Anna") == ["Initech"]
    assert sound(known) == []


def test_things_of_the_merged_are_things_of_the_one(known):
    known.remember_session("c", "s1", talk("Benny: I bought a guitar.", "Benny: My cat Tom is old.", day=2))
    edit = known.entities.merge(["Benny"], "Ben")
    owned = {(row.name, row.owner) for row in known.entities.all() if row.owner}
    assert ("Rex", "Ben") in owned and ("Tom", "Ben") in owned
    again(known)
    assert {(row.name, row.owner) for row in known.entities.all() if row.owner} == owned
    known.undo(edit.act)
    known.entities.all()
    assert ("Tom", "Benny") in {(row.name, row.owner) for row in known.entities.all() if row.owner}
    assert sound(known) == []


def test_what_is_deleted_is_out_of_sight_with_its_facts_until_it_is_undone(known):
    said = len(known.turns("a", "s1"))
    edit = known.entities.delete(["TechCorp", "Annie"])
    assert not {"TechCorp", "Annie"} & names(known) and known.claims.entity("Annie") is None
    again(known)
    known.remember_session("c", "s1", talk("Cora: I work at TechCorp.", day=2))
    assert not {"TechCorp", "Annie"} & names(known) and known.claims.all("Annie") == []
    assert "Annie" not in {one.name for one in known.people.all()}
    assert works_at(known, "Ann") == ["TechCorp"]  # what Ann said stays, as words
    assert len(known.turns("a", "s1")) == said
    known.undo(edit.act)
    assert {"TechCorp", "Annie"} <= names(known) and works_at(known, "Annie") == ["Globex"]
    assert known.claims.entity("TechCorp").entity.conversations == 2
    assert sound(known) == []


def test_a_word_outlives_forgetting_and_goes_with_a_purge(known, tmp_path):
    known.entities.change("Globex", name="Zorblax Industries")
    merged = known.entities.merge(["Annie"], "Ann")
    hidden = known.forget(conversation="b")
    assert "Zorblax Industries" not in names(known)
    known.undo(hidden.act)
    assert "Zorblax Industries" in names(known) and "Annie" not in names(known)
    known.purge(conversation="b")
    assert "Zorblax Industries" not in names(known)
    assert known._core.store.all("entity_words_of_act", act=merged.act) == [] or known.claims.entity("Annie") is None
    known.close()
    files = [path for path in (tmp_path / "store").rglob("*") if path.is_file()]
    assert not [path for path in files if b"Zorblax" in path.read_bytes() or b"Globex" in path.read_bytes()]


def test_names_given_to_one_who_is_merged_stay_in_lists_and_in_an_export(known, tmp_path):
    known.remember_session("c", "s1", talk("Clara: I live in Rome.", "Gus: I live in Oslo.", day=2))
    known.entities.change("Ann", aliases=["Zed"])
    known.entities.change("Gus", name="Gustav")
    edit = known.entities.merge(["Ann", "Gustav"], "Clara")
    assert set(edit.entity.aliases) == {"Ann", "Gus", "Gustav", "Zed"}
    assert [row.name for row in known.entities.all(search="zed")] == ["Clara"]
    assert "Zed" in next(row for row in known.entities.listing().items if row["name"] == "Clara")["aliases"]
    path = tmp_path / "all.jsonl"
    path.write_text("".join(export_lines(known._core)), "utf-8")
    acts = len(known.acts.all(100))
    assert import_file(known._core, path).problems == () and len(known.acts.all(100)) == acts
    with Memory.open(tmp_path / "other") as other:
        assert import_file(other._core, path).problems == ()
        assert set(other.entities.all(search="zed")[0].aliases) == {"Ann", "Gus", "Gustav", "Zed"}
    hidden = known.forget(speaker="Ann")
    assert "Zed" not in str(known.entities.all())
    known.undo(hidden.act)
    known.undo(edit.act)
    assert {(row.name, row.aliases) for row in known.entities.all(search="zed")} == {("Ann", ("Zed",))}
    assert sound(known) == []


def merged_into_purged(memory):
    """Rome and Ana, made one with a place and a person that only the second conversation names."""
    memory.remember_session("c0", "s", talk("Clara: I live in Rome with Dmitri.", "Ana: I like tea."))
    told = "Dmitri: I live in Quuxoslo. My sister Quuxelle works at Acme."
    memory.remember_session("c1", "s", talk(told, "Ana: I like coffee.", day=1))
    return [memory.entities.merge([one], into) for one, into in (("Rome", "Quuxoslo"), ("Ana", "Quuxelle"))]


PURGED = re.compile(r"uux(?:os|el)")  # an encrypted file has any three letters by chance


def left_of_it(memory, path):
    """Where the purged names still stand."""
    found = [line for line in export_lines(memory._core) if PURGED.search(line)]
    found += [str(row) for row in memory.entities.all(everything=True) if PURGED.search(str(row))]
    found += [str(act) for act in memory.acts.all(100) if PURGED.search(str(act))]
    memory.close()
    files = [file for file in path.rglob("*") if file.is_file()]
    return found + [file.name for file in files if PURGED.search(file.read_bytes().decode("latin-1"))]


def test_a_name_that_a_merge_kept_goes_with_the_last_turn_that_says_it(memory, tmp_path):
    merged_into_purged(memory)
    memory.purge(conversation="c1")
    assert {"Rome", "Ana", "Clara"} <= names(memory) and sound(memory) == []
    assert memory.people.get("Ana").name == "Ana"
    assert left_of_it(memory, tmp_path / "store") == []


def test_a_merge_is_undone_after_a_purge_of_the_name_that_it_kept(memory, tmp_path):
    edits = merged_into_purged(memory)
    memory.purge(conversation="c1")
    for edit in edits:
        memory.undo(edit.act)
    assert {"Rome", "Ana", "Clara"} <= names(memory) and sound(memory) == []
    assert left_of_it(memory, tmp_path / "store") == []


def test_no_purged_name_is_left_while_all_the_rest_is_forgotten(memory, tmp_path):
    merged_into_purged(memory)
    hidden = memory.forget(conversation="c0")
    memory.purge(conversation="c1")
    rows = [dict(row) for row in memory._core.store.all("entities_spoken_of")]
    assert rows and "uux" not in str(rows)
    memory.undo(hidden.act)
    assert {"Rome", "Ana"} <= names(memory) and sound(memory) == []
    assert left_of_it(memory, tmp_path / "store") == []


def test_a_name_that_a_merge_kept_is_hidden_with_what_was_forgotten_and_comes_back(memory):
    merged_into_purged(memory)
    shown = [(row.name, row.type, row.aliases) for row in memory.entities.all(everything=True)]
    hidden = memory.forget(conversation="c1")
    assert {"Rome", "Ana"} <= names(memory) and not [name for name in names(memory) if "uux" in name]
    memory.undo(hidden.act)
    assert [(row.name, row.type, row.aliases) for row in memory.entities.all(everything=True)] == shown
    assert sound(memory) == []


def test_a_name_given_by_hand_outlives_a_purge_of_some_turns(memory):
    merged_into_purged(memory)
    memory.entities.change("Quuxelle", name="Zorblax", aliases=["Zor"])
    memory.purge(conversation="c1")
    (row,) = [row for row in memory.entities.all() if row.name == "Zorblax"]
    assert set(row.aliases) == {"Ana", "Zor"}


def test_what_cannot_be_meant_is_refused_and_changes_nothing(known):
    before = known.entities.all()
    for call in (
        lambda: known.entities.change("Ann", name="Ben"),
        lambda: known.entities.change("Ann"),
        lambda: known.entities.change("Ann", type="No Type"),
        lambda: known.entities.change("nobody at all", name="x"),
        lambda: known.entities.change(999_999, name="x"),
        lambda: known.entities.merge(["Ann"], "Ann"),
        lambda: known.entities.merge([], "Ann"),
        lambda: known.entities.delete(["nobody at all"]),
        lambda: known.entities.all(sort="size"),
    ):
        with pytest.raises(BadInput):
            call()
    assert known.entities.all() == before and known.acts.all() == []


def test_entities_are_paged_and_sorted(known):
    all_of_them, total = known.entities.page()
    assert total == len(all_of_them) == len({row.key for row in all_of_them})
    assert [row.name for row in all_of_them] == sorted(row.name for row in all_of_them)
    pages = [known.entities.all(limit=2, offset=n) for n in range(0, total, 2)]
    assert [row for page in pages for row in page] == all_of_them
    often = known.entities.all(sort="mentions")
    assert [row.mentions for row in often] == sorted((row.mentions for row in often), reverse=True)
    assert [row.type for row in known.entities.all(sort="type")] == sorted(row.type for row in all_of_them)
    people, count = known.entities.page("person", "nn", 1)
    assert (count, len(people)) == (2, 1)


def test_a_name_with_a_secret_is_masked_and_a_scan_finds_what_was_given_before(known, tmp_path):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    edit = known.entities.change("TechCorp", aliases=[f"the {secret[:40]} company"])
    assert not any(secret[:40] in name for name in edit.entity.aliases)
    with known._core.store.transaction():
        known._core.store.run("entity_word_add", entity=edit.entity.key, act=edit.act, kind="name", value=secret[:40])
        tidy(known._core.store, [edit.entity.key])
    assert known.redact_stored(True).titles == 2
    assert secret[:40] not in known.claims.entity("TechCorp").entity.name
    known.close()
    assert not [p for p in (tmp_path / "store").rglob("*") if p.is_file() and secret[:40].encode() in p.read_bytes()]


def test_of_several_of_one_name_the_number_that_lists_show_tells_which(known):
    known.remember_session("c", "s1", talk("Ann: My dad likes boats.", "Ben: My dad likes trains.", day=2))
    dads = {one.owner: one for one in known.entities.all("person", "dad", everything=True)}
    with pytest.raises(BadInput, match=rf"'dad' may mean 2 entities: .*Give its number, such as {dads['Ann'].key}"):
        known.entities.change("dad", name="Eric")
    assert known.entities.change(str(dads["Ben"].key), name="Eric").entity.key == dads["Ben"].key
    assert known.entities.change(f"#{dads['Ann'].key}", name="Otto").entity.owner == "Ann"


def test_a_name_of_digits_goes_before_a_number(known):
    ann = next(one for one in known.entities.all("person") if one.name == "Ann")
    ben = next(one for one in known.entities.all("person") if one.name == "Ben")
    known.entities.change("Ben", name=str(ann.key))
    assert known.entities.change(str(ann.key), aliases=["Benny"]).entity.key == ben.key
