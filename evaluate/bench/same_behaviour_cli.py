"""The command line: the help of every command, bad command lines, what it reads, and a series of writes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from same_behaviour_parts import Done, Parts, Program
from same_behaviour_stores import Question

LISTED = re.compile(r"^  ([a-z][a-z-]*)  +\S", re.MULTILINE)
BY_COMMAND = 2  # questions a recipe that are also asked by the command; the API answers the others, in less time
NO_ID = "seg_no/where_0"
AT_ONCE = 3
Line = tuple[str, ...]
STORE = "STORE"  # stands for the path of a store in the lines below

BAD: tuple[tuple[str, ...], ...] = (
    ("nonsense",),
    ("--nonsense",),
    ("recal", "typo"),
    ("--store",),
    ("recall", "--store", STORE),
    ("recall", "--store", STORE, ""),
    ("recall", "--store", STORE, "x", "--recipe", "nonsense"),
    ("recall", "--store", STORE, "x", "-k", "0"),
    ("recall", "--store", STORE, "x", "-k", "many"),
    ("recall", "--store", STORE, "x", "--budget", "0"),
    ("recall", "--store", STORE, "x", "--asked-at", "someday"),
    ("recall", "--store", STORE, "x", "--as-of", "13/13/13"),
    ("recall", "--store", STORE, "x", "--topic", "999999"),
    ("recall", "--store", STORE, "x", "-n", "nowhere"),
    ("recall", "--store", "/no/such/store", "x"),
    ("recall", "--store", STORE, "x", "--conversation", "nowhere"),
    ("ask", "--store", STORE),
    ("ask", "--store", STORE, " "),
    ("ask", "--store", STORE, "Who?", "--llm"),
    ("import", "--store", STORE),
    ("import", "--store", STORE, "/no/such/file.json"),
    ("import", "--store", STORE, "--format", "nonsense", "/dev/null"),
    ("import", "--store", STORE, "--format", "locomo", "/dev/null"),
    ("import", "--store", STORE, "--timezone", "Mars/Base", "/dev/null"),
    ("import", "--store", STORE, "--since", "whenever", "/dev/null"),
    ("remember", "--store", STORE, ""),
    ("remember", "--store", STORE, "x", "--strength", "2"),
    ("remember", "--store", STORE, "x", "--ttl", "soon"),
    ("remember", "--store", STORE, "x", "--at", "now"),
    ("link", "--store", STORE, NO_ID, "supports", NO_ID),
    ("link", "--store", STORE, NO_ID, "nonsense", NO_ID),
    ("unlink", "--store", STORE, NO_ID, "supports", NO_ID),
    ("show", "--store", STORE, NO_ID),
    ("neighbors", "--store", STORE, NO_ID),
    ("neighbors", "--store", STORE, NO_ID, "--hops", "9"),
    ("forget", "--store", STORE),
    ("forget", "--store", STORE, NO_ID),
    ("purge", "--store", STORE),
    ("purge", "--store", STORE, "--act", "99"),
    ("undo", "--store", STORE, "99"),
    ("undo", "--store", STORE),
    ("topics", "--store", STORE, "999999"),
    ("overrule", "--store", STORE, "99", "MERGE"),
    ("overrule", "--store", STORE, "1", "PERHAPS"),
    ("entity", "--store", STORE, "Nobody At All"),
    ("person", "--store", STORE, "Nobody At All"),
    ("entities", "rename", "--store", STORE, "Nobody At All", "Somebody"),
    ("namespace", "create", "--store", STORE, "a/b\n"),
    ("namespace", "delete", "--store", STORE, "nowhere"),
    ("namespace", "rename", "--store", STORE, "nowhere", "somewhere"),
    ("feedback", "--store", STORE, "x", NO_ID),
    ("recipes", "--store", STORE, "nonsense"),
    ("notes", "--store", STORE, "note_0"),
    ("restore", "--store", STORE, "/no/such/backup.zip"),
    ("backup", "--store", STORE, "/no/such/folder/backup.zip"),
    ("users", "token", "--store", STORE, "nobody"),
    ("status", "--store", STORE),
    ("stop", "--store", STORE),
    ("mcp", "--store", STORE, "--compat", "nonsense"),
    ("connect", "nonsense"),
    ("graph-query", "--store", STORE, ""),
    ("ingest", "--store", STORE, "/no/such/document.md"),
    ("export-graph", "--store", STORE, "--format", "nonsense", "x"),
    ("migrate", "--store", STORE, "nonsense://x"),
)


def together(lines: Sequence[Line], run: Callable[[Line], Done]) -> Iterator[tuple[Line, Done]]:
    """Run command lines that do not disturb each other, some at a time, and give back each with what it left."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield from zip(lines, pool.map(run, lines), strict=True)


def helps(program: Program, parts: Parts) -> None:
    """The help of the program, of every command, and of every command of those."""
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        below: list[tuple[str, ...]] = []
        for words, done in together(waiting, lambda words: program.run(*words, "--help")):
            parts.add("help", " ".join(("engramma", *words)), done.value())
            if not words or "COMMAND [ARGS]" in done.out:
                below += [(*words, name) for name in dict.fromkeys(LISTED.findall(done.out))]
        waiting = below


def bad_lines(program: Program, parts: Parts, store: Path) -> None:
    """The exit codes and messages of command lines that cannot work."""

    def run(line: tuple[str, ...]) -> Done:
        return program.run(*(str(store) if word == STORE else word for word in line))

    for line, done in together(BAD, run):
        parts.add("bad_lines", " ".join(line), done.value())


def reads(program: Program, parts: Parts, store: Path, questions: list[Question], short: bool = False) -> None:
    """What the commands that only read say of a store, as JSON and as text."""
    at = ("--store", str(store))
    exported = program.run("export", *at)
    parts.add(f"{store.name}_export", "exit", {"exit": exported.code, "err": exported.err})
    parts.add_rows(f"{store.name}_export", "export", [Done(0, line, "").value() for line in exported.out.splitlines()])
    lines: list[tuple[str, ...]] = [
        (name,) for name in ("sessions", "stats", "people", "decisions", "topics", "doctor")
    ]
    lines += [("claims", "--limit", "100000"), ("entities", "list"), ("recipes",)]
    if not short:
        lines += [("notes",), ("links",), ("acts",), ("namespace", "list"), ("redactions",), ("users", "list")]
    for line, done in together(lines, lambda line: program.run(*line, *at, "--json")):
        value = done.value()
        rows = value["out"] if isinstance(value["out"], list) else None
        parts.add(
            f"{store.name}_cli", f"{' '.join(line)} --json", value if rows is None else {**value, "out": len(rows)}
        )
        parts.add_rows(f"{store.name}_cli", f"{' '.join(line)} --json", rows or [])
    if not short:
        texts(program, parts, store, questions)


def texts(program: Program, parts: Parts, store: Path, questions: list[Question]) -> None:
    """What the same commands print for people."""
    at = ("--store", str(store))
    question = questions[0].text
    lines: list[tuple[str, ...]] = [(name,) for name in ("sessions", "stats", "people", "topics", "claims", "audit")]
    lines += [("doctor", "-v"), ("recall", question), ("recall", question, "--explain"), ("ask", question, "--explain")]
    lines += [("match", question, "--json"), ("match", question, "--hybrid"), ("topics", "1"), ("steward",)]
    for line, done in together(lines, lambda line: program.run(*line, *at)):
        parts.add(f"{store.name}_cli", " ".join(line), done.value())


def asked(program: Program, parts: Parts, store: Path, recipes: list[str], questions: list[Question]) -> None:
    """The first questions by the command: every recipe, and ask."""
    at = ("--store", str(store), "--json")
    for question in questions[:BY_COMMAND]:
        when = ("--asked-at", question.asked_at) if question.asked_at else ()
        lines = [("recall", "--recipe", recipe, *when, question.text) for recipe in recipes]
        for line, done in together([*lines, ("ask", question.text)], lambda line: program.run(*line, *at)):
            parts.add(f"{store.name}_{line[0]}", f"command {' '.join(line)}", done.value())


def writes(program: Program, parts: Parts, store: Path, home: Path) -> None:
    """A series of writes by the command, each with what it prints."""
    at = ("--store", str(store), "--json")
    ids: list[str] = []
    line: Line

    def run(*line: str, stdin: str = "", name: Callable[[Done], None] | None = None) -> Done:
        done = program.run(*line, *at, stdin=stdin)
        if name:
            name(done)
        parts.add("cli_writes", " ".join(line), done.value())
        return done

    for number, text in enumerate(
        ("Ana prefers window seats.", "Ben is allergic to nuts.", "Ana prefers window seats.")
    ):
        when = f"2024-02-0{number + 1}T10:00:00+00:00"
        done = run("remember", text, "--at", when, "--tags", "travel,food")
        ids += re.findall(r"note_[0-9a-f]{16}", done.out)[:1]
    run("remember", "-", "--at", "2024-02-05T10:00:00+00:00", stdin="My key is sk-ant-api03-" + "a1B2" * 24)
    run(
        "remember",
        "I sold the boat.",
        "-c",
        "harbour",
        "-s",
        "Ana",
        "--at",
        "2024-02-06T10:00:00Z",
        "--id",
        "h1",
        "--close",
    )
    (home / "tower.md").write_text("# Tower\n\nThe lighthouse is 41 metres high.\n\n## Keeper\n\nAna keeps it.\n")
    run("ingest", "--name", "tower.md", str(home / "tower.md"))
    run("link", ids[0], "supports", ids[1], "--weight", "0.7", "--label", "both", "--author", "ana")
    run("links")
    run("show", ids[0])
    run("neighbors", ids[0])
    run("feedback", "What does Ana prefer?", ids[0])
    run("unlink", ids[0], "supports", ids[1])
    for line in (("forget", ids[1]), ("forget", ids[1], "-y"), ("acts",), ("undo", "1"), ("forget", "-s", "Dan", "-y")):
        run(*line)
    for line in (("purge", ids[1]), ("purge", ids[1], "-y"), ("purge", "-q", "lighthouse", "-y"), ("notes", "--all")):
        run(*line)
    for line in (
        ("namespace", "create", "work"),
        ("remember", "Standup at ten.", "-n", "work", "--at", "2024-03-01T10:00:00Z"),
    ):
        run(*line)
    for line in (("namespace", "rename", "work", "job"), ("recall", "standup", "-n", "job"), ("namespace", "list")):
        run(*line)
    run("entities", "rename", "Pixel", "Pixie")
    run("entities", "alias", "Pixie", "Pix")
    run("entities", "type", "Northwind", "organisation")
    run("entity", "Pixie")
    run("entities", "merge", "Northwind", "Globex")
    run("entities", "delete", "Northwind")
    decided = program.needed("decisions", *at)
    run("overrule", str(decided[0]["id"] if decided else 1), "SEPARATE", "-r", "two homes")
    run("person", "Ana")
    run("graph-query", "Who works at Northwind?")
    run("redact", "-", stdin="password: hunter2hunter2 and mail ana@example.org")
    run("redact", "--rules")
    run("redactions")
    run("steward", "--apply")
    run("backup", str(home / "backup.zip"))
    restored = program.run("restore", str(home / "backup.zip"), "--store", str(home / "restored"), "--json")
    parts.add("cli_writes", "restore", restored.value())
    parts.add_rows("cli_writes", "restored", program.run("export", "--store", str(home / "restored")).out.splitlines())
    run("doctor")
    run("stats")
