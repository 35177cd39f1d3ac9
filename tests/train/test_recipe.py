"""The whole recipe with a random tiny encoder, on a CPU, in seconds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from tests.train import made_up  # noqa: E402
from train import (  # noqa: E402
    batches,
    distil,
    evaluate,
    export,
    finetune,
    mine,
    model,
    parts,
    run,
    settings,
    weights,
)

SHAPE = model.Shape(layers=2, heads=2, hidden=32, inner=64)
TEACHER = model.Shape(layers=1, heads=2, hidden=48, inner=64, words=30527, positions=514, epsilon=1e-5, buckets=32)


@pytest.fixture(scope="module")
def config() -> settings.Config:
    return settings.load(tiny=True)


@pytest.fixture(scope="module")
def student() -> model.Encoder:
    torch.manual_seed(1)
    return model.Encoder(SHAPE)


def test_the_corpus_reports_its_pairs_and_no_leak(data: Path) -> None:
    report = json.loads((data / "corpus.json").read_text())
    assert report["pairs"]["evidence"] > 0 and report["pairs"]["forms"] > 0
    assert report["leakage"]["shared"] == 0


def test_the_recipe_runs_from_distillation_to_a_model_the_package_loads(
    data: Path, student: model.Encoder, config: settings.Config, tmp_path: Path
) -> None:
    teacher = model.Encoder(TEACHER)
    distilled, went = distil.train(student, teacher, data, config)
    assert went["loss"] > 0
    tutor = run.tutored(teacher, data, config)
    again, _ = run.taught_again(distilled, tutor, data, config)
    encoder = run.tuned([again, distilled], data, config, mine.mined(distilled, data, config))
    figures = evaluate.with_torch(data, encoder, config)
    assert set(figures) >= {"locomo", "longmemeval_apart", "codes", "everyday_auroc"}
    path = tmp_path / "model.safetensors"
    weights.write_safetensors(path, model.take(encoder))
    export.export(path, made_up.TOKENIZER, tmp_path / "made", export.config_of(path, SHAPE.heads))
    whole, small = (evaluate.with_package(data, tmp_path / "made" / name, config) for name in ("fp32", "int8"))
    assert whole["locomo"] == figures["locomo"]
    assert small["locomo_by_dimension"].keys() == {"32", "16"}


def test_the_same_seed_gives_the_same_weights(data: Path, student: model.Encoder, config: settings.Config) -> None:
    one, two = (model.take(finetune.train(student, data, config)[0]) for _ in range(2))
    assert all((one[name] == two[name]).all() for name in one)


def test_mined_negatives_are_never_the_answer(data: Path, student: model.Encoder, config: settings.Config) -> None:
    found = mine.mined(student, data, config)
    pairs = batches.Pairs(data, config, ([2], [3]), torch.device("cpu"))
    rows, places = (found >= 0).nonzero()
    assert len(rows)
    assert (pairs.origin[found[rows, places]] != pairs.origin[pairs.turn[rows]]).all()


def test_every_kind_of_pair_can_be_left_out(data: Path, config: settings.Config) -> None:
    for kind in ("evidence", "forms", "exchange"):
        pairs = batches.Pairs(data, run.changed(config, kind), ([2], [3]), torch.device("cpu"))
        assert kind not in pairs.by_kind
        assert len(pairs.draw().queries) == config.finetune.batch


def test_own_documents_are_never_hidden(data: Path, config: settings.Config) -> None:
    batch = batches.Pairs(data, config, ([2], [3]), torch.device("cpu")).draw()
    assert not batch.hidden[torch.arange(len(batch.own)), batch.own].any()
    assert len(batch.documents) == batch.hidden.shape[1] == len(batch.document_names)


def test_parts_join_to_the_same_files(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PART", 4096)
    made = parts.pack(parts.bundle(data, None, None), tmp_path / "carry")
    assert len(made) > 2
    done = [parts.unpack(place, tmp_path / "work") for place in made]
    assert done == [False] * (len(made) - 1) + [True]
    assert (tmp_path / "work/data/pairs.npz").read_bytes() == (data / "pairs.npz").read_bytes()


def test_weights_survive_the_way_back(student: model.Encoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "RETURNED", 2**19)
    weights.write_safetensors(tmp_path / "a.safetensors", model.take(student))
    made = export.split(tmp_path / "a.safetensors", tmp_path)
    assert len(made) > 1
    export.join(made, tmp_path / "b.safetensors")
    before, after = weights.read(tmp_path / "a.safetensors"), weights.read(tmp_path / "b.safetensors")
    assert all(abs(before[name] - after[name]).max() < 2e-3 for name in before)
