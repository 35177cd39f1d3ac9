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


def test_the_day_is_that_of_the_words_and_not_of_the_whole_document(store, tmp_path):
    diary = "# Diary\n\n## 2026-03-09\nAlasdair does not know yet.\n\n## 2026-11-16\nThe boat is out of the water.\n"
    (tmp_path / "diary.md").write_text(diary, encoding="utf-8")
    with Memory.open(store) as memory:
        memory.documents.ingest(tmp_path / "diary.md")
        assert name_sayings(memory, "Alasdair")[1:] == ['  2026-03-09  "diary.md"  “Alasdair does not know yet.”']


def test_a_name_that_chats_write_small_counts_and_a_word_does_not(store):
    with Memory.open(store) as memory:
        memory.remember_session("c3", "s", talk("Ann: quorrin has the van", "Ben: mark the date", day=3, prefix="x"))
        memory.remember_session("c4", "s", talk("Ann: I saw Quorrin and Mark today.", day=4, prefix="y"))
        memory.remember_session("c5", "s", talk("Ann: ravi is off", day=5, prefix="z"))
        days = [line[2:12] for line in name_sayings(memory, "Quorrin")[1:]]
        assert days == ["2026-01-09", "2026-01-08"]
        assert name_sayings(memory, "Mark")[0] == "The name is said in 1 session:"
        assert name_sayings(memory, "Ravi")[1].endswith("“ravi is off”"), "a given name is no word"
