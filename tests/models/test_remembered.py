"""What the other tests are given in the place of the packaged models says the very same."""

from __future__ import annotations

import numpy as np
import pytest

from engramma.models.reader import Passage, load_reader
from tests.remembered import RememberedEmbedder, remembered

TEXTS = ["Tom: the pasta needs more salt", "", "Das Fahrrad ist rot", "Tom: the pasta needs more salt", "日本語"]


@pytest.fixture(scope="module")
def packaged(one_encoder):
    return one_encoder["load_packaged"]()


def test_every_text_has_the_bits_of_the_encoder_however_often_it_is_asked(packaged):
    kept = RememberedEmbedder(packaged)
    for texts in (TEXTS[:2], TEXTS, TEXTS[::-1], []):
        for kind in ("document", "query"):
            steps: list[int] = []
            found = kept.embed(texts, kind, steps.append)
            assert found.dtype == np.float32 and np.array_equal(found, packaged.embed(texts, kind))
            assert sum(steps) == len(texts)
    assert (kept.name, kept.sha256, kept.dimension) == (packaged.name, packaged.sha256, packaged.dimension)


def test_what_is_given_out_can_be_changed_and_nothing_else_changes(packaged):
    kept = RememberedEmbedder(packaged)
    kept.embed(TEXTS)[:] = 0
    assert np.array_equal(kept.embed(TEXTS), packaged.embed(TEXTS))


def test_a_text_is_embedded_once_and_a_passage_read_once(packaged):
    asked: list[str] = []

    class Asked:
        def embed(self, texts, kind, progress):
            asked.extend(texts)
            return packaged.embed(texts, kind, progress)

    kept = RememberedEmbedder(Asked())
    kept.embed(TEXTS)
    kept.embed(TEXTS)
    assert asked == list(dict.fromkeys(TEXTS))
    reader, passage = load_reader(), Passage("I moved to Ghent in May.", "Ana")
    questions = ("Where?", "When?", "Where?")
    read: list[str] = []
    kept_reading = remembered(lambda question, passage: read.append(question) or reader._read(question, passage))
    assert [kept_reading(one, passage) for one in questions] == [reader._read(one, passage) for one in questions]
    assert read == ["Where?", "When?"]


def test_these_are_the_models_themselves(packaged):
    """Here nothing is remembered: tests/models/conftest.py sees to it."""
    from engramma.models.load import load

    assert load() is packaged and not isinstance(packaged, RememberedEmbedder)
    assert type(load_reader())._read.__name__ == "_read"
