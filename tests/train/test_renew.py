"""The packaged encoder learns on: the whole recipe with a random tiny encoder, on a CPU, in seconds."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from tests.train import made_up  # noqa: E402
from tests.train.test_devsets import SENTENCE  # noqa: E402
from train import batches, devsets, measure, mine, model, renew, settings  # noqa: E402

SHAPE = model.Shape(layers=2, heads=2, hidden=32, inner=64)


@pytest.fixture(scope="module")
def config() -> settings.Config:
    return settings.load(tiny=True, renew=True)


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, pack = tmp_path_factory.mktemp("devsets"), devsets.Pack()
    turns = [("1", "user", "I adopted a parrot named Kiwi."), ("2", "assistant", SENTENCE * 20)]
    devsets.talks(pack, None, "beam", iter([("c", [("1", None, turns)], [("Which pet?", "x", ["1"])])]), True)
    devsets.save(pack, made_up.TOKENIZER, folder)
    return folder


def test_two_seeds_and_their_mean_keep_the_word_vectors(data: Path, sets: Path, config: settings.Config) -> None:
    torch.manual_seed(1)
    start = model.Encoder(SHAPE).eval()
    ends = renew.renewed(start, data, config, mine.mined(start, data, config))
    assert len(ends) == 2
    made = renew.mean([start, *ends], [0.5, 0.25, 0.25])
    before, after = (model.take(encoder) for encoder in (start, made))
    assert (before["embeddings.word_embeddings.weight"] == after["embeddings.word_embeddings.weight"]).all()
    assert (before[renew.FIRST] != after[renew.FIRST]).any()
    figures = measure.figures(made, sets)
    assert {"beam", "long", "beam whole", "long typos", "mean"} <= figures.keys()
    assert "largest loss" in measure.table({"a": figures | dict.fromkeys(measure.CHOSEN, 1.0)})


def test_the_best_window_of_many_is_worth_less_than_that_of_one() -> None:
    scores = torch.tensor([[0.5, 0.5, 0.1, 0.1]])
    one, three = measure.corrected(scores, torch.tensor([0, 1, 1, 1]))[0].tolist()
    assert one == 0.5 and three < 0.5


def test_a_request_has_no_negatives_in_its_own_conversation(data: Path, config: settings.Config) -> None:
    pairs = batches.Pairs(data, config, ([2], [3]), torch.device("cpu"))
    rows = pairs.by_kind["need"]
    same = pairs.session[pairs.turn[rows]][:, None] == pairs.session[None]
    assert pairs._hidden(rows, torch.arange(len(pairs.forms)).numpy())[same].all()
