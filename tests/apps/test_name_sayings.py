"""A name that nobody is known by is shown where it is said."""

from __future__ import annotations

import pytest

from engramma import Memory
from engramma.apps.name_sayings import LOOKED_AT, name_sayings
from tests.commands import ran
from tests.conftest import talk


@pytest.fixture
def store(tmp_path):
    with Memory.open(tmp_path / "store") as memory:
        chat = ("Ann: We were late again. Teodor forgot the keys, as ever.", "Ben: Is teodor a brand?")
        memory.remember_session("c1", "s", talk(*chat), title="Keys")
        memory.remember_session("c2", "s", talk("Ann: The dog sleeps. Teo is away.", day=2, prefix="u"))
    return tmp_path / "store"


def test_the_words_around_a_name_stand_beneath_nobody_is_known(store):
    refused = ran("--store", store, "person", "teodor")
    assert refused.returncode == 1 and "Nobody is known here as 'teodor'." in refused.stderr
    assert 'The name is said in 1 session:\n  2026-01-05  "Keys"  “Teodor forgot the keys' in refused.stderr
    assert "is said in" not in ran("--store", store, "person", "sleeps").stderr, "a word is no name"
    assert "is said in" not in ran("--store", store, "person", "Quorrax").stderr


def test_only_the_latest_are_shown_and_all_that_were_looked_at_counted(store):
    with Memory.open(store) as memory:
        for n in range(LOOKED_AT):
            memory.remember_session(
                f"d{n}", "s", talk(f"Ben: Teodor called again, call {n}.", day=5 + n, prefix=f"{n}")
            )
        first, *lines = name_sayings(memory, "Teodor")
    assert first == "The name is said in 20 of the latest 20 sessions:"
    assert len(lines) == 3 and "call 19" in lines[0]
