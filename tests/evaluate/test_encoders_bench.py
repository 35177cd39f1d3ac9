"""evaluate/bench/encoders.py: its texts, medians, ratios and goals. What it measures is not timed here."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engramma.models.embed import MINI, PACKAGED

BENCH = Path(__file__).parents[2] / "evaluate" / "bench"


@pytest.fixture(autouse=True)
def scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))


def measured(peak: float, **languages: tuple[float, float]) -> dict[str, object]:
    """A process's figures; of each language questions a second and their processor time."""
    own = {
        language: {
            "questions_s": rate,
            "cpu_ms": cpu,
            "query_ms": 5.0,
            "paragraphs_s": rate / 10,
            "paragraph_cpu_ms": cpu,
        }
        for language, (rate, cpu) in languages.items()
    }
    opening = {"before_mb": 30.0, "open_ms": 100.0, "first_ms": 200.0, "first_cpu_ms": 150.0}
    return {**opening, "peak_mb": peak, "languages": own}


def test_the_same_texts_are_taken_in_each_language_and_english_ones_of_the_second_network_left_out(tmp_path):
    from encoders import TEXTS, lay_out

    files = {
        language: {
            "questions": [{"question": f"{language} question {number}"} for number in range(10)],
            "paragraphs": [f"{language} paragraph {number}" for number in range(7)],
        }
        for language in ("de", "en")
    }
    elsewhere = lay_out(tmp_path, files, {"questions": 4, "paragraphs": 2}, lambda text: text != "en question 4")
    texts = json.loads((tmp_path / TEXTS).read_text(encoding="utf-8"))
    assert texts["de"]["questions"] == [f"de question {number}" for number in (0, 2, 6)]
    assert texts["en"]["paragraphs"] == ["en paragraph 0", "en paragraph 3"]
    assert elsewhere == {"questions": [1, 4], "paragraphs": [0, 2]}


def test_medians_are_of_rounds_and_several_languages_take_their_seconds_together():
    from encoders import take_medians

    rounds = [measured(peak, de=(rate, 10.0), ru=(300.0, 20.0)) for peak, rate in ((90, 50), (200, 100), (80, 900))]
    found = take_medians(rounds)
    assert found["peak_mb"] == 90 and found["languages"]["de"]["questions_s"] == 100
    assert found["questions_s"] == pytest.approx(150)  # a text of each takes 1/100 + 1/300 s
    assert found["cpu_ms"] == 15


def test_languages_are_compared_with_the_same_text_and_with_its_english():
    from encoders import OTHERS, compare_languages, take_medians

    compared = compare_languages(
        {
            MINI: {
                "en": take_medians([measured(1, en=(200.0, 8.0))]),
                OTHERS: take_medians([measured(1, de=(50, 16))]),
            },
            PACKAGED: {
                "en": take_medians([measured(1, en=(190.0, 8.0))]),
                OTHERS: take_medians([measured(1, de=(100, 10))]),
            },
        }
    )
    assert compared["de"]["ratio_same_text"] == 2.0 and compared["de"]["ratio_english"] == 0.5
    assert compared["de"]["cpu_ratio_same_text"] == 1.6 and compared["de"]["cpu_ratio_english"] == 0.8
    assert compared["en"]["ratio_english"] == 0.95


@pytest.mark.parametrize(("rate", "is_reached"), [(100.0, True), (99.0, False)])
def test_the_goal_is_half_of_minis_questions_a_second(rate, is_reached):
    from encoders import OTHERS, bytes_on_disk, check_goals, take_medians

    found = {
        MINI: {"en": take_medians([measured(1, en=(200.0, 8.0))])},
        PACKAGED: {OTHERS: take_medians([measured(1, de=(rate, 9.0))])},
    }
    size, speed, by_cpu = check_goals({"encoders": found, "bytes": {PACKAGED: bytes_on_disk(PACKAGED)}})
    assert size[2] and 50 < size[1] < 60
    assert speed[2] is is_reached
    assert by_cpu[1] == pytest.approx(8 / 9) and by_cpu[2]


def test_a_row_counts_as_the_same_only_to_its_last_bit():
    from encoders import share_of_same_bits

    one = np.ones((4, 3), np.float32)
    other = one.copy()
    other[2, 1] = np.nextafter(np.float32(1), np.float32(2))
    assert share_of_same_bits(one, other) == 75.0


def test_a_process_measures_its_own_kind_of_text_and_keeps_the_vectors(tmp_path):
    from encoders import TEXTS, VECTORS, measure_here

    texts = {
        "de": {"questions": ["Wer strich die Tür?"], "paragraphs": ["Der Wärter strich die Tür grün."]},
        "en": {"questions": ["Who painted the door?"], "paragraphs": ["The keeper painted the door green."]},
    }
    (tmp_path / TEXTS).write_text(json.dumps(texts), encoding="utf-8")
    found = {encoder: measure_here(encoder, "en", tmp_path) for encoder in (MINI, PACKAGED)}
    assert [list(one["languages"]) for one in found.values()] == [["en"], ["en"]]
    mini, multi = (np.load(tmp_path / f"{encoder}-en-{VECTORS}") for encoder in (MINI, PACKAGED))
    assert mini.shape == (2, 384) and (mini == multi).all()
    assert found[PACKAGED]["first_ms"] >= found[PACKAGED]["open_ms"] > 0
