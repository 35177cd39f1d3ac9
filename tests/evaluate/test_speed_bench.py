"""evaluate/bench/speed.py: its talk, its networks and its tables. What it measures is not timed here."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from engramma import Conversation, sources
from engramma.models.packaged import load_mini

ROOT = Path(__file__).parents[2]
BENCH = ROOT / "evaluate" / "bench"


@pytest.fixture(autouse=True)
def scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))


def read(path: Path) -> list[Conversation]:
    found = sources.read_source(path, idle_gap=timedelta(minutes=30))
    return [one for one in found if isinstance(one, Conversation)]


def test_the_made_up_talk_is_one_that_engramma_imports(tmp_path):
    from speed_talk import laid_out, lay_out

    assert lay_out(tmp_path, None, 45) == 60  # three whole sessions
    (talk,) = read(tmp_path / "talk.json")
    said = [[f"{turn.speaker}: {turn.text}" for turn in session.turns] for session in talk.sessions]
    assert said == laid_out(tmp_path, "sessions")
    assert len(laid_out(tmp_path, "questions")) == 40
    assert all("{" not in text for session in said for text in session)


def test_a_file_is_cut_after_the_session_that_has_the_last_turn(tmp_path):
    from speed_talk import laid_out, lay_out, made_up

    two = [*made_up(40), {**made_up(40)[0], "sample_id": "second"}]
    (tmp_path / "locomo.json").write_text(json.dumps(two), encoding="utf-8")
    assert lay_out(tmp_path, tmp_path / "locomo.json", 21) == 40
    assert [one["sample_id"] for one in laid_out(tmp_path, "talk")] == ["made-up"]
    assert lay_out(tmp_path, tmp_path / "locomo.json", 41) == 60
    assert [len(one["conversation"]) for one in laid_out(tmp_path, "talk")] == [6, 4]


@pytest.mark.long
def test_the_network_in_floats_is_the_packaged_one_but_for_rounding(tmp_path):
    pytest.importorskip("onnx")
    from speed_networks import FLOAT, TOKENIZER, float_graph
    from speed_plain import PlainEncoder

    from engramma.models.onnx import WEIGHTS
    from engramma.models.packaged import MINI_WEIGHTS

    (tmp_path / FLOAT).write_bytes(float_graph(WEIGHTS / MINI_WEIGHTS))
    floats = PlainEncoder(tmp_path / FLOAT, TOKENIZER)
    texts = ["Ana: We booked the night train to Vienna.", "Ben: Why?", "Ana: Because the bridge is closed until May."]
    vectors = floats.embed(texts)
    assert np.einsum("ij,ij->i", vectors, load_mini().embed(texts)).min() > 0.99
    assert np.allclose(vectors[1:2], floats.embed(texts[1:2]), atol=1e-5)  # padding changes nothing


def test_the_figures_that_are_kept_are_shown_with_all_their_parts(capsys):
    from speed_report import TABLES, show

    for path in sorted((ROOT / "evaluate" / "results").glob("*-speed-*.json")):
        figures = json.loads(path.read_text(encoding="utf-8"))
        show(figures)
        shown = capsys.readouterr().out
        assert figures["machine"]["processor"] in shown
        assert str(figures["encoder"]["fp32"]["texts_s"]) in shown
        assert str(figures["stores"]["langgraph"]["query"]["search"]["p50_ms"]) in shown
        assert set(TABLES) <= set(figures)


def test_parts_are_left_out_and_unknown_ones_refused():
    command = [sys.executable, str(BENCH / "speed.py"), "--skip", "lunch"]
    told = subprocess.run(command, capture_output=True, text=True)
    assert told.returncode == 2
    assert "'lunch'" in told.stderr
