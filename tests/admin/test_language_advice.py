"""A store made for English, with talk in other languages: what is said about it, and what changes it."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from engramma import EmbedderMismatch, Memory
from engramma.admin.doctor import doctor
from engramma.admin.language_advice import language_advice
from engramma.apps.cli.main import app
from engramma.models.load import load
from tests.conftest import talk

COMMAND = "engramma reindex --embedder engramma-multi-1"
ENGLISH = (
    "Ana: I went to the dentist this morning and it hurt",
    "Ben: my sister is moving to the coast in spring",
    "Ana: we should book the train before it gets expensive",
    "Ben: the garden needs water every evening",
)
GERMAN = (
    "Ana: Ich habe gestern einen neuen Wagen gekauft",
    "Ben: Meine Schwester hat einen Hund und zwei Katzen",
    "Ana: Wir fahren im Sommer mit den Kindern ans Meer",
)


@pytest.fixture
def old(tmp_path):
    """A store as versions before engramma-multi-1 made it."""
    path = tmp_path / "old"
    with Memory.open(path, embedder="engramma-mini-1") as memory:
        memory.remember_session("c", "english", talk(*ENGLISH))
        memory.remember_session("c", "german", talk(*GERMAN, day=1, prefix="g"))
    return path


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments])


def found(memory, question):
    return memory.recall(question, recipe="vector").candidates[0].text


def test_a_new_store_has_the_encoder_of_all_languages(tmp_path):
    with Memory.open(tmp_path / "new") as memory:
        memory.remember_session("c", "s", talk(*ENGLISH, *GERMAN))
        assert memory.admin.embedder_spec == "engramma-multi-1"
        assert memory.admin.embedder_sha256 == load().sha256
        assert memory.admin.language_advice() is None
        assert "Wagen" in found(memory, "Who bought a car?")


def test_an_old_store_goes_on_with_the_encoder_it_was_made_with(old):
    with Memory.open(old) as memory:
        assert memory.admin.embedder.name == memory.admin.embedder_spec == "engramma-mini-1"
        assert "dentist" in found(memory, "Who went to the dentist?")
        memory.remember_session("c", "more", talk("Ana: the dentist called again", day=2, prefix="m"))
        assert [check for check in doctor(memory._core) if not check.ok] == []
    with pytest.raises(EmbedderMismatch, match=COMMAND):
        Memory.open(old, embedder="engramma-multi-1")


def test_a_reindex_moves_it_and_then_german_is_found_by_meaning(old, tmp_path):
    with Memory.open(old) as memory:
        assert "Wagen" not in found(memory, "Did anybody buy a car?")
    moved = run("--store", old, "reindex", "--embedder", "engramma-multi-1")
    assert moved.exit_code == 0 and "with engramma-multi-1" in moved.stdout
    with Memory.open(old) as memory:
        assert memory.admin.embedder_spec == "engramma-multi-1"
        assert "Wagen" in found(memory, "Did anybody buy a car?")
        assert "sister is moving" in found(memory, "Wer zieht an die Küste?")
        assert [check for check in doctor(memory._core) if not check.ok] == []
        graph = sorted(memory.graph()[1])
    with Memory.open(tmp_path / "fresh") as fresh:
        fresh.remember_session("c", "english", talk(*ENGLISH))
        fresh.remember_session("c", "german", talk(*GERMAN, day=1, prefix="g"))
        assert sorted(fresh.graph()[1]) == graph, "the same as if it had been made with it"


def test_a_reindex_that_names_no_encoder_leaves_it_the_one_it_has(old):
    assert "already embedded with engramma-mini-1" in run("--store", old, "reindex").stdout
    with Memory.open(old) as memory:
        assert memory.admin.embedder_spec == "engramma-mini-1"


@pytest.mark.parametrize("force", [False, True])
def test_vectors_of_english_are_kept_unless_forced(old, force, monkeypatch):
    model, embedded = load(), list[str]()
    embed = type(model).embed

    def noting(self, texts, kind="document", progress=None):
        embedded.extend(texts)
        return embed(self, texts, kind, progress)

    monkeypatch.setattr(type(model), "embed", noting)
    with Memory.open(old) as memory:
        before = vectors(memory)
        memory.admin.reindex(model, "engramma-multi-1", force=force)
        after = vectors(memory)
    assert len(before) == len(after) == len(ENGLISH) + len(GERMAN)
    assert set(GERMAN) <= set(embedded)
    assert (set(ENGLISH) <= set(embedded)) == force
    assert sum(after[key] == before[key] for key in before) == len(ENGLISH), "English has the same bits either way"


def vectors(memory):
    keys = json.dumps(memory._core.store.keys("keys_all").tolist())
    rows = memory._core.store.all("embeddings_by_keys", keys=keys)
    return {row["key"]: bytes(row["vector"]) for row in rows}


# --- what is said about it ----------------------------------------------------------------------


def test_doctor_and_status_name_the_command_once_and_stay_silent_afterwards(old):
    looked = run("--store", old, "doctor")
    assert looked.exit_code == 0, "advice is no failure"
    assert "all checks passed" in looked.stdout and looked.stdout.count(COMMAND) == 1
    assert "43 % of what was said is not in English" in looked.stdout
    assert COMMAND in json.loads(run("--store", old, "--json", "doctor").stdout)["advice"]
    assert run("--store", old, "status").stdout.count(COMMAND) == 1
    assert COMMAND in json.loads(run("--store", old, "--json", "status").stdout)["embedder"]["advice"]
    assert run("--store", old, "reindex", "--embedder", "engramma-multi-1").exit_code == 0
    assert COMMAND not in run("--store", old, "doctor").stdout + run("--store", old, "status").stdout


def test_a_few_words_in_another_language_are_no_reason_to_advise(tmp_path):
    with Memory.open(tmp_path / "s", embedder="engramma-mini-1") as memory:
        memory.remember_session("c", "s", talk(*ENGLISH * 8, GERMAN[0], "Ana: 我昨天买了一辆自行车"))
        assert memory.admin.language_advice() is None


def test_every_namespace_is_looked_at_and_few_segments_of_it(tmp_path, monkeypatch):
    monkeypatch.setattr("engramma.admin.language_advice.SAMPLE", 5)
    with Memory.open(tmp_path / "s", "one", embedder="engramma-mini-1") as memory:
        memory.remember_session("c", "s", talk(*ENGLISH * 3))
        assert language_advice(memory._core) is None
        with Memory.open(tmp_path / "s", "two") as other:
            other.remember_session("c", "s", talk(*(f"Ана: мы купили {number} красных яблок" for number in range(20))))
        assert "50 %" in str(language_advice(memory._core))
