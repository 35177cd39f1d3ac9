"""Who types a name that nobody has is asked whom they mean, by every command that takes a name."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engramma import Memory, Turn
from tests.commands import ran

SAID = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    store = tmp_path_factory.mktemp("store")
    with Memory.open(store) as memory:
        turns = [
            Turn("Rhona Mackay", "I moved to Oban in May. My sister Morag lives in Leith.", SAID),
            Turn("Isla Baird", "I work at the bakery in Oban. Morag phoned me, Rhona.", SAID),
        ]
        memory.remember_session("c1", "s", turns, title="Oban")
        memory.claims.all()
    return lambda *arguments: ran("--store", store, *arguments)


ASKED = "Did you mean Rhona Mackay?"


@pytest.mark.parametrize(
    "command",
    [
        ("person", "Rona"),
        ("recall", "--speaker", "Rona", "Oban"),
        ("forget", "--speaker", "Rona"),
        ("purge", "--speaker", "Rona", "--yes"),
        ("entity", "Rona"),
        ("claims", "Rona"),
        ("decisions", "Rona"),
        ("entities", "merge", "Rona", "Isla Baird"),
        ("entities", "rename", "Rona", "Rhonda"),
    ],
)
def test_a_misspelt_name_is_asked_about(run, command):
    assert ASKED in run(*command).stderr


@pytest.mark.parametrize("command", ["forget", "purge"])
def test_forgetting_what_nobody_said_says_that_nobody_is_called_so(run, command):
    told = run(command, "--speaker", "Zebulon").stderr
    assert told == "Nobody called 'Zebulon' has spoken here.\n"
    whole = run(command, "--speaker", "rhona").stderr
    assert whole == f"Nobody called 'rhona' has spoken here. {ASKED}\n", "what goes is named in full"
    assert "has spoken here" not in run(command, "--speaker", "Isla Baird", "--since", "2030-01-01").stderr


def test_whoever_is_known_and_has_nothing_is_not_asked_about(run):
    assert "Did you mean" not in run("claims", "Rhona Mackay", "--relation", "fears").stderr
    assert "Did you mean" not in run("decisions", "Isla").stderr
