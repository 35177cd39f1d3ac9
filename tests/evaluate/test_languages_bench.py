"""evaluate/bench/languages.py: which questions are asked, what counts as found, its means and goals."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest
from rich.console import Console
from rich.progress import Progress

from engramma.evaluate.cache import CachedEmbedder
from tests.fakes import HashEmbedder

BENCH = Path(__file__).parents[2] / "evaluate" / "bench"

PARAGRAPHS = {
    "en": ["The lighthouse keeper painted the door green.", "Seven barges carry gravel to the island each week."],
    "de": ["Der Leuchtturmwärter strich die Tür grün.", "Sieben Lastkähne bringen jede Woche Kies zur Insel."],
}
QUESTIONS = {
    "en": [("What did the lighthouse keeper paint?", 0), ("How many barges carry gravel?", 1)],
    "de": [("Was strich der Leuchtturmwärter?", 0), ("Wie viele Lastkähne bringen Kies?", 1)],
}


@pytest.fixture(autouse=True)
def scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))


def figures(own: float, across: float) -> dict[str, dict[str, float]]:
    return {recipe: {"own": own, "across": across} for recipe in ("bm25", "vector", "default")}


def write(folder: Path, *languages: str) -> Path:
    for language in languages:
        asked = [{"question": text, "paragraph": number} for text, number in QUESTIONS[language]]
        content = json.dumps({"paragraphs": PARAGRAPHS[language], "questions": asked})
        (folder / f"{language}.json.gz").write_bytes(gzip.compress(content.encode()))
    return folder


def test_a_sample_is_spread_over_the_file_and_no_smaller_than_asked_for():
    from languages import spread_sample

    assert spread_sample(range(595), 150) == range(0, 595, 3)
    assert list(spread_sample(range(10), 4)) == [0, 2, 4, 6, 8]
    assert list(spread_sample(range(3), 150)) == [0, 1, 2]


def test_of_more_right_messages_than_fit_as_many_as_fit_are_all():
    from languages import share_of_gold

    assert share_of_gold(["1", "2", "9"], ["1", "2", "3", "4"]) == 0.5
    assert share_of_gold([str(one) for one in range(5)], [str(one) for one in range(8)]) == 1.0
    assert share_of_gold([], ["1"]) == 0.0


def test_means_are_of_the_teachers_languages_the_others_and_all_without_english():
    from languages import summarize

    shares = {"de": (90.0, 80.0), "ru": (100.0, 70.0), "el": (80.0, 60.0), "en": (50.0, 50.0)}
    found = summarize({name: {"questions": 3, "found": figures(*pair)} for name, pair in shares.items()})
    assert found["means"]["the teacher's"]["default"] == {"own": 95.0, "across": 75.0}
    assert found["means"]["the others"]["bm25"] == {"own": 80.0, "across": 60.0}
    assert found["means"]["all but English"]["vector"] == {"own": 90.0, "across": 70.0}


def test_goals_are_by_group_for_the_teachers_and_each_for_the_others():
    from languages import summarize

    whole = {"de": (96.0, 79.9), "el": (89.9, 10.0), "en": (100.0, 100.0)}
    goals = summarize({name: {"questions": 1, "found": figures(*pair)} for name, pair in whole.items()})["goals"]
    missed = [goal["what"] for goal in goals if goal["found"] < goal["least"]]
    assert len(goals) == 4 and missed == ["the teacher's, across, mean", "Greek, own"]


def test_a_folder_without_english_is_refused(tmp_path):
    from languages import read_languages

    with pytest.raises(SystemExit, match=r"no en\.json\.gz"):
        read_languages(write(tmp_path, "de"))


def test_questions_find_their_paragraphs_and_each_text_is_embedded_once(tmp_path):
    from languages import measure_languages, read_languages, show, summarize

    embedder, quiet = CachedEmbedder(HashEmbedder()), Console(file=io.StringIO())
    with Progress(console=quiet) as progress:
        found = measure_languages(read_languages(write(tmp_path, "de", "en")), 150, embedder, progress)
    assert list(found) == ["de", "en"] and found["de"]["questions"] == 2
    assert found["de"]["found"]["default"]["own"] == found["en"]["found"]["default"]["own"] == 100.0
    assert found["de"]["found"]["bm25"]["own"] == 100.0
    once = embedder.embedded
    with Progress(console=quiet) as progress:
        measure_languages(read_languages(tmp_path), 150, embedder, progress)
    assert embedder.embedded == once
    shown = Console(file=io.StringIO(), width=120)
    show(summarize(found), shown)
    assert "German" in shown.file.getvalue() and "English: 100.0 (goal 100.0): reached" in shown.file.getvalue()
