"""Strength and important tags as evidence: by a weight of their own, and only by it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engramma import Memory
from engramma.recall.evidence import by_importance
from engramma.recall.recipes import EVIDENCE, RECIPES
from tests.conftest import talk
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.on("postgres", "encrypted")

WEIGHED = replace(RECIPES["default"], weights={**EVIDENCE, "importance": 3.0})


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as opened:
        opened.remember_session("c", "s", talk("Ana: the boat lies in the harbour", "Ben: nice"))
        opened.remember("the red boat needs paint", strength=0.0)
        opened.remember("a blue boat wants ropes", strength=1.0)
        opened.remember("our old boat got sails", tags=["Important"])
        opened.remember("some boat was sold then")
        yield opened


def test_what_each_is_worth(memory):
    store = memory._core.store
    segments = store.hydrate(store.keys("keys_all").tolist())
    found = dict(zip(segments, by_importance(store, list(segments)).tolist(), strict=True))
    assert {segments[key].text: value for key, value in found.items() if segments[key].kind == "note"} == {
        "the red boat needs paint": -1.0,
        "a blue boat wants ropes": 1.0,
        "our old boat got sails": 1.0,
        "some boat was sold then": 0.0,
    }
    assert {value for key, value in found.items() if segments[key].kind != "note"} == {0.0}


def test_the_weight_moves_notes_and_is_told(memory):
    plain, weighed = (memory.recall("boat", recipe=plan).entries for plan in (RECIPES["default"], WEIGHED))
    assert not any("importance" in c.evidence for c in plain), "0 by default: nothing is read for it"
    assert {c.text for c in weighed[:2]} == {"a blue boat wants ropes", "our old boat got sails"}
    added = {c.text: c.evidence.get("importance", 0.0) for c in weighed}
    assert added["a blue boat wants ropes"] == 3.0 and added["the red boat needs paint"] == -3.0
    assert added["some boat was sold then"] == 0.0
