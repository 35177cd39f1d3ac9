"""What is counted: forgotten turns apart from what is remembered, and the same in every face."""

from __future__ import annotations

import json

import pytest

from engramma import Memory
from engramma.recall.session_pages import session_page
from tests.commands import ran
from tests.conftest import talk

pytestmark = pytest.mark.on("postgres")


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path) as opened:
        opened.remember_session("a", "s1", talk("Ann: The heron sleeps.", "Ben: The otter swims."))
        opened.remember_session("b", "s1", talk("Ann: The heron wakes.", day=1))
        opened.remember("The heron is a bird.")
        opened.remember("Bread needs salt.")
        yield opened


COUNTED = ("conversations", "sessions", "turns", "notes", "documents")


def test_what_is_forgotten_counts_apart_in_every_face(memory):
    before = memory.stats()
    assert [before[name] for name in COUNTED] == [2, 2, 5, 2, 0] and before["forgotten_turns"] == 0
    act = memory.forget(query="heron").act
    after, overview = memory.stats(), memory.admin.figures()
    assert [after[name] for name in COUNTED] == [1, 1, 2, 1, 0] and after["forgotten_turns"] == 3
    assert [overview[name] for name in COUNTED] == [after[name] for name in COUNTED]
    assert after["speakers"] == {"Ben": 1, "user": 1} and after["segments"] == 2
    assert after["first_turn"] == before["first_turn"]  # something of that session is left
    listed = {(row.conversation, row.id): row.turns for row in memory.sessions()}
    assert listed["a", "s1"] == 1 and listed["b", "s1"] == 0
    assert sum(listed.values()) == after["turns"]
    assert sum(row.segments for row in memory.sessions()) == after["segments"]
    assert sum(turns for _, turns in overview["activity"]) == after["turns"]
    memory.undo(act)
    again = memory.stats()
    assert {name: again[name] for name in COUNTED} == {name: before[name] for name in COUNTED}


def test_a_session_in_which_nothing_was_said_yet_counts(memory):
    with memory.session("c", "live") as live:
        before = memory.stats()
        live.add("Ann", "A fox.")
        assert memory.stats()["turns"] == before["turns"] + 1


def test_the_overview_counts_the_sessions_that_its_list_shows(memory):
    store = memory._core.store
    with store.transaction():
        store.run("session_add", conversation="c", id="empty", started_at=1, captured_at=1)
    assert (memory.stats()["sessions"], memory.admin.figures()["sessions"]) == (3, 2)
    bounds = dict.fromkeys(("conversation", "source", "since", "until", "words", "speaker", "topic"))
    assert session_page(memory._core, bounds, 10, 0)[1] == 2


@pytest.mark.not_on("postgres")
def test_stats_and_sessions_show_what_is_remembered_and_say_what_is_hidden(memory):
    shown = ran("--store", memory.path, "stats").stdout
    assert "2 conversations, 2 sessions (0 open), 5 turns" in shown and "hidden" not in shown
    memory.forget(query="heron wakes")
    assert (
        "1 turn forgotten (`engramma acts` says when, `engramma undo` brings it back)"
        in ran("--store", memory.path, "stats").stdout
    )
    memory.forget(query="heron")
    shown = ran("--store", memory.path, "stats").stdout
    assert "1 conversation, 1 session (0 open), 2 turns" in shown
    assert "hidden      3 turns forgotten (`engramma acts` says when, `engramma undo` brings them back)" in shown
    assert "Ann" not in shown
    listed = ran("--store", memory.path, "sessions").stdout
    assert "a/s1  1 turn" in listed and "b/s1" not in listed
    assert len(json.loads(ran("--store", memory.path, "sessions", "--json").stdout)) == 4


@pytest.mark.not_on("postgres")
def test_speakers_of_the_figures_go_by_the_users_name(memory):
    ran("--store", memory.path, "me", "Ann")
    assert "speakers    Ann 4, Ben 1" in ran("--store", memory.path, "stats").stdout
    figures = json.loads(ran("--store", memory.path, "stats", "--json").stdout)
    assert figures["speakers"]["user"] == 2 and figures["speakers_by_person"] == {"Ann": 4, "Ben": 1}
    assert memory.admin.figures()["top"] == [{"name": "Ann", "turns": 4}, {"name": "Ben", "turns": 1}]


def test_every_name_under_which_the_user_speaks_is_one_speaker(memory):
    memory.remember_session("c", "s1", talk("Ann Bell: Evening.", "Cleo: Hi."))
    assert "Ann Bell" in memory.stats()["speakers_by_person"]
    memory.people.me("Ann Bell")
    spoken = memory.stats()["speakers_by_person"]
    assert spoken["Ann Bell"] > 2 and "user" not in spoken and spoken["Cleo"] == 1
    assert sum(spoken.values()) == sum(memory.stats()["speakers"].values())


def test_a_forgotten_document_is_not_listed(memory, tmp_path):
    (tmp_path / "divorce.md").write_text("# Plan\n\nThe pump needs oil every spring.\n", encoding="utf-8")
    memory.documents.ingest(tmp_path / "divorce.md")
    assert [chunks for _, chunks in memory.documents.all()] == [1]
    act = memory.forget(query="pump").act
    assert memory.documents.all() == [] and memory.stats()["documents"] == 0
    memory.acts.undo(act)
    assert [chunks for _, chunks in memory.documents.all()] == [1]


def test_an_open_session_of_which_all_is_forgotten_counts_no_more(memory):
    memory.remember_session("live", "s1", talk("Ann: The pelican dives."), close=False)
    assert memory.stats()["open_sessions"] == 1
    memory.forget(query="pelican")
    assert memory.stats()["open_sessions"] == 0
