"""Two machines on one server: neither keeps text files that the other could not take away."""

from __future__ import annotations

import pytest

from engramma import Memory
from engramma.admin.doctor import doctor
from engramma.store.engine import open_database
from engramma.transfer.export import export_lines
from tests.conftest import talk
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.engines


@pytest.fixture
def machines(schemas, tmp_path, monkeypatch):
    """Opens the shared store as one of two machines has it."""
    monkeypatch.setattr("engramma.namespaces.open.open_database", open_database)
    url = schemas.address("shared_by_two")

    def opened(machine: str) -> Memory:
        monkeypatch.setenv("ENGRAMMA_STORE", str(tmp_path / machine))
        return Memory.open(url, embedder=HashEmbedder())

    yield opened
    with opened("one") as memory:
        memory._core.store.database._with_connection(lambda c: c.execute("DROP SCHEMA shared_by_two CASCADE"))


def unwell(memory: Memory) -> list[str]:
    return [f"{check.name}: {check.detail}" for check in doctor(memory._core) if not check.ok]


def holding(folder, words: str) -> list[str]:
    return [str(p) for p in folder.rglob("*") if p.is_file() and words.encode() in p.read_bytes()]


def test_what_one_says_and_the_other_purges_is_in_no_file(machines, tmp_path):
    with machines("one") as one:
        one.remember_session("c", "s", talk("Ann: the safe stands behind the piano", "Ben: the piano is out of tune"))
        one.remember("the ladder is in the shed")
        assert unwell(one) == []
    with machines("two") as two:
        assert two.recall("safe").candidates[0].text == "the safe stands behind the piano"
        assert unwell(two) == []
        two.purge(query="the safe stands")
        assert "safe" not in "".join(export_lines(two._core)) and unwell(two) == []
    for machine in ("one", "two"):
        assert holding(tmp_path / machine, "behind the piano") == []
    assert list(tmp_path.rglob("archive")) == []


def test_text_files_of_an_earlier_version_are_found_and_go(machines):
    with machines("one") as one:
        one.remember_session("c", "s", talk("Ann: the safe stands behind the piano"))
        folder = one.path / "archive"
        for namespace in ("default", "gone since"):
            (folder / namespace / "c").mkdir(parents=True)
            (folder / namespace / "c" / "s.txt").write_text(
                f"namespace: {namespace}\nconversation: c\nthe safe stands\n"
            )
        (folder / "of the user.txt").write_text("mine")
        assert [line.split(":")[0] for line in unwell(one)] == ["archive matches"]
        doctor(one._core, fix=True)
        assert unwell(one) == []
        assert [path.name for path in folder.rglob("*") if path.is_file()] == ["of the user.txt"]
