"""`me` in the shell, and what is said to a name that is only a part of one."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from engramma import Memory, Turn
from tests.commands import ran
from tests.conftest import talk


@pytest.fixture
def store(tmp_path):
    with Memory.open(tmp_path) as memory:
        memory.remember_session("chat", "s1", talk("user: I work at Volvo.", "assistant: Good."))
        memory.remember_session("phone", "s1", talk("Nora Lindqvist: I moved to Lyon.", "Johan Berg: Oh.", day=1))
    return tmp_path


def test_me_says_who_it_is_and_undo_takes_it_back(store):
    assert "Nobody has said" in ran("--store", store, "me").stderr
    assert "You are Nora Lindqvist." in ran("--store", store, "me", "Nora Lindqvist").stdout
    assert ran("--store", store, "me").stdout == "Nora Lindqvist\n"
    people = ran("--store", store, "people").stdout
    assert "user" not in people and "2 claims" in people and "0 claims" in people
    assert ran("--store", store, "entities", "undo").returncode == 0
    people = ran("--store", store, "people").stdout
    assert "user" in people and "1 claim " in people


def test_who_speaks_by_the_first_name_is_the_user_too(store):
    told = ran("--store", store, "me", "Johan Vonlanthen")  # Johan Berg is somebody else
    assert told.stdout == "You are Johan Vonlanthen.\n"
    ran("--store", store, "undo", "--yes")
    with Memory.open(store) as memory:
        memory.remember_session("hut", "s1", talk("Oriel: I like rain.", "Ben: I see.", day=2))
    told = ran("--store", store, "me", "Oriel Vonlanthen")
    assert told.stdout == "You are Oriel Vonlanthen. Oriel speaks here, too, and is you now.\n"
    people = ran("--store", store, "people").stdout
    assert "Oriel Vonlanthen" in people and "Oriel\n" not in people and "user" not in people
    assert json.loads(ran("--store", store, "me", "--json").stdout)["name"] == "Oriel Vonlanthen"
    ran("--store", store, "undo", "--yes")  # both are told apart again
    people = ran("--store", store, "people").stdout
    assert "Oriel\n" in people and "user\n" in people


def test_a_first_name_that_two_may_have_is_offered(store):
    with Memory.open(store) as memory:
        memory.remember_session("hut", "s1", talk("Nora: I like rain.", "Ben: I see.", day=2))
        memory.remember_session("hut", "s2", talk("Ben: Nora Berg bought a boat.", "Ben: Nora Berg sails.", day=3))
    told = ran("--store", store, "me", "Nora Vonlanthen")
    assert told.stdout == "You are Nora Vonlanthen.\n"
    assert "If that is you: `engramma entities merge Nora 'Nora Vonlanthen'`." in told.stderr


def test_a_first_name_that_one_alone_has_is_offered_with_the_command_that_joins_them(store):
    told = ran("--store", store, "me", "Nora")
    merge = "engramma entities merge Nora 'Nora Lindqvist'"
    assert f"Only Nora Lindqvist of that first name speaks here. If that is you: `{merge}` makes" in told.stderr
    assert ran("--store", store, "me").stdout == "Nora\n", "nobody is taken for another unasked"
    assert ran("--store", store, *merge.replace("'", "").split(" ", 4)[1:4], "Nora Lindqvist").returncode == 0
    assert ran("--store", store, "me").stdout == "Nora Lindqvist\n"


def test_two_of_one_first_name_are_both_offered(store):
    with Memory.open(store) as memory:
        memory.remember_session("hut", "s1", talk("Nora Berg: I like rain.", "Ben: I see.", day=2))
    told = ran("--store", store, "me", "Nora").stderr
    assert "merge Nora 'Nora Lindqvist'`." in told and "merge Nora 'Nora Berg'`." in told and "Only" not in told


def test_who_is_known_by_both_names_is_told(store):
    with Memory.open(store) as memory:
        memory.remember_session("hut", "s1", talk("Nora: I like rain.", "Ben: I see.", day=2))
        memory.people.all()
        joined = memory.acts.latest_undoable()
        assert joined is not None
        memory.undo(joined.id)
    told = ran("--store", store, "me", "Nora Lindqvist")
    assert "You are Nora Lindqvist." in told.stdout and "Nora speaks here, too. If that is you" in told.stderr


def test_after_me_ask_and_recall_say_the_name(store):
    assert "user:" in ran("--store", store, "ask", "Where do I work?").stdout
    ran("--store", store, "me", "Nora Lindqvist")
    asked = ran("--store", store, "ask", "Where do I work?").stdout
    assert asked.startswith("Volvo\n") and "chat t1, Nora Lindqvist:" in asked and "user" not in asked
    assert "Nora Lindqvist: I work at Volvo." in ran("--store", store, "recall", "Volvo").stdout
    value = json.loads(ran("--store", store, "ask", "Where do I work?", "--json").stdout)
    assert value["reason"].startswith("Nora Lindqvist said so in ") and value["evidence"][0]["speaker"] == "user"


def test_after_me_every_command_that_people_read_says_the_name(store):
    with Memory.open(store) as memory:
        memory.remember("The spare key is under the pot.")
        memory.remember("The spare key is under the pot!")
        segment = memory.recall("Volvo").candidates[0].segment_id
        note = memory.notes.all()[0].id
    commands = [
        ("show", "chat"),
        ("show", segment),
        ("show", note),
        ("notes",),
        ("notes", note),
        ("match", "Where do I work?"),
        ("claims", "--conversation", "chat"),
        ("forget", "--query", "Volvo"),
        ("purge", "--query", "Volvo"),
        ("forget", "--query", "Volvo", "--yes"),
    ]
    ran("--store", store, "me", "Nora Lindqvist")
    for one in commands:
        shown = ran("--store", store, *one).stdout
        assert "Nora Lindqvist" in shown and "user" not in shown, one
    value = json.loads(ran("--store", store, "show", "chat", "--json").stdout)
    assert [turn["speaker"] for turn in value["sessions"][0]["turns"]] == ["assistant"]
    assert "] user: " in json.loads(ran("--store", store, "purge", "--query", "Volvo", "--json").stdout)["sample"][0]


def test_a_part_of_a_name_is_answered_with_the_whole_one(store):
    shown = ran("--store", store, "person", "Lindqvist")
    assert shown.returncode != 0 and "Did you mean Nora Lindqvist?" in shown.stderr
    assert "Did you mean Johan Berg?" in ran("--store", store, "forget", "--speaker", "Johan").stderr


def test_a_first_name_or_one_without_its_accents_is_enough_where_only_one_has_it(store):
    with Memory.open(store) as memory:
        memory.remember_session("club", "s1", talk("Siân Slams: I live in Barmouth.", "Johan Ek: I ski.", day=2))
    assert ran("--store", store, "person", "nora").stdout.startswith("Nora Lindqvist\n")
    assert ran("--store", store, "person", "Sian").stdout.startswith("Siân Slams\n")
    assert "Siân Slams lives in Barmouth" in ran("--store", store, "claims", "sian").stdout
    several = ran("--store", store, "person", "Johan")
    assert several.returncode != 0 and "Which one: Johan " in several.stderr and "Johan Ek" in several.stderr
    nobody = ran("--store", store, "person", "Gethin").stderr
    assert "Nobody is known here as 'Gethin'." in nobody and "`engramma recall Gethin`" in nobody


def test_mum_is_whom_the_user_called_so_by_name(store):
    with Memory.open(store) as memory:
        said = ("user: My mum Eluned lives in Tywyn. My brother Huw lives in Perth.", "assistant: I see.")
        memory.remember_session("home", "s1", talk(*said, "user: My brother Rhys lives in Bala.", day=2))
    assert "Nobody is known here as 'mum'." in ran("--store", store, "person", "mum").stderr
    ran("--store", store, "me", "Nora Lindqvist")
    assert ran("--store", store, "person", "mum").stdout.startswith("Eluned\n")
    assert "Nobody is known here as 'brother'." in ran("--store", store, "person", "brother").stderr  # there are two


def test_an_import_that_says_who_the_user_is_tells_so(store, tmp_path_factory):
    ran("--store", store, "me", "Nora Lindqvist")
    told = ran("--store", store, "export").stdout
    file, other = tmp_path_factory.mktemp("export") / "memory.jsonl", tmp_path_factory.mktemp("other")
    file.write_text(told, encoding="utf-8")
    said = "You are Nora Lindqvist here now, as the export says. `engramma undo` takes it back."
    assert said in ran("--store", other, "import", file).stderr
    assert "here now" not in ran("--store", other, "import", file).stderr
    assert ran("--store", other, "undo", "--yes").returncode == 0
    assert ran("--store", other, "me").stdout == ""


def test_acts_call_people_by_their_names_and_keep_none(store):
    ran("--store", store, "me", "Nora Lindqvist")
    assert "entity       the user is Nora Lindqvist\n" in ran("--store", store, "acts").stdout
    assert "the user is Nora Lindqvist" in ran("--store", store, "undo", "--yes").stderr
    ran("--store", store, "entities", "delete", "Johan Berg")
    with Memory.open(store) as memory:
        assert memory.acts.all(1)[0].reason == "deleted: Johan Berg"
        stored = [row["reason"] for row in memory._core.store.all("acts_latest", limit=9)]
    assert not any("Nora" in reason or "Berg" in reason for reason in stored)


def test_an_undone_act_says_no_other_name_than_it_gave(store):
    ran("--store", store, "me", "Nora Lindqvist")  # who speaks elsewhere, and keeps her name
    ran("--store", store, "undo", "--yes")
    assert "the user is Nora Lindqvist  (undone " in ran("--store", store, "acts").stdout
    ran("--store", store, "me", "Ida Holm")  # whom nothing else names
    ran("--store", store, "undo", "--yes")
    assert "the user is somebody  (undone " in ran("--store", store, "acts").stdout.splitlines()[0]
    ran("--store", store, "me", "Eva Lund")
    last, before, first = ran("--store", store, "acts").stdout.splitlines()
    assert last.endswith("the user is Eva Lund") and "the user is somebody  (undone " in before
    assert "the user is Nora Lindqvist  (undone " in first


def test_where_nothing_is_decided_only_that_is_said(store):
    with Memory.open(store) as memory:
        memory.remember_session("mail", "s1", talk("Johan Berg: I like tea.", day=2))
    assert "2 conversations" in ran("--store", store, "people").stdout
    made = "One is made where something of a person's may be the same in two conversations.\n"
    assert ran("--store", store, "decisions").stderr == f"There are no decisions. {made}"
    assert (
        ran("--store", store, "decisions", "Johan Berg").stderr == f"There are no decisions about 'Johan Berg'. {made}"
    )


def test_a_name_of_two_lines_is_listed_in_one(tmp_path):
    with Memory.open(tmp_path) as memory:
        memory.remember_session(
            "chat", "s1", [Turn("Ann\nNo claims. Bo", "I work at Volvo.", datetime(2026, 3, 1, tzinfo=UTC))]
        )
    for command in ("claims", "entities list"):
        shown = ran("--store", tmp_path, *command.split()).stdout
        assert not any(line.startswith("No claims. Bo") for line in shown.splitlines()), shown


def test_forgetting_what_the_user_said_takes_every_name_and_says_so(store):
    ran("--store", store, "me", "Nora Lindqvist")
    for name in ("Nora Lindqvist", "user"):
        told = ran("--store", store, "forget", "--speaker", name)
        assert told.stdout.startswith("would go: 2 turns") and "user:" not in told.stdout
        assert "You speak here as Nora Lindqvist and as user: all of it is meant." in told.stderr
        assert ran("--store", store, "purge", "--speaker", name).stdout.startswith("would go: 2 turns")
    told = ran("--store", store, "forget", "--speaker", "Johan Berg")
    assert told.stdout.startswith("would go: 1 turn ") and "You speak" not in told.stderr
    assert "Volvo" in ran("--store", store, "recall", "Volvo", "-s", "nora").stdout


def test_a_mother_who_has_no_name_is_shown_with_what_was_said_of_her(store):
    with Memory.open(store) as memory:
        said = ("user: My mother sold her boat in May. She's 71.", "assistant: I see.")
        memory.remember_session("boat", "s1", talk(*said, day=2))
    ran("--store", store, "me", "Nora Lindqvist")
    shown = ran("--store", store, "person", "mother")
    assert shown.stdout.startswith("Nora Lindqvist's mother\n") and "sold boat" in shown.stdout
