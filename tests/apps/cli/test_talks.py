"""Looking into a memory by titles and by the beginnings of ids, as after an import of chats."""

from __future__ import annotations

import json
import re
import time

import pytest

from engramma import Memory, Turn
from engramma.apps.cli.command_list import GROUPS, OTHERS
from engramma.language.times import parse_time
from tests.commands import ran

pytestmark = pytest.mark.long

VIENNA, PIXEL = "6f0c1e2a-7d41-4be8-9a55-0c1d2e3f4a5b", "6f77aa10-1111-4222-8333-444455556666"
TITLE = "The night train to Vienna"


@pytest.fixture
def run(tmp_path):
    with Memory.open(tmp_path / "store") as memory:
        for session, text in (("one", "The train to Vienna leaves at ten."), ("two", "Pack the warm coat.")):
            said = parse_time(f"2026-01-{18 if session == 'one' else 19}T17:00:00Z")
            memory.remember_session(VIENNA, session, [Turn("Mira", text, said)], title=TITLE)
        said = parse_time("2026-01-20T17:00:00Z")
        memory.remember_session(PIXEL, "three", [Turn("Ben", "My cat is called Pixel.", said)])

    def call(*arguments, code=0, joined=False):
        result = ran("--store", tmp_path / "store", *arguments, cwd=tmp_path, joined=joined)
        assert result.returncode == code, result
        return result

    return call


def test_sessions_show_the_title_before_the_ids(run):
    first, _, last = run("sessions").stdout.splitlines()
    assert first == f'2026-01-18 17:00  "{TITLE}"  {VIENNA}/one  1 turn'
    assert last == f"2026-01-20 17:00  {PIXEL}/three  1 turn"
    assert [row["title"] for row in json.loads(run("sessions", "--json").stdout)] == [TITLE, TITLE, None]


@pytest.mark.parametrize(("part", "count"), [("vienna", 2), ("6f0c", 2), ("6f", 3), ("three", 1), (VIENNA, 2)])
def test_sessions_are_found_by_a_part_of_their_title_or_id(run, part, count):
    assert len(run("sessions", "-c", part).stdout.splitlines()) == count


def test_a_filter_that_matches_nothing_says_so(run):
    for arguments in (("sessions", "-c", "zebra"), ("sessions", "-c", "zebra", "--json"), ("show", "zebra")):
        result = run(*arguments, code=1)
        assert result.stdout == "" and "'zebra'" in result.stderr and "engramma sessions" in result.stderr


@pytest.mark.parametrize("name", [VIENNA, "6f0", "night train"])
def test_a_whole_conversation_is_shown(run, name):
    shown = run("show", name).stdout
    assert shown.index("leaves at ten") < shown.index("warm coat") and "Pixel" not in shown and TITLE in shown
    data = json.loads(run("show", name, "--json").stdout)
    assert data["conversation"] == VIENNA and [one["session"] for one in data["sessions"]] == ["one", "two"]


def test_the_beginning_of_a_session_is_enough_and_two_are_told_apart(run):
    assert "leaves at ten" not in run("show", f"{VIENNA}/t").stdout
    assert json.loads(run("show", "tw", "--json").stdout)["turns"][0]["text"] == "Pack the warm coat."
    several = run("show", "6f", code=1).stderr
    assert VIENNA in several and PIXEL in several and "Be more specific" in several


def test_a_document_is_shown_by_its_files_name_or_a_part_of_its_path(run, tmp_path):
    for folder, name in (("2026", "Tagebuch.md"), ("2026", "plan.md"), ("2025", "plan.md")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / name).write_text(f"# {name}\n\nThe fox of {folder} sleeps in a barn.\n", encoding="utf-8")
    run("ingest", tmp_path / "2026", tmp_path / "2025")
    for name in ("Tagebuch.md", "tagebuch", "gebuch", "2026/Tagebuch"):
        assert "The fox of 2026" in run("show", name).stdout
    assert "The fox of 2025" in run("show", "2025/plan.md").stdout
    several = run("show", "plan", code=1).stderr
    assert "2026/plan.md" in several and "2025/plan.md" in several


def test_documents_and_notes_are_listed_by_what_they_are_called(run, tmp_path):
    (tmp_path / "far" / "away").mkdir(parents=True)
    text = "# Boats\n\nThe red boat of our cousin sleeps in a barn. She was painted last spring.\n"
    (tmp_path / "far" / "boats.md").write_text(text, encoding="utf-8")
    run("ingest", tmp_path / "far" / "boats.md")
    note = json.loads(run("remember", "The barn is locked.", "--json").stdout)["note"]["id"]
    listed = run("sessions").stdout
    assert '"boats.md"  1 turn  (document)' in listed and f"  {note}  1 turn  (note)" in listed
    assert "engramma:" not in listed and "far/boats" not in listed
    assert run("show", "boats.md").stdout.startswith(f"{tmp_path}/far/boats.md  closed  (document)")
    (tmp_path / "far" / "away" / "boats.md").write_text(text, encoding="utf-8")
    run("ingest", tmp_path / "far" / "away" / "boats.md")
    assert f'"boats.md"  {tmp_path}/far/boats.md  1 turn' in run("sessions").stdout, "two of one name are told apart"


def test_what_to_type_is_one_line_for_a_shell_and_no_option(run, tmp_path):
    with Memory.open(tmp_path / "store") as memory:
        for id in ("-rf", "it's\n  engramma forget all", "plain"):
            memory.remember_session(id, "s", [Turn("Mira", "Hi", parse_time("2026-02-01T09:00:00Z"))], title="Hut")
    typed = [line.split("  ")[1] for line in run("show", "hut", code=1).stderr.splitlines()[1:]]
    assert typed == [
        "engramma show -- -rf",
        r"engramma show $'it\'s\U0000000a",
        "engramma show plain",
    ]
    assert "Mira: Hi" in run("show", "--", "-rf").stdout


def test_a_part_of_several_titles_lists_them_with_what_to_type(run, tmp_path):
    with Memory.open(tmp_path / "store") as memory:
        for id, title in (("whatsapp-Hut weekend", "Hut in Vienna"), ("c9", "Vienna")):
            said = parse_time("2026-02-01T09:00:00Z")
            memory.remember_session(id, "s", [Turn("Mira", "The hut is booked.", said)], title=title)
    several = run("show", "vien", code=1).stderr
    assert f'  engramma show {VIENNA}  "{TITLE}", 2026-01-18\n' in several
    assert """  engramma show 'whatsapp-Hut weekend'  "Hut in Vienna", 2026-02-01\n""" in several
    assert '"Vienna"' in run("show", "vienna").stdout  # the whole of one title


def test_an_unknown_id_is_named_in_full(run):
    """Nothing in our own message looks like a token that has to be masked."""
    assert "0b7e4a52-3c1d-4e8f-9a6b-5d2c1f0e9b8a" in run("show", "0b7e4a52-3c1d-4e8f-9a6b-5d2c1f0e9b8a", code=1).stderr


def test_recall_tells_titles_in_its_labels_and_where_it_explains(run):
    question = ("recall", "When does the train leave?", "-k", 1)
    assert TITLE in run(*question).stdout.splitlines()[0]
    assert f"| {TITLE} | " in run(*question, "--full").stdout.splitlines()[0]
    assert f'in         "{TITLE}"' in run(*question, "--explain").stdout
    assert json.loads(run(*question, "--json").stdout)["candidates"][0]["title"] == TITLE


@pytest.fixture
def in_zurich(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Zurich")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_people_read_and_type_times_of_their_own_zone(run, in_zurich):
    assert run("sessions").stdout.startswith("2026-01-18 18:00  ")
    shown = run("show", VIENNA).stdout.splitlines()
    assert shown[0].endswith("  (times in UTC+1)") and shown[1].startswith("[2026-01-18 18:00] Mira: ")
    assert "2026-01-18 18:00" in run("recall", "When does the train leave?").stdout
    assert '  [2026-01-18 18:00] "' in run("ask", "When does the train leave?").stdout
    assert "2026-01-18 18:00 UTC+1, 2026-01-20 18:00 UTC+1" in run("stats").stdout
    assert "[2026-01-18 18:00 UTC+1 | " in run("recall", "When does the train leave?", "--full").stdout
    assert json.loads(run("sessions", "--json").stdout)[0]["started_at"] == "2026-01-18T17:00:00Z"
    found = ("recall", "warm coat", "--json")
    assert json.loads(run(*found, "--since", "2026-01-19T18:00").stdout)["candidates"]
    assert not json.loads(run(*found, "--since", "2026-01-19T18:01").stdout)["candidates"]


def test_times_without_a_zone_are_imported_in_that_of_the_machine(run, in_zurich, tmp_path):
    chat = tmp_path / "WhatsApp Chat with Ben.txt"
    chat.write_text("04/07/2026, 07:40 - Ben: The boiler is dead.\n14/07/2026, 07:41 - Ann: Again?\n", "utf-8")
    run("import", chat)
    assert "[2026-07-04 07:40] Ben: The boiler is dead." in run("show", "whatsapp-Ben").stdout
    said = json.loads(run("show", "whatsapp-Ben", "--json").stdout)["sessions"][0]["turns"][0]["said_at"]
    assert said == "2026-07-04T05:40:00Z"


def test_nothing_near_is_said_in_words_and_figures_only_when_asked_for(run):
    plain = run("recall", "Which interest rate does the bank set?").stderr
    assert plain == "note: nothing similar enough was said; `--recipe vector` shows the nearest anyway\n"
    assert "(nearest 0." in run("recall", "Which interest rate does the bank set?", "--explain").stderr


def test_remarks_come_after_what_they_are_about(run):
    shown = run("forget", "--query", "Pixel", "--yes", joined=True).stdout
    assert shown.index("forgotten: 1 turn") < shown.index("engramma undo")


def test_forgetting_what_is_not_there_says_so(run):
    assert run("forget", "--query", "zebra").stdout == "Nothing matches.\n"
    assert run("purge", "--query", "zebra").stdout == "Nothing matches.\n"
    assert "1 turn forgotten" not in run("stats").stdout
    run("forget", "--query", "Pixel", "--yes")
    shown = run("stats").stdout
    assert "1 turn forgotten" in shown and "(namespace default)" in shown


def test_a_purge_of_an_act_shows_what_would_go_before_it_does_it(run):
    act = re.findall(r"engramma undo (\d+)", run("forget", "--query", "Pixel", "--yes").stderr)[0]
    shown = run("purge", "--act", act)
    assert shown.stdout.startswith("would go: 1 turn") and "Ben: My cat is called Pixel." in shown.stdout
    assert shown.stderr == "Nothing was purged: this is a preview. A purge is final; run it again with --yes.\n"
    assert json.loads(run("purge", "--act", act, "--json").stdout)["purged"] is False
    assert run("purge", "--act", act, "--yes").stdout.startswith("purged: 1 turn")
    assert "is purged already" in run("purge", "--act", act, code=1).stderr


@pytest.mark.parametrize("more", [(), ("--yes",)])
def test_a_purge_of_an_act_that_is_not_there_says_so_as_undo_does(run, more):
    none = "There is no act 99 in this memory. `engramma acts` lists them."
    assert none in run("purge", "--act", "99", *more, code=1).stderr and none in run("undo", "99", code=1).stderr


def test_the_help_lists_every_command_under_a_heading_uncut():
    shown = ran("--help").stdout
    headings = re.findall(r"^(\S.*):$", shown, flags=re.MULTILINE)
    assert [*GROUPS] == [name for name in headings if name in GROUPS] and OTHERS not in headings
    rows = shown.split(f"{next(iter(GROUPS))}:\n")[1].splitlines()
    assert "..." not in shown.partition("Options:")[2] and max(map(len, rows)) <= 80


def test_a_conversation_is_forgotten_by_its_title(run):
    assert "2 turns" in run("forget", "-c", TITLE.upper()).stdout  # a preview
    assert "forgotten: 2 turns" in run("forget", "-c", TITLE, "--yes").stdout
    assert "Nothing matches" in run("forget", "-c", TITLE).stdout


@pytest.mark.parametrize("command", ["forget", "purge"])
def test_a_conversation_is_forgotten_by_words_of_its_title_that_no_other_has(run, command):
    shown = run(command, "-c", "to  VIENNA")
    assert shown.stdout.startswith("would go: 2 turns") and f'The conversation is "{TITLE}".' in shown.stderr
    done = "forgotten" if command == "forget" else "purged"
    assert f"{done}: 2 turns" in run(command, "-c", "night train", "--yes").stdout
    assert "My cat is called Pixel." in run("show", PIXEL).stdout


@pytest.mark.parametrize("command", ["forget", "purge"])
def test_a_conversation_that_is_not_there_is_an_error_that_names_near_ones(run, command):
    for near in ("vien", "Vienna by train", "The nigth train to Viena", "Vienna in the night"):
        refused = run(command, "-c", near, "--yes", code=1)
        assert refused.stdout == "" and f"There is no conversation '{near}'. Did you mean" in refused.stderr
        assert f'  "{TITLE}"  {VIENNA}  2026-01-18\n' in refused.stderr
    for far in ("zebra", "", " ", "6f0"):
        assert "`engramma sessions` lists them." in run(command, "-c", far, "--yes", code=1).stderr
    assert "leaves at ten" in run("show", VIENNA).stdout


@pytest.mark.parametrize("command", ["forget", "purge"])
def test_the_beginning_of_an_id_names_a_conversation_as_for_show(run, command):
    shown = run(command, "-c", "6f0c1e2a")
    assert shown.stdout.startswith("would go: 2 turns") and f"The conversation is {VIENNA}." in shown.stderr
    assert "leaves at ten" in run("show", VIENNA).stdout
    assert run(command, "-c", "6f0c", "--yes").stdout.startswith(("forgotten: 2 turns", "purged: 2 turns"))
    assert "My cat is called Pixel." in run("show", PIXEL).stdout


@pytest.mark.parametrize("command", ["forget", "purge"])
def test_a_beginning_of_several_ids_takes_nothing_and_a_title_goes_before_one(run, tmp_path, command):
    with Memory.open(tmp_path / "store") as memory:
        for id, title in (("trip-1", "First"), ("trip-2", "Second"), ("other", "Trip-1x"), ("Trip-1xyz", "Third")):
            memory.remember_session(
                id, "one", [Turn("Ann", f"About {title}.", parse_time("2026-02-01T09:00:00Z"))], title=title
            )
    several = run(command, "-c", "trip", "--yes", code=1).stderr
    assert several == run("show", "trip", code=1).stderr and "'trip' may be any of these." in several
    assert "About Trip-1x." in run(command, "-c", "Trip-1x").stdout


@pytest.mark.parametrize("command", ["forget", "purge"])
def test_words_of_several_titles_take_nothing_and_list_them(run, tmp_path, command):
    with Memory.open(tmp_path / "store") as memory:
        said = parse_time("2026-02-01T09:00:00Z")
        memory.remember_session("c9", "s", [Turn("Mira", "The hut is booked.", said)], title="Hut in Vienna")
    several = run(command, "-c", "vienna", "--yes", code=1).stderr
    assert "is a part of 2 titles" in several and f'  "{TITLE}"  {VIENNA}' in several
    assert '  "Hut in Vienna"  c9  2026-02-01\n' in several
    assert all(row["turns"] for row in json.loads(run("sessions", "--json").stdout))


def test_a_purge_that_was_interrupted_is_finished_also_if_its_conversation_is_gone(run, tmp_path, monkeypatch):
    import engramma.forget.purge as purging

    with monkeypatch.context() as patched:
        patched.setattr(purging, "scrub_acts", lambda *_: exit(9))
        run("purge", "-c", TITLE, "--yes", code=9)
    assert "There is no conversation" in run("purge", "-c", TITLE, "--yes", code=1).stderr
    assert [act["kind"] for act in json.loads(run("acts", "--json").stdout)] == ["purge"]


def test_a_title_that_two_conversations_have_is_not_guessed(run, tmp_path):
    with Memory.open(tmp_path / "store") as memory:
        memory.remember_session(
            PIXEL, "four", [Turn("Ben", "She sleeps.", parse_time("2026-01-21T17:00:00Z"))], title=TITLE
        )
    told = run("forget", "-c", TITLE, code=1, joined=True).stdout
    assert "title of 2 conversations" in told and VIENNA in told and PIXEL in told


def test_what_is_wholly_forgotten_is_shown_as_that_with_what_brings_it_back(run):
    run("forget", "--query", "warm coat", "--yes")
    back = "is forgotten. `engramma acts` shows by which act; `engramma undo` with its number brings it back.\n"
    assert run("show", TITLE).stderr == f"Every session without a turn here {back}"
    assert run("show", "two").stderr == f"All of it {back}" and run("show", "one").stderr == ""
    act = re.findall(r"engramma undo (\d+)", run("forget", "-c", TITLE, "--yes").stderr)[0]
    assert run("show", TITLE).stderr == f"All of it {back}"
    assert [one["turns"] for one in json.loads(run("show", TITLE, "--json").stdout)["sessions"]] == [[], []]
    run("undo", act)
    assert "leaves at ten" in run("show", TITLE).stdout
