"""The command line as a user meets it: a real process, its output and its exit code."""

from __future__ import annotations

import json
from dataclasses import fields, replace

import pytest

from engramma.apps.render import plan_lines
from engramma.language.handles import handle_of
from engramma.recall.recipes import RECIPES, Plan
from tests.commands import ran

FIELDS = {"segment_id", "session_id", "conversation_id", "turn_ids", "speakers", "said_at", "text", "score", "role"}


@pytest.fixture
def run(tmp_path):
    def call(*arguments, stdin=None, ok=True):
        result = ran("--store", tmp_path / "store", *arguments, stdin=stdin, cwd=tmp_path)
        assert "Traceback" not in result.stderr
        if ok:
            assert result.returncode == 0, result.stderr
        return result

    return call


@pytest.fixture
def transcript(tmp_path):
    path = tmp_path / "trip.txt"
    path.write_text(
        "--- 2026-02-03 18:00 ---\n"
        "Ana: We booked the night train to Vienna for the 4th of March.\n"
        "Ben: Great. I will bring the binoculars, and my sister joins us in Linz.\n"
        "--- 2026-02-20 08:30 ---\n"
        "Ben: Bad news: the night train is cancelled.\n"
        "Ana: Then we take the morning train at 7:42, I changed the booking.\n",
        encoding="utf-8",
    )
    return path


def test_from_a_transcript_to_an_answer(run, transcript):
    added = run("import", transcript).stdout
    assert "2 sessions, 4 turns, 4 segments" in added
    found = run("recall", "Which train do we take to Vienna?").stdout
    assert "   Ana: Then we take the morning train at 7:42" in found and "2026-02-20 08:30" in found
    whole = run("recall", "Which train do we take to Vienna?", "--full").stdout
    assert "Ana:\n> Then we take the morning train at 7:42" in whole and "2026-02-20 08:30" in whole


def test_json_everywhere(run, transcript):
    assert json.loads(run("init", "--json").stdout)["embedder"]
    assert json.loads(run("--json", "import", transcript).stdout)["turns"] == 4
    recalled = json.loads(run("recall", "the train", "--json").stdout)
    assert set(recalled) == {"query", "context", "candidates", "trace", "tokens", "shown"}
    assert set(recalled["candidates"][0]) >= FIELDS
    segment = recalled["candidates"][0]["segment_id"]
    assert json.loads(run("show", segment, "--json").stdout)["segment"]["id"] == segment
    assert json.loads(run("show", handle_of(segment), "--json").stdout)["segment"]["id"] == segment
    assert len(json.loads(run("sessions", "--json").stdout)) == 2
    figures = json.loads(run("stats", "--json").stdout)
    assert figures["turns"] == 4 and figures["thresholds"]["mode"] == "auto"
    assert json.loads(run("doctor", "--json").stdout)["ok"] is True


def test_remember_recall_show(run):
    run("remember", "My cat is called Pixel", "-c", "cli", "-s", "Ana", "--at", "2026-03-01T10:00:00+01:00")
    run("remember", "-", "-s", "Ben", "--session", "x", "--close", stdin="I am allergic to cats")
    assert "Pixel" in run("recall", "What is Ana's cat called?").stdout
    assert "[" in run("sessions").stdout or "cli/x" in run("sessions").stdout
    assert "I am allergic to cats" in run("show", "cli/x").stdout


def test_export_backup_restore(run, transcript, tmp_path):
    run("import", transcript)
    run("export", tmp_path / "all.jsonl")
    lines = (tmp_path / "all.jsonl").read_text(encoding="utf-8")
    assert run("export").stdout == lines
    run("backup", tmp_path / "b.zip")
    run("restore", tmp_path / "b.zip", "--store", tmp_path / "other")
    assert run("export", "--store", tmp_path / "other").stdout == lines
    assert "0 turns" in run("import", tmp_path / "all.jsonl").stdout


def test_mistakes_get_a_message_and_an_exit_code(run, tmp_path):
    missing = run("recall", "x", ok=False)
    assert missing.returncode == 1 and "engramma init" in missing.stderr and missing.stdout == ""
    assert "`engramma import FILE` makes one from your chats" in missing.stderr
    run("init")
    for arguments, words in (
        (("recall", "x", "--recipe", "magic"), "default, best, pmg, pocketpaw"),
        (("recall", " "), "empty"),
        (("show", "seg_nothing"), "engramma sessions"),
        (("import", tmp_path / "no-such-file"), "no-such-file"),
        (("remember", "x", "--at", "yesterday"), "--at"),
        (("import", "--timezone", "Mars/Base", tmp_path / "x"), "Mars/Base"),
        (("init", "--embedder", "no-such-model"), "no-such-model"),
    ):
        result = run(*arguments, ok=False)
        assert result.returncode == 1 and words in result.stderr, (arguments, result.stderr)
    assert run("recall", ok=False).returncode == 2


def test_a_file_that_cannot_be_read_does_not_stop_the_others(run, transcript, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text("Eva: My boat is called Heron.\nJan: Nice.\n", encoding="utf-8")
    result = run("import", transcript, tmp_path / "missing", other, ok=False)
    assert result.returncode == 1 and "added 2 conversations, 3 sessions, 6 turns" in result.stdout
    last = result.stderr.splitlines()[-1]
    assert last.startswith("not read: ") and "missing: cannot be opened" in last
    assert "note: " in result.stderr and "without a time" in result.stderr and "skipped" not in result.stderr
    again = run("import", "--json", transcript, tmp_path / "missing", ok=False)
    figures = json.loads(again.stdout)
    assert again.returncode == 1 and figures["known_turns"] == 4
    assert [problem["path"] for problem in figures["problems"]] == [str(tmp_path / "missing")]


def test_a_file_that_gives_nothing_is_named(run, tmp_path):
    path = tmp_path / "empty.jsonl"
    path.write_text('{"messages": [{"role": "user", "content": ""}]}\n', encoding="utf-8")
    result = run("import", path)
    assert "added 0 conversations" in result.stdout
    assert "no text; skipped" in result.stderr and "nothing was imported from it" in result.stderr


def test_files_of_the_same_name_are_other_conversations(run, tmp_path):
    for folder, name in (("a", "Ana"), ("b", "Eva")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "chat.txt").write_text(f"{name}: hi\nBen: hey\n", encoding="utf-8")
    run("import", tmp_path / "a" / "chat.txt", tmp_path / "b" / "chat.txt")
    assert "2 conversations, 2 sessions (0 open), 4 turns" in run("stats").stdout
    assert len(run("sessions", "-c", "chat").stdout.splitlines()) == 2
    unknown = run("sessions", "-c", "letters", ok=False)
    assert unknown.returncode == 1 and unknown.stdout == "" and "No title or id contains 'letters'" in unknown.stderr


def test_the_date_of_an_import_is_in_its_time_zone(run, tmp_path):
    path = tmp_path / "chat.txt"
    path.write_text("Ana: hi\nBen: hey\n", encoding="utf-8")
    run("import", path, "--date", "2026-07-01 12:00", "--timezone", "Europe/Berlin")
    assert "2026-07-01 10:00" in run("sessions").stdout


def test_turns_of_the_past_a_minute_apart_are_one_session(run):
    run("remember", "-c", "cli", "My cat is called Pixel", "--at", "2026-03-01T10:00:00Z")
    run("remember", "-c", "cli", "She likes fish", "--at", "2026-03-01T10:01:00Z")
    run("remember", "-c", "cli", "She sleeps", "--at", "2026-03-01T12:00:00Z")
    assert [row["turns"] for row in json.loads(run("sessions", "--json").stdout)] == [2, 1]
    assert "1 conversation, 2 sessions (1 open), 3 turns" in run("stats").stdout


def test_recipes_are_shown_as_the_memory_sets_them(run, tmp_path):
    built_in = run("recipes").stdout
    assert [block.partition(":")[0] for block in built_in.split("\n\n")] == list(RECIPES)
    assert not (tmp_path / "store").exists(), "looking makes no memory"
    run("init")
    assert run("recipes").stdout == built_in
    (tmp_path / "store" / "config.toml").write_text("[recipes.pgmemory]\nmmr = 0.25\nrrf_k = 9\n", encoding="utf-8")
    shown = run("recipes", "pgmemory").stdout
    assert "  fusion      reciprocal ranks, 1 / (9 + rank)  (config.toml)\n" in shown
    assert "  diversity   MMR: 0.25 relevance, 0.75 novelty  (config.toml)\n" in shown
    assert json.loads(run("recipes", "pgmemory", "--json").stdout)["mmr"] == 0.25
    listed = json.loads(run("--json", "recipes").stdout)
    assert [plan["name"] for plan in listed] == list(RECIPES) and listed[0]["weights"]["meaning"]
    wrong = run("recipes", "magic", ok=False)
    assert wrong.returncode == 1 and "There is no recipe 'magic'. Known: default, best, pmg" in wrong.stderr
    (tmp_path / "store" / "config.toml").write_text("[recipes.pgmemory]\nmmr = 2\n", encoding="utf-8")
    assert "mmr must be a number from 0 to 1" in run("recipes", "vector", ok=False).stderr


def test_every_field_of_a_recipe_is_shown(run):
    """A change of any number changes what is printed."""
    steps = {"lateral": 2, "hops": 2, "cap": 7, "channels": ("semantic", "graph"), "fusion": "rrf", "mmr": 0.5}
    plan = replace(RECIPES["vector"], thresholds="fixed", half_life_days=3.0, entries=4, vertical=3, **steps)
    others = {
        **{"channels": ("lexical",), "fusion": "evidence", "pool": 9, "rrf_k": 9, "mmr": 0.9, "half_life_days": 9.0},
        **{"per_topic": 9, "second_round": 9},
        **{"weights": {"meaning": 9.0}, "entries": 9, "thresholds": "auto", "floor": 0.9, "edge": 0.9, "dedup": 0.9},
        **{"lateral": 9, "hops": 1, "cap": 9, "vertical": 9, "typed": 9, "budget_tokens": 9, "rerank": 9, "facts": 9},
    }
    assert set(others) == {f.name for f in fields(Plan)} - {"name", "purpose"}
    for name, value in others.items():
        changed = plan_lines(replace(plan, **{name: value}))
        assert changed != plan_lines(plan), name
        assert any(line.endswith("(config.toml)") for line in changed), name


def test_explain_says_why_each_segment_is_there(run, transcript):
    run("import", transcript)
    question = ("recall", "Which train do we take to Vienna?", "-k", 1)
    plain, explained = run(*question).stdout, run(*question, "--explain").stdout
    assert explained.startswith(plain)
    first, *others, legend = explained.removeprefix(plain).strip().split("\n\n")
    assert legend.startswith("How to read this: ") and "how near its meaning is to the question" in first
    (entry, *expanded) = json.loads(run(*question, "--json").stdout)["candidates"]
    assert first.splitlines()[0] == f"1. {entry['segment_id']}  {entry['score']:.4f}  entry"
    standing = entry["channels"]["semantic"]
    assert f"semantic #{standing['rank']} {standing['score']:.3f}" in first
    shown = {line[14:].split()[0]: float(line[14:].split()[1]) for line in first.splitlines()[2:]}
    assert shown.pop("sum") == pytest.approx(sum(entry["evidence"].values())) and shown == entry["evidence"]
    assert list(shown.values()) == sorted(shown.values(), reverse=True)
    assert expanded and len(others) == len(expanded)
    for number, (block, candidate) in enumerate(zip(others, expanded, strict=True), 2):
        assert block.startswith(f"{number}. {candidate['segment_id']}  ")
        path = candidate["path"]
        assert f"{path['kind']}, {path['edge']} edge {path['weight']:.2f} from {entry['segment_id']}" in block


def test_the_day_of_asking_decides_what_last_month_means(run, transcript):
    run("import", transcript)

    def in_time(*arguments):
        found = json.loads(run("recall", "the train last month", "--json", *arguments).stdout)
        return max(c["evidence"].get("in_time", 0) for c in found["candidates"])

    assert in_time("--asked-at", "2026-03-10") == in_time("--asked-at", "2026-03-10T01:00:00+01:00")
    assert in_time("--asked-at", "2026-03-10") > in_time("--asked-at", "2026-08-10")
    wrong = run("recall", "x", "--asked-at", "soon", ok=False)
    assert wrong.returncode == 1 and "--asked-at: 'soon' is no time" in wrong.stderr


def test_the_help_names_every_recipe(run):
    for command in ("recall", "recipes"):
        shown = " ".join(run(command, "--help").stdout.split())
        assert f"{', '.join(list(RECIPES)[:-1])} or {list(RECIPES)[-1]}" in shown


def test_namespaces_are_apart(run, transcript):
    run("import", transcript, "-n", "travel")
    assert json.loads(run("sessions", "--json").stdout) == []
    assert len(json.loads(run("sessions", "--json", "--namespace", "travel").stdout)) == 2
    typo = run("recall", "x", "-n", "travels", ok=False)
    assert typo.returncode == 1 and "There are: default, travel" in typo.stderr


def test_the_demo_shows_contexts_and_draws_a_picture(run, tmp_path):
    shown = run("demo", "--out", tmp_path / "d").stdout
    assert shown.count("Question ") == 3 and "semantic edge" in shown and "chain edge" in shown
    assert (tmp_path / "d" / "graph.html").stat().st_size > 20_000
    assert "0 turns" in run("demo", "--out", tmp_path / "d").stdout, "a second run finds everything there"
