"""A running daemon answers `recall` and `ask`, and what they print is what they would print without it."""

from __future__ import annotations

import dataclasses
import json
import shutil
import time
from pathlib import Path

import pytest

from engramma import Memory
from engramma.apps.cli import served as client
from engramma.apps.cli.common import chosen
from engramma.apps.daemon import control
from engramma.apps.daemon.folder import place_in, read_json, write_json
from engramma.records import Query
from tests.commands import ran

pytestmark = pytest.mark.long

TALK = {
    "monday": "My cat is called Pixel and she sleeps on the piano.",
    "tuesday": "The flight to Lisbon leaves on 3 March at nine.",
    "wednesday": "I paint sunsets over the harbour with Ana.",
}
SHOWN = (
    ("recall", "What is the cat called?"),
    ("recall", "the flight to Lisbon", "-k", "1", "--full"),
    ("recall", "What is the cat called?", "--explain", "--conversation", "kitchen", "--since", "2020-01-01"),
    ("recall", "quantum chromodynamics of gluons"),
    ("recall", "harbour", "--recipe", "bm25", "--context", "We met in the harbour", "--as-of", "2036-01-01T10:00"),
    ("ask", "What is my cat called?"),
    ("ask", "What is my cat called?", "--no-llm", "--json"),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory):
    store = tmp_path_factory.mktemp("answered") / "store"
    with Memory.open(store) as memory:
        for session, text in TALK.items():
            talk = memory.session("kitchen", session)
            talk.add("Ben", text)
            talk.close()
    control.start_daemon(store, ["--port", "0"])
    yield store
    control.stop_daemon(store)


@pytest.fixture
def asked(monkeypatch):
    """The commands that a daemon has answered."""
    answered: list[str] = []

    def noting(command, call):
        printed = printed_by_daemon(command, call)
        if printed is not None:
            answered.append(command)
        return printed

    from engramma.apps.cli import ask, recall

    printed_by_daemon = client.printed_by_daemon
    for module in (ask, recall):
        monkeypatch.setattr(module, "printed_by_daemon", noting)
    return answered


def without_daemon(monkeypatch, *arguments):
    with monkeypatch.context() as patch:
        patch.setattr("engramma.apps.cli.served.running", lambda *_: None)
        return ran(*arguments)


@pytest.mark.parametrize("arguments", SHOWN, ids=" ".join)
def test_the_same_is_printed_with_a_daemon_and_without(store, asked, monkeypatch, arguments):
    with_it = ran(*arguments, "--store", store)
    assert asked == [arguments[0]]
    alone = without_daemon(monkeypatch, *arguments, "--store", store)
    assert asked == [arguments[0]]
    assert (with_it.returncode, with_it.stdout, with_it.stderr) == (alone.returncode, alone.stdout, alone.stderr)


def test_json_is_the_same_but_for_the_time_it_took(store, asked, monkeypatch):
    arguments = ("recall", "What is the cat called?", "--json", "--store", store)
    with_it, alone = ran(*arguments), without_daemon(monkeypatch, *arguments)
    assert asked == ["recall"]
    found, expected = json.loads(with_it.stdout), json.loads(alone.stdout)
    assert list(found["trace"]["timings_ms"]) == list(expected["trace"]["timings_ms"])
    found["trace"]["timings_ms"] = expected["trace"]["timings_ms"] = {}
    assert found == expected
    assert json.dumps(found) == json.dumps(expected)


def test_what_is_wrong_is_said_in_the_same_words(store, asked, monkeypatch):
    for arguments in (
        ("recall", "cat", "--recipe", "nonsense"),
        ("recall", "cat", "-k", "0"),
        ("recall", "cat", "--as-of", "yesterday-ish"),
        ("recall", "cat", "--namespace", "nobody"),
        ("ask", ""),
    ):
        with_it = ran(*arguments, "--store", store)
        alone = without_daemon(monkeypatch, *arguments, "--store", store)
        assert with_it.returncode == alone.returncode != 0
        assert (with_it.stdout, with_it.stderr) == (alone.stdout, alone.stderr)
    assert asked == []


def test_another_version_is_not_asked(store, asked):
    place = place_in(store)
    state = read_json(place.state)
    write_json(place.state, {**state, "version": "0.0.1"})
    try:
        assert "Pixel" in ran("recall", "What is the cat called?", "--store", store).stdout
        assert asked == []
    finally:
        write_json(place.state, state)


def test_a_daemon_of_the_original_does_not_answer_for_a_copy(store, asked, tmp_path):
    """A copied folder has the token and the state file of the daemon that serves the original."""
    copy = tmp_path / "copy"
    shutil.copytree(store, copy, ignore=shutil.ignore_patterns("memory.db-*", "lock", "spool"))
    with Memory.open(copy) as memory:
        memory.remember("The parrot is called Coco.")
    assert "Coco" in ran("recall", "What is the parrot called?", "--store", copy).stdout
    assert asked == []


def test_other_settings_are_the_commands_own(store, asked, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setenv("ENGRAMMA_RECIPES_DEFAULT_POOL", "7")
        assert "Pixel" in ran("recall", "What is the cat called?", "--store", store).stdout
    assert asked == []
    settings = store / "config.toml"
    settings.write_text("[recipes.default]\npool = 7\n", encoding="utf-8")
    try:
        assert "Pixel" in ran("recall", "What is the cat called?", "--store", store).stdout
        assert asked == []
    finally:
        settings.unlink()
    ran("recall", "What is the cat called?", "--store", store)
    assert asked == ["recall"]


def test_a_daemon_in_another_time_zone_is_not_asked(store, asked, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert ran("recall", "cat", "--store", store).returncode == 0
    assert asked == []


def test_a_daemon_that_breaks_off_costs_nothing_but_time(store, asked, monkeypatch):
    def nonsense(_, connection):
        connection.close()
        return {"lines": 3}

    monkeypatch.setattr("engramma.apps.hooks.ask.HookClient.reply", nonsense)
    assert "Pixel" in ran("recall", "What is the cat called?", "--store", store).stdout
    assert asked == []


def test_a_store_without_a_daemon_has_nobody_to_ask(tmp_path, monkeypatch):
    monkeypatch.setattr(chosen, "store", Path(tmp_path))
    assert client.printed_by_daemon("recall", {}) is None


def test_a_command_whose_settings_name_another_database_is_not_answered_from_this_one(store, asked, monkeypatch):
    monkeypatch.setenv("ENGRAMMA_STORE_ENGINE", "postgres://nobody@127.0.0.1:1/x")
    refused = ran("recall", "What is the cat called?", "--store", store)
    assert asked == [] and refused.returncode != 0 and "Pixel" not in refused.stdout


@pytest.mark.parametrize("wrong", [{"topic": 10**30}, {"k": "many"}, {"nonsense": 1}, {"budget_tokens": 10**400}])
def test_a_hostile_call_is_refused_and_no_failure(store, wrong):
    place = place_in(store)
    daemon = client.running(place, "default", time.monotonic() + 30)
    by = client.circumstances(store, daemon.token)
    query = {**dataclasses.asdict(Query("cat")), **wrong}
    call = {"query": query, "recipe": None, "json": False, "full": False, "explain": False, "screen": [0, 24]}
    with daemon.ask("command", {"command": "recall", "call": call, "by": by}) as connection:
        connection.settimeout(30)
        assert connection.recv(1000).split(b" ", 2)[1] == b"409"


def test_a_daemon_that_hangs_is_not_waited_for(store, monkeypatch):
    waited: list[float] = []

    def dial(_, token, seconds):
        waited.append(seconds)
        raise TimeoutError

    monkeypatch.setattr("engramma.apps.hooks.ask.dial", dial)
    assert "Pixel" in ran("recall", "What is the cat called?", "--store", store).stdout
    assert waited and max(waited) <= client.DIAL_SECONDS
