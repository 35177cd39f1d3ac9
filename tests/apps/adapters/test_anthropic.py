"""The memory tool: its documented words, beside the SDK's own file tool, and as part of the memory."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from anthropic.lib.tools import ToolError
from anthropic.tools import BetaLocalFilesystemMemoryTool

from engramma import Memory
from engramma.apps.adapters.anthropic import EngrammaMemoryTool
from engramma.apps.adapters.memory_files import CONVERSATION, MemoryFiles
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.long

HEAD = "Here're the files and directories up to 2 levels deep in {}, excluding hidden items and node_modules:"


@pytest.fixture
def tool(memory):
    return EngrammaMemoryTool(memory)


def do(tool: Any, command: str, **given: Any) -> str:
    return tool.call({"command": command, **given})


def refused(tool: Any, command: str, **given: Any) -> str:
    with pytest.raises(ToolError) as error:
        tool.call({"command": command, **given})
    assert error.value.content == str(error.value)
    return str(error.value)


def content(tool: Any, path: str) -> str:
    lines = do(tool, "view", path=path).split("\n")[1:]
    return "\n".join(line.partition("\t")[2] for line in lines)


# --- the documented words ----------------------------------------------------------------------------


def test_the_first_view_of_an_empty_memory_is_no_error(tool):
    assert do(tool, "view", path="/memories") == HEAD.format("/memories") + "\n0B\t/memories"


def test_views(tool):
    do(tool, "create", path="/memories/notes.txt", file_text="Hello World\nThis is line two\n")
    do(tool, "create", path="/memories/a/b/c/deep.md", file_text="x" * 1536)
    do(tool, "create", path="/memories/.hidden", file_text="h")
    do(tool, "create", path="/memories/node_modules/x.js", file_text="h")
    assert do(tool, "view", path="/memories") == "\n".join(
        [
            HEAD.format("/memories"),
            "1.5K\t/memories",
            "1.5K\t/memories/a/",
            "1.5K\t/memories/a/b/",
            "29B\t/memories/notes.txt",
        ]
    )
    assert (
        do(tool, "view", path="/memories/a/b/c/")
        == HEAD.format("/memories/a/b/c/") + "\n1.5K\t/memories/a/b/c\n1.5K\t/memories/a/b/c/deep.md"
    )
    head = "Here's the content of /memories/notes.txt with line numbers:\n"
    assert (
        do(tool, "view", path="/memories/notes.txt") == head + "     1\tHello World\n     2\tThis is line two\n     3\t"
    )
    assert do(tool, "view", path="/memories/notes.txt", view_range=[2, 2]) == head + "     2\tThis is line two"
    assert (
        do(tool, "view", path="/memories/notes.txt", view_range=[2, -1]) == head + "     2\tThis is line two\n     3\t"
    )
    assert (
        refused(tool, "view", path="/memories/no")
        == "The path /memories/no does not exist. Please provide a valid path."
    )
    assert "view_range" in refused(tool, "view", path="/memories/notes.txt", view_range=[3, 1])


def test_a_long_file_is_seen_in_pages(tool, monkeypatch):
    do(tool, "create", path="/memories/long", file_text="\n".join(f"line {n} " + "x" * 90 for n in range(1, 401)))
    first = do(tool, "view", path="/memories/long")
    assert len(first) < 20_000
    number = int(re.search(r"\(lines (\d+) to 400 of 400 are left out: see them with view_range\)$", first)[1])
    assert f"line {number} " in do(tool, "view", path="/memories/long", view_range=[number, -1])
    monkeypatch.setattr("engramma.apps.adapters.memory_files.MAX_LINES", 399)
    assert (
        refused(tool, "view", path="/memories/long")
        == "File /memories/long exceeds maximum line limit of 999,999 lines."
    )


def test_create(tool):
    assert (
        do(tool, "create", path="/memories/a.txt", file_text="one") == "File created successfully at: /memories/a.txt"
    )
    assert (
        refused(tool, "create", path="/memories/a.txt", file_text="two") == "Error: File /memories/a.txt already exists"
    )
    assert refused(tool, "create", path="/memories", file_text="two") == "Error: File /memories already exists"
    assert "is a file" in refused(tool, "create", path="/memories/a.txt/b", file_text="two")
    assert content(tool, "/memories/a.txt") == "one"


def test_str_replace(tool):
    do(tool, "create", path="/memories/p.txt", file_text="a\nb\nc: blue\nd\ne\nf blue\naXa Xa\n")
    missing = "Error: The path /memories/no does not exist. Please provide a valid path."
    assert refused(tool, "str_replace", path="/memories/no", old_str="a", new_str="b") == missing
    assert refused(tool, "str_replace", path="/memories/p.txt", old_str="green", new_str="b") == (
        "No replacement was performed, old_str `green` did not appear verbatim in /memories/p.txt."
    )
    assert refused(tool, "str_replace", path="/memories/p.txt", old_str="blue", new_str="b") == (
        "No replacement was performed. Multiple occurrences of old_str `blue` in lines: 3, 6. "
        "Please ensure it is unique"
    )
    assert do(tool, "str_replace", path="/memories/p.txt", old_str="c: blue", new_str="c: green\nc2") == (
        "The memory file has been edited.\n     1\ta\n     2\tb\n     3\tc: green\n     4\tc2\n     5\td\n     6\te"
    )
    do(tool, "str_replace", path="/memories/p.txt", old_str="aXa Xa")
    assert content(tool, "/memories/p.txt") == "a\nb\nc: green\nc2\nd\ne\nf blue\n\n"
    do(tool, "create", path="/memories/dir/x", file_text="a")
    assert "/memories/dir does not exist" in refused(
        tool, "str_replace", path="/memories/dir", old_str="a", new_str="b"
    )


def test_insert(tool):
    do(tool, "create", path="/memories/t.txt", file_text="one\ntwo\n")
    assert (
        do(tool, "insert", path="/memories/t.txt", insert_line=1, insert_text="new\n")
        == "The file /memories/t.txt has been edited."
    )
    do(tool, "insert", path="/memories/t.txt", insert_line=0, insert_text="top")
    do(tool, "insert", path="/memories/t.txt", insert_line=4, insert_text="end\n")
    assert content(tool, "/memories/t.txt") == "top\none\nnew\ntwo\nend\n"
    assert (
        refused(tool, "insert", path="/memories/no", insert_line=0, insert_text="x")
        == "Error: The path /memories/no does not exist"
    )
    for line in (-1, 6):
        assert refused(tool, "insert", path="/memories/t.txt", insert_line=line, insert_text="x") == (
            f"Error: Invalid `insert_line` parameter: {line}. "
            "It should be within the range of lines of the file: [0, 5]"
        )


def test_delete(tool):
    do(tool, "create", path="/memories/d/one", file_text="1")
    do(tool, "create", path="/memories/d/e/two", file_text="2")
    do(tool, "create", path="/memories/d2", file_text="3")
    assert do(tool, "delete", path="/memories/d") == "Successfully deleted /memories/d"
    assert do(tool, "view", path="/memories").endswith("\n1B\t/memories\n1B\t/memories/d2")
    assert refused(tool, "delete", path="/memories/d") == "Error: The path /memories/d does not exist"
    assert "cannot be deleted" in refused(tool, "delete", path="/memories/")


def test_rename(tool):
    do(tool, "create", path="/memories/d/one", file_text="1")
    do(tool, "create", path="/memories/d/e/two", file_text="2")
    do(tool, "create", path="/memories/x", file_text="3")
    assert (
        do(tool, "rename", old_path="/memories/d", new_path="/memories/n/d")
        == "Successfully renamed /memories/d to /memories/n/d"
    )
    assert content(tool, "/memories/n/d/e/two") == "2"
    assert refused(tool, "view", path="/memories/d/one")
    assert (
        refused(tool, "rename", old_path="/memories/d", new_path="/memories/y")
        == "Error: The path /memories/d does not exist"
    )
    assert (
        refused(tool, "rename", old_path="/memories/x", new_path="/memories/n")
        == "Error: The destination /memories/n already exists"
    )
    assert "into itself" in refused(tool, "rename", old_path="/memories/n", new_path="/memories/n/d/z")
    assert "cannot be renamed" in refused(tool, "rename", old_path="/memories", new_path="/memories/q")


@pytest.mark.parametrize(
    "path",
    [
        "/memories/../etc/passwd", "/memories/a/../../b", "/memories/%2e%2e/x", "/memories/%252e%252e%252fx",
        "/memories/..\\x", "/memoriesx", "/etc/passwd", "memories/a", "", "/memories/a\0b",
        "/memories/" + "x" * 2_000, 7, None,
    ],
)  # fmt: skip
def test_paths_that_lead_elsewhere_are_refused_by_every_command(tool, memory, path):
    for command, given in (
        ("view", {"path": path}),
        ("create", {"path": path, "file_text": "x"}),
        ("str_replace", {"path": path, "old_str": "x", "new_str": "y"}),
        ("insert", {"path": path, "insert_line": 0, "insert_text": "x"}),
        ("delete", {"path": path}),
        ("rename", {"old_path": path, "new_path": "/memories/ok"}),
        ("rename", {"old_path": "/memories/ok", "new_path": path}),
    ):
        assert refused(tool, command, **given).startswith("Error: ")
    assert memory.sessions() == []


def test_commands_that_are_none_or_lack_something_are_refused(tool):
    for given in ({}, {"command": "undo"}, {"command": "create", "path": "/memories/a"}, {"command": 5}):
        with pytest.raises(ToolError, match=r"^Error: "):
            tool.call(given)


def test_a_file_has_a_limit(memory):
    tool = EngrammaMemoryTool(memory, max_file=100)
    assert "the limit is 100" in refused(tool, "create", path="/memories/a", file_text="é" * 51)
    do(tool, "create", path="/memories/a", file_text="x" * 90)
    assert "the limit is 100" in refused(tool, "insert", path="/memories/a", insert_line=0, insert_text="y" * 20)


# --- beside the SDK's own tool -----------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_commands_do_what_the_sdks_own_file_tool_does(tool, tmp_path, seed):
    dice, own = random.Random(seed), BetaLocalFilesystemMemoryTool(str(tmp_path / "files"))
    paths = ["/memories/a", "/memories/d/a", "/memories/d/b.txt", "/memories/d/e/f", "/memories/ü b#1"]
    words = ["red\n", "blue", "\n", "one two\n", "ein\r\n", "", "red"]
    for _ in range(60):
        text = "".join(dice.choices(words, k=dice.randint(0, 4)))
        path, line = dice.choice(paths), dice.choice(["new\n", "two\nlines", "\nred\n"])
        command = dice.choice([
            {"command": "create", "path": path, "file_text": text},
            {"command": "str_replace", "path": path, "old_str": dice.choice(["red", "blue", "one"]), "new_str": text},
            {"command": "insert", "path": path, "insert_line": dice.randint(0, 3), "insert_text": line},
            {"command": "delete", "path": dice.choice([path, "/memories/d/e"])},
            {"command": "rename", "old_path": dice.choice([path, "/memories/d"]), "new_path": dice.choice(paths)},
        ])  # fmt: skip
        outcomes = []
        for one in (tool, own):
            try:
                outcomes.append(one.call(command).split("\n")[0][:20])
            except (ToolError, OSError):  # into itself, or below a file: the real one lets the system say so
                outcomes.append("refused")
        drop_empty_folders(tmp_path / "files" / "memories")  # ours are there as long as something is in them
        assert outcomes[0] == outcomes[1], command
        for path in paths:
            assert seen(tool, path) == seen(own, path), command


def drop_empty_folders(root: Path) -> None:
    for folder in sorted((path for path in root.rglob("*") if path.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()


def seen(tool: Any, path: str) -> str:
    try:
        found = tool.call({"command": "view", "path": path})
    except ToolError:
        return "nothing"
    return found if found.startswith("Here's") else "a directory"


# --- as part of the memory ---------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", " \n ", "a\0b", "half \ud800", "\r\n\tcrlf\r\n", "é" * 5_000, "x\n\n\n" * 2_000])
def test_content_comes_back_exactly(tool, memory, text):
    do(tool, "create", path="/memories/f", file_text=text)
    assert MemoryFiles(memory).read("/memories/f") == text


def test_recall_finds_what_files_say_now_wherever_it_stands_in_them(tmp_path):
    with Memory.open(tmp_path / "store") as memory:
        tool = EngrammaMemoryTool(memory)
        filler = "\n".join(f"{n}. The committee met, heard the report and adjourned." for n in range(70))
        do(
            tool,
            "create",
            path="/memories/minutes.md",
            file_text=f"{filler}\nThe parrot of Dr Amsel is called Figaro.\n{filler}",
        )
        do(tool, "create", path="/memories/team.md", file_text="Deploys happen on Tuesday.")
        do(tool, "str_replace", path="/memories/team.md", old_str="Tuesday", new_str="Thursday")
        assert "Figaro" in memory.recall("What is the name of Dr Amsel's parrot?").context
        context = memory.recall("On which day do we deploy?").context
        assert "Thursday" in context and "Tuesday" not in context
        do(tool, "delete", path="/memories/team.md")
        assert "Thursday" not in memory.recall("On which day do we deploy?").context


def test_earlier_versions_are_kept_and_can_be_brought_back(tool, memory):
    do(tool, "create", path="/memories/a", file_text="first")
    do(tool, "str_replace", path="/memories/a", old_str="first", new_str="second")
    do(tool, "delete", path="/memories/a")
    deleted, replaced = (act.id for act in memory.acts.all())
    memory.undo(deleted)
    assert content(tool, "/memories/a") == "second"
    do(tool, "delete", path="/memories/a")
    memory.undo(replaced)
    assert content(tool, "/memories/a") == "first"


def test_secrets_are_masked_in_files_and_in_paths(tool, memory, tmp_path):
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    do(tool, "create", path=f"/memories/{token}.txt", file_text="line\n" * 398 + f"the token is {token}\n")
    assert "[redacted:github-token]" in content(tool, f"/memories/{token}.txt")
    assert token not in do(tool, "view", path="/memories")
    assert token.encode() not in b"".join(p.read_bytes() for p in (tmp_path / "store").rglob("*") if p.is_file())


def test_clear_takes_everything_out_of_sight(tool, memory):
    do(tool, "create", path="/memories/a/b", file_text="violin")
    assert tool.clear_all_memory() == "All memory cleared"
    assert do(tool, "view", path="/memories").endswith("\n0B\t/memories")
    assert memory.recall("violin", recipe="vector").entries == ()


EDITOR = """
import sys
from engramma import Memory
from engramma.apps.adapters.memory_files import MemoryFiles
from tests.fakes import HashEmbedder

with Memory.open(sys.argv[1], embedder=HashEmbedder()) as memory:
    for number in range(5):
        MemoryFiles(memory).insert("/memories/log", 0, f"{sys.argv[2]} {number}")
"""


def test_two_processes_edit_one_file_and_no_edit_is_lost(tmp_path):
    store = tmp_path / "store"
    with Memory.open(store, embedder=HashEmbedder()) as memory:
        MemoryFiles(memory).create("/memories/log", "end\n")
        started = [subprocess.Popen([sys.executable, "-c", EDITOR, str(store), name]) for name in "ab"]
        assert [process.wait(60) for process in started] == [0, 0]
        lines = MemoryFiles(memory).read("/memories/log").splitlines()
        for name in "ab":
            assert [line for line in lines if line.startswith(name)] == [f"{name} {n}" for n in reversed(range(5))]
        assert len(lines) == 11 and len({session for session, _ in memory.turns_under(CONVERSATION)}) == 1
