"""The command as a user meets it, its tables, files and pictures; and the README's table of results."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from engramma import BadInput
from engramma.evaluate import plots, table
from engramma.evaluate.report import commit, label_measure, recorded
from tests.commands import ran
from tests.evaluate import fixtures

ROOT = Path(__file__).parent.parent.parent


def engramma(*arguments, cwd, code=0):
    result = ran(*arguments, cwd=cwd)
    assert "Traceback" not in result.stderr
    assert result.returncode == code, result.stderr
    return result


@pytest.mark.long
def test_eval_from_file_to_tables_json_and_pictures(tmp_path):
    pytest.importorskip("matplotlib")
    fixtures.locomo_file(tmp_path)
    fixtures.corrections_file(tmp_path)
    shown = engramma(
        "eval", "locomo", "locomo.json", "--recipe", "all", "--ablate", "--corrections", "corrections.json",
        "--json", "out.json", "--plot", "pictures",
        cwd=tmp_path,
    ).stdout  # fmt: skip
    for words in ("LoCoMo", "baseline bm25", "turn recall@10", "with corrected evidence", "ablation of default"):
        assert words in shown
    record = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert {"engramma", "commit", "command", "machine", "date", "dataset", "layouts"} <= set(record)
    assert len(record["dataset"]["sha256"]) == 64
    assert record["command"].startswith("engramma eval locomo locomo.json --recipe all")
    assert str(tmp_path) not in json.dumps(record)
    pictures = sorted(path.name for path in (tmp_path / "pictures").iterdir())
    assert pictures == [f"locomo-{name}.png" for name in ("ablation", "categories", "coverage", "recall")]
    assert all((tmp_path / "pictures" / name).read_bytes().startswith(b"\x89PNG") for name in pictures)


def test_eval_prints_json_when_asked(tmp_path):
    fixtures.snippet_file(tmp_path)
    done = engramma(
        "--json", "eval", "lme-s-snippet", "snippet.jsonl.gz", "--limit", 1, "--no-shared", "--no-context", cwd=tmp_path
    )
    record = json.loads(done.stdout)
    assert record["dataset"]["limit"] == 1 and list(record["layouts"]) == ["each"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("locomo", "nothing.json"), "nothing.json cannot be read as a LoCoMo file"),
        (("longmemeval", "locomo.json"), "is not a LongMemEval file: item 1 has no question_id"),
        (("lme-s-snippet", "locomo.json"), "is not an LME-S-snippet file"),
        (("locomo", "locomo.json", "--recipe", "finest"), "There is no recipe 'finest'"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(tmp_path, arguments, message):
    fixtures.locomo_file(tmp_path)
    assert message in engramma("eval", *arguments, cwd=tmp_path, code=1).stderr


def test_folders_of_the_machine_stay_out_of_records():
    record = recorded({}, ["eval", "locomo", "/home/somebody/data/locomo10.json", "--json=/tmp/out.json"])
    assert record["command"] == "engramma eval locomo locomo10.json --json=out.json"


def test_the_commit_is_known_in_a_checkout_and_labels_are_words():
    assert commit() is None or commit()
    assert label_measure("session_recall@5") == "session fraction@5" and label_measure("turn_mrr") == "turn MRR"


def test_a_missing_matplotlib_names_its_install_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(BadInput, match=r"pip install 'engramma\[eval\]'"):
        plots.pyplot()


# --- the table in the README ---------------------------------------------------------------------------


def a_record(task: str, date: str, value: float, limit: int | None = None) -> dict:
    def figures(share: float) -> dict:
        names = ("turn_recall@10", "session_any@5", "coverage@2000")
        groups = ("categories 1-4", "never trained on")
        return {"groups": {group: {"n": 7, **dict.fromkeys(names, share)} for group in groups}}

    runs = {"baseline bm25": figures(0.5), "baseline cosine": figures(0.6), "default": figures(value)}
    del runs["baseline bm25"]["groups"]["categories 1-4"]["coverage@2000"]
    layouts = {layout: {"runs": runs} for layout in ("each", "shared")}
    command = f"engramma eval {task} FILE"
    return {"task": task, "date": date, "command": command, "dataset": {"limit": limit}, "layouts": layouts}


@pytest.fixture
def results(tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()

    def write(name: str, record: dict) -> None:
        (folder / name).write_text(json.dumps(record), encoding="utf-8")

    write("0.1.0.json", {"engramma": "0.1.0"})  # figures of another kind
    write("a.json", a_record("locomo", "2026-01-01", 0.7))
    write("b.json", a_record("locomo", "2026-02-01", 0.8125))
    write("c.json", a_record("locomo", "2026-03-01", 0.99, limit=5))
    write("d.json", a_record("lme-s-snippet", "2026-01-01", 0.55))
    return folder


def test_the_table_shows_the_newest_whole_run(results):
    lines = table.made(table.find_newest_records(results)).splitlines()
    assert lines[0] == "| what | n | BM25 | plain cosine | Engramma | command |"
    assert lines[2] == (
        "| LoCoMo, turn recall@10, categories 1-4 | 7 | 50.0 % | 60.0 % | **81.2 %** | `engramma eval locomo FILE` |"
    )
    assert "| - | 60.0 % | **81.2 %** |" in lines[4]  # a baseline has no context
    assert len(lines) == 2 + 5  # LongMemEval has no record
    assert "**60.0 %** | 55.0 %" in lines[5]  # the best is marked, whoever it is


def test_at_most_six_rows():
    assert len(table.ROWS) <= 6


def test_a_stale_page_is_found_and_mended(results, tmp_path):
    page = tmp_path / "README.md"
    page.write_text(f"# X\n{table.START}\nold\n{table.END}\nrest\n", encoding="utf-8")
    assert table.main([str(page), str(results), "--check"]) == 1
    assert table.main([str(page), str(results)]) == 0
    assert table.main([str(page), str(results), "--check"]) == 0
    assert page.read_text(encoding="utf-8").endswith(f"{table.END}\nrest\n")


def test_a_page_without_markers_is_refused(results):
    with pytest.raises(BadInput, match="no place for the table"):
        table.filled("# X\n", "table")


def test_the_readme_shows_the_results_that_are_kept():
    readme = ROOT / "README.md"
    if table.START in readme.read_text(encoding="utf-8"):
        assert table.main([str(readme), str(ROOT / "evaluate" / "results"), "--check"]) == 0, (
            "stale: run python -m engramma.evaluate.table README.md evaluate/results"
        )
