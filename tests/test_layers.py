"""A module imports its own group or lower lines (ARCHITECTURE.md), and no group is skipped by accident."""

from __future__ import annotations

import ast
from pathlib import Path

import engramma

ROOT = Path(engramma.__file__).parent

# From the bottom up. Groups on one line do not know each other.
LINES: list[list[str]] = [
    [
        *("records", "errors", "config", "text", "times", "when", "lexical", "redaction", "held_files"),
        *("foreign_json", "quoting", "fence", "encryption", "trust", "unpacking", "private"),
    ],
    ["store", "index", "models", "sources"],
    ["ingest", "recall", "people", "steward"],
    ["memory", "parts", "session", "indexes", "transfer", "preview", "watching", "beside", "upkeep", "browsing"]
    + ["together", "moving", "replacing", "salvage", "leftovers", "rebuild", "encrypting", "backup_settings"]
    + ["copies"]
    + ["backed", "following", "health", "engines", "embedders", "backlog"]
    + [f"{what}_calls" for what in ("note", "document", "link", "graph", "topic", "care", "forget", "review", "team")]
    + [
        f"{what}_calls"
        for what in ("namespace", "redact", "revise", "people", "person", "entity", "ask", "llm", "waiting")
    ],
    ["evaluate"],
    ["apps"],
]
LEVEL = {name: level for level, line in enumerate(LINES) for name in line}
ONE_GROUP = {0, 3}  # lines whose modules may import each other
# The pipelines speak to the database and to models through these, which are seams, not neighbours.

# The benchmarks work through what users have: the facade, its imports and figures, records, recipes, models.
OPEN_TO_BENCHMARKS = ("memory", "transfer", "upkeep", "sources", "records", "errors", "config", "text", "times")
OPEN_TO_BENCHMARKS += ("foreign_json",)
SEAMS_FOR_BENCHMARKS = ("engramma.models.embed", "engramma.models.llm", "engramma.recall", "engramma.recall.recipes")


def group_of(module: str) -> str:
    return module.split(".")[1]


def imports_of(path: Path) -> set[str]:
    """Modules of engramma that a file imports, absolute names."""
    here = ("engramma", *path.relative_to(ROOT).with_suffix("").parts)
    package = here[:-1]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.startswith("engramma.")}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *([node.module] if node.module else [])))
            if module == "engramma":
                found |= {f"engramma.{alias.name}" for alias in node.names if (ROOT / f"{alias.name}.py").exists()}
                found |= {f"engramma.{alias.name}" for alias in node.names if (ROOT / alias.name).is_dir()}
            elif module.startswith("engramma."):
                found.add(module)
    return found


def test_every_module_has_a_place_in_the_layers():
    groups = {path.relative_to(ROOT).parts[0].removesuffix(".py") for path in ROOT.rglob("*.py")}
    assert groups - {"__init__"} <= set(LEVEL)


def test_modules_import_only_their_own_group_or_lower_lines():
    wrong = []
    for path in ROOT.rglob("*.py"):
        own = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if own == "__init__":
            continue
        for module in imports_of(path):
            other = group_of(module)
            same_line = LEVEL[own] == LEVEL[other] and LEVEL[own] in ONE_GROUP
            if not (other == own or LEVEL[other] < LEVEL[own] or same_line):
                wrong.append(f"{path.relative_to(ROOT)} imports {module}")
    assert wrong == []


def test_benchmarks_use_what_users_have():
    wrong = [
        f"{path.relative_to(ROOT)} imports {module}"
        for path in ROOT.glob("evaluate/**/*.py")
        for module in imports_of(path)
        if group_of(module) not in ("evaluate", *OPEN_TO_BENCHMARKS) and module not in SEAMS_FOR_BENCHMARKS
    ]
    assert wrong == []


def test_sql_stands_only_in_sql_files():
    """SELECT, INSERT, UPDATE and DELETE are written in store/sql and nowhere else."""
    words = ("SELECT ", "INSERT INTO", "UPDATE ", "DELETE FROM")
    strings = [
        (path, node.value)
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    found = [f"{path.relative_to(ROOT)}: {text[:40]}" for path, text in strings if text.lstrip().startswith(words)]
    assert found == []


def test_the_read_and_write_pipelines_do_not_import_faces():
    for path in [*ROOT.glob("ingest/*.py"), *ROOT.glob("recall/*.py")]:
        assert not any(".apps" in module for module in imports_of(path))
